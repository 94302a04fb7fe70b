"""Larger rulesets: evaluation keeps nothing between calls, and time does not explode."""

from buckets import bucket_of
from writing import Book, cond, context, flag, needs, rule, ruleset, segment

BUSY = ruleset(
    flag(
        "checkout",
        rule(cond("$segment", "one_of", ["beta"]), serve="on"),
        rule(cond("country", "one_of", ["DE", "AT"]), rollout=[("on", 30), ("off", 70)], id="rule_2", priority=2),
        prerequisites=needs(("payments", "on")),
    ),
    flag("payments", rule(cond("app", "version_lt", "2.0.0"), serve="off"), default="on"),
    flag(
        "banner",
        rule(cond("age", "gt", 17), cond("age", "lt", 30), serve="young"),
        rule(cond("email", "matches_regex", "@example\\.com$"), serve="staff", id="rule_2", priority=0),
        variations=[("young", "y"), ("staff", "s"), ("plain", "p")],
        default="plain",
    ),
    flag("old", rule(serve="on"), enabled=False),
    segments=[segment("beta", cond("plan", "is", "pro"), cond("roles", "not_contains", "guest"))],
)


def _bucketed(user: str) -> str:
    return "on%rule_2" if bucket_of("checkout", user) < 30 else "off%rule_2"


def again(book: Book) -> None:
    book.part(1)
    one = ("checkout", context({"plan": "pro", "roles": ["admin"]}, "u-1"), "on@rule_1")
    guest = ("checkout", context({"plan": "pro", "roles": ["guest"]}, "u-1"), "off")
    german = ("checkout", context({"country": "DE"}, "u-2"), _bucketed("u-2"))
    other = ("checkout", context({"country": "DE"}, "u-3"), _bucketed("u-3"))
    old = ("checkout", context({"plan": "pro", "roles": [], "app": "1.9"}, "u-1"), "off!prerequisite")
    young = ("banner", context({"age": 20}), "young@rule_1")
    staff = ("banner", context({"age": 20, "email": "a@example.com"}), "staff@rule_2")
    plain = ("banner", context({"age": 30}), "plain")
    off, none = ("old", context(), "off!disabled"), ("gone", context(), "-")
    typical = dict(requirements=["eval-deterministic"])
    for calls, why in [
        ([one, one, one], "the same call, three times"),
        ([one, guest, one, guest], "two contexts in turn"),
        ([german, other, german, other], "two users in turn"),
        ([one, old, one], "a prerequisite that fails in between"),
        ([young, staff, plain, young], "three outcomes of one flag"),
        ([none, one, none, off, one], "an unknown flag in between"),
        ([one, young, german, off, none, staff, guest, plain, other, old], "ten calls"),
        ([old, other, plain, guest, staff, none, off, german, young, one], "ten calls, the other way round"),
        ([young] * 20, "twenty times the same"),
        ([staff, young] * 10, "ten times two"),
    ]:
        book.add(f"no call leaves a trace: {why}", BUSY, calls, **typical)
    for number in range(2, 8):
        rules = ruleset(
            *(
                flag(f"flag-{place}", rule(cond("n", "is", str(place)), serve="on", id=f"rule_{place}"))
                for place in range(number)
            )
        )
        calls = [
            (f"flag-{place}", context({"n": str(asked)}), f"on@rule_{place}" if place == asked else "off")
            for asked in range(number)
            for place in range(number)
        ]
        book.add(f"{number} flags with rules of their own", rules, calls, **typical)
    stuck = [
        ("checkout", context({"country": "DE", "email": text}, "u-2"), _bucketed("u-2"))
        for text in ("a", "b")
    ] + [("banner", context({"email": text}), served) for text, served in (
        ("x@example.com", "staff@rule_2"),
        ("x@example.org", "plain"),
        ("x@example.com", "staff@rule_2"),
        ("x@example.comm", "plain"),
    )]
    book.add("a pattern has no memory of where it was", BUSY, stuck, **typical)


def many(book: Book) -> None:
    book.part(101)
    rules = ruleset(
        flag("flag-a", *(rule(cond("n", "is", str(n)), serve="on", id=f"r{n}", priority=n) for n in range(200)))
    )
    book.add(
        "two hundred rules",
        rules,
        [
            ("flag-a", context({"n": str(n)}), f"on@r{n}" if n < 200 else "off", {"within_ms": 50})
            for n in (0, 100, 199, 200)
        ],
        requirements=["eval-first-match"],
    )
    rules = ruleset(
        flag("flag-a", *(rule(cond("n", "gt", 0), serve="on", id=f"r{n}", priority=-n) for n in range(100)))
    )
    book.add(
        "a hundred rules, the last one listed is the first",
        rules,
        [
            ("flag-a", context({"n": 1}), "on@r99", {"within_ms": 50}),
            ("flag-a", context({"n": 0}), "off", {"within_ms": 50}),
        ],
        requirements=["eval-priority"],
    )
    rules = ruleset(*(flag(f"f{n}", rule(serve="on"), enabled=n % 2 == 0) for n in range(100)))
    book.add(
        "a hundred flags",
        rules,
        [
            (f"f{n}", context(), "-" if n >= 100 else "off!disabled" if n % 2 else "on@rule_1", {"within_ms": 50})
            for n in (0, 1, 50, 98, 99, 100)
        ],
        requirements=["eval-disabled"],
    )
    rules = ruleset(flag("flag-a", rule(*(cond(f"a{n}", "is", "1") for n in range(100)), serve="on")))
    whole = {f"a{n}": "1" for n in range(100)}
    book.add(
        "a hundred conditions",
        rules,
        [
            ("flag-a", context(whole), "on@rule_1", {"within_ms": 50}),
            ("flag-a", context(whole | {"a99": "0"}), "off", {"within_ms": 50}),
            ("flag-a", context(), "off"),
        ],
        requirements=["eval-and"],
    )
    people = [f"user-{n}" for n in range(1000)]
    rules = ruleset(flag("flag-a", rule(cond("user_key", "one_of", people), serve="on")))
    book.add(
        "a list of a thousand",
        rules,
        [
            ("flag-a", context(user=user), served, {"within_ms": 50})
            for user, served in (
                ("user-0", "on@rule_1"),
                ("user-999", "on@rule_1"),
                ("user-1000", "off"),
                ("user-", "off"),
            )
        ],
        requirements=["operator-one-of"],
    )
    rules = ruleset(flag("flag-a", rule(cond("roles", "one_of", [f"w{n}" for n in range(200)]), serve="on")))
    roles = [f"r{n}" for n in range(200)]
    book.add(
        "a list of two hundred against an array of two hundred",
        rules,
        [
            ("flag-a", context({"roles": roles}), "off", {"within_ms": 100}),
            ("flag-a", context({"roles": [*roles, "w199"]}), "on@rule_1", {"within_ms": 100}),
        ],
        requirements=["operator-one-of"],
    )
    rules = ruleset(
        flag(
            "flag-a",
            rule(rollout=[(f"v{n}", 1) for n in range(100)]),
            variations=[(f"v{n}", n) for n in range(100)],
            default="v0",
        )
    )
    book.add(
        "a hundred entries of one per cent",
        rules,
        [("flag-a", context(user=f"u-{n}"), f"v{bucket_of('flag-a', f'u-{n}')}%rule_1") for n in range(60)],
        requirements=["bucket-modulo", "bucket-stable"],
    )
    rules = ruleset(
        flag(
            "flag-a",
            rule(rollout=[(f"v{n}", 1) for n in range(100)], bucketing=2),
            variations=[(f"v{n}", n) for n in range(100)],
            default="v0",
        )
    )
    book.add(
        "a hundred entries of one per cent, revision 2",
        rules,
        [("flag-a", context(user=f"u-{n}"), f"v{bucket_of('flag-a', f'u-{n}', 2)}%rule_1") for n in range(60)],
        bucketing=2,
        decision="D32",
        requirements=["bucket-stable"],
    )
    text = "ab" * 2500
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("text", "contains", "ab" * 200 + "c"), serve="on"),
            rule(cond("text", "matches_regex", "abc$"), serve="on", id="rule_2", priority=2),
        )
    )
    book.add(
        "a text of five thousand characters",
        rules,
        [
            ("flag-a", context({"text": text}), "off", {"within_ms": 100}),
            ("flag-a", context({"text": text + "c"}), "on@rule_1", {"within_ms": 100}),
        ],
        requirements=["operator-contains"],
    )
    rules = ruleset(flag("flag-a", rule(cond("app", "version_gt", "1." + "9" * 1000 + ".0"), serve="on")))
    book.add(
        "versions of a thousand digits",
        rules,
        [
            ("flag-a", context({"app": "1.1" + "0" * 1000 + ".0"}), "on@rule_1", {"within_ms": 50}),
            ("flag-a", context({"app": "1." + "9" * 999 + "8.0"}), "off", {"within_ms": 50}),
        ],
        decision="D15",
        requirements=["operator-version-gt"],
    )
    groups = [segment(f"s{n}", cond("n", "is", str(n))) for n in range(100)]
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "one_of", [f"s{n}" for n in range(100)]), serve="on")),
        segments=groups,
    )
    book.add(
        "a hundred segments",
        rules,
        [
            ("flag-a", context({"n": str(n)}), "on@rule_1" if n < 100 else "off", {"within_ms": 50})
            for n in (0, 50, 99, 100)
        ],
        decision="D29",
        requirements=["ruleset-segments"],
    )


def books() -> list[Book]:
    purity, size = Book("purity", "Evaluation keeps nothing between calls"), Book("size", "Large rulesets, within time")
    again(purity)
    many(size)
    return [purity, size]
