"""Disabled flags, default variations, unknown flags, and flags with unusual names."""

from writing import Book, cond, context, flag, needs, rule, ruleset, segment

HOSTILE = [
    "__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf",
    "__defineGetter__", "__lookupGetter__", "toLocaleString", "propertyIsEnumerable", "__class__", "__dict__",
    "__init__", "length", "size", "get", "has",
]


def disabled(book: Book) -> None:
    book.part(1)
    everybody = rule(serve="on")
    contexts = [context({"plan": "pro"}), context(), context(user="user-2"), {}]
    bodies = [
        ((), "without rules"),
        ((everybody,), "with a rule for everybody"),
        ((rule(cond("plan", "is", "pro"), serve="on"),), "with a rule that would match"),
        ((rule(rollout=[("on", 100)]),), "with a rollout to everybody"),
        ((rule(serve="off"),), "with a rule that would serve the default variation"),
    ]
    for rules_given, why in bodies:
        rules = ruleset(flag("flag-a", *rules_given, enabled=False), flag("flag-b", *rules_given))
        calls = [("flag-a", given, "off!disabled") for given in contexts]
        book.add(
            f"a disabled flag {why}",
            rules,
            calls,
            requirements=["eval-disabled", "flag-inactive", "reason-disabled"],
        )
    for default in ("on", "off"):
        rules = ruleset(flag("flag-a", enabled=False, default=default), flag("flag-b", enabled=True, default=default))
        calls = [("flag-a", context(), f"{default}!disabled"), ("flag-b", context(), default)]
        book.add(
            f"disabled and enabled, default {default}",
            rules,
            calls,
            requirements=["eval-disabled", "eval-default"],
        )
    for position in range(3):
        variations = [("a", "A"), ("b", "B"), ("c", "C")]
        rules = ruleset(
            flag(
                "flag-a",
                everybody | {"variation": "a"},
                variations=variations,
                default="abc"[position],
                enabled=False,
            )
        )
        book.add(
            "the default variation may be anywhere in the list",
            rules,
            [("flag-a", context(), f"{'abc'[position]}!disabled")],
            requirements=["eval-disabled"],
        )
    rules = ruleset(*(flag(f"flag-{name}", everybody, enabled=name in "ac") for name in "abcd"))
    calls = [(f"flag-{name}", context(), "on@rule_1" if name in "ac" else "off!disabled") for name in "abcd"]
    book.add("each flag has its own switch", rules, calls, requirements=["eval-disabled", "flag-enabled"])


def defaults(book: Book) -> None:
    book.part(101)
    for position in range(4):
        variations = [(name, name.upper()) for name in "abcd"]
        default = "abcd"[position]
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve="abcd"[(position + 1) % 4]),
                variations=variations,
                default=default,
            )
        )
        calls = [
            ("flag-a", context({"plan": "free"}), default),
            ("flag-a", context({"plan": "pro"}), f"{'abcd'[(position + 1) % 4]}@rule_1"),
            ("flag-a", context({}), default),
        ]
        book.add(
            "default_variation names a variation, wherever it is listed",
            rules,
            calls,
            requirements=["eval-default", "flag-default-variation", "reason-default"],
        )
    rules = ruleset(flag("flag-a"), flag("flag-b", default="on"))
    calls = [
        (key, given, served)
        for key, served in (("flag-a", "off"), ("flag-b", "on"))
        for given in (context(), context({"plan": "pro"}), {})
    ]
    book.add(
        "no rules: the default variation",
        rules,
        calls,
        requirements=["eval-default", "flag-default-variation", "reason-default"],
    )
    rules = ruleset(
        flag("flag-a", *(rule(cond("n", "is", str(n)), serve="on", id=f"rule_{n}", priority=n) for n in range(1, 9)))
    )
    calls = [
        ("flag-a", context({"n": "9"}), "off"),
        ("flag-a", context({"n": "8"}), "on@rule_8"),
        ("flag-a", context({"n": "0"}), "off"),
    ]
    book.add("eight rules, none matches", rules, calls, requirements=["eval-default"])
    rules = ruleset(
        flag("flag-a", rule(cond("plan", "is", "pro"), serve="off"), rule(serve="on", id="rule_2", priority=2))
    )
    calls = [("flag-a", context({"plan": "pro"}), "off@rule_1"), ("flag-a", context({"plan": "free"}), "on@rule_2")]
    book.add(
        "a rule that serves the default variation is still the rule",
        rules,
        calls,
        requirements=["eval-first-match", "reason-targeting-rule"],
    )
    rules = ruleset(
        flag("flag-a", rule(cond("plan", "is", "pro"), serve="only"), variations=[("only", 1)], default="only")
    )
    calls = [("flag-a", context({"plan": "pro"}), "only@rule_1"), ("flag-a", context({"plan": "free"}), "only")]
    book.add(
        "one variation: the reason tells the rule from the default",
        rules,
        calls,
        requirements=["eval-default", "reason-targeting-rule"],
    )


def not_found(book: Book) -> None:
    book.part(201)
    whole = ruleset(flag("flag-a", rule(serve="on")), flag("flag-b", enabled=False))
    for keys, why in [
        (["flag-c", "flag"], "a key that is not in the ruleset"),
        (["Flag-a", "FLAG-A", "flag-A"], "keys are compared with their letter case"),
        (["flag-a ", " flag-a", "flag_a", "flag-", "flag-aa", "lag-a"], "near misses of a key"),
        (["", " ", "*"], "neither the empty key nor a star is a flag"),
        (["0", "1", "-1", "length"], "an index into the list is not a key"),
        (["null", "undefined", "true", "NaN"], "words for nothing are not keys"),
        (["rule_1", "on", "off", "env_1"], "other names of the ruleset are not keys"),
    ]:
        calls = [(key, context(), "-") for key in keys]
        calls += [("flag-a", context(), "on@rule_1"), ("flag-b", context(), "off!disabled")]
        book.add(why, whole, calls, requirements=["reason-flag-not-found", "result-value"], decision="D27")
    for rules, why in [(ruleset(), "a ruleset without flags")]:
        book.add(
            why,
            rules,
            [(key, context(), "-") for key in ("flag-a", "", "__proto__")],
            requirements=["reason-flag-not-found"],
            decision="D27",
        )
    book.add(
        "a flag that is not in the ruleset is not found, whatever the context",
        whole,
        [
            ("flag-c", given, "-")
            for given in ({}, context(user=""), context({"plan": "pro"}), context({"flag-c": "on"}))
        ] + [("flag-a", {}, "on@rule_1")],
        requirements=["reason-flag-not-found"],
        decision="D27",
    )


def hostile_flags(book: Book) -> None:
    book.part(301)
    whole = ruleset(flag("flag-a", rule(serve="on")))
    for place in range(0, len(HOSTILE), 3):
        names = HOSTILE[place : place + 3]
        calls = [(name, context(), "-") for name in names] + [("flag-a", context(), "on@rule_1")]
        book.add(
            f"not flags unless they exist: {', '.join(names)}",
            whole,
            calls,
            decision="D21",
            requirements=["reason-flag-not-found"],
        )
    book.part(351)
    for name in HOSTILE[:6]:
        rules = ruleset(flag(name, rule(cond("plan", "is", "pro"), serve="on")), flag("flag-a", enabled=False))
        calls = [
            (name, context({"plan": "pro"}), "on@rule_1"),
            (name, context({"plan": "free"}), "off"),
            ("flag-a", context(), "off!disabled"),
        ]
        book.add(f"a flag named {name}", rules, calls, decision="D21", requirements=["eval-first-match"])
    rules = ruleset(*(flag(name, rule(serve="on", id=f"rule_{place}")) for place, name in enumerate(HOSTILE)))
    book.add(
        "flags with all these names",
        rules,
        [(name, context(), f"on@rule_{place}") for place, name in enumerate(HOSTILE)],
        decision="D21",
        requirements=["eval-first-match"],
    )
    for key, why in [
        ("", "the empty key"), ("a b", "a key with a space"), ("é", "a key beyond ASCII"),
        ("\U0001f600", "a key beyond the basic plane"), ("a/b?c#d%20", "a key full of address syntax"),
        ("x" * 500, "a long key"), ("a.b.c", "a key with dots"), ("*", "a star as key"), ("a:b", "a key with a colon"),
    ]:
        rules = ruleset(flag(key, rule(serve="on")), flag("flag-a"))
        book.add(
            f"flag keys are looked up literally: {why}",
            rules,
            [(key, context(), "on@rule_1"), (key + "x", context(), "-"), ("flag-a", context(), "off")],
            decision="D21",
            requirements=["eval-first-match"],
        )
    # A flag that requires a flag with a hostile name.
    for name in ("__proto__", "constructor", "toString"):
        rules = ruleset(
            flag("flag-a", default="on", prerequisites=needs((name, "on"))),
            flag("flag-b", default="on", prerequisites=needs((name, "off"))),
            flag(name, default="on"),
            flag("flag-c", prerequisites=needs(("valueOf", "on"))),
        )
        calls = [
            ("flag-a", context(), "on"),
            ("flag-b", context(), "on!prerequisite"),
            ("flag-c", context(), "off!prerequisite"),
            (name, context(), "on"),
        ]
        book.add(f"a prerequisite named {name}", rules, calls, decision="D21", requirements=["reason-prerequisite"])


def hostile_variations(book: Book) -> None:
    book.part(451)
    for name in HOSTILE[:10]:
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve=name),
                rule(cond("plan", "is", "team"), rollout=[(name, 100)], id="rule_2", priority=2),
                rule(
                    cond("plan", "is", "free"),
                    serve="valueOf" if name != "valueOf" else "toString",
                    id="rule_3",
                    priority=3,
                ),
                variations=[("plain", "p"), (name, "h")],
                default="plain",
            ),
            flag("flag-b", variations=[("plain", "p"), (name, "h")], default=name),
        )
        calls = [
            ("flag-a", context({"plan": "pro"}), f"{name}@rule_1"),
            ("flag-a", context({"plan": "team"}), f"{name}%rule_2"),
            ("flag-a", context({"plan": "free"}), "plain"),
            ("flag-b", context(), name),
        ]
        book.add(
            f"a variation named {name}, and one that does not exist",
            rules,
            calls,
            decision="D21",
            requirements=["eval-first-match"],
        )


TWINS = [
    ("is", "pro", "pro"), ("is_not", "pro", "free"), ("contains", "r", "pro"), ("not_contains", "x", "pro"),
    ("one_of", ["pro"], "pro"), ("not_one_of", ["x"], "pro"), ("gt", 1, 2), ("lt", 3, 2), ("matches_regex", "^p", "pro"),
    ("version_gt", "1.0.0", "1.0.1"), ("version_lt", "1.0.1", "1.0.0"),
]


def disabled_twins(book: Book) -> None:
    """A disabled flag next to an enabled copy: neither rules nor prerequisites of the disabled one have an effect."""
    book.part(501)
    for operator, value, yes in TWINS:
        asked = rule(cond("plan", operator, value), serve="on")
        rules = ruleset(flag("flag-a", asked, enabled=False), flag("flag-b", asked))
        calls = [
            ("flag-a", context({"plan": yes}), "off!disabled"),
            ("flag-b", context({"plan": yes}), "on@rule_1"),
            ("flag-a", context(), "off!disabled"),
            ("flag-b", context(), "off"),
        ]
        book.add(f"disabled, with a rule with {operator}", rules, calls, requirements=["eval-disabled", "flag-enabled"])
    segments = [segment("beta", cond("plan", "is", "pro"))]
    for more, listed, given, served, why in [
        ({}, (rule(cond("$segment", "is", "beta"), serve="on"),), {"plan": "pro"}, "on@rule_1", "a segment"),
        ({}, (rule(rollout=[("on", 100)], bucketing=2),), {}, "on%rule_1", "a rollout of revision 2"),
        ({"prerequisites": needs(("flag-c", "off"))}, (rule(serve="on"),), {}, "off!prerequisite", "a prerequisite that fails"),
        ({"prerequisites": needs(("flag-c", "on"))}, (rule(serve="on"),), {}, "on@rule_1", "a prerequisite that holds"),
    ]:
        rules = ruleset(
            flag("flag-a", *listed, enabled=False, **more),
            flag("flag-b", *listed, **more),
            flag("flag-c", default="on"),
            segments=segments,
        )
        calls = [("flag-a", context(given), "off!disabled"), ("flag-b", context(given), served), ("flag-c", context(), "on")]
        book.add(
            f"disabled, with {why}", rules, calls, decision="D31", requirements=["eval-disabled"],
            **({"bucketing": 2} if "revision 2" in why else {}),
        )
    book.part(531)
    for count in (1, 3, 10, 50):
        variations = [(f"v{place}", place) for place in range(count)]
        flags = [
            flag(f"flag-{place}", variations=variations, default=f"v{place}", enabled=place % 2 == 0)
            for place in sorted({0, 1, count // 2, count - 1} & set(range(count)))
        ]
        calls = [
            (item["key"], context(), item["default_variation"] + ("" if item["enabled"] else "!disabled")) for item in flags
        ]
        book.add(
            f"the default variation among {count}", ruleset(*flags), calls, requirements=["eval-default", "flag-default-variation"]
        )
    for key, others, why in [
        ("caf\u00e9", ["cafe\u0301", "cafe", "CAF\u00c9"], "composed and decomposed letters"),
        ("flag\u200b", ["flag", "flag\u200c"], "a blank of no width"),
        ("flag\u0000a", ["flag", "flag\u0000", "flag\u0000b"], "the code zero"),
    ]:
        rules = ruleset(flag(key, rule(serve="on")), flag("flag-a"))
        calls = [(key, context(), "on@rule_1"), *((other, context(), "-") for other in others), ("flag-a", context(), "off")]
        book.add(f"flag keys are compared exactly: {why}", rules, calls, decision="D07", requirements=["reason-flag-not-found"])


def books() -> list[Book]:
    book = Book("state", "Disabled flags, default variations, unknown flags, unusual names")
    disabled(book)
    defaults(book)
    not_found(book)
    hostile_flags(book)
    hostile_variations(book)
    disabled_twins(book)
    return [book]
