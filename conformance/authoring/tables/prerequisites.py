"""Prerequisites: chains, diamonds, cycles (EV-117 to EV-123)."""

from buckets import user_in
from writing import ABSENT, ON_OFF, Book, cond, context, flag, needs, repeat, rule, ruleset, segment

TYPICAL = dict(decision="D30", requirements=["reason-prerequisite"])


def _graph(edges: dict, slim: bool = False) -> dict:
    """Flags that serve "on" by default; `edges` maps each flag to the flags that it requires."""
    return ruleset(
        *(
            flag(
                f"flag-{name}",
                default="on",
                variations=[("on", True)] if slim else ON_OFF,
                **({"prerequisites": needs(*((f"flag-{other}", "on") for other in others))} if others else {}),
            )
            for name, others in edges.items()
        )
    )


def single(book: Book) -> None:
    book.part(1)
    on, off = user_in("flag-b", 10), user_in("flag-b", 90)
    pro = rule(cond("plan", "is", "pro"), serve="on")
    for needed, calls, why in [
        (flag("flag-b", rule(serve="on")), [(context(), True)], "by a rule"),
        (flag("flag-b", rule(serve="off")), [(context(), False)], "not by this rule"),
        (flag("flag-b", default="on"), [(context(), True)], "as its default variation"),
        (flag("flag-b", default="off"), [(context(), False)], "another default variation"),
        (
            flag("flag-b", pro),
            [(context({"plan": "pro"}), True), (context({"plan": "free"}), False), (context(), False)],
            "for the same context",
        ),
        (
            flag("flag-b", rule(rollout=[("on", 50), ("off", 50)])),
            [(context(user=on), True), (context(user=off), False), (context(user=""), False)],
            "by a rollout",
        ),
        (
            flag("flag-b", rule(rollout=[("off", 50)]), default="on"),
            [(context(user=on), False), (context(user=off), True), ({}, True)],
            "as default beyond a rollout",
        ),
        (
            flag("flag-b", rule(serve="gone"), default="on"),
            [(context(), True)],
            "as default of a rule with nothing to serve",
        ),
        (
            flag("flag-b", enabled=False, default="on"),
            [(context(), False)],
            "a disabled flag does not hold, though it serves the variation",
        ),
        (flag("flag-b", rule(serve="on"), enabled=False), [(context(), False)], "a disabled flag with a rule"),
        (flag("flag-c", default="on"), [(context(), False)], "a flag that is not there"),
        (
            flag("flag-b", default="on", variations=[("on", False), ("off", True)]),
            [(context(), True)],
            "the key counts, not the value",
        ),
        (flag("Flag-b", default="on"), [(context(), False)], "another letter case"),
    ]:
        rules = ruleset(
            flag(
                "flag-a",
                pro | {"id": "rule_9"},
                rule(serve="off", id="rule_8", priority=2),
                prerequisites=needs(("flag-b", "on")),
            ),
            needed,
        )
        expected = [
            (
                "flag-a",
                given,
                (
                    "on@rule_9" if given.get("attributes", {}).get("plan") == "pro" else "off@rule_8"
                ) if holds else "off!prerequisite",
            )
            for given, holds in calls
        ]
        book.add(f"a prerequisite holds if it serves the variation: {why}", rules, expected, **TYPICAL)
    for variation, why in [
        ("gone", "a variation that the flag does not have"), ("", "the empty key"), ("On", "another letter case"),
        ("on ", "a blank"), ("true", "its value"), ("constructor", "a hostile key"),
    ]:
        rules = ruleset(
            flag("flag-a", rule(serve="on"), prerequisites=needs(("flag-b", variation))),
            flag("flag-b", default="on"),
        )
        book.add(
            f"a prerequisite on {why} never holds",
            rules,
            [("flag-a", context(), "off!prerequisite"), ("flag-b", context(), "on")],
            **TYPICAL,
        )
    for default in ("on", "off"):
        rules = ruleset(
            flag(
                "flag-a",
                rule(serve="on" if default == "off" else "off"),
                default=default,
                prerequisites=needs(("flag-b", "on")),
            ),
            flag("flag-b"),
        )
        book.add(
            "a blocked flag serves its default variation",
            rules,
            [("flag-a", context(), f"{default}!prerequisite"), ("flag-b", context(), "off")],
            **TYPICAL,
        )
    rules = ruleset(
        flag("flag-a", rule(rollout=[("on", 100)]), prerequisites=needs(("flag-b", "on"))),
        flag("flag-b", rule(cond("plan", "is", "pro"), serve="on")),
    )
    book.add(
        "prerequisites come before the rules",
        rules,
        [
            ("flag-a", context(), "off!prerequisite"),
            ("flag-a", context({"plan": "pro"}), "on%rule_1"),
            ("flag-a", {}, "off!prerequisite"),
            ("flag-a", {"attributes": {"plan": "pro"}}, "off"),
        ],
        **TYPICAL,
    )
    rules = ruleset(
        flag("flag-a", rule(serve="on"), enabled=False, prerequisites=needs(("flag-b", "on"))),
        flag("flag-b"),
    )
    book.add("a disabled flag does not check its prerequisites", rules, [("flag-a", context(), "off!disabled")], **TYPICAL)
    for value, why in [(ABSENT, "absent"), (None, "null"), ([], "an empty array")]:
        more = {} if value is ABSENT else {"prerequisites": value}
        book.add(
            f"no prerequisites: {why}",
            ruleset(flag("flag-a", rule(serve="on"), **more)),
            [("flag-a", context(), "on@rule_1")],
            **TYPICAL,
        )


def several(book: Book) -> None:
    book.part(51)
    for size in (2, 3, 4):
        names = "bcde"[:size]
        rules = ruleset(
            flag("flag-a", rule(serve="on"), prerequisites=needs(*((f"flag-{name}", "on") for name in names))),
            *(flag(f"flag-{name}", rule(cond(name, "is", "1"), serve="on")) for name in names),
        )
        calls = [
            ("flag-a", context({name: "1" for name in names}), "on@rule_1"),
            ("flag-a", context(), "off!prerequisite"),
        ]
        calls += [
            ("flag-a", context({name: "0" if name == failing else "1" for name in names}), "off!prerequisite")
            for failing in names
        ]
        book.add(f"all of {size} prerequisites must hold", rules, calls, **TYPICAL)
    rules = ruleset(
        flag("flag-a", rule(serve="on"), prerequisites=needs(("flag-b", "on"), ("flag-b", "on"))),
        flag("flag-b", rule(cond("plan", "is", "pro"), serve="on")),
    )
    book.add(
        "a prerequisite that is listed twice",
        rules,
        [("flag-a", context({"plan": "pro"}), "on@rule_1"), ("flag-a", context(), "off!prerequisite")],
        **TYPICAL,
    )
    rules = ruleset(
        flag("flag-a", rule(serve="on"), prerequisites=needs(("flag-b", "on"), ("flag-b", "off"))),
        flag("flag-b", rule(cond("plan", "is", "pro"), serve="on")),
    )
    book.add(
        "two variations of one flag never hold together",
        rules,
        [("flag-a", context({"plan": "pro"}), "off!prerequisite"), ("flag-a", context(), "off!prerequisite")],
        **TYPICAL,
    )
    rules = ruleset(
        flag("flag-a", rule(serve="on"), prerequisites=needs(("flag-b", "b"))),
        flag(
            "flag-b",
            rule(cond("letter", "is", "a"), serve="a"),
            rule(cond("letter", "is", "b"), serve="b", id="rule_2", priority=2),
            variations=[("a", 1), ("b", 2), ("c", 3)],
            default="c",
        ),
    )
    book.add(
        "one of three variations is needed",
        rules,
        [
            ("flag-a", context({"letter": letter}), "on@rule_1" if letter == "b" else "off!prerequisite")
            for letter in "abc"
        ],
        **TYPICAL,
    )
    rules = ruleset(
        flag("flag-a", rule(cond("$segment", "is", "beta"), serve="on"), prerequisites=needs(("flag-b", "on"))),
        flag("flag-b", rule(cond("$segment", "is", "beta"), serve="on")),
        segments=[segment("beta", cond("plan", "is", "pro"))],
    )
    book.add(
        "the same segment on both sides",
        rules,
        [("flag-a", context({"plan": "pro"}), "on@rule_1"), ("flag-a", context(), "off!prerequisite")],
        **TYPICAL,
    )


def shapes_of_graphs(book: Book) -> None:
    book.part(101)
    for length in (2, 3, 5, 10, 30):
        names = [f"f{n}" for n in range(length)]
        rules = _graph({name: [names[place - 1]] if place else [] for place, name in enumerate(names)}, slim=True)
        book.add(
            f"a chain of {length} flags holds",
            rules,
            [(f"flag-{name}", context(), "on") for name in (names[-1], names[0], names[1])],
            **TYPICAL,
        )
        rules = _graph({name: [names[place - 1]] if place else [] for place, name in enumerate(names)}, slim=True)
        rules["flags"][0]["enabled"] = False
        book.add(
            f"a chain of {length} flags, the first one disabled: the block spreads",
            rules,
            [
                (f"flag-{name}", context(), "on!prerequisite")
                for name in (names[-1], names[1])
            ] + [(f"flag-{names[0]}", context(), "on!disabled")],
            **TYPICAL,
        )
    rules = _graph({"a": ["b"], "b": ["c"], "c": []})
    rules["flags"][1]["prerequisites"] = needs(("flag-c", "off"))
    book.add(
        "a blocked flag serves its default, but does not satisfy a prerequisite on it",
        rules,
        [
            ("flag-b", context(), "on!prerequisite"),
            ("flag-a", context(), "on!prerequisite"),
            ("flag-c", context(), "on"),
        ],
        **TYPICAL,
    )
    for listing in ("abcd", "dcba", "bdac"):
        edges = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
        rules = _graph({name: edges[name] for name in listing})
        next(
            item
            for item in rules["flags"]
            if item["key"] == "flag-d"
        )["targeting_rules"] = [rule(cond("plan", "is", "free"), serve="off")]
        calls = [
            (f"flag-{name}", context(), "on")
            for name in "abcd"
        ] + [("flag-d", context({"plan": "free"}), "off@rule_1")] + [(
            f"flag-{name}",
            context({"plan": "free"}),
            "on!prerequisite",
        ) for name in "cba"]
        book.add("a diamond", rules, calls, **TYPICAL)
    layers = [[f"l{layer}{side}" for side in "xy"] for layer in range(25)]
    edges = {name: (layers[place - 1] if place else []) for place, layer in enumerate(layers) for name in layer}
    rules = _graph(edges, slim=True)
    book.add(
        "twenty-five layers of diamonds: time grows with the prerequisites, not with the paths",
        rules,
        [("flag-l24x", context(), "on", {"within_ms": 100}), ("flag-l0y", context(), "on")],
        **TYPICAL,
    )
    for edges, blocked, free, why in [
        ({"a": ["a"]}, "a", "", "a flag that needs itself"),
        ({"a": ["b"], "b": ["a"]}, "ab", "", "two flags"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "abc", "", "three flags"),
        ({"a": ["b"], "b": ["b"], "c": []}, "ab", "c", "before a flag that needs itself"),
        ({"a": ["b"], "b": ["c"], "c": ["b"], "d": []}, "abc", "d", "a flag before a cycle"),
        ({"a": ["d", "b"], "b": ["a"], "d": []}, "ab", "d", "a cycle with a way out"),
        ({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, "abcd", "", "two cycles"),
        ({"a": ["b", "c"], "b": ["a"], "c": ["a"]}, "abc", "", "two cycles through one flag"),
        (
            {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["e"], "e": ["c"], "f": []},
            "abcde",
            "f",
            "a tail of two and a cycle of three",
        ),
        ({"a": ["b"], "b": [], "c": ["c"], "d": ["a"]}, "c", "abd", "a cycle elsewhere does not matter"),
        ({"a": ["b"], "b": ["zz"], "c": ["a", "b"]}, "abc", "", "an absent flag at the end"),
    ]:
        calls = [
            (f"flag-{name}", context(), "on!prerequisite")
            for name in blocked
        ] + [(f"flag-{name}", context(), "on") for name in free] + [(f"flag-{blocked[-1]}", {}, "on!prerequisite")]
        for turned in (False, True):
            listed = dict(reversed(edges.items())) if turned else edges
            book.add(
                f"a cycle fails closed and ends: {why}",
                _graph(listed),
                calls if not turned else list(reversed(calls)),
                **TYPICAL,
            )
    for why, change in [
        ("a disabled flag in it", {"enabled": False}),
        ("a flag in it that serves something else", {"default_variation": "off"}),
    ]:
        rules = _graph({"a": ["b"], "b": ["c"], "c": ["a"]})
        rules["flags"][2] |= change
        served = "on!disabled" if "enabled" in change else "off!prerequisite"
        book.add(
            f"a cycle with {why}",
            rules,
            [
                ("flag-a", context(), "on!prerequisite"),
                ("flag-b", context(), "on!prerequisite"),
                ("flag-c", context(), served),
            ],
            **TYPICAL,
        )
    ring = [f"r{n}" for n in range(30)]
    rules = _graph({name: [ring[place - 1]] for place, name in enumerate(ring)}, slim=True)
    book.add(
        "a ring of thirty flags",
        rules,
        [(f"flag-{name}", context(), "on!prerequisite", {"within_ms": 100}) for name in ("r0", "r15", "r29")],
        **TYPICAL,
    )
    complete = {name: [other for other in "abcdefgh" if other != name] for name in "abcdefgh"}
    book.add(
        "eight flags that all need each other",
        _graph(complete),
        [(f"flag-{name}", context(), "on!prerequisite", {"within_ms": 100}) for name in "ah"],
        **TYPICAL,
    )
    rules = ruleset(
        flag("flag-a", default="on", prerequisites=needs(("flag-b", "on"))),
        flag("flag-b", default="on", prerequisites=needs(("flag-a", "gone"))),
    )
    book.add(
        "a cycle through a variation that is not served",
        rules,
        [("flag-a", context(), "on!prerequisite"), ("flag-b", context(), "on!prerequisite")],
        **TYPICAL,
    )


def long_chains(book: Book) -> None:
    """Chains longer than the call stack of some languages, as recipes: {n+1} is the next index."""
    book.part(151)
    plain = dict(default="on", variations=[("on", True)])
    for length in (500, 5_000):
        last = flag(f"flag-{length}", **plain)
        towards = repeat("n", length, flag("flag-{n}", **plain, prerequisites=needs(("flag-{n+1}", "on"))))
        away = repeat("n", length, flag("flag-{n+1}", **plain, prerequisites=needs(("flag-{n}", "on"))))
        keys = ["flag-0", f"flag-{length // 2}", f"flag-{length}"]
        shown = {"value": True}
        calls = [(key, context(), "on", shown) for key in keys]
        book.add(f"a chain of {length} prerequisites holds", ruleset(towards, last), calls, **TYPICAL)
        book.add(f"the same, listed from its end: {length}", ruleset(flag("flag-0", **plain), away), calls, **TYPICAL)
        blocked = [(key, context(), "on!prerequisite", shown) for key in keys[:2]]
        book.add(
            f"a chain of {length} prerequisites, the last flag disabled: the block spreads",
            ruleset(towards, last | {"enabled": False}),
            [*blocked, (keys[2], context(), "on!disabled", shown)],
            **TYPICAL,
        )
        book.add(
            f"a ring of {length + 1} flags fails closed and ends",
            ruleset(towards, last | {"prerequisites": needs(("flag-0", "on"))}),
            [(key, context(), "on!prerequisite", shown) for key in keys],
            **TYPICAL,
        )
    wide = [repeat("n", 5_000, {"flag_key": "flag-{n}", "variation": "on"})]
    rules = ruleset(
        repeat("n", 5_000, flag("flag-{n}", **plain)),
        flag("flag-a", **plain, prerequisites=wide),
        flag("flag-b", **plain, prerequisites=[*wide, *needs(("flag-gone", "on"))]),
    )
    book.add(
        "a flag with five thousand prerequisites",
        rules,
        [("flag-a", context(), "on"), ("flag-b", context(), "on!prerequisite")],
        **TYPICAL,
    )


def books() -> list[Book]:
    book = Book("prerequisites", "Prerequisites (EV-117 to EV-123)")
    single(book)
    several(book)
    shapes_of_graphs(book)
    long_chains(book)
    return [book]
