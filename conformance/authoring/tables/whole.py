"""Larger rulesets: no call affects the result of another, and the time of evaluation does not grow exponentially."""

import re
from random import Random

from buckets import bucket_of
from writing import MISSING, Book, cond, context, flag, needs, repeat, rule, ruleset, segment

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
        book.add(f"calls do not influence each other: {why}", BUSY, calls, **typical)
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
    book.add("a pattern keeps no position between calls", BUSY, stuck, **typical)


def _twice(attribute: str, asked: list, *between: tuple) -> list:
    """All calls, then all again in reverse order: what an evaluator caches in the first round must not change the second."""
    calls = [("flag-a", context({} if given is MISSING else {attribute: given}), served) for given, served in asked]
    return [*calls, *between, *calls[::-1]]


def remembered(book: Book) -> None:
    """More texts, users and flags than a cache of results may hold, and inputs that a cache might mix up."""
    book.part(51)
    typical = dict(requirements=["eval-deterministic"])
    dice = Random(64)
    words = ["".join(dice.choices("ab", k=dice.randint(1, 14))) for _ in range(90)]
    many = [f"w{n}w" for n in range(1_100)]
    for operator, value, hits in [
        ("contains", "abba", lambda text: "abba" in text),
        ("not_contains", "abba", lambda text: "abba" not in text),
        ("matches_regex", "^(a|b)*a(a|b){6}$", lambda text: re.search("^(a|b)*a(a|b){6}$", text) is not None),
        ("matches_regex", "aa.b|b+a$", lambda text: re.search("aa.b|b+a$", text) is not None),
    ]:
        rules = ruleset(flag("flag-a", rule(cond("text", operator, value), serve="on")))
        flood = ("flag-a", context({"text": many}), "on@rule_1" if operator == "not_contains" else "off")
        calls = _twice("text", [(text, "on@rule_1" if hits(text) else "off") for text in words], flood)
        book.add(f"ninety texts, a thousand others, and the ninety again, under {operator} {value}", rules, calls, **typical)
    for operator, value, asked in [
        ("version_gt", "1.45.0", [(f"1.{n}.0", "on@rule_1" if n > 45 else "off") for n in range(90)]),
        ("gt", 45, [(str(n), "on@rule_1" if n > 45 else "off") for n in range(90)]),
        ("one_of", [f"w{n}" for n in range(0, 90, 7)], [(f"w{n}", "off" if n % 7 else "on@rule_1") for n in range(90)]),
    ]:
        rules = ruleset(flag("flag-a", rule(cond("text", operator, value), serve="on")))
        flood = ("flag-a", context({"text": many}), "off")
        book.add(f"ninety values, a thousand others, and the ninety again, under {operator}", rules, _twice("text", asked, flood), **typical)
    for operator, value, asked, why in [
        ("is", "1", [("1", 1), (1, 1), (["1"], 1), ([1], 1), ("1.0", 0), (True, 0), (MISSING, 0), (None, 0), ([], 0)], "one"),
        ("is_not", "true", [("true", 0), (True, 0), ([True], 0), ("True", 1), (1, 1), (None, 0), (MISSING, 0), ([], 1)], "true"),
        ("contains", "a", [("a", 1), (["a"], 1), (["b", "ca"], 1), ("b", 0), (["b"], 0), ({"a": "a"}, 0), ([], 0)], "a letter"),
        ("gt", 5, [(6, 1), ("6", 1), (["6"], 1), (5, 0), ("5", 0), ("5.0", 0), (True, 0), ("six", 0), ([4, 6], 1)], "a number"),
        ("version_lt", "2", [("1", 1), (1, 0), ("1.9", 1), (1.9, 0), (["1"], 1), ([1], 0), ("2", 0), ("x", 0)], "a version"),
    ]:
        rules = ruleset(flag("flag-a", rule(cond("v", operator, value), serve="on")))
        calls = _twice("v", [(given, "on@rule_1" if hit else "off") for given, hit in asked])
        book.add(f"values that resemble {why}, in turn, under {operator}", rules, calls, **typical)
    for revision in (1, 2):
        more = {} if revision == 1 else {"bucketing": 2}
        keys = [f"flag-{n}" for n in range(5)]
        rules = ruleset(*(flag(key, rule(rollout=[("on", 50), ("off", 50)], **more)) for key in keys))
        calls = [
            (key, context(user=f"u-{n}"), f"{'on' if bucket_of(key, f'u-{n}', revision) < 50 else 'off'}%rule_1")
            for n in range(25)
            for key in keys
        ]
        book.add(
            f"twenty-five users in five rollouts, twice, revision {revision}", rules, calls + calls[::-1], bucketing=revision, **typical
        )
    rules = ruleset(
        flag("flag-a", rule(rollout=[("on", 50), ("off", 50)])), flag("flag-b", rule(rollout=[("on", 50), ("off", 50)], bucketing=2))
    )
    calls = [
        (key, context(user=f"u-{n}"), f"{'on' if bucket_of(key, f'u-{n}', revision) < 50 else 'off'}%rule_1")
        for n in range(20)
        for key, revision in (("flag-a", 1), ("flag-b", 2))
    ]
    book.add("both revisions for one user, in turn", rules, calls, bucketing=2, decision="D32", **typical)
    rules = ruleset(
        flag("flag-a", default="on", prerequisites=needs(("flag-b", "on"))),
        flag("flag-b", rule(cond("$segment", "is", "beta"), serve="on")),
        flag("flag-c", rule(cond("$segment", "is_not", "beta"), serve="on")),
        segments=[segment("beta", cond("plan", "is", "pro"), cond("user_key", "is_not", "u-2"))],
    )
    calls = []
    for plan, user in [("pro", "u-1"), ("pro", "u-2"), ("free", "u-1"), ("pro", "u-1"), ("free", "u-2"), ("pro", "u-3")]:
        member = plan == "pro" and user != "u-2"
        given = context({"plan": plan}, user)
        calls += [
            ("flag-a", given, "on" if member else "on!prerequisite"),
            ("flag-b", given, "on@rule_1" if member else "off"),
            ("flag-c", given, "off" if member else "on@rule_1"),
        ]
    book.add("members and others in turn: neither segments nor prerequisites are remembered", rules, calls, **typical)
    calls = [(name, context(), "-") for name in ("x", "__proto__", "checkout ", *(f"gone-{n}" for n in range(60)))]
    book.add("sixty unknown flags have no effect on later calls", BUSY, [*calls, ("old", context(), "off!disabled"), *calls[:3]], **typical)
    beyond_memory(book)


def beyond_memory(book: Book) -> None:
    """A cache of results that is full in the middle of a list, and texts that begin alike."""
    book.part(81)
    typical = dict(requirements=["eval-deterministic"])
    for operator, value, others, hit in [
        ("matches_regex", "^w\\d+x$", [f"w{n}w" for n in range(1_100)], "w7x"),
        ("version_gt", "2000.0.0", [f"1.{n}.0" for n in range(1_100)], "2000.0.1"),
        ("version_lt", "1.0.0", [f"1.{n}.0" for n in range(1_100)], "1.0.0-rc.1"),
    ]:
        rules = ruleset(flag("flag-a", rule(cond("v", operator, value), serve="on")))
        calls = [
            ("flag-a", context({"v": given}), served)
            for given, served in (
                ([*others, hit], "on@rule_1"), (hit, "on@rule_1"), (others[::-1], "off"), ([*others[:1_050], hit], "on@rule_1"),
                (others[0], "off"), ([hit, *others], "on@rule_1"), (others[-1], "off"),
            )
        ]
        book.add(f"more strings in one list than a cache may hold, under {operator}", rules, calls, **typical)
    sizes = (7, 8, 12, 15, 16, 32, 64, 255, 256, 257)
    for first, second in ((0, 1), (1, 0)):
        rules = ruleset(flag("flag-a", rule(cond("v", "matches_regex", "b$"), serve="on")))
        calls = []
        for size in sizes:
            pair = [("a" * size + "b", "on@rule_1"), ("a" * size, "off")]
            calls += [("flag-a", context({"v": pair[at][0]}), pair[at][1]) for at in (first, second, first)]
        book.add("a text, its beginning, and the text again", rules, calls, **typical)
        bounds = [f"1.0.1{'0' * size}" for size in (3, 7, 11, 27)]
        rules = ruleset(
            *(flag(f"flag-{at}", rule(cond("v", "version_gt", bound), serve="on")) for at, bound in enumerate(bounds))
        )
        calls = []
        for at, bound in enumerate(bounds):
            pair = [(bound + "0", "on@rule_1"), (bound, "off"), (bound[:-1], "off")]
            calls += [(f"flag-{at}", context({"v": text}), served) for text, served in (pair if first == 0 else pair[::-1]) * 2]
        book.add("a version, its beginning, and the version again", rules, calls, **typical)


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


def huge(book: Book) -> None:
    """Rulesets that are written as recipes: the runner makes them long."""
    book.part(201)
    # Compiling the ruleset does not count. The limit is generous because a machine may be busy with something else.
    fast = {"within_ms": 250}
    rules = ruleset(
        repeat("n", 10_000, flag("flag-{n}", rule(cond("plan", "is", "pro-{n}"), serve="on", id="rule_{n}"))),
        flag("last", default="on"),
    )
    calls = [
        (f"flag-{n}", context({"plan": f"pro-{n}"}), f"on@rule_{n}", {"value": True} | fast) for n in (0, 1, 4999, 9998, 9999)
    ]
    calls += [(f"flag-{n}", context({"plan": "pro"}), "off", {"value": False} | fast) for n in (0, 9999)]
    calls += [("flag-10000", context(), "-", fast), ("last", context(), "on", fast)]
    book.add("ten thousand flags", rules, calls, requirements=["ruleset-flags", "eval-first-match"])
    rules = ruleset(
        flag("flag-a", repeat("n", 1_000, rule(cond("n", "is", "v{n}"), serve="on", id="rule_{n}")), rule(serve="off", id="last")),
        flag("flag-b", repeat("n", 1_000, rule(cond("n", "is_not", "v{n}"), serve="on", id="rule_{n}"))),
        flag("flag-c", repeat("n", 1_000, rule(cond("n", "contains", "-{n}-"), serve="on", id="rule_{n}"))),
    )
    calls = [("flag-a", context({"n": f"v{n}"}), f"on@rule_{n}", fast) for n in (0, 1, 500, 998, 999)]
    calls += [("flag-a", context({"n": given}), "off@last", fast) for given in ("v1000", "v", "V0")]
    calls += [("flag-b", context({"n": "v0"}), "on@rule_1", fast), ("flag-b", context({"n": "x"}), "on@rule_0", fast)]
    calls += [
        ("flag-b", context(), "off", fast),
        ("flag-c", context({"n": "x-999-"}), "on@rule_999", fast),
        ("flag-c", context({"n": "-998-7-"}), "on@rule_7", fast),
        ("flag-c", context({"n": "-1000-"}), "off", fast),
    ]
    book.add("a thousand rules", rules, calls, requirements=["eval-first-match"])
    for operator, value, first, last, none, why in [
        ("matches_regex", "^item-{n}(x|y)*$", "item-0", "item-999xyx", "item-1000", "patterns"),
        ("version_gt", "9999.{n}.0", "9999.0.1", None, "9999.0.0", "versions"),
        ("one_of", ["{n}", "x{n}", "y{n}"], "y0", "x999", "z0", "lists"),
        ("not_contains", "-{n}-", "", "".join(f"-{n}-" for n in range(999)), "".join(f"-{n}-" for n in range(1000)), "needles"),
    ]:
        rules = ruleset(
            flag("flag-a", repeat("n", 1_000, rule(cond("item", operator, value), serve="on", id="rule_{n}"))),
        )
        calls = [("flag-a", context({"item": first}), "on@rule_0", fast), ("flag-a", context({"item": none}), "off", fast)]
        if last is not None:
            calls.append(("flag-a", context({"item": last}), "on@rule_999", fast))
        book.add(f"a thousand rules with {why}", rules, calls, requirements=["eval-first-match", f"operator-{operator.replace('_', '-')}"])
    rules = ruleset(
        flag("flag-a", rule(cond("user_key", "one_of", [repeat("n", 100_000, "user-{n}")]), serve="on")),
        flag("flag-b", rule(cond("user_key", "not_one_of", [repeat("n", 100_000, "user-{n}")]), serve="on")),
    )
    calls = []
    for n in (0, 50_000, 99_999, 100_000):
        calls += [
            ("flag-a", context(user=f"user-{n}"), "on@rule_1" if n < 100_000 else "off", fast),
            ("flag-b", context(user=f"user-{n}"), "off" if n < 100_000 else "on@rule_1", fast),
        ]
    book.add("lists of a hundred thousand", rules, calls, requirements=["operator-one-of", "operator-not-one-of"])
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "one_of", [repeat("n", 1_000, "s{n}")]), serve="on")),
        flag("flag-b", rule(cond("$segment", "is", "s999"), serve="on")),
        segments=[repeat("n", 1_000, segment("s{n}", cond("n", "is", "v{n}")))],
    )
    calls = [("flag-a", context({"n": f"v{n}"}), "on@rule_1" if n < 1_000 else "off", fast) for n in (0, 500, 999, 1_000)]
    calls += [("flag-b", context({"n": "v999"}), "on@rule_1", fast), ("flag-b", context({"n": "v998"}), "off", fast)]
    book.add("a thousand segments", rules, calls, decision="D29", requirements=["ruleset-segments"])
    rules = ruleset(flag("flag-a", rule(repeat("n", 1_000, cond("a{n}", "is", "1")), serve="on")))
    whole = {f"a{n}": "1" for n in range(1_000)}
    calls = [
        ("flag-a", context(whole), "on@rule_1", fast),
        ("flag-a", context(whole | {"a999": "0"}), "off", fast),
        ("flag-a", context({name: value for name, value in whole.items() if name != "a500"}), "off", fast),
    ]
    book.add("a thousand conditions", rules, calls, requirements=["eval-and"])
    tail = "-0000" * 12
    people = repeat("n", 7_000, "user-{m}-{n}" + tail)
    rules = ruleset(
        flag("flag-a", repeat("m", 20, rule(cond("user_key", "one_of", [people]), serve="on", id="rule_{m}"))),
        flag("flag-b", rule(serve="on")),
    )
    calls = [
        ("flag-a", context(user=f"user-{m}-{n}{tail}"), f"on@rule_{m}" if m < 20 and n < 7_000 else "off", fast)
        for m, n in ((0, 0), (12, 6_999), (19, 6_999), (19, 7_000), (20, 0))
    ]
    book.add(
        "a ruleset of ten megabytes: twenty lists of seven thousand long keys", rules, [*calls, ("flag-b", context(), "on@rule_1", fast)],
        requirements=["operator-one-of", "eval-first-match"],
    )


def books() -> list[Book]:
    purity, size = Book("purity", "Evaluations do not influence each other"), Book("size", "Large rulesets within a time limit")
    again(purity)
    remembered(purity)
    many(size)
    huge(size)
    return [purity, size]
