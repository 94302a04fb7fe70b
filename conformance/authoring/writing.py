"""Functions with which the tables describe vectors: short forms of rulesets, outcomes as texts, ids.

An outcome is written as a text:

    on@rule_1           rule_1 serves the variation "on"
    on%rule_1           the rollout of rule_1 serves "on"
    off                 the default variation "off"
    off!disabled        the same, because the flag is disabled
    off!prerequisite    the same, because a prerequisite does not hold
    -                   the flag does not exist
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterable, Optional

from sentences import cited

ON_OFF = (("on", True), ("off", False))
YES_NO = (("yes", 1), ("no", 0), ("neither", -1))
ON_OFF_OTHER = (("on", "ON"), ("off", "OFF"), ("other", "OTHER"))
NAN, INF, MINUS_INF, MINUS_ZERO = ({"$number": name} for name in ("NaN", "Infinity", "-Infinity", "-0"))
ABSENT = {"$absent": True}
MISSING = object()  # an attribute that the context does not have

# From the mutation run: the mutants that each vector kills. A vector names the first three; the others replace
# mutants that are removed from the registry.
_RECORD = Path(__file__).resolve().parents[1] / "mutants" / "kills.txt"
KILLS = {id: names[:3] for id, *names in map(str.split, _RECORD.read_text().splitlines())}

_REASONS = {"disabled": "DISABLED", "prerequisite": "PREREQUISITE"}


def cond(attribute: str, operator: str, value: Any = ABSENT) -> dict:
    condition = {"attribute": attribute, "operator": operator, "value": value}
    return {name: part for name, part in condition.items() if part is not ABSENT}


def rule(
    *conditions: dict, serve: Any = None, rollout: Any = None, id: str = "rule_1", priority: Any = 1, **more,
) -> dict:
    """rollout is a list of (variation, percentage)."""
    written = {"id": id, "priority": priority, "conditions": list(conditions)}
    if serve is not None:
        written["variation"] = serve
    if rollout is not None:
        written["percentage_rollout"] = [{"variation": key, "percentage": share} for key, share in rollout]
    return written | more


def flag(
    key: str, *rules: dict, variations: Iterable = ON_OFF, default: str = "off", enabled: bool = True, **more,
) -> dict:
    listed = [{"key": name, "value": value} for name, value in variations]
    kinds = {_kind(item["value"]) for item in listed}
    return {
        "key": key,
        "flag_type": kinds.pop() if len(kinds) == 1 else "json",
        "enabled": enabled,
        "variations": listed,
        "default_variation": default,
        "targeting_rules": list(rules),
    } | more


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "string" if isinstance(value, str) else "json"


def segment(key: str, *conditions: dict) -> dict:
    return {"id": "seg_" + "".join(c for c in key if c.isalnum()), "key": key, "conditions": list(conditions)}


def ruleset(*flags: Any, segments: Iterable = (), **more) -> dict:
    return {
        "version": 1,
        "environment_id": "env_1",
        "flags": list(flags),
        "segments": list(segments),
        "fetched_at": "2026-01-01T00:00:00Z",
    } | more


def repeat(name: str, times: int, item: Any) -> dict:
    """Repeats an item; {name} in its strings becomes the index from 0, {name+1} the next index."""
    return {"$repeat": {name: times}, "item": item}


def needs(*pairs: tuple[str, str]) -> list[dict]:
    return [{"flag_key": key, "variation": variation} for key, variation in pairs]


def context(attributes: Any = ABSENT, user: Any = "user-1") -> dict:
    written = {"user_key": user, "attributes": attributes}
    return {name: part for name, part in written.items() if part is not ABSENT}


def outcome(written: str, rules: Any, flag_key: str, value: Any = ABSENT) -> dict:
    """The full expected result; the value is looked up by the variation's key unless it is given."""
    if written == "-":
        return {"value": None, "reason": "FLAG_NOT_FOUND", "rule_id": None, "variation_key": None}
    reason, rule_id, key = "DEFAULT", None, written
    for mark, name in (("@", "TARGETING_RULE"), ("%", "PERCENTAGE_ROLLOUT")):
        if mark in written:
            key, rule_id = written.split(mark, 1)
            reason = name
    if "!" in written:
        key, word = written.split("!")
        reason = _REASONS[word]
    if value is ABSENT:
        value = next(
            variation["value"]
            for item in rules["flags"]
            if isinstance(item, dict) and item.get("key") == flag_key and isinstance(item.get("variations"), list)
            for variation in item["variations"]
            if isinstance(variation, dict) and variation.get("key") == key and "value" in variation
        )
    return {"value": value, "reason": reason, "rule_id": rule_id, "variation_key": key}


class Book:
    """The vectors of one file. Ids ascend within a part, with free numbers between parts, so that
    adding a vector changes no other id."""

    def __init__(self, category: str, title: str, requirements: Iterable[str] = ()):
        self.category, self.title, self.requirements = category, title, list(requirements)
        self.vectors: list[dict] = []
        self.number = 0

    def part(self, first: int) -> None:
        if self.number >= first:
            raise ValueError(f"{self.category}: {first} is taken")
        self.number = first - 1

    def add(
        self,
        why: str,
        rules: Any,
        calls: Iterable[tuple],
        *,
        requirements: Iterable[str] = (),
        decision: Optional[str] = None,
        level: Optional[str] = None,
        bucketing: int = 1,
    ) -> None:
        """calls: (flag key, context, outcome) or (flag key, context, outcome, more fields)."""
        self.number += 1
        names = [*cited(self.category, self.number, why, bucketing), *(requirements or self.requirements)]
        vector: dict = {
            "id": f"{self.category}-{self.number:04d}",
            "level": level or ("decided" if decision else "stated"),
            "bucketing": bucketing,
            "requirements": list(dict.fromkeys(names)),
            "why": why,
        }
        if decision:
            vector["decision"] = decision
        if vector["id"] in KILLS:
            vector["kills"] = KILLS[vector["id"]]
        vector["ruleset"] = rules
        vector["calls"] = []
        for flag_key, given, expected, *more in calls:
            options = more[0] if more else {}
            expect = outcome(expected, rules, flag_key, options.get("value", ABSENT))
            call = {"flag": flag_key, "context": given, "expect": expect}
            if "within_ms" in options:
                call["within_ms"] = options["within_ms"]
            vector["calls"].append(call)
        self.vectors.append(vector)

    # Vectors with one flag, for single conditions.

    def condition(
        self, why: str, operator: str, value: Any, yes: Iterable, no: Iterable, attribute: str = "plan", **more,
    ) -> None:
        """Adds a vector with one condition, and the values of the attribute that match and that do not."""
        rules = ruleset(flag("flag-a", rule(cond(attribute, operator, value), serve="on")))
        calls = [("flag-a", _with(attribute, item), "on@rule_1") for item in yes]
        calls += [("flag-a", _with(attribute, item), "off") for item in no]
        self.add(why, rules, calls, requirements=[f"operator-{operator.replace('_', '-')}"], **more)

    def pair(
        self, why: str, operator: str, negative: str, value: Any, yes: Iterable, no: Iterable, attribute: str = "plan",
        **more,
    ) -> None:
        """Adds a vector with a rule for each of two opposite operators; the default variation shows that neither
        matched."""
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond(attribute, operator, value), serve="yes"),
                rule(cond(attribute, negative, value), serve="no", id="rule_2", priority=2),
                variations=YES_NO,
                default="neither",
            )
        )
        calls = [("flag-a", _with(attribute, item), "yes@rule_1") for item in yes]
        calls += [("flag-a", _with(attribute, item), "no@rule_2") for item in no]
        self.add(
            why,
            rules,
            calls,
            requirements=[f"operator-{name.replace('_', '-')}" for name in (operator, negative)],
            **more,
        )

    def never(self, why: str, conditions: Iterable, attributes: Iterable, attribute: str = "plan", **more) -> None:
        """Adds a vector with one rule per condition, none of which matches; the last rule shows that the flag is not
        broken."""
        listed = [
            rule(cond(attribute, operator, value), serve="on", id=f"rule_{place}", priority=place)
            for place, (operator, value) in enumerate(conditions, 1)
        ]
        rules = ruleset(
            flag("flag-a", *listed, rule(serve="other", id="rule_last", priority=99), variations=ON_OFF_OTHER)
        )
        calls = [("flag-a", _with(attribute, item), "other@rule_last") for item in attributes]
        more.setdefault("requirements", ["eval-and"])
        self.add(why, rules, calls, **more)

    def dump(self) -> str:
        head = {"$schema": "../schema/vectors.schema.json", "title": self.title}
        lines = [f"  {_compact(name)}: {_compact(text)}," for name, text in head.items()]
        body = ",\n".join(_dump_vector(vector) for vector in self.vectors)
        return "{\n" + "\n".join(lines) + '\n  "vectors": [\n' + body + "\n  ]\n}\n"


def _with(attribute: str, value: Any) -> dict:
    return context({} if value is MISSING else {attribute: value})


def _compact(value: Any) -> str:
    """ASCII only, so that every character of a text is visible and no editor normalizes it."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _dump_vector(vector: dict) -> str:
    """Formats a vector: the other fields on one line, then the ruleset, then one line for each call."""
    head = _compact({name: part for name, part in vector.items() if name not in ("ruleset", "calls")})
    calls = ",\n".join("     " + _compact(call) for call in vector["calls"])
    return f'  {head[:-1]},\n   "ruleset":{_dump_ruleset(vector["ruleset"])},\n   "calls":[\n{calls}]}}'


def _dump_ruleset(rules: Any) -> str:
    """Formats a ruleset; a long one has one line for each flag."""
    flat = _compact(rules)
    if len(flat) < 1200 or not isinstance(rules, dict) or not isinstance(rules.get("flags"), list):
        return flat
    flags = ",\n".join("     " + _compact(item) for item in rules["flags"])
    return flat.replace(_compact(rules["flags"]), f"[\n{flags}]", 1)
