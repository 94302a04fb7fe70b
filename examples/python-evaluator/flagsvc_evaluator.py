"""A flag evaluator in plain Python, written from the specification and what-an-evaluator-owes.md.

It shares no code with sdk-core, and a conformance vector is published only if both agree.
Evaluation never raises, whatever the ruleset, flag key or context.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import lru_cache
from typing import Any, Callable, Iterable, Optional

NOT_FOUND = {"value": None, "reason": "FLAG_NOT_FOUND", "rule_id": None, "variation_key": None}


class Evaluator:
    """Evaluates the flags of one ruleset, which is decoded JSON. Do not change it afterwards."""

    def __init__(self, ruleset: Any):
        ruleset = ruleset if isinstance(ruleset, dict) else {}
        self.segments: dict[str, list] = {}
        for segment in _listed(ruleset.get("segments")):
            if _is_segment(segment):
                self.segments.setdefault(segment["key"], segment["conditions"])
        self.flags: dict[str, _Flag] = {}
        for flag in _listed(ruleset.get("flags")):
            if _is_flag(flag) and flag["key"] not in self.flags:
                self.flags[flag["key"]] = _Flag(flag)
        self._rank_flags()

    def evaluate(self, flag_key: Any, context: Any) -> dict:
        """Evaluates one flag: value, reason, rule_id, variation_key."""
        return self._evaluate(flag_key, _Context(context), {})

    def evaluate_all(self, context: Any) -> dict[str, dict]:
        """Evaluates every flag that is not broken; returns the results by flag key."""
        view, served = _Context(context), {}
        return {key: self._evaluate(key, view, served) for key in self.flags}

    # Prerequisites (EV-117 to EV-123). Flags are ranked so that a flag's prerequisites have lower ranks. A flag
    # without a rank is in a cycle, or depends on a cycle or an absent flag, and is blocked for everybody.

    def _rank_flags(self) -> None:
        waiting: dict[str, list[_Flag]] = {}
        ready = []
        for flag in self.flags.values():
            flag.missing = len(flag.needs)
            for key in flag.needs:
                waiting.setdefault(key, []).append(flag)
            if not flag.needs:
                ready.append(flag)
        for rank, flag in enumerate(ready):  # the loop also visits flags that it adds
            flag.rank = rank
            for dependent in waiting.get(flag.key, ()):
                dependent.missing -= 1
                if dependent.missing == 0:
                    ready.append(dependent)

    def _evaluate(self, flag_key: Any, view: "_Context", served: dict) -> dict:
        flag = self.flags.get(flag_key) if isinstance(flag_key, str) else None
        if flag is None:
            return dict(NOT_FOUND)
        if flag.enabled and flag.rank is not None:
            for needed in self._before(flag):
                if needed.key not in served:
                    result = self._decide(needed, view, served)
                    holds = result["reason"] not in ("DISABLED", "PREREQUISITE")
                    served[needed.key] = result["variation_key"] if holds else None
        return self._decide(flag, view, served)

    def _before(self, flag: "_Flag") -> list["_Flag"]:
        if flag.before is None:
            found, todo = {}, list(flag.needs)
            while todo:
                key = todo.pop()
                if key not in found:
                    found[key] = self.flags[key]
                    todo.extend(found[key].needs)
            flag.before = sorted(found.values(), key=lambda needed: needed.rank)
        return flag.before

    def _decide(self, flag: "_Flag", view: "_Context", served: dict) -> dict:
        if not flag.enabled:
            return flag.result(flag.default, "DISABLED")
        if flag.rank is None or any(served[key] != variation for key, variation in flag.prerequisites):
            return flag.result(flag.default, "PREREQUISITE")
        for rule in flag.rules:
            if all(self._matches(condition, view) for condition in rule["conditions"]):
                return self._serve(flag, rule, view)
        return flag.result(flag.default, "DEFAULT")

    def _serve(self, flag: "_Flag", rule: dict, view: "_Context") -> dict:
        """The result of a matching rule (EV-50 to EV-53 and EV-124 to EV-134)."""
        variation, reason = rule.get("variation"), "TARGETING_RULE"
        if rule.get("percentage_rollout") is not None:
            reason, units = "PERCENTAGE_ROLLOUT", rule.get("bucketing")
            variation = _assigned(units, view) if _are_units(units) else _bucketed(flag.key, view.user_key, rule)
        if variation not in flag.values:
            return flag.result(flag.default, "DEFAULT")
        return flag.result(variation, reason, rule["id"])

    # Conditions

    def _matches(self, condition: dict, view: "_Context") -> bool:
        if condition["attribute"] == "$segment":
            return self._in_segment(condition, view)
        return _attribute_matches(condition, view)

    def _in_segment(self, condition: dict, view: "_Context") -> bool:
        operator, value = condition["operator"], condition.get("value")
        if operator in ("is", "is_not"):
            keys = None if _text(value) is None else [_text(value)]
        elif operator in ("one_of", "not_one_of"):
            keys = _texts(value)
        else:
            keys = None
        if keys is None:
            return False
        member = any(self._is_member(self.segments.get(key), view) for key in keys)
        return member == (operator in ("is", "one_of"))

    @staticmethod
    def _is_member(conditions: Optional[list], view: "_Context") -> bool:
        return conditions is not None and all(
            condition["attribute"] != "$segment" and _attribute_matches(condition, view)
            for condition in conditions
        )


class _Flag:
    def __init__(self, flag: dict):
        self.key: str = flag["key"]
        self.enabled: bool = flag["enabled"]
        self.default: str = flag["default_variation"]
        self.values: dict[str, Any] = {}
        for variation in flag["variations"]:
            self.values.setdefault(variation["key"], variation["value"])
        self.rules = sorted(flag.get("targeting_rules") or [], key=lambda rule: float(rule["priority"]))
        self.prerequisites = [(p["flag_key"], p["variation"]) for p in flag.get("prerequisites") or []]
        self.needs = {key for key, _ in self.prerequisites}
        self.missing = 0
        self.rank: Optional[int] = None
        self.before: Optional[list[_Flag]] = None

    def result(self, variation: str, reason: str, rule_id: Optional[str] = None) -> dict:
        return {"value": self.values[variation], "reason": reason, "rule_id": rule_id, "variation_key": variation}


class _Context:
    def __init__(self, context: Any):
        context = context if isinstance(context, dict) else {}
        user_key, attributes = context.get("user_key"), context.get("attributes")
        self.user_key: Optional[str] = user_key if isinstance(user_key, str) else None
        self._attributes: dict = attributes if isinstance(attributes, dict) else {}

    def attribute(self, name: str) -> Any:
        """The attribute's value; None if it is missing (EV-54 to EV-56)."""
        if name == "user_key" and name not in self._attributes:
            return self.user_key
        return self._attributes.get(name)

    def unit(self, by: str) -> Optional[str]:
        """The unit as a string; None or empty if it is not assigned (EV-126 to EV-128)."""
        return self.user_key if by == "user_key" else _text(self._attributes.get(by))


# The structure of a ruleset (EV-7 to EV-27)


def _listed(value: Any) -> list:
    return value if isinstance(value, list) else []


def _is_flag(flag: Any) -> bool:
    return (
        isinstance(flag, dict)
        and isinstance(flag.get("key"), str)
        and isinstance(flag.get("enabled"), bool)
        and _are(flag.get("variations"), lambda v: isinstance(v.get("key"), str) and "value" in v)
        and isinstance(flag.get("default_variation"), str)
        and any(flag["default_variation"] == variation["key"] for variation in flag["variations"])
        and _are_or_none(flag.get("targeting_rules"), _is_rule)
        and _are_or_none(flag.get("prerequisites"), lambda p: _has_texts(p, "flag_key", "variation"))
    )


def _is_rule(rule: dict) -> bool:
    return (
        isinstance(rule.get("id"), str)
        and _finite(rule.get("priority")) is not None
        and _are(rule.get("conditions"), _is_condition)
        and (rule.get("variation") is None or isinstance(rule["variation"], str))
        and _are_or_none(
            rule.get("percentage_rollout"),
            lambda e: _has_texts(e, "variation") and _finite(e.get("percentage")) is not None,
        )
    )


def _is_condition(condition: dict) -> bool:
    return _has_texts(condition, "attribute", "operator")


def _is_segment(segment: Any) -> bool:
    return isinstance(segment, dict) and _has_texts(segment, "key") and _are(segment.get("conditions"), _is_condition)


def _has_texts(item: dict, *names: str) -> bool:
    return all(isinstance(item.get(name), str) for name in names)


def _are(items: Any, is_item: Callable[[dict], bool]) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) and is_item(item) for item in items)


def _are_or_none(items: Any, is_item: Callable[[dict], bool]) -> bool:
    return items is None or _are(items, is_item)


# Scalars (EV-64 to EV-80)


def _finite(value: Any) -> Optional[float]:
    """The number as a finite binary64; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _text(value: Any) -> Optional[str]:
    """The scalar as text; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    number = _finite(value)
    return None if number is None else number_text(number)


def _texts(value: Any) -> Optional[list[str]]:
    if not isinstance(value, list):
        return None
    return [text for text in map(_text, value) if text is not None]


def number_text(number: float) -> str:
    """ECMAScript's Number::toString for a finite number."""
    if number == 0:
        return "0"
    if number < 0:
        return "-" + number_text(-number)
    shortest = Decimal(repr(number)).normalize().as_tuple()  # repr gives the shortest digits
    digits = "".join(map(str, shortest.digits))
    point = len(digits) + shortest.exponent  # position of the decimal point in the digits
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _number(value: Any) -> Optional[float]:
    if isinstance(value, str):
        return _finite(float(value)) if _DECIMAL.fullmatch(value) else None
    return _finite(value)


# Operators. A test takes one element of the attribute and returns a boolean.


def _attribute_matches(condition: dict, view: _Context) -> bool:
    operator = condition["operator"]
    negative = operator in _NEGATIVE
    make = _TESTS.get(_NEGATIVE.get(operator, operator))
    test = make(condition.get("value")) if make else None
    if test is None:
        return False
    attribute = view.attribute(condition["attribute"])
    if isinstance(attribute, list):
        return any(test(element) for element in attribute if _text(element) is not None) != negative
    if _text(attribute) is None:
        return False
    return test(attribute) != negative


_Test = Callable[[Any], bool]


def _text_test(compare: Callable[[str, str], bool]) -> Callable[[Any], Optional[_Test]]:
    def make(value: Any) -> Optional[_Test]:
        wanted = _text(value)
        return None if wanted is None else lambda element: compare(_text(element), wanted)

    return make


def _list_test(value: Any) -> Optional[_Test]:
    wanted = _texts(value)
    return None if wanted is None else lambda element: _text(element) in wanted


def _number_test(sign: int) -> Callable[[Any], Optional[_Test]]:
    def make(value: Any) -> Optional[_Test]:
        bound = _number(value)
        if bound is None:
            return None

        def test(element: Any) -> bool:
            number = _number(element)
            return number is not None and (number > bound if sign > 0 else number < bound)

        return test

    return make


def _regex_test(value: Any) -> Optional[_Test]:
    pattern = None if _text(value) is None else compile_pattern(_text(value))
    return None if pattern is None else lambda element: pattern.search(_text(element))


def _version_test(sign: int) -> Callable[[Any], Optional[_Test]]:
    def make(value: Any) -> Optional[_Test]:
        bound = parse_version(value)
        if bound is None:
            return None

        def test(element: Any) -> bool:
            version = parse_version(element)
            return version is not None and (version > bound if sign > 0 else version < bound)

        return test

    return make


_TESTS: dict[str, Callable[[Any], Optional[_Test]]] = {
    "is": _text_test(lambda text, wanted: text == wanted),
    "contains": _text_test(lambda text, wanted: wanted in text),
    "one_of": _list_test,
    "gt": _number_test(+1),
    "lt": _number_test(-1),
    "matches_regex": _regex_test,
    "version_gt": _version_test(+1),
    "version_lt": _version_test(-1),
}
_NEGATIVE = {"is_not": "is", "not_contains": "contains", "not_one_of": "one_of"}


# Versions (EV-81 to EV-86)

_VERSION = re.compile(
    r"[vV]?(0|[1-9][0-9]*)(?:\.(0|[1-9][0-9]*))?(?:\.(0|[1-9][0-9]*))?"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


def parse_version(value: Any) -> Optional[tuple]:
    """A tuple that sorts in SemVer's order; None if the value is not a version."""
    match = _VERSION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    # Numbers without leading zeros sort by length, then as text, which is exact for any length.
    core = tuple((len(part or "0"), part or "0") for part in match.group(1, 2, 3))
    if match.group(4) is None:
        return core, 1, ()
    identifiers = []
    for identifier in match.group(4).split("."):
        if not identifier.isdigit():
            identifiers.append((1, 0, identifier))
        elif identifier == "0" or identifier[0] != "0":
            identifiers.append((0, len(identifier), identifier))
        else:
            return None
    return core, 0, tuple(identifiers)


# Bucketing (EV-42 to EV-53)


def bucket_hash(flag_key: str, user_key: str, revision: int = 1) -> int:
    """The 32-bit hash; the bucket is its remainder modulo 100."""
    value = 5381
    for character in f"{flag_key}:{user_key}":
        value = (value * 33 + ord(character)) & 0xFFFFFFFF
    if revision == 2:  # MurmurHash3's finalizer
        value = (value ^ value >> 16) * 0x85EBCA6B & 0xFFFFFFFF
        value = (value ^ value >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
        value ^= value >> 16
    return value


def bucket(flag_key: str, user_key: str, revision: int = 1) -> int:
    """The user's bucket, from 0 to 99."""
    return bucket_hash(flag_key, user_key, revision) % 100


def _bucketed(flag_key: str, user_key: Optional[str], rule: dict) -> Optional[str]:
    """The variation key that the rule's rollout serves to this user, or None."""
    revision = 1 if rule.get("bucketing") is None else _finite(rule["bucketing"])
    if not user_key or revision not in (1, 2):
        return None
    place, total = bucket(flag_key, user_key, int(revision)), 0.0
    for entry in rule["percentage_rollout"]:
        total += float(entry["percentage"])
        if place < total:
            return entry["variation"]
    return None


# Units: revision 3 of bucketing (EV-124 to EV-134)


def _are_units(bucketing: Any) -> bool:
    def is_part(part: dict, name: str) -> bool:
        return _has_texts(part, name) and None not in (_finite(part.get("from")), _finite(part.get("to")))

    return (
        isinstance(bucketing, dict)
        and _finite(bucketing.get("revision")) == 3
        and _has_texts(bucketing, "salt", "by")
        and bucketing["salt"] != ""
        and _are(bucketing.get("ranges"), lambda part: is_part(part, "variation"))
        and _are_or_none(bucketing.get("gates"), lambda gate: is_part(gate, "salt") and gate["salt"] != "")
    )


def _assigned(units: dict, view: _Context) -> Optional[str]:
    """The variation key that the ranges serve to the context's unit, or None."""
    unit = view.unit(units["by"])
    gates = units.get("gates") or []
    if not unit or not all(_contains(gate, unit_bucket(gate["salt"], unit)) for gate in gates):
        return None
    number = unit_bucket(units["salt"], unit)
    return next((part["variation"] for part in units["ranges"] if _contains(part, number)), None)


def _contains(part: dict, number: int) -> bool:
    return part["from"] <= number < part["to"]


def unit_bucket(salt: str, unit: str) -> int:
    """The unit's bucket, from 0 to 9,999."""
    return bucket_hash(salt, unit, 2) % 10_000


# Regular expressions (EV-87 to EV-109). The parser turns a pattern directly into a program with
# relative jumps, so that a part is repeated by repeating its list. Pattern.search follows all
# states of the program at once and caches transitions, so time is linear in the text.

_META = ".^$|()[]{}*+?\\"
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ANYTHING = ((0, 0x10FFFF),)
_NAMED = {
    "d": ((0x30, 0x39),),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
}
_MAX_LENGTH, _MAX_REPEAT, _MAX_STATES, _MAX_STEPS = 512, 1000, 10_000, 20_000
_FLAGS = re.compile(r"\(\?([ims]+)\)")
_COUNT = re.compile(r"\{(0|[1-9][0-9]{0,3})(,(0|[1-9][0-9]{0,3})?)?\}")
_MATCH = ("match",)

_Ranges = Iterable[tuple[int, int]]


class _Outside(Exception):
    """Raised when a pattern is outside the dialect."""


@lru_cache(maxsize=4096)
def compile_pattern(source: str) -> Optional["Pattern"]:
    """The compiled pattern; None if it is outside the dialect."""
    try:
        return Pattern(*_Parser(source).parse())
    except _Outside:
        return None


def _complement(ranges: _Ranges) -> tuple:
    found, low = [], 0
    for start, end in sorted(ranges):
        if start > low:
            found.append((low, start - 1))
        low = max(low, end + 1)
    return tuple(found) + (((low, 0x10FFFF),) if low <= 0x10FFFF else ())


def _folded(ranges: _Ranges) -> tuple:
    found = list(ranges)
    for start, end in ranges:
        for first, last, shift in ((0x41, 0x5A, 32), (0x61, 0x7A, -32)):
            if max(start, first) <= min(end, last):
                found.append((max(start, first) + shift, min(end, last) + shift))
    return tuple(found)


class _Parser:
    """Parses without recursion: each open group has a frame with its finished branches and the current one."""

    def __init__(self, source: str):
        flags = _FLAGS.match(source)
        self.flags = flags.group(1) if flags else ""
        self.source, self.at = source, flags.end() if flags else 0
        if len(source) > _MAX_LENGTH or self.at == len(source):
            raise _Outside
        self.states = 0

    def parse(self) -> tuple[list, bool]:
        frames: list[tuple[list, list]] = [([], [])]
        while self.at < len(self.source):
            branches, parts = frames[-1]
            character = self.next()
            if character == "|":
                branches.append(_sequence(parts))
                frames[-1] = (branches, [])
            elif character == "(":
                if self.peek() == "?" and self.source[self.at + 1 : self.at + 2] == ":":
                    self.at += 2  # any other "(?" fails below, as a quantifier without an atom
                frames.append(([], []))
            elif character == ")":
                if len(frames) == 1:
                    raise _Outside
                frames.pop()
                frames[-1][1].append(self.quantified(_alternation(branches + [_sequence(parts)])))
            elif character in "^$" or character == "\\" and self.peek() in ("b", "B"):
                parts.append((1, [("assert", self.next() if character == "\\" else character)]))
            else:
                parts.append(self.quantified((1, [("set", self.atom(character))])))
        if len(frames) != 1:
            raise _Outside
        count, program = _alternation(frames[0][0] + [_sequence(frames[0][1])])
        if count > _MAX_STATES:
            raise _Outside
        return program + [_MATCH], "m" in self.flags

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def next(self) -> str:
        character = self.peek()
        if not character:
            raise _Outside
        self.at += 1
        return character

    def atom(self, character: str) -> tuple:
        if character == ".":
            return _ANYTHING if "s" in self.flags else _complement([(0x0A, 0x0A)])
        if character == "[":
            return self.character_class()
        if character == "\\":
            character = self.next()
            if character.lower() in _NAMED:
                return _named(character)
            character = self.escaped(character, _META + "/")
        elif character in _META:
            raise _Outside
        return self.fold([(ord(character), ord(character))])

    def escaped(self, character: str, allowed: str) -> str:
        if character in _CONTROL:
            return _CONTROL[character]
        if character not in allowed:
            raise _Outside
        return character

    def fold(self, ranges: _Ranges) -> tuple:
        return _folded(ranges) if "i" in self.flags else tuple(ranges)

    def character_class(self) -> tuple:
        negated = self.peek() == "^"
        self.at += negated
        first, ranges, bare = self.at, [], ""  # bare: the previous character, if it had no backslash
        while True:
            character = self.next()
            if character in "&~|" and character == bare:
                raise _Outside
            bare = character
            if character == "]":
                if self.at == first + 1:
                    raise _Outside
                break
            if character == "-":
                if self.at != first + 1 and self.peek() != "]":
                    raise _Outside
                ranges.append((0x2D, 0x2D))
                continue
            if character == "\\" and self.peek() and self.peek() in "dDwWs":
                ranges.extend(_named(self.next()))
                bare = ""
                continue
            low, bare = self.member(character)
            high = low
            if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] != "]":
                self.at += 1
                high, bare = self.member(self.next())
                if high < low:
                    raise _Outside
            ranges.append((low, high))
        ranges = self.fold(ranges)
        return _complement(ranges) if negated else tuple(ranges)

    def member(self, character: str) -> tuple[int, str]:
        """Parses a member of a class: its code point, and the character itself if it had no backslash."""
        if character == "\\":
            return ord(self.escaped(self.next(), _META + "/-")), ""
        if character in "[]-":
            raise _Outside
        return ord(character), character

    def quantified(self, part: tuple[int, list]) -> tuple[int, list]:
        character = self.peek()
        if not character or character not in "*+?{":
            return part
        if character == "{":
            match = _COUNT.match(self.source, self.at)
            if match is None:
                raise _Outside
            self.at = match.end()
            low = int(match.group(1))
            high = low if match.group(2) is None else int(match.group(3)) if match.group(3) else None
            if max(low, high or 0) > _MAX_REPEAT or high is not None and high < low:
                raise _Outside
        else:
            self.at += 1
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        if self.peek() == "?":
            self.at += 1
        if self.peek() and self.peek() in "*+?{":
            raise _Outside
        return _repeated(part, low, high)


def _named(letter: str) -> tuple:
    ranges = _NAMED[letter.lower()]
    return ranges if letter.islower() else _complement(ranges)


def _sequence(parts: list) -> tuple[int, list]:
    return sum(count for count, _ in parts), [step for _, program in parts for step in program]


def _alternation(branches: list) -> tuple[int, list]:
    full = [program for count, program in branches if count]
    if len(full) < len(branches):
        full.append([])  # one empty branch is enough
    program = full.pop()
    for branch in reversed(full):
        program = [("split", 1, len(branch) + 2), *branch, ("jump", len(program) + 1), *program]
    return sum(count for count, _ in branches), program


def _repeated(part: tuple[int, list], low: int, high: Optional[int]) -> tuple[int, list]:
    count, program = part
    total = count * (max(low, 1) if high is None else high)
    if total == 0:
        return 0, []  # no atom left: it matches only the empty text
    if total > _MAX_STATES:
        return total, program  # too large to expand; refused unless an outer {0} removes it
    length = len(program)
    optional = [("split", 1, length + 1), *program]
    if high is not None:
        return total, program * low + optional * (high - low)
    if low == 0:
        return total, [("split", 1, length + 2), *program, ("jump", -length - 1)]
    return total, program * low + [("split", -length, 1)]


class Pattern:
    """A program and its cached transitions: (states, previous character, character) to states."""

    def __init__(self, program: list, multiline: bool):
        self.program, self.multiline = program, multiline
        self.steps: dict[tuple, Any] = {}

    def search(self, text: str) -> bool:
        state: Any = (frozenset((0,)), "start")
        for character in [*text, None]:  # None is the end
            key = (state, character)
            following = self.steps.get(key)
            if following is None:
                if len(self.steps) >= _MAX_STEPS:
                    self.steps.clear()
                following = self.steps[key] = self.step(state, character)
            if following is True:
                return True
            state = following
        return False

    def step(self, state: tuple, character: Optional[str]) -> Any:
        """True if the pattern matches before this character, else the next state."""
        states, before = state
        after = "end" if character is None else _kind(character)
        todo, seen, following = list(states), set(states), {0}
        while todo:
            at = todo.pop()
            step = self.program[at]
            if step is _MATCH:
                return True
            if step[0] == "set":
                if character is not None and any(low <= ord(character) <= high for low, high in step[1]):
                    following.add(at + 1)
                continue
            if step[0] == "assert":
                jumps = (1,) if self.holds(step[1], before, after) else ()
            else:
                jumps = step[1:]
            for jump in jumps:
                if at + jump not in seen:
                    seen.add(at + jump)
                    todo.append(at + jump)
        return frozenset(following), after

    def holds(self, assertion: str, before: str, after: str) -> bool:
        if assertion == "^":
            return before == "start" or self.multiline and before == "newline"
        if assertion == "$":
            return after == "end" or self.multiline and after == "newline"
        return ((before == "word") != (after == "word")) == (assertion == "b")


def _kind(character: str) -> str:
    if character == "\n":
        return "newline"
    return "word" if any(low <= ord(character) <= high for low, high in _NAMED["w"]) else "other"
