"""Prints random rulesets, calls and this evaluator's results, for comparison with another implementation.

    python3 random_pairs.py --seed 1 --count 1000

One line of JSON for each ruleset: {"ruleset", "calls": [{"flag", "context", "expect"}]}, about twenty
calls for each ruleset and --count calls in all. A line depends only on the seed and on its line number.
Everything is plain JSON: numbers are finite, nothing is tagged. Texts may contain half a surrogate pair.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

from flagsvc_evaluator import Evaluator

HOSTILE = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "length", "then", ""]
ATTRIBUTES = ["plan", "age", "app", "text", "roles", "plan.name", "user_key", "é", "$plan", "user_id", *HOSTILE]
FLAGS = ["flag-a", "flag-b", "flag-c", "new-checkout", "a", "a:b", "Flag-a", "\U0001f600", "flag-é", *HOSTILE]
VARIATIONS = ["on", "off", "a", "b", "On", "__proto__", "constructor", "", "é"]
SEGMENTS = ["beta", "german", "Beta", "1", "true", "__proto__", "constructor", ""]
VALUES = [True, False, None, 0, 1, -1.5, 1e21, 1e-7, 2**53, "", "x", "é\U0001f600", [], {}, [1, [2]], {"a": {"__proto__": 1}}]

WORDS = [
    "", "a", "A", "b", "ab", "pro", "Pro", "pro ", "free", "null", "undefined", "true", "false", "True", "0", "-0", "1",
    "1.0", "01", "1e21", "1e+21", "NaN", "Infinity", "é", "e\u0301", "東京", "\U0001f600", "\U0001f601", "a\U0001f600b",
    "\ud83d", "\ude00", "a b", "a\nb", "\n", " ", "\u00a0", "\u000b", "K", "\u212a", "k", "s", "\u017f", "_", "-", "a-b", "x" * 60,
    "constructor", "__proto__", "[object Object]", "a,b", "user-1", "user-2", "aab", "abab", "1.10", "9007199254740992",
]
NUMBERS = [
    0, -0.0, 1, -1, 2, 10, 9.5, 10.5, 0.1, 0.2, 0.1 + 0.2, 1.5, 100, 1e21, 1e-7, 1e20, 1e300, -1e300, 5e-324, 2**31, -(2**31),
    2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63, 1.7976931348623157e308, 123456789012345680000, 0.000001, 1 / 3, 1.0,
]
DECIMALS = ["0", "-0", "1", "10", "10.0", "+10", "1e1", ".5", "-.5", "9.99", "010", "1E+2", "9007199254740993", "1e-400", "100e-1"]
NO_DECIMALS = ["", " 10", "10 ", "10.", ".", "1e", "0x10", "1_0", "1,5", "1e999", "\u0661", "--1", "10\n", "+", "1n"]
VERSIONS = [
    "1", "1.0", "1.0.0", "v1.0.0", "V1", "1.0.1", "1.2", "1.10.0", "1.9.0", "2.0.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
    "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1-rc.1", "1.0.0+b", "1.0.0-rc.1+b", "1.0.0--", "1.0.0-0", "1.0.0-A", "0.0.0-0",
    "9007199254740992.0.0", "9007199254740993.0.0", "1.0.0-9007199254740993", "1.0.0-9007199254740992", "9" * 30,
]
NO_VERSIONS = ["", "v", "vv1", "1.", "1..0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.2.3.4", "latest", " 1", "1 ", "1.0.0-é", "\uff11"]
ATOMS = [
    "a", "a", "b", "b", "A", "1", "-", "é", "\U0001f600", ".", ".", "[ab]", "[^a]", "[a-c]", "[-a]", "[a^]", "[\\d-]", "[Z-a]", "[^\\w]", "\\d", "\\D",
    "\\w", "\\W", "\\s", "\\S", "\\n", "\\.", "\\/", "\\\\", "\\]", "()", "(a|b)", "(a*)*", "(?:ab)", "(|a)", "(^a)", "(b$|\\B)", "/", ",", " ",
]
QUANTIFIERS = ["", "", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,}", "{2}?", "{0}"]
ASSERTIONS = ["^", "$", "\\b", "\\B"]
ODD_PIECES = [
    "(?=a)", "(?!a)", "(?i)", "(?<n>a)", "(?i:a)", "\\1", "\\p{L}", "\\x41", "\\u0041", "\\-", "\\ ", "\\z", "\\", "[", "]", "{", "}", "{,2}",
    "{2,1}", "{01}", "{1001}", "**", "++", "a*+", "[]", "[^]", "[]a]", "[a-b-c]", "[b-a]", "[a-\\d]", "[\\b]", "[\\S]", "[[:alpha:]]",
    "[&&]", "[a||b]", "^*", "(", ")", "(?", "{1000}{1000}",
]
FLAGS_OF_PATTERNS = ["(?i)", "(?m)", "(?s)", "(?im)", "(?ii)", "(?ims)"]
LETTERS = ["a", "b", "A", "B", "c", "1", "-", "_", " ", "\n", "é", "\U0001f600", "Z", "k", "\u212a", ".", ","]
TEXT_OPERATORS = ["is", "is_not", "contains", "not_contains"]
LIST_OPERATORS = ["one_of", "not_one_of"]
ODD_OPERATORS = ["IS", "equals", "", "constructor", "__proto__", "is ", "gte"]
JUNK: list[Any] = [None, 0, 1, -1.5, "", "x", "0", True, False, [], {}, [None], {"key": "x"}, ["is"], "__proto__"]
SPLITS = [
    [100], [50, 50], [30, 70], [10, 20, 30], [0, 100], [100, 0], [33, 33, 34], [1, 99], [0], [], [5], [60, 60], [0.5, 99.5], [33.3, 33.3, 33.4],
    [0.1, 0.2, 99.7], [-10, 60], [50, -20, 40], [1e308, 1e308], [-0.0, 50], [25, 25, 25, 25], [5e-324, 50],
]
PRIORITIES = [1, 1, 2, 3, 0, -0.0, -1, 10, 9, 1.5, 2**31, -(2**31), 2**53, 2**53 + 1, 1e300, -1e300]
USERS = ["user-1", "a", "", " ", "0", "é", "\U0001f600", "a\U0001f600", "\ud83d", "a:b", "x" * 100, "東京", "ann@example.com"]


class World:
    """Generates one ruleset and its calls. Hints are attribute values that match a condition or nearly do."""

    def __init__(self, seed: str):
        dice = self.dice = random.Random(seed)
        self.names = dice.sample(ATTRIBUTES, 7)
        self.keys = dice.sample(FLAGS, dice.randint(2, 6))
        self.segment_keys = dice.sample(SEGMENTS, dice.randint(0, 3))
        self.hints: dict[str, list] = {name: [] for name in self.names}

    def chance(self, share: float) -> bool:
        return self.dice.random() < share

    def pick(self, items: list) -> Any:
        return items[int(self.dice.random() * len(items))]

    # Values

    def scalar(self) -> Any:
        draw = self.dice.random()
        if draw < 0.6:
            return self.pick(WORDS)
        return self.pick(NUMBERS) if draw < 0.9 else draw < 0.95

    def pattern(self) -> str:
        parts = []
        for _ in range(self.dice.randint(1, 4)):
            parts.append(self.pick(ATOMS) + self.pick(QUANTIFIERS) if self.chance(0.8) else self.pick(ASSERTIONS))
        if self.chance(0.2):
            parts.insert(self.dice.randrange(len(parts) + 1), "|")
        if self.chance(0.15):
            parts[self.dice.randrange(len(parts))] = self.pick(ODD_PIECES)
        if self.chance(0.15):
            parts = ["(", *parts, ")", self.pick(QUANTIFIERS)]
        return (self.pick(FLAGS_OF_PATTERNS) if self.chance(0.2) else "") + "".join(parts)

    def letters(self, around: str = "") -> str:
        return "".join(self.pick(LETTERS if self.chance(0.5) else [*around, "a"]) for _ in range(self.dice.randint(0, 6)))

    # Conditions: (operator, value), and an attribute value that matches or nearly does

    def condition(self, segments: bool = True) -> dict:
        if segments and self.chance(0.12) or self.chance(0.01):
            return self.about_segments()
        name = self.pick(self.names)
        operator, value, near = self.test()
        self.hints[name].append(near)
        if self.chance(0.05):
            value = self.pick([*JUNK, [self.scalar()]])
        condition = {"attribute": name, "operator": operator, "value": value}
        if self.chance(0.01):
            del condition["value"]
        return condition

    def test(self) -> tuple[str, Any, Any]:
        kind = self.dice.randrange(6)
        if kind == 0:
            value = self.scalar()
            return self.pick(TEXT_OPERATORS), value, self.near(value)
        if kind == 1:
            listed = [self.scalar() for _ in range(self.dice.randint(0, 4))] + ([self.pick(JUNK)] if self.chance(0.1) else [])
            return self.pick(LIST_OPERATORS), listed, self.pick(listed) if listed else "a"
        if kind == 2:
            return self.pick(["gt", "lt"]), self.number(), self.number()
        if kind == 3:
            return self.pick(["version_gt", "version_lt"]), self.version(), self.version()
        if kind == 4:
            pattern = self.pattern()
            return "matches_regex", pattern, self.letters(pattern)
        operator = self.pick(ODD_OPERATORS) if self.chance(0.3) else self.pick(TEXT_OPERATORS)
        value = self.pick(WORDS)
        return operator, value, value

    def near(self, value: Any) -> Any:
        """The value itself, as another type, or with a prefix and suffix."""
        if isinstance(value, str):
            return value if self.chance(0.5) else self.pick(["", "a", "\ud83d"]) + value + self.pick(["", "b", "\n", "\ude00"])
        return value if self.chance(0.5) else json.dumps(value)

    def number(self) -> Any:
        draw = self.dice.random()
        return self.pick(NUMBERS) if draw < 0.6 else self.pick(DECIMALS) if draw < 0.85 else self.pick(NO_DECIMALS) if draw < 0.97 else True

    def version(self) -> Any:
        draw = self.dice.random()
        return self.pick(VERSIONS) if draw < 0.8 else self.pick(NO_VERSIONS) if draw < 0.95 else self.pick(NUMBERS)

    def about_segments(self) -> dict:
        operator = self.pick(["is", "is_not", "one_of", "not_one_of", "one_of", "contains"])
        known = [*self.segment_keys, "nowhere", 1, True]
        value: Any = self.pick(known)
        if operator.endswith("one_of"):
            value = [self.pick(known) for _ in range(self.dice.randint(0, 3))]
        return {"attribute": "$segment", "operator": operator, "value": value}

    # The ruleset

    def rule(self, number: int, keys: list[str]) -> dict:
        rule: dict = {
            "id": f"rule_{number}",
            "priority": self.pick(PRIORITIES),
            "conditions": [self.condition() for _ in range(self.pick([0, 1, 1, 1, 1, 1, 2, 3]))],
        }
        known = [*keys, *keys, *keys, "gone"]
        if self.chance(0.55):
            rule["variation"] = self.pick(known)
        if "variation" not in rule or self.chance(0.08):
            rule["percentage_rollout"] = [{"variation": self.pick(known), "percentage": share} for share in self.pick(SPLITS)]
            if self.chance(0.55):
                rule["bucketing"] = self.pick([1, 2, 2, 2]) if self.chance(0.9) else self.pick([None, 0, 3, "2", True, 2.0, []])
        return rule

    def flag(self, key: str) -> dict:
        keys = self.dice.sample(VARIATIONS, self.dice.randint(1, 4))
        listed = [*keys, self.pick(keys)] if self.chance(0.05) else keys
        flag: dict = {
            "key": key,
            "flag_type": "json",
            "enabled": not self.chance(0.1),
            "variations": [{"key": name, "value": self.pick(VALUES)} for name in listed],
            "default_variation": self.pick(keys),
            "targeting_rules": [self.rule(number, keys) for number in range(self.dice.randint(0, 4))],
        }
        if self.chance(0.15):
            flag["prerequisites"] = [
                {"flag_key": self.pick([*self.keys, "gone"]), "variation": self.pick(VARIATIONS[:4])} for _ in range(self.dice.randint(0, 2))
            ]
        return flag

    def ruleset(self) -> Any:
        flags = [self.flag(key) for key in self.keys]
        if self.chance(0.15):
            flags.insert(self.dice.randrange(len(flags) + 1), self.flag(self.pick(self.keys)))
        segments = [
            {"id": f"seg_{number}", "key": key, "conditions": [self.condition(False) for _ in range(self.pick([0, 1, 1, 2]))]}
            for number, key in enumerate(self.segment_keys)
        ]
        ruleset = {"version": 1, "environment_id": "env_1", "flags": flags, "segments": segments, "fetched_at": "2026-01-01T00:00:00Z"}
        # Copied first, because the lists above share parts and damage must not spread.
        ruleset = as_sent(ruleset)
        for item in [*ruleset["flags"], *ruleset["segments"]]:
            if self.chance(0.12):
                self.damage(item)
        if self.chance(0.03):
            self.damage(ruleset)
        return ruleset

    def damage(self, item: Any) -> None:
        """Replaces a random part of the item by an invalid value, or removes it."""
        while True:
            places = list(item) if isinstance(item, dict) else list(range(len(item)))
            place = self.pick(places)
            if isinstance(item[place], (dict, list)) and item[place] and self.chance(0.7):
                item = item[place]
            elif self.chance(0.3):
                del item[place]
                return
            else:
                item[place] = as_sent(self.pick(JUNK))
                return

    # Calls

    def attribute(self, name: str) -> Any:
        hints = self.hints[name]
        value = self.pick(hints) if hints and self.chance(0.85) else self.pick([self.scalar(), self.number(), self.version(), self.letters()])
        if self.chance(0.12):
            value = [value, *(self.pick([self.scalar(), *JUNK]) for _ in range(self.dice.randint(0, 2)))]
            self.dice.shuffle(value)
        return self.pick([None, {}, [], {"a": value}, [[value]], [None]]) if self.chance(0.06) else value

    def context(self) -> Any:
        if self.chance(0.02):
            return self.pick(JUNK)
        context: dict = {}
        if self.chance(0.96):
            context["user_key"] = f"user-{self.dice.randint(1, 99)}" if self.chance(0.7) else self.pick(USERS)
        if self.chance(0.02):
            context["user_key"] = self.pick(JUNK)
        if self.chance(0.95):
            context["attributes"] = {name: self.attribute(name) for name in self.names if self.chance(0.92)}
        elif self.chance(0.5):
            context["attributes"] = self.pick(JUNK)
        return context

    def line(self, calls: int) -> dict:
        ruleset = as_sent(self.ruleset())
        evaluator = Evaluator(ruleset)
        listed = []
        for _ in range(calls):
            key = self.pick(self.keys) if self.chance(0.95) else self.pick([*FLAGS, "gone"])
            context = as_sent(self.context())
            listed.append({"flag": key, "context": context, "expect": evaluator.evaluate(key, context)})
        return {"ruleset": ruleset, "calls": listed}


def as_sent(value: Any) -> Any:
    """The value after a round trip through JSON, which joins two adjacent halves of a surrogate pair."""
    return json.loads(json.dumps(value))


def main() -> None:
    parser = argparse.ArgumentParser(description="Random rulesets and calls, with this evaluator's answers.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="how many calls in all")
    options = parser.parse_args()
    left, place = options.count, 0
    while left > 0:
        world = World(f"{options.seed}/{place}")
        calls = min(left, world.dice.randint(15, 25))
        print(json.dumps(world.line(calls), separators=(",", ":"), allow_nan=False))
        left, place = left - calls, place + 1


if __name__ == "__main__":
    main()
