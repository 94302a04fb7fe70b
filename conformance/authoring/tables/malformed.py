"""Broken rulesets and contexts: evaluation always returns a result, and a broken flag counts as absent (D33)."""

import json
from copy import deepcopy

from writing import (
    ABSENT, INF, MINUS_INF, MINUS_ZERO, NAN, Book, cond, context, flag, needs, repeat, rule, ruleset, segment,
)

BROKEN = dict(decision="D33", requirements=["reason-flag-not-found", "ruleset-flags"])
WHOLE = flag("flag-z", rule(cond("plan", "is", "pro"), serve="on", id="rule_9"))
SMALL = flag("flag-z")
WITNESS = [("flag-z", context({"plan": "pro"}), "on@rule_9"), ("flag-z", context(), "off")]
JUNK = [(None, "null"), (0, "a number"), ("x", "a text"), (True, "a boolean"), ([], "an array"), ({}, "an object")]


def _set(target: dict, path: tuple, value) -> dict:
    target = deepcopy(target)
    at = target
    for step in path[:-1]:
        at = at[step]
    if value is ABSENT:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return target


def rulesets(book: Book) -> None:
    book.part(1)
    for rules, why in [
        (None, "null"),
        (0, "a number"),
        ("x", "a text"),
        (True, "a boolean"),
        ([], "an array"),
        ([WHOLE], "an array of flags"),
        ({}, "an empty object"),
        ({"data": ruleset(WHOLE)}, "an envelope"),
        ({"error": {"code": "X", "message": "x", "details": {}}}, "an error"),
    ]:
        book.add(
            f"a ruleset that is {why}",
            rules,
            [(key, given, "-") for key in ("flag-z", "", "data") for given in (context({"plan": "pro"}), {})],
            **BROKEN,
        )
    for value, why in [
        (ABSENT, "absent"),
        *JUNK[:4],
        JUNK[5],
        ({"flag-z": WHOLE}, "an object of flags"),
        ({"0": WHOLE, "length": 1}, "an object that looks like a list"),
    ]:
        rules = _set(ruleset(WHOLE), ("flags",), value)
        book.add(
            f"flags that are {why}",
            rules,
            [("flag-z", context({"plan": "pro"}), "-"), ("0", context(), "-")],
            **BROKEN,
        )
    for value, why in [(ABSENT, "absent"), *JUNK]:
        segmented = flag("flag-a", rule(cond("$segment", "is", "beta"), serve="on"))
        rules = _set(ruleset(WHOLE, segmented), ("segments",), value)
        book.add(
            f"segments that are {why}: the flags are served",
            rules,
            [*WITNESS, ("flag-a", context({"plan": "pro"}), "off")],
            decision="D33",
            requirements=["ruleset-segments"],
        )
    for name in ("version", "environment_id", "fetched_at"):
        for value, why in [(ABSENT, "absent"), (None, "null"), ({}, "an object"), (-1.5, "a fraction")]:
            book.add(
                f"{name} is {why}: it has no effect",
                _set(ruleset(WHOLE), (name,), value),
                WITNESS,
                decision="D33",
                requirements=["ruleset-flags"],
            )
    for item, why in [*JUNK, (NAN, "NaN"), ([WHOLE], "an array that holds a flag")]:
        book.add(
            f"a flag that is {why} is next to an intact one",
            ruleset(item, WHOLE, item),
            [*WITNESS, ("", context(), "-"), ("x", context(), "-")],
            **BROKEN,
        )
    rules = ruleset(WHOLE, extra=1) | {
        "flags": [WHOLE | {"extra": {"deep": [1]}, "name": "x", "id": "flg_1", "tags": None}],
        "future": [1],
    }
    rules["flags"][0]["targeting_rules"] = [
        rule(
            cond("plan", "is", "pro") | {"negate": True, "case": "fold"}, serve="on", id="rule_9", name="x", weight=0,
            enabled=False,
        )
    ]
    rules["flags"][0]["variations"] = [item | {"name": "n", "weight": 3} for item in WHOLE["variations"]]
    book.add("unknown fields are ignored everywhere", rules, WITNESS, decision="D33", requirements=["ruleset-flags"])


FULL = flag(
    "flag-a",
    rule(cond("plan", "is", "pro"), serve="on"),
    rule(cond("plan", "is", "team"), rollout=[("on", 50), ("off", 50)], id="rule_2", priority=2),
    prerequisites=needs(("flag-z", "off")),
)
SHAPE = [
    (("key",), [ABSENT, None, 0, True, [], {}], "key"),
    (("enabled",), [ABSENT, None, 0, 1, "true", "", [], {}], "enabled"),
    (("variations",), [ABSENT, None, 0, "x", True, [], {}, {"on": True, "off": False}], "variations"),
    (("variations", 0), [None, 0, "on", True, []], "a variation"),
    (("variations", 1), [None, "off", [], {}], "the default's variation"),
    (("variations", 0, "key"), [ABSENT, None, 0, True, [], {}], "a variation's key"),
    (("variations", 0, "value"), [ABSENT], "a variation's value"),
    (
        ("default_variation",),
        [ABSENT, None, 0, True, False, [], {}, "gone", "", "OFF", "off ", "constructor", "__proto__", ["off"]],
        "default_variation",
    ),
    (("targeting_rules",), [0, "x", True, False, "", {}, {"0": FULL["targeting_rules"][0]}], "targeting_rules"),
    (("targeting_rules", 0), [None, 0, "x", True, [], {}], "a rule"),
    (("targeting_rules", 1), [None, 0, "x"], "a later rule"),
    (("targeting_rules", 0, "id"), [ABSENT, None, 0, True, [], {}], "a rule's id"),
    (
        ("targeting_rules", 0, "priority"),
        [ABSENT, None, "1", "", True, [], [1], {}, NAN, INF, MINUS_INF],
        "a rule's priority",
    ),
    (
        ("targeting_rules", 0, "conditions"),
        [ABSENT, None, 0, "x", "", True, False, {}, {"attribute": "plan", "operator": "is", "value": "pro"}],
        "a rule's conditions",
    ),
    (("targeting_rules", 0, "conditions", 0), [None, 0, "x", True, [], {}], "a condition"),
    (("targeting_rules", 0, "conditions", 0, "attribute"), [ABSENT, None, 0, True, [], {}], "a condition's attribute"),
    (
        ("targeting_rules", 0, "conditions", 0, "operator"),
        [ABSENT, None, 0, True, [], ["is"], {}],
        "a condition's operator",
    ),
    (("targeting_rules", 0, "variation"), [0, True, False, [], {}, ["on"]], "a rule's variation"),
    (("targeting_rules", 1, "percentage_rollout"), [0, "x", "", True, False, {}, 50, {"on": 50}], "a rule's rollout"),
    (
        ("targeting_rules", 1, "percentage_rollout", 0),
        [None, 0, "on", True, [], ["on", 50], {}],
        "an entry of a rollout",
    ),
    (
        ("targeting_rules", 1, "percentage_rollout", 0, "variation"),
        [ABSENT, None, 0, True, [], {}],
        "an entry's variation",
    ),
    (
        ("targeting_rules", 1, "percentage_rollout", 1, "percentage"),
        [ABSENT, None, "50", "", True, [], {}, NAN, INF, MINUS_INF],
        "an entry's percentage",
    ),
    (("prerequisites",), [0, "x", True, False, "", {}, {"flag_key": "flag-z", "variation": "off"}], "prerequisites"),
    (("prerequisites", 0), [None, 0, "flag-z", True, [], {}], "a prerequisite"),
    (("prerequisites", 0, "flag_key"), [ABSENT, None, 0, True, [], {}], "a prerequisite's flag_key"),
    (("prerequisites", 0, "variation"), [ABSENT, None, 0, True, [], {}], "a prerequisite's variation"),
]


def _named(value) -> str:
    if value is ABSENT:
        return "absent"
    if isinstance(value, dict):
        return value.get("$number", "an object")
    return json.dumps(value)


def _base(path: tuple) -> dict:
    """The smallest flag with this part."""
    if path[0] == "prerequisites":
        return FULL | {"targeting_rules": FULL["targeting_rules"][:1]}
    if path[:2] == ("targeting_rules", 1):
        return {name: part for name, part in FULL.items() if name != "prerequisites"}
    return {
        name: part
        for name, part in FULL.items()
        if name != "prerequisites"
    } | {"targeting_rules": FULL["targeting_rules"][:1]}


def flags(book: Book) -> None:
    first = 101
    for path, values, why in SHAPE:
        book.part(first)
        first += 10
        for place in range(0, len(values), 3):
            chunk = values[place : place + 3]
            broken = [
                _set(_base(path) | {"key": f"flag-{number}"}, path, value)
                for number, value in enumerate(chunk, 1)
            ]
            calls = [
                (f"flag-{number}", context({"plan": "pro"}), "-")
                for number in range(1, len(chunk) + 1)
            ] + [("flag-1", context(), "-"), ("flag-z", context(), "off")]
            book.add(
                f"the flag counts as absent if {why} is {', or '.join(map(_named, chunk))}",
                ruleset(*broken, SMALL),
                calls,
                **BROKEN,
            )
    book.part(391)
    for path, value, why in [
        (("key",), 7, "key"),
        (("enabled",), 1, "enabled"),
        (("variations", 0, "value"), ABSENT, "value"),
        (("targeting_rules", 0, "priority"), "1", "priority"),
        (("prerequisites",), {}, "prerequisites"),
    ]:
        rules = ruleset(
            _set(FULL, path, value),
            WHOLE,
            flag("flag-b", default="on", prerequisites=needs(("flag-a", "on"))),
            flag("flag-c", default="on", prerequisites=needs(("flag-a", "off"))),
        )
        calls = [
            ("flag-a", context(), "-"),
            *WITNESS,
            ("flag-b", context(), "on!prerequisite"),
            ("flag-c", context(), "on!prerequisite"),
        ]
        book.add(f"a broken flag satisfies no prerequisite: {why}", rules, calls, **BROKEN)
    book.part(401)
    for path, values, why in [
        (("targeting_rules",), [None, ABSENT], "targeting_rules"),
        (("targeting_rules", 1, "percentage_rollout"), [None, ABSENT], "a rollout"),
        (("targeting_rules", 0, "variation"), [None, ABSENT], "a variation"),
        (("prerequisites",), [None, ABSENT], "prerequisites"),
    ]:
        for value in values:
            whole = _set(FULL, path, value)
            first = "off" if path in (("targeting_rules",), ("targeting_rules", 0, "variation")) else "on@rule_1"
            rules = ruleset(whole, WHOLE)
            book.add(
                f"{why} is {_named(value)}: the flag is not broken",
                rules,
                [
                    ("flag-a", context({"plan": plan}), served)
                    for plan, served in (("free", "off"),)
                ] + [(
                    "flag-z",
                    context({"plan": "pro"}),
                    "on@rule_9",
                )] + ([("flag-a", context({"plan": "pro"}), first)] if path == ("prerequisites",) else [(
                    "flag-a",
                    context({"plan": "pro"}),
                    "off!prerequisite",
                )]),
                decision="D33",
                requirements=["ruleset-flags"],
            )
    # A flag without prerequisites, so that the rules decide.
    open_flag = FULL | {"prerequisites": []}
    for path, value, pro, free, why in [
        (("targeting_rules",), None, "off", "off", "targeting_rules is null"),
        (("targeting_rules",), ABSENT, "off", "off", "targeting_rules is absent"),
        (("targeting_rules",), [], "off", "off", "targeting_rules is empty"),
        (("targeting_rules", 0, "variation"), None, "off", "off", "a variation is null"),
        (("targeting_rules", 0, "percentage_rollout"), None, "on@rule_1", "off", "a rollout is null"),
        (("targeting_rules", 0, "conditions", 0, "value"), None, "off", "off", "a condition's value is null"),
        (("targeting_rules", 0, "conditions", 0, "value"), ABSENT, "off", "off", "a condition's value is absent"),
        (("targeting_rules", 0, "conditions", 0, "value"), {}, "off", "off", "a condition's value is an object"),
        (("targeting_rules", 0, "conditions", 0, "value"), NAN, "off", "off", "a condition's value is NaN"),
        (("targeting_rules", 0, "conditions", 0, "operator"), "", "off", "off", "an operator is empty"),
        (("targeting_rules", 0, "conditions", 0, "attribute"), "", "off", "off", "an attribute's name is empty"),
        (("targeting_rules", 0, "id"), "", "on@", "off", "a rule's id is empty"),
        (("targeting_rules", 0, "priority"), -1.5, "on@rule_1", "off", "a priority is a fraction"),
        (("targeting_rules", 0, "priority"), MINUS_ZERO, "on@rule_1", "off", "a priority is negative zero"),
        (("targeting_rules", 0, "priority"), 1e308, "on@rule_1", "off", "a priority is huge"),
        (("targeting_rules", 0, "conditions"), [], "on@rule_1", "on@rule_1", "there are no conditions"),
        (("flag_type",), ABSENT, "on@rule_1", "off", "flag_type is absent"),
        (("flag_type",), None, "on@rule_1", "off", "flag_type is null"),
        (("flag_type",), "string", "on@rule_1", "off", "flag_type is another one"),
        (("flag_type",), "colour", "on@rule_1", "off", "flag_type is unknown"),
        (("flag_type",), 7, "on@rule_1", "off", "flag_type is a number"),
        (("targeting_rules", 0, "bucketing"), "x", "on@rule_1", "off", "bucketing without a rollout is a text"),
        (("targeting_rules", 0, "bucketing"), {}, "on@rule_1", "off", "bucketing without a rollout is an object"),
        (("targeting_rules", 1, "bucketing"), [], "on@rule_1", "off", "bucketing of another rule is an array"),
        (("key_",), 1, "on@rule_1", "off", "there is an unknown field"),
        (("variations", 0, "name"), 7, "on@rule_1", "off", "a variation's name is a number"),
        (("targeting_rules", 0, "name"), [], "on@rule_1", "off", "a rule's name is an array"),
    ]:
        rules = ruleset(_set(open_flag | {"flag_type": "boolean", "key_": 0}, path, value), WHOLE)
        book.add(
            f"{why}: the flag is not broken",
            rules,
            [("flag-a", context({"plan": "pro"}), pro), ("flag-a", context({"plan": "free"}), free), *WITNESS],
            decision="D33",
            requirements=["ruleset-flags"],
        )
    for value in (None, False, 0, "", [], {}):
        rules = ruleset(_set(open_flag, ("variations", 0, "value"), value), WHOLE)
        book.add(
            f"a variation's value may be {value!r}",
            rules,
            [("flag-a", context({"plan": "pro"}), "on@rule_1"), ("flag-a", context(), "off")],
            decision="D33",
            requirements=["variation-value"],
        )
    book.part(501)
    for path, value, why in [
        (("enabled",), "yes", "enabled"),
        (("targeting_rules", 0, "conditions"), ABSENT, "conditions"),
        (("default_variation",), "gone", "default_variation"),
        (("prerequisites",), "x", "prerequisites"),
    ]:
        for enabled in (True, False):
            if path == ("enabled",) and not enabled:
                continue
            rules = ruleset(_set(FULL | {"enabled": enabled}, path, value), WHOLE)
            book.add(
                f"the check does not depend on enabled: {why}",
                rules,
                [("flag-a", context({"plan": "pro"}), "-"), *WITNESS],
                **BROKEN,
            )
    broken_later = FULL | {"prerequisites": []}
    broken_later = _set(broken_later, ("targeting_rules", 1, "conditions"), ABSENT)
    book.add(
        "one broken rule breaks the flag, also for those whom an earlier rule would serve",
        ruleset(broken_later, WHOLE),
        [("flag-a", context({"plan": "pro"}), "-"), *WITNESS],
        **BROKEN,
    )
    for path, why in [
        (("targeting_rules", 0, "conditions", 0), "a condition"),
        (("targeting_rules", 1, "percentage_rollout", 1), "an entry"),
        (("variations", 0), "a variation"),
        (("prerequisites", 0), "a prerequisite"),
    ]:
        nested = _set(FULL, path, [deepcopy(FULL)])
        book.add(
            f"{why} that is an array with something in it",
            ruleset(nested, WHOLE),
            [("flag-a", context({"plan": "pro"}), "-"), *WITNESS],
            **BROKEN,
        )


def duplicates(book: Book) -> None:
    book.part(551)
    first, second = flag("flag-a", rule(serve="on", id="first")), flag(
        "flag-a",
        rule(serve="off", id="second"),
        default="on",
    )
    broken = _set(first, ("enabled",), "x")
    for listed, expected, why in [
        ([first, second], "on@first", "the first counts"),
        ([second, first], "off@second", "the first counts, the other way round"),
        ([first, second, second], "on@first", "three"),
        ([broken, second], "off@second", "a broken one does not count"),
        ([broken, first, second], "on@first", "a broken one, then two"),
        ([first, broken], "on@first", "a broken later one has no effect"),
        ([broken, broken], "-", "two broken ones"),
        ([first | {"enabled": False}, second], "off!disabled", "a disabled first one counts"),
        ([_set(second, ("default_variation",), "gone"), first], "on@first", "a first without its default"),
    ]:
        book.add(
            f"flags with one key: {why}",
            ruleset(*listed, WHOLE),
            [("flag-a", context(), expected), *WITNESS],
            decision="D33",
            requirements=["ruleset-flags"],
        )
    later = [("on", "first"), ("off", "OFF"), ("on", "second")]
    rules = ruleset(
        flag("flag-a", rule(serve="on"), variations=later),
        flag("flag-b", variations=later, default="on"),
        flag("flag-c", rule(rollout=[("on", 100)]), variations=later),
    )
    book.add(
        "variations with one key: the first counts",
        rules,
        [("flag-a", context(), "on@rule_1"), ("flag-b", context(), "on"), ("flag-c", context(), "on%rule_1")],
        decision="D33",
        requirements=["variation-key"],
    )
    for value, why in [(ABSENT, "has no value"), (None, "has a null value")]:
        listed = flag("flag-a", rule(serve="on"), variations=later)
        listed["variations"][2] = {"key": "on"} if value is ABSENT else {"key": "on", "value": None}
        book.add(
            f"a later variation with a taken key that {why}",
            ruleset(listed, WHOLE),
            [("flag-a", context(), "-" if value is ABSENT else "on@rule_1"), *WITNESS],
            decision="D33",
            requirements=["variation-key"],
        )
    pro, team, hurt = segment("beta", cond("plan", "is", "pro")), segment(
        "beta",
        cond("plan", "is", "team"),
    ), {"id": "seg_1", "key": "beta"}
    asked = flag("flag-a", rule(cond("$segment", "is", "beta"), serve="on")), flag(
        "flag-b",
        rule(cond("$segment", "is_not", "beta"), serve="on"),
    )
    for listed, member, why in [
        ([pro, team], "pro", "the first counts"),
        ([team, pro], "team", "the first counts, the other way round"),
        ([hurt, team], "team", "a broken one does not count"),
        ([pro, hurt], "pro", "a broken later one has no effect"),
    ]:
        calls = [
            (key, context({"plan": plan}), "on@rule_1" if (plan == member) == (key == "flag-a") else "off")
            for plan in ("pro", "team")
            for key in ("flag-a", "flag-b")
        ]
        book.add(
            f"segments with one key: {why}",
            ruleset(*asked, segments=listed),
            calls,
            decision="D33",
            requirements=["ruleset-segments"],
        )
    book.part(581)
    whole = segment("other", cond("plan", "is", "pro"))
    good = {"id": "seg_beta", "key": "beta", "conditions": [cond("plan", "is", "pro")]}
    for path, values, why in [
        (("key",), [ABSENT, None, 0, [], {}], "key"),
        (("conditions",), [ABSENT, None, 0, "x", True, {}, {"0": 1}], "conditions"),
        (("conditions", 0), [None, 0, "x", [], {}], "a condition"),
        (("conditions", 0, "attribute"), [ABSENT, None, 0, []], "a condition's attribute"),
        (("conditions", 0, "operator"), [ABSENT, None, 0, ["is"]], "a condition's operator"),
    ]:
        for value in values:
            rules = ruleset(
                *asked,
                flag("flag-c", rule(cond("$segment", "is", "other"), serve="on")),
                segments=[_set(good, path, value), whole],
            )
            calls = [
                ("flag-a", context({"plan": "pro"}), "off"),
                ("flag-b", context({"plan": "pro"}), "on@rule_1"),
                ("flag-b", context(), "on@rule_1"),
                ("flag-c", context({"plan": "pro"}), "on@rule_1"),
            ]
            book.add(
                f"the segment has no members if {why} is {_named(value)}",
                rules,
                calls,
                decision="D33",
                requirements=["ruleset-segments"],
            )
    for item, why in JUNK[:5]:
        rules = ruleset(*asked, segments=[item, good, item])
        calls = [
            ("flag-a", context({"plan": "pro"}), "on@rule_1"),
            ("flag-b", context({"plan": "pro"}), "off"),
            ("flag-a", context(), "off"),
        ]
        book.add(
            f"a segment that is {why} is next to an intact one",
            rules,
            calls,
            decision="D33",
            requirements=["ruleset-segments"],
        )
    for path, value, why in [
        (("id",), ABSENT, "no id"),
        (("id",), 7, "a number as id"),
        (("name",), [], "an unknown field"),
        (("conditions", 0, "value"), ABSENT, "a condition without a value"),
    ]:
        rules = ruleset(*asked, segments=[_set(good | {"name": 1}, path, value)])
        member = "value" not in path
        calls = [
            ("flag-a", context({"plan": "pro"}), "on@rule_1" if member else "off"),
            ("flag-b", context({"plan": "pro"}), "off" if member else "on@rule_1"),
        ]
        book.add(f"a segment with {why} is not broken", rules, calls, decision="D33", requirements=["ruleset-segments"])


def contexts(book: Book) -> None:
    book.part(651)
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("plan", "is", "pro"), serve="pro"),
            rule(cond("plan", "is_not", "pro"), serve="other", id="rule_2", priority=2),
            rule(cond("user_key", "is_not", ""), serve="user", id="rule_3", priority=3),
            variations=[("pro", 1), ("other", 2), ("user", 3), ("none", 0)],
            default="none",
        ),
        flag("flag-b", rule(rollout=[("on", 100)])),
        flag("flag-c", rule(serve="on")),
    )

    def everything(given, user):
        return [
            ("flag-a", given, "user@rule_3" if user else "none"),
            ("flag-b", given, "on%rule_1" if user else "off"),
            ("flag-c", given, "on@rule_1"),
        ]

    for given, why in [
        (None, "null"), (0, "a number"), ("user-1", "a text"), (True, "a boolean"), ([], "an array"),
        ([{"user_key": "user-1"}], "an array that holds a context"), ({}, "an empty object"),
    ]:
        book.add(
            f"a context that is {why} counts as an empty one",
            rules,
            everything(given, False),
            decision="D33",
            requirements=["context-attributes"],
        )
    for value, why in [
        (None, "null"), (0, "a number"), ("plan", "a text"), (True, "a boolean"), ([], "an array"),
        ([{"plan": "pro"}], "an array that holds attributes"), ([["plan", "pro"]], "an array of pairs"), (NAN, "NaN"),
    ]:
        book.add(
            f"attributes that are {why} count as none",
            rules,
            everything({"user_key": "user-1", "attributes": value}, True),
            decision="D33",
            requirements=["context-attributes"],
        )
    for value, why in [
        (None, "null"), (0, "zero"), (17, "a number"), (True, "a boolean"), ([], "an array"),
        (["user-1"], "an array that holds a key"), ({}, "an object"), (NAN, "NaN"), (INF, "infinity"),
    ]:
        book.add(
            f"a user key that is {why} counts as absent",
            rules,
            everything({"user_key": value, "attributes": {}}, False),
            decision="D33",
            requirements=["context-user-key"],
        )
    book.add(
        "unknown fields of a context are ignored",
        rules,
        everything({"user_key": "user-1", "attributes": {}, "plan": "pro", "kind": "user", "targetingKey": "x"}, True),
        decision="D33",
        requirements=["context-attributes"],
    )
    deep: object = "pro"
    for _ in range(200):
        deep = [deep]
    nested: dict = {"plan": "pro"}
    for _ in range(200):
        nested = {"plan": nested}
    for value, served, why in [
        (deep, "other@rule_2", "an array two hundred deep"),
        (nested, "user@rule_3", "an object two hundred deep"),
    ]:
        book.add(
            f"an attribute that is {why}",
            rules,
            [("flag-a", context({"plan": value}), served), ("flag-c", context({"plan": value}), "on@rule_1")],
            decision="D33",
            requirements=["context-attributes"],
        )
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("plan", "is", deep), serve="on"),
            rule(cond("plan", "one_of", [nested, deep, "pro"]), serve="on", id="rule_2", priority=2),
        )
    )
    book.add(
        "condition values two hundred deep",
        rules,
        [("flag-a", context({"plan": "pro"}), "on@rule_2"), ("flag-a", context({"plan": "x"}), "off")],
        decision="D33",
        requirements=["condition-value"],
    )


def huge(book: Book) -> None:
    """Long rulesets, as recipes: many broken or unknown parts do no harm."""
    book.part(701)
    junk = repeat("n", 100_000, "unknown-field-{n}" + "-" * 80)
    calls = [("flag-a", context(), "on@rule_1"), ("flag-b", context(), "-"), *WITNESS]
    rules = ruleset(flag("flag-a", rule(serve="on"), notes=[junk]), {"key": "flag-b", "variations": "x"}, WHOLE, notes=["x"])
    book.add("ten megabytes in an unknown field", rules, calls, decision="D33", requirements=["ruleset-flags"])
    broken = {"key": "flag-{n}", "enabled": True, "variations": [], "default_variation": "on"}
    rules = ruleset(repeat("n", 10_000, broken), flag("flag-a", rule(serve="on")), repeat("n", 10_000, broken), WHOLE)
    calls = [("flag-a", context(), "on@rule_1"), *((f"flag-{n}", context(), "-") for n in (0, 1, 9999)), *WITNESS]
    book.add("ten thousand broken flags before and after an intact one", rules, calls, decision="D33", requirements=["ruleset-flags"])


def unused(book: Book) -> None:
    """Evaluation checks the structure of the whole flag first, even of parts that it would not read."""
    book.part(751)
    for value, why in [(0, "a number"), (True, "a boolean"), ([], "an array"), ({}, "an object"), (["on"], "a list of its name")]:
        rollout = dict(rollout=[("on", 100)], variation=value)
        rules = ruleset(
            flag("flag-a", rule(**rollout)),
            flag("flag-b", rule(cond("plan", "is", "none"), **rollout), rule(serve="on", id="rule_2", priority=2)),
            flag("flag-c", rule(**rollout), enabled=False),
            flag("flag-d", rule(rollout=[], variation=value)),
            WHOLE,
        )
        broken = [(f"flag-{name}", context({"plan": "pro"}), "-") for name in "abcd"]
        book.add(f"a rule with a rollout and a variation that is {why}", rules, [*broken, *WITNESS], **BROKEN)
    rules = ruleset(
        flag("flag-a", rule(rollout=[("on", 100)], variation=None)),
        flag("flag-b", rule(rollout=[("on", 100)], variation="gone")),
        flag("flag-c", rule(rollout=[("on", 100)], variation="off")),
    )
    calls = [(f"flag-{name}", context(), "on%rule_1") for name in "abc"]
    book.add("a rule with a rollout and a variation that is null or a string is not broken", rules, calls, **BROKEN)


def books() -> list[Book]:
    book = Book("malformed", "Broken rulesets and contexts (EV-7 to EV-27)")
    rulesets(book)
    flags(book)
    duplicates(book)
    contexts(book)
    huge(book)
    unused(book)
    return [book]
