"""Bucketing and rollouts (EV-40 to EV-53), the order of rules (EV-36 to EV-39), results (EV-29 to EV-35)."""

from itertools import permutations

from buckets import bucket_of, user_in
from writing import ABSENT, INF, MINUS_ZERO, MISSING, NAN, Book, cond, context, flag, needs, rule, ruleset

THREE = [("a", "A"), ("b", "B"), ("none", "NONE")]
EVERYBODY = rule(serve="b", id="rule_2", priority=2)


def _revision(number: int) -> dict:
    return {} if number == 1 else {"bucketing": number}


def no_user_key(book: Book) -> None:
    book.part(1)
    users = [
        (ABSENT, "absent"), ("", "empty"), (None, "null"), (7, "a number"), (0, "zero"), (True, "a boolean"),
        (["user-1"], "an array"), ({"key": "user-1"}, "an object"), (NAN, "NaN"),
    ]
    for user, why in users:
        for revision in (1, 2):
            rules = ruleset(
                flag(
                    "flag-a",
                    rule(rollout=[("a", 100)], **_revision(revision)),
                    EVERYBODY,
                    variations=THREE,
                    default="none",
                ),
                flag(
                    "flag-b",
                    rule(cond("plan", "is", "pro"), rollout=[("a", 50), ("b", 50)], **_revision(revision)),
                    EVERYBODY,
                    variations=THREE,
                    default="none",
                ),
                flag("flag-c", rule(serve="a"), variations=THREE, default="none"),
            )
            calls = [
                ("flag-a", context(user=user), "none"),
                ("flag-b", context({"plan": "pro"}, user), "none"),
                ("flag-b", context({"plan": "free"}, user), "b@rule_2"),
                ("flag-c", context(user=user), "a@rule_1"),
                ("flag-a", context(), "a%rule_1"),
            ]
            calls.append(("flag-a", context({"user_key": "user-1"}, user), "none"))
            book.add(
                f"the user key is {why}: nobody is bucketed, no further rule is tried",
                rules,
                calls,
                decision="D19",
                bucketing=revision,
                requirements=["context-user-key", "eval-first-match"],
            )
    rules = ruleset(flag("flag-a", rule(rollout=[("a", 100)]), variations=THREE, default="none"))
    calls = [
        ("flag-a", context(user=" "), "a%rule_1"),
        ("flag-a", context(user="0"), "a%rule_1"),
        ("flag-a", context(user="null"), "a%rule_1"),
        ("flag-a", context(user="\u0000"), "a%rule_1"),
        ("flag-a", context(user=""), "none"),
        ("flag-a", {}, "none"),
    ]
    book.add(
        "a blank, a zero and the word null are user keys",
        rules,
        calls,
        decision="D19",
        requirements=["context-user-key"],
    )
    user = user_in("flag-a", 20)
    other = user_in("flag-a", 80)
    rules = ruleset(flag("flag-a", rule(rollout=[("a", 50), ("b", 50)]), variations=THREE, default="none"))
    calls = [
        ("flag-a", context({"user_key": other}, user), "a%rule_1"),
        ("flag-a", context({"user_key": user}, other), "b%rule_1"),
        ("flag-a", context({"user_key": None}, user), "a%rule_1"),
    ]
    book.add(
        "bucketing uses the context's user key, never the attribute",
        rules,
        calls,
        decision="D19",
        requirements=["context-user-key"],
    )


def revisions(book: Book) -> None:
    book.part(101)
    for key in ("flag-a",):
        # The user's buckets differ between the revisions.
        user = next(
            user
            for user in (f"user-{n}" for n in range(1, 500))
            if bucket_of(key, user) < 50 <= bucket_of(key, user, 2)
        )
        for value, why, served, revision in [
            (ABSENT, "absent", "a", 1), (None, "null", "a", 1), (1, "1", "a", 1), (1.0, "1.0", "a", 1),
            (2, "2", "b", 2), (2.0, "2.0", "b", 2), (0, "0", None, 1), (3, "3", None, 1), (-1, "-1", None, 1),
            (1.5, "1.5", None, 1), (2.5, "2.5", None, 1), ("1", "the text 1", None, 1), ("2", "the text 2", None, 1),
            ("", "the empty text", None, 1), (True, "true", None, 1), (False, "false", None, 1),
            ([], "an empty array", None, 1), ([2], "an array", None, 1), ({}, "an object", None, 1),
            (NAN, "NaN", None, 1), (INF, "infinity", None, 1), (4294967297, "1 beyond 32 bits", None, 1),
            (4294967298, "2 beyond 32 bits", None, 1),
        ]:
            more = {} if value is ABSENT else {"bucketing": value}
            rules = ruleset(
                flag(key, rule(rollout=[("a", 50), ("b", 50)], **more), EVERYBODY, variations=THREE, default="none"),
                flag(
                    "flag-z",
                    rule(cond("plan", "is", "pro"), serve="a", **more),
                    EVERYBODY,
                    variations=THREE,
                    default="none",
                ),
            )
            calls = [
                (key, context(user=user), f"{served}%rule_1" if served else "none"),
                ("flag-z", context({"plan": "pro"}), "a@rule_1"),
                ("flag-z", context(), "b@rule_2"),
            ]
            book.add(
                f"bucketing is {why}", rules, calls, decision="D32", bucketing=revision,
                requirements=["eval-first-match"],
            )
    book.part(171)
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("plan", "is", "one"), rollout=[("a", 50), ("b", 50)]),
            rule(cond("plan", "is", "two"), rollout=[("a", 50), ("b", 50)], bucketing=2, id="rule_2", priority=2),
            rule(cond("plan", "is", "three"), rollout=[("a", 50), ("b", 50)], bucketing=3, id="rule_3", priority=3),
            variations=THREE,
            default="none",
        )
    )
    calls = []
    for number in range(1, 9):
        user = f"user-{number}"
        for plan, revision, id in (("one", 1, "rule_1"), ("two", 2, "rule_2")):
            calls.append(
                (
                    "flag-a",
                    context({"plan": plan}, user),
                    f"{'a' if bucket_of('flag-a', user, revision) < 50 else 'b'}%{id}",
                )
            )
        calls.append(("flag-a", context({"plan": "three"}, user), "none"))
    book.add(
        "the revision belongs to the rule, not to the flag", rules, calls, decision="D32", bucketing=2,
        requirements=["eval-first-match"],
    )


def served(book: Book) -> None:
    book.part(1)
    for revision in (1, 2):
        def users(*wanted):
            return [user_in("flag-a", bucket, revision) for bucket in wanted]

        def add(why, entries, at, decision, variations=THREE):
            rules = ruleset(
                flag(
                    "flag-a",
                    rule(rollout=entries, **_revision(revision)),
                    EVERYBODY,
                    variations=variations,
                    default="none",
                )
            )
            calls = [
                ("flag-a", context(user=user), f"{name}%rule_1" if name != "none" else "none")
                for user, name in zip(users(*at), at.values())
            ]
            book.add(
                why,
                rules,
                calls,
                decision=decision,
                bucketing=revision,
                requirements=["eval-first-match", "reason-percentage-rollout"],
            )

        add(
            "30/70: the first has the buckets 0 to 29",
            [("a", 30), ("b", 70)],
            {0: "a", 29: "a", 30: "b", 99: "b"},
            "D17",
        )
        add("an entry of zero serves nobody", [("a", 0), ("b", 100)], {0: "b", 50: "b", 99: "b"}, "D17")
        add("a last entry of zero serves nobody", [("b", 100), ("a", 0)], {0: "b", 99: "b"}, "D17")
        add(
            "an entry that is named twice",
            [("a", 10), ("b", 80), ("a", 10)],
            {9: "a", 10: "b", 89: "b", 90: "a", 99: "a"},
            "D17",
        )
        add("one entry in two halves", [("a", 50), ("a", 50)], {0: "a", 49: "a", 50: "a", 99: "a"}, "D17")
        add("a sum above hundred leaves the last unreached", [("a", 60), ("b", 60)], {59: "a", 60: "b", 99: "b"}, "D17")
        add("a first entry above hundred", [("a", 101), ("b", 50)], {0: "a", 99: "a"}, "D17")
        add("a huge percentage", [("a", 1e308), ("b", 1e308)], {0: "a", 99: "a"}, "D17")
        add("a sum that becomes infinite", [("b", -1), ("a", 1e308), ("b", 1e308)], {0: "a", 99: "a"}, "D17")
        add("fractions are summed", [("a", 0.5), ("b", 99.5)], {0: "a", 1: "b", 99: "b"}, "D17")
        add("a half of a bucket is the whole bucket", [("a", 29.5), ("b", 70.5)], {28: "a", 29: "a", 30: "b"}, "D17")
        add("thirds", [("a", 33.3), ("b", 33.3), ("a", 33.4)], {33: "a", 34: "b", 66: "b", 67: "a", 99: "a"}, "D17")
        add(
            "the sum is rounded as binary64: 0.1 + 0.2 is above 0.3",
            [("b", 0.1), ("b", 0.2), ("a", 99.7)],
            {0: "b", 1: "a", 99: "a"},
            "D17",
        )
        add("a sum just below a whole number", [("a", 0.1)] * 10 + [("b", 99)], {0: "a", 1: "b"}, "D17")
        add("the smallest share takes bucket 0", [("a", 5e-324), ("b", 100)], {0: "a", 1: "b"}, "D17")
        add(
            "a negative first entry moves the borders down",
            [("a", -10), ("b", 60), ("a", 50)],
            {0: "b", 49: "b", 50: "a", 99: "a"},
            "D17",
        )
        add(
            "a negative entry in the middle",
            [("a", 30), ("b", -10), ("b", 40)],
            {29: "a", 30: "b", 59: "b", 60: "none"},
            "D17",
        )
        add("negative zero is zero", [("a", MINUS_ZERO), ("b", 100)], {0: "b", 99: "b"}, "D17")
        add(
            "beyond the last sum: the default, and no further rule",
            [("a", 10), ("b", 10)],
            {9: "a", 10: "b", 19: "b", 20: "none", 99: "none"},
            "D18",
        )
        add("an empty rollout serves nobody", [], {0: "none", 50: "none", 99: "none"}, "D18")
        add("a rollout of zero per cent serves nobody", [("a", 0)], {0: "none", 99: "none"}, "D18")
        add("zero, twice", [("a", 0), ("b", 0)], {0: "none", 99: "none"}, "D18")
        add("ninety-nine per cent", [("a", 99)], {98: "a", 99: "none"}, "D18")
        add("one per cent", [("a", 1)], {0: "a", 1: "none"}, "D18")
        add("only negative entries", [("a", -5), ("b", -5)], {0: "none", 99: "none"}, "D18")
        add("fractions below hundred", [("a", 33.3), ("b", 33.3)], {33: "a", 66: "b", 67: "none"}, "D18")
        add(
            "the default variation by rollout keeps the rollout's reason",
            [("none", 50), ("a", 10)],
            {50: "a", 59: "a", 60: "none"},
            "D18",
        )
        add(
            "an unknown variation in its range only",
            [("gone", 30), ("a", 30)],
            {0: "none", 29: "none", 30: "a", 59: "a", 60: "none"},
            "D25",
        )
        add("an unknown variation at the end", [("a", 30), ("gone", 70)], {29: "a", 30: "none", 99: "none"}, "D25")
        add(
            "an unknown variation in the middle keeps its range",
            [("a", 10), ("gone", 10), ("b", 10)],
            {9: "a", 10: "none", 19: "none", 20: "b", 29: "b", 30: "none"},
            "D25",
        )
        add("only unknown variations", [("gone", 50), ("lost", 50)], {0: "none", 99: "none"}, "D25")
        add(
            "variation keys are compared exactly",
            [("A", 50), ("a ", 40), ("a", 10)],
            {0: "none", 49: "none", 89: "none", 90: "a"},
            "D25",
        )
        rules = ruleset(
            flag(
                "flag-a",
                rule(rollout=[("none", 50), ("a", 50)], **_revision(revision)),
                variations=THREE,
                default="none",
            )
        )
        low, high = users(49, 50)
        book.add(
            "a rollout to the default variation is a rollout",
            rules,
            [("flag-a", context(user=low), "none%rule_1"), ("flag-a", context(user=high), "a%rule_1")],
            decision="D28",
            bucketing=revision,
            requirements=["reason-percentage-rollout", "result-rule-id"],
        )


def odd_rules(book: Book) -> None:
    book.part(101)
    pro = cond("plan", "is", "pro")
    for rules_given, why in [
        (rule(pro, serve="gone"), "a variation that does not exist"),
        (rule(pro, serve=""), "the empty variation key"),
        (rule(pro, serve="A"), "another letter case"),
        (rule(pro, serve="a "), "a blank after the key"),
        (rule(pro, serve="constructor"), "a hostile key"),
        (rule(pro, serve="__proto__"), "another hostile key"),
        (rule(pro, serve="0"), "an index"),
        (rule(pro), "neither variation nor rollout"),
        (rule(pro, variation=None), "a null variation"),
        (rule(pro, variation=None, percentage_rollout=None), "both null"),
        (rule(pro, percentage_rollout=None), "a null rollout"),
        (rule(pro, serve="flag-a"), "the flag's key"),
        (rule(pro, serve="NONE"), "a value in place of a key"),
    ]:
        rules = ruleset(flag("flag-a", rules_given, EVERYBODY, variations=THREE, default="none"))
        calls = [
            ("flag-a", context({"plan": "pro"}), "none"),
            ("flag-a", context({"plan": "free"}), "b@rule_2"),
            ("flag-a", {"attributes": {"plan": "pro"}}, "none"),
        ]
        book.add(
            f"a deciding rule with nothing to serve: {why}",
            rules,
            calls,
            decision="D25",
            requirements=["eval-first-match", "reason-default"],
        )
    book.part(131)
    low, high = user_in("flag-a", 10), user_in("flag-a", 60)
    for entries, at_low, at_high, why in [
        ([("b", 50)], "b%rule_1", "none", "a rollout of fifty"),
        ([("b", 50), ("none", 50)], "b%rule_1", "none%rule_1", "a full rollout"),
        ([("gone", 50), ("b", 50)], "none", "b%rule_1", "an unknown entry first"),
        ([], "none", "none", "an empty rollout"),
        ([("b", 0)], "none", "none", "a rollout of zero"),
    ]:
        for variation in ("a", "gone"):
            rules = ruleset(
                flag("flag-a", rule(serve=variation, rollout=entries), EVERYBODY, variations=THREE, default="none")
            )
            calls = [
                ("flag-a", context(user=low), at_low),
                ("flag-a", context(user=high), at_high),
                ("flag-a", {}, "none"),
            ]
            book.add(
                f"both: the rollout decides; {why}, variation {variation}",
                rules,
                calls,
                decision="D26",
                requirements=["rule-one-of-two"],
            )
    rules = ruleset(flag("flag-a", rule(serve="a", percentage_rollout=None), variations=THREE, default="none"))
    book.add(
        "a null rollout counts as absent",
        rules,
        [("flag-a", context(), "a@rule_1"), ("flag-a", {}, "a@rule_1")],
        decision="D26",
        requirements=["rule-one-of-two"],
    )
    rules = ruleset(flag("flag-a", rule(variation=None, rollout=[("a", 100)]), variations=THREE, default="none"))
    book.add(
        "a null variation beside a rollout",
        rules,
        [("flag-a", context(), "a%rule_1"), ("flag-a", {}, "none")],
        decision="D26",
        requirements=["rule-one-of-two"],
    )
    rules = ruleset(
        flag("flag-a", rule(serve="a", rollout=[("b", 100)], bucketing=9), EVERYBODY, variations=THREE, default="none")
    )
    book.add(
        "both, and an unknown revision: nothing is served",
        rules,
        [("flag-a", context(), "none"), ("flag-a", {}, "none")],
        decision="D26",
        requirements=["rule-one-of-two"],
    )


def order(book: Book) -> None:
    book.part(1)
    for size in (2, 3):
        for keys in permutations("abc"[:size]):
            rules = ruleset(
                flag(
                    "flag-a",
                    *(rule(cond("skip", "not_contains", key), serve=key, id=f"rule_{key}", priority=5) for key in keys),
                    variations=[("a", 1), ("b", 2), ("c", 3), ("none", 0)],
                    default="none",
                )
            )
            calls = [
                (
                    "flag-a",
                    context({"skip": "".join(keys[:skipped]) or "-"}),
                    f"{keys[skipped]}@rule_{keys[skipped]}" if skipped < size else "none",
                )
                for skipped in range(size + 1)
            ]
            book.add(
                f"equal priorities keep the listed order: {', '.join(keys)}",
                rules,
                calls,
                decision="D20",
                requirements=["eval-priority"],
            )
    for mixed, expected, why in [
        ([2, 1, 2, 1], [1, 3, 0, 2], "two pairs"),
        ([0, MINUS_ZERO, 0], [0, 1, 2], "zero and negative zero are equal"),
        ([1.0, 1, 1], [0, 1, 2], "one with and without a point"),
        ([3, 1, 3, 2, 3], [1, 3, 0, 2, 4], "three equal ones among others"),
        ([1.5, 1, 2, 1.25], [1, 3, 0, 2], "fractions are numbers too"),
        ([9007199254740993, 9007199254740992], [0, 1], "priorities that binary64 cannot tell apart"),
        ([9007199254740994, 9007199254740993], [1, 0], "priorities that it can"),
        ([1e308, -1e308, 0], [1, 2, 0], "huge priorities"),
        ([5e-324, 0], [1, 0], "the smallest difference"),
        ([-1, -1, -2], [2, 0, 1], "negative ones"),
    ]:
        rules = ruleset(
            flag(
                "flag-a",
                *(
                    rule(
                        cond("skip", "not_contains", str(place)),
                        serve=f"v{place}",
                        id=f"rule_{place}",
                        priority=priority,
                    )
                    for place, priority in enumerate(mixed)
                ),
                variations=[*((f"v{place}", place) for place in range(len(mixed))), ("none", -1)],
                default="none",
            )
        )
        calls, skip = [], "-"
        for place in expected:
            calls.append(("flag-a", context({"skip": skip}), f"v{place}@rule_{place}"))
            skip += str(place)
        calls.append(("flag-a", context({"skip": skip}), "none"))
        book.add(f"ascending and stable: {why}", rules, calls, decision="D20", requirements=["eval-priority"])
    many = 40
    rules = ruleset(
        flag(
            "flag-a",
            *(
                rule(
                    cond("skip", "not_one_of", [str(place)]),
                    serve="on" if place % 2 else "off",
                    id=f"rule_{place}",
                    priority=place % 3,
                )
                for place in range(many)
            ),
        )
    )
    ranked = sorted(range(many), key=lambda place: (place % 3, place))
    calls = [
        (
            "flag-a",
            context({"skip": [str(place) for place in ranked[:skipped]]}),
            f"{'on' if ranked[skipped] % 2 else 'off'}@rule_{ranked[skipped]}",
        )
        for skipped in (0, 1, 2, 13, 14, 15, 26, 27, 28, 39)
    ]
    book.add(
        "forty rules in three ranks: an unstable sort would show",
        rules,
        calls,
        decision="D20",
        requirements=["eval-priority"],
    )
    rules = ruleset(
        flag("flag-a", rule(serve="on"), rule(cond("plan", "is", "pro"), serve="off", id="rule_2", priority=0))
    )
    book.add(
        "no conditions: everybody, even without attributes and user key",
        rules,
        [
            ("flag-a", {}, "on@rule_1"),
            ("flag-a", context(user=""), "on@rule_1"),
            ("flag-a", context({"plan": "pro"}), "off@rule_2"),
            ("flag-a", {"attributes": {}}, "on@rule_1"),
        ],
        decision="D20",
        requirements=["eval-and"],
    )
    rules = ruleset(
        flag("flag-a", rule(serve="on", id="same"), rule(serve="off", id="same", priority=0)),
        flag(
            "flag-b",
            rule(cond("plan", "is", "pro"), serve="on", id="same"),
            rule(serve="off", id="same", priority=2),
        ),
    )
    book.add(
        "rules with one id stay apart",
        rules,
        [
            ("flag-a", context(), "off@same"),
            ("flag-b", context({"plan": "pro"}), "on@same"),
            ("flag-b", context(), "off@same"),
        ],
        decision="D20",
        requirements=["eval-priority"],
    )
    book.part(51)
    unknown = [
        "IS", "Is", "is ", " is", "", "equals", "==", "=", "not", "is-not", "isNot", "IS_NOT", "not_is", "in", "not_in",
        "starts_with", "ends_with", "gte", "lte", "ge", "le", ">", "<", "GT", "regex", "matches", "version_eq",
        "version_gte", "versionGt", "semver_gt", "exists", "not_exists", "always", "true", "any", "one-of", "ONE_OF",
        "not_matches_regex", "is_one_of", "between", "date_gt", "i\u0455", "is\u0000", "is\n",
    ]
    for place in range(0, len(unknown), 4):
        operators = unknown[place : place + 4]
        shown = ", ".join(map(repr, operators))
        book.never(
            f"not operators: {shown}",
            [(operator, "x") for operator in operators],
            ["x", "", 1, ["x"], MISSING],
            decision="D24",
            requirements=["condition-operator"],
        )
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("plan", "is", "pro"), cond("plan", "is_kind_of", "pro"), serve="on"),
            rule(cond("plan", "is", "pro"), serve="off", id="rule_2", priority=2),
        )
    )
    book.add(
        "one unknown operator fails the whole rule",
        rules,
        [("flag-a", context({"plan": "pro"}), "off@rule_2"), ("flag-a", context({"plan": "x"}), "off")],
        decision="D24",
        requirements=["condition-operator", "eval-and"],
    )
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("$segment", "is", "odd"), serve="on"),
            rule(cond("$segment", "is_not", "odd"), serve="other", id="rule_2", priority=2),
            variations=[("on", 1), ("off", 0), ("other", 2)],
        ),
        segments=[{"id": "seg_odd", "key": "odd", "conditions": [cond("plan", "is_kind_of", "pro")]}],
    )
    book.add(
        "an unknown operator in a segment: nobody is a member",
        rules,
        [("flag-a", context({"plan": "pro"}), "other@rule_2"), ("flag-a", context(), "other@rule_2")],
        decision="D24",
        requirements=["condition-operator"],
    )


def results(book: Book) -> None:
    book.part(1)
    on, off = user_in("flag-rollout", 10), user_in("flag-rollout", 60)
    flags = [
        flag("flag-rule", rule(serve="on")),
        flag("flag-rollout", rule(rollout=[("on", 50)])),
        flag("flag-default"),
        flag("flag-disabled", rule(serve="on"), enabled=False),
        flag("flag-blocked", rule(serve="on"), prerequisites=needs(("flag-disabled", "off"))),
        flag("flag-dangling", rule(serve="gone")),
    ]
    calls = [
        ("flag-rule", context(), "on@rule_1"),
        ("flag-rollout", context(user=on), "on%rule_1"),
        ("flag-rollout", context(user=off), "off"),
        ("flag-default", context(), "off"),
        ("flag-disabled", context(), "off!disabled"),
        ("flag-blocked", context(), "off!prerequisite"),
        ("flag-dangling", context(), "off"),
        ("flag-none", context(), "-"),
    ]
    book.add(
        "the six reasons side by side",
        ruleset(*flags),
        calls,
        decision="D28",
        requirements=["result-reason", "result-rule-id", "result-variation-key"],
    )
    for id in ["", " ", "rule_1", "0", "null", "__proto__", "x" * 200, "é", "\U0001f600", "DEFAULT"]:
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve="on", id=id),
                rule(rollout=[("on", 100)], id=id + "2", priority=2),
            )
        )
        book.add(
            "rule ids are returned unchanged",
            rules,
            [("flag-a", context({"plan": "pro"}), f"on@{id}"), ("flag-a", context(), f"on%{id}2")],
            decision="D28",
            requirements=["result-rule-id"],
        )
    for key in ["", " ", "0", "null", "x" * 200, "é", "\U0001f600", "a.b"]:
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve=key),
                variations=[(key, 1), ("plain", 2)],
                default="plain",
            ),
            flag("flag-b", variations=[("plain", 2), (key, 1)], default=key),
            flag("flag-c", enabled=False, variations=[("plain", 2), (key, 1)], default=key),
        )
        book.add(
            "variation keys are returned unchanged",
            rules,
            [
                ("flag-a", context({"plan": "pro"}), f"{key}@rule_1"),
                ("flag-a", context(), "plain"),
                ("flag-b", context(), key),
                ("flag-c", context(), f"{key}!disabled"),
            ],
            decision="D28",
            requirements=["result-variation-key"],
        )
    book.part(51)
    for why, archived in [
        ("archived or disabled: present, off, without rules", flag("flag-a", enabled=False)),
        (
            "the same without a list of rules",
            {k: v for k, v in flag("flag-a", enabled=False).items() if k != "targeting_rules"},
        ),
        ("rules that were not stripped are ignored", flag("flag-a", rule(serve="on"), enabled=False)),
    ]:
        rules = ruleset(archived, flag("flag-b", rule(serve="on")))
        book.add(
            why,
            rules,
            [
                ("flag-a", context(), "off!disabled"),
                ("flag-b", context(), "on@rule_1"),
                ("flag-draft", context(), "-"),
                ("flag-deleted", context(), "-"),
            ],
            decision="D31",
            requirements=["eval-disabled", "reason-disabled", "reason-flag-not-found"],
        )
    rules = ruleset(
        flag("flag-a", enabled=False, default="on"),
        flag("flag-b", enabled=False, default="on", prerequisites=needs(("flag-a", "on"))),
    )
    book.add(
        "a disabled flag is disabled, whatever its prerequisites",
        rules,
        [("flag-a", context(), "on!disabled"), ("flag-b", context(), "on!disabled")],
        decision="D31",
        requirements=["eval-disabled"],
    )
    rules = ruleset(
        flag("flag-a", variations=[("null", None), ("x", 1)], default="null"),
        flag("flag-b", rule(serve="null"), variations=[("null", None), ("x", 1)], default="x"),
    )
    book.add(
        "the reason distinguishes a null value from a missing flag",
        rules,
        [("flag-a", context(), "null"), ("flag-b", context(), "null@rule_1"), ("flag-c", context(), "-")],
        decision="D27",
        requirements=["result-value", "reason-flag-not-found"],
    )


def books() -> list[Book]:
    made = []
    for category, title, *writers in [
        ("bucketing", "User keys and revisions of bucketing (EV-42 to EV-49)", no_user_key, revisions),
        ("serving", "What a matching rule serves (EV-50 to EV-53)", served, odd_rules),
        ("order", "The order of rules, unknown operators (EV-36 to EV-39)", order),
        ("results", "Results and reasons (EV-29 to EV-35)", results),
    ]:
        book = Book(category, title)
        for write in writers:
            write(book)
        made.append(book)
    return made
