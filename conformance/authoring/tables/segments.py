"""Segments: a reserved attribute (EV-110 to EV-116)."""

from writing import ABSENT, MISSING, NAN, Book, cond, context, flag, needs, rule, ruleset, segment

BETA = segment("beta", cond("plan", "is", "pro"))
GERMAN = segment("german", cond("country", "is", "DE"))
EVERYONE = segment("everyone")
NOBODY = segment("nobody", cond("plan", "is_kind_of", "pro"))
PEOPLE = [({"plan": "pro", "country": "DE"}, "bg"), ({"plan": "pro"}, "b"), ({"country": "DE"}, "g"), ({}, "")]


def _asks(operator, value, *segments, attribute="$segment"):
    return ruleset(flag("flag-a", rule(cond(attribute, operator, value), serve="on")), segments=segments)


def _calls(matches):
    return [("flag-a", context(given), "on@rule_1" if matches(given) else "off") for given, _ in PEOPLE]


def operators(book: Book) -> None:
    book.part(1)
    both = (BETA, GERMAN)
    is_beta, is_german = (lambda given: "plan" in given), (lambda given: "country" in given)
    either = lambda given: is_beta(given) or is_german(given)  # noqa: E731
    for operator, value, matches, why in [
        ("is", "beta", is_beta, "a member of one segment"),
        ("is_not", "beta", lambda g: not is_beta(g), "no member of one segment"),
        ("one_of", ["beta"], is_beta, "a list of one"),
        ("not_one_of", ["beta"], lambda g: not is_beta(g), "a negative list of one"),
        ("one_of", ["beta", "german"], either, "a member of at least one"),
        ("not_one_of", ["beta", "german"], lambda g: not either(g), "a member of none"),
        ("one_of", ["german", "beta"], either, "the order of the list does not count"),
        ("one_of", ["beta", "beta"], is_beta, "a key that is repeated"),
        ("one_of", ["nowhere", "german"], is_german, "an unknown key beside a known one"),
        ("not_one_of", ["nowhere", "german"], lambda g: not is_german(g), "an unknown key beside a known one, negated"),
        ("one_of", [None, {}, ["beta"], "german"], is_german, "elements that are not scalars are ignored"),
        (
            "not_one_of",
            [None, {}, ["beta"], "german"],
            lambda g: not is_german(g),
            "elements that are not scalars are ignored, negated",
        ),
    ]:
        book.add(
            why,
            _asks(operator, value, *both),
            _calls(matches),
            decision="D29",
            requirements=["ruleset-segments", "segment-conditions"],
        )
    book.part(21)
    for operator, value, always, why in [
        ("is", "nowhere", False, "an unknown segment has no members"),
        ("is_not", "nowhere", True, "nobody is a member of an unknown segment"),
        ("one_of", ["nowhere"], False, "an unknown segment in a list"),
        ("not_one_of", ["nowhere"], True, "an unknown segment in a negative list"),
        ("one_of", [], False, "an empty list"),
        ("not_one_of", [], True, "an empty negative list"),
        ("one_of", [None, ["beta"], {}], False, "a list of ignored elements"),
        ("not_one_of", [None, ["beta"], {}], True, "a negative list of ignored elements"),
        ("is", "Beta", False, "letter case of a segment key"),
        ("is_not", "Beta", True, "letter case of a segment key, negated"),
        ("is", " beta", False, "a blank before a segment key"),
        ("is", "", False, "the empty key"),
        ("is", "seg_beta", False, "a segment is named by key, not by id"),
        ("is_not", "seg_beta", True, "a segment is not named by id"),
        ("is", "__proto__", False, "a hostile key"),
        ("is", "constructor", False, "another hostile key"),
        ("is_not", "constructor", True, "another hostile key, negated"),
        ("one_of", ["toString", "hasOwnProperty"], False, "hostile keys in a list"),
    ]:
        rules = _asks(operator, value, BETA, GERMAN)
        rules["flags"].append(flag("flag-b", rule(cond("$segment", "is", "beta"), serve="on")))
        calls = [
            ("flag-a", context(given), "on@rule_1" if always else "off")
            for given, _ in PEOPLE
        ] + [("flag-b", context({"plan": "pro"}), "on@rule_1")]
        book.add(why, rules, calls, decision="D29", requirements=["ruleset-segments"])
    book.part(51)
    wrong = {
        operator: ["beta", "everyone", "", ["beta"]]
        for operator in (
            "contains", "not_contains", "gt", "lt", "matches_regex", "version_gt", "version_lt", "IS", "", "in",
        )
    }
    wrong |= {operator: [["beta"], [], {}, None, ABSENT, NAN] for operator in ("is", "is_not")}
    wrong |= {
        operator: ["beta", "nowhere", 1, True, {}, None, ABSENT, {"0": "beta", "length": 1}]
        for operator in ("one_of", "not_one_of")
    }
    for operator, values in wrong.items():
        listed = [
            rule(cond("$segment", operator, value), serve="on", id=f"rule_{place}", priority=place)
            for place, value in enumerate(values)
        ]
        rules = ruleset(
            flag(
                "flag-a",
                *listed,
                rule(serve="other", id="rule_last", priority=9),
                variations=[("on", 1), ("off", 0), ("other", 2)],
            ),
            segments=[BETA, EVERYONE],
        )
        calls = [
            ("flag-a", context(given), "other@rule_last")
            for given in ({"plan": "pro"}, {}, {"$segment": "beta"}, {"$segment": ["beta"]})
        ]
        why = "never matches" if len(values) == 4 else "with values of another shape"
        book.add(
            f"$segment under {operator or 'the empty operator'} {why}",
            rules,
            calls,
            decision="D29",
            requirements=["ruleset-segments"],
        )


def members(book: Book) -> None:
    book.part(201)
    for size in range(0, 6):
        names = "abcde"[:size]
        rules = _asks("is", "crowd", segment("crowd", *(cond(name, "is", "1") for name in names)))
        calls = [("flag-a", context({name: "1" for name in names}), "on@rule_1")]
        calls += [
            ("flag-a", context({name: "0" if name == failing else "1" for name in names}), "off")
            for failing in names
        ]
        if not size:
            calls += [("flag-a", {}, "on@rule_1"), ("flag-a", context(user=""), "on@rule_1")]
        book.add(
            f"all of {size} conditions of a segment must match",
            rules,
            calls,
            decision="D29",
            requirements=["segment-conditions"],
        )
    for operator, value, inside, outside in [
        ("is", "x", ["x", ["x"]], ["y", MISSING, []]),
        ("is_not", "x", ["y", []], ["x", MISSING, None]),
        ("contains", "x", ["axb"], ["a", MISSING]),
        ("not_contains", "x", ["a", []], ["ax", MISSING]),
        ("one_of", ["x", 1], ["x", 1, "1"], ["y", MISSING]),
        ("not_one_of", ["x"], ["y", []], ["x", MISSING]),
        ("gt", 10, [11, "11"], [10, "x", MISSING]),
        ("lt", 10, [9, "9"], [10, True, MISSING]),
        ("matches_regex", "^x+$", ["xx"], ["xy", MISSING]),
        ("version_gt", "1.0.0", ["v1.1"], ["1.0.0", 2, MISSING]),
        ("version_lt", "1.0.0", ["1.0.0-rc.1"], ["1.0.0", 0.5, MISSING]),
    ]:
        rules = _asks("is", "crowd", segment("crowd", cond("a", operator, value)))
        rules["flags"].append(flag("flag-b", rule(cond("$segment", "is_not", "crowd"), serve="on")))
        calls = [
            (
                key,
                context({} if item is MISSING else {"a": item}),
                "on@rule_1" if (key == "flag-a") == (
                    item in inside and item is not MISSING and not (item == [] and [] not in inside)
                ) else "off",
            )
            for item in [*inside, *outside]
            for key in ("flag-a", "flag-b")
        ]
        book.add(
            f"a segment's condition with {operator}; users who are not members get the other variation",
            rules,
            calls,
            decision="D29",
            requirements=["segment-conditions"],
        )
    rules = _asks("is", "crowd", segment("crowd", cond("user_key", "one_of", ["user-1", "user-2"])))
    book.add(
        "a segment that lists people",
        rules,
        [
            ("flag-a", context(user=f"user-{n}"), "on@rule_1" if n < 3 else "off")
            for n in (1, 2, 3)
        ] + [("flag-a", {}, "off"), ("flag-a", context({"user_key": "user-1"}, "user-9"), "on@rule_1")],
        decision="D29",
        requirements=["segment-conditions"],
    )
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "is", "beta"), cond("country", "is", "DE"), serve="on")),
        flag("flag-b", rule(cond("$segment", "is", "beta"), cond("$segment", "is_not", "german"), serve="on")),
        segments=[BETA, GERMAN],
    )
    calls = [
        ("flag-a", context(given), "on@rule_1" if kind == "bg" else "off")
        for given, kind in PEOPLE
    ] + [("flag-b", context(given), "on@rule_1" if kind == "b" else "off") for given, kind in PEOPLE]
    book.add(
        "a segment beside other conditions, and two segments: AND",
        rules,
        calls,
        decision="D29",
        requirements=["eval-and", "segment-conditions"],
    )
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("$segment", "is", "nobody"), serve="on"),
            rule(cond("$segment", "is", "beta"), serve="other", id="rule_2", priority=2),
            variations=[("on", 1), ("off", 0), ("other", 2)],
        ),
        segments=[NOBODY, BETA],
    )
    book.add(
        "a segment without members, then another rule",
        rules,
        [("flag-a", context(given), "other@rule_2" if "b" in kind else "off") for given, kind in PEOPLE],
        decision="D29",
        requirements=["eval-first-match"],
    )


def nesting(book: Book) -> None:
    book.part(251)
    for operator, value in [
        ("is", "everyone"), ("is_not", "everyone"), ("is", "nowhere"), ("is_not", "nowhere"),
        ("one_of", ["everyone", "beta"]), ("not_one_of", ["nowhere"]), ("one_of", []), ("not_one_of", []),
        ("contains", ""), ("is_not", "outer"),
    ]:
        outer = segment("outer", cond("$segment", operator, value))
        rules = ruleset(
            flag("flag-a", rule(cond("$segment", "is", "outer"), serve="on")),
            flag("flag-b", rule(cond("$segment", "is_not", "outer"), serve="on")),
            flag("flag-c", rule(cond("$segment", "is", "everyone"), serve="on")),
            segments=[EVERYONE, BETA, outer],
        )
        calls = [
            (key, context(given), "off" if key == "flag-a" else "on@rule_1")
            for given in ({"plan": "pro"}, {}, {"$segment": "everyone"})
            for key in ("flag-a", "flag-b", "flag-c")
        ]
        book.add(
            f"segments do not nest: {operator} {value!r} inside a segment never matches",
            rules,
            calls,
            decision="D29",
            requirements=["segment-conditions"],
        )
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "is", "outer"), serve="on")),
        flag("flag-b", rule(cond("$segment", "is", "inner"), serve="on")),
        segments=[
            segment("outer", cond("plan", "is", "pro"), cond("$segment", "is", "inner")),
            segment("inner", cond("plan", "is", "pro")),
        ],
    )
    book.add(
        "one nested condition empties the segment",
        rules,
        [("flag-a", context({"plan": "pro"}), "off"), ("flag-b", context({"plan": "pro"}), "on@rule_1")],
        decision="D29",
        requirements=["segment-conditions"],
    )
    book.part(271)
    for given, why in [
        ({"$segment": "beta"}, "a text"),
        ({"$segment": ["beta"]}, "an array"),
        ({"$segment": "nowhere"}, "an unknown key"),
        ({"$segment": None}, "null"),
        ({"$segment": True}, "a boolean"),
    ]:
        rules = ruleset(
            flag("flag-a", rule(cond("$segment", "is", "beta"), serve="on")),
            flag("flag-b", rule(cond("$segment", "not_one_of", ["beta"]), serve="on")),
            flag("flag-c", rule(cond("$segment", "is", "nowhere"), serve="on")),
            segments=[BETA],
        )
        calls = [
            ("flag-a", context(given), "off"),
            ("flag-b", context(given), "on@rule_1"),
            ("flag-c", context(given), "off"),
            ("flag-a", context(given | {"plan": "pro"}), "on@rule_1"),
            ("flag-b", context(given | {"plan": "pro"}), "off"),
        ]
        book.add(
            f"the reserved name wins over an attribute $segment that is {why}",
            rules,
            calls,
            decision="D29",
            requirements=["condition-attribute"],
        )
    for name in ("segment", "$Segment", "$segments", "$segment "):
        rules = ruleset(flag("flag-a", rule(cond(name, "is", "beta"), serve="on")), segments=[BETA])
        calls = [
            ("flag-a", context({"plan": "pro"}), "off"),
            ("flag-a", context({name: "beta"}), "on@rule_1"),
            ("flag-a", context({name: ["x", "beta"]}), "on@rule_1"),
        ]
        book.add(
            f"{name!r} is an ordinary attribute",
            rules,
            calls,
            decision="D29",
            requirements=["condition-attribute"],
        )
    for key, asked, why in [
        ("1", 1, "a number names the segment whose key is its text"),
        ("true", True, "a boolean too"),
        ("1e+21", 1e21, "a number with an exponent"),
        ("0", 0, "zero"),
    ]:
        rules = ruleset(
            flag("flag-a", rule(cond("$segment", "is", asked), serve="on")),
            flag("flag-b", rule(cond("$segment", "one_of", [asked, "x"]), serve="on")),
            segments=[segment(key, cond("plan", "is", "pro"))],
        )
        book.add(
            why,
            rules,
            [
                (name, context({"plan": plan}), "on@rule_1" if plan == "pro" else "off")
                for name in ("flag-a", "flag-b")
                for plan in ("pro", "free")
            ],
            decision="D29",
            requirements=["ruleset-segments"],
        )
    for key in ("__proto__", "constructor", "", "é", "\U0001f600", "$segment"):
        rules = ruleset(
            flag("flag-a", rule(cond("$segment", "is", key), serve="on")),
            flag("flag-b", rule(cond("$segment", "is_not", key), serve="on")),
            segments=[segment(key, cond("plan", "is", "pro"))],
        )
        calls = [
            (name, context({"plan": plan}), "on@rule_1" if (name == "flag-a") == (plan == "pro") else "off")
            for name in ("flag-a", "flag-b")
            for plan in ("pro", "free")
        ]
        book.add(
            f"a segment whose key is {key!r}",
            rules,
            calls,
            decision="D21" if key in ("__proto__", "constructor") else "D29",
            requirements=["ruleset-segments"],
        )
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "is", "beta"), rollout=[("on", 100)])),
        flag("flag-b", default="on", prerequisites=needs(("flag-a", "on"))),
        segments=[BETA],
    )
    book.add(
        "a segment before a rollout, and after a prerequisite",
        rules,
        [
            ("flag-a", context({"plan": "pro"}), "on%rule_1"),
            ("flag-a", context({}), "off"),
            ("flag-b", context({"plan": "pro"}), "on"),
            ("flag-b", context({}), "on!prerequisite"),
        ],
        decision="D29",
        requirements=["reason-prerequisite", "reason-percentage-rollout"],
    )


def books() -> list[Book]:
    book = Book("segments", "Segments (EV-110 to EV-116)")
    operators(book)
    members(book)
    nesting(book)
    return [book]
