"""Rules: all conditions, the first match, the order of priorities."""

from itertools import permutations

from writing import Book, cond, context, flag, rule, ruleset

LETTERS = "abcdefgh"


def conjunctions(book: Book) -> None:
    """From no condition to eight; each single failure is seen."""
    book.part(1)
    for size in range(9):
        names = LETTERS[:size]
        rules = ruleset(flag("flag-a", rule(*(cond(name, "is", "1") for name in names), serve="on")))
        calls = [("flag-a", context({name: "1" for name in names}), "on@rule_1")]
        for failing in names:
            given = {name: "0" if name == failing else "1" for name in names}
            calls.append(("flag-a", context(given), "off"))
        if size == 0:
            calls += [
                ("flag-a", context({"x": "1"}, user="user-2"), "on@rule_1"),
                ("flag-a", context(user="user-3"), "on@rule_1"),
            ]
        if size > 1:
            calls.append(("flag-a", context({name: "0" for name in names}), "off"))
        book.add(f"all of {size} conditions must match", rules, calls, requirements=["eval-and", "rule-conditions"])
    book.part(21)
    for yes in ("is", "contains", "one_of"):
        value = ["1"] if yes == "one_of" else "1"
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("a", yes, value), cond("b", f"not_{yes}" if yes != "is" else "is_not", value), serve="on"),
            )
        )
        calls = [
            ("flag-a", context({"a": a, "b": b}), "on@rule_1" if (a, b) == ("1", "0") else "off")
            for a in "01"
            for b in "01"
        ]
        book.add("a positive and a negative condition: AND, not OR", rules, calls, requirements=["eval-and"])
    rules = ruleset(flag("flag-a", rule(cond("age", "gt", 17), cond("age", "lt", 65), serve="on")))
    calls = [
        ("flag-a", context({"age": age}), "on@rule_1" if 17 < age < 65 else "off")
        for age in (0, 17, 18, 40, 64, 65, 66)
    ]
    book.add("two conditions on one attribute make a range", rules, calls, requirements=["eval-and"])
    rules = ruleset(flag("flag-a", rule(cond("plan", "is", "pro"), cond("plan", "is", "free"), serve="on")))
    calls = [("flag-a", context({"plan": plan}), "off") for plan in ("pro", "free", "other")]
    calls.append(("flag-a", context({"plan": ["pro", "free"]}), "on@rule_1"))
    book.add("a contradiction matches no scalar", rules, calls, requirements=["eval-and"], decision="D05")
    rules = ruleset(flag("flag-a", rule(cond("plan", "is", "pro"), cond("plan", "is", "pro"), serve="on")))
    book.add(
        "a condition may be repeated",
        rules,
        [("flag-a", context({"plan": "pro"}), "on@rule_1"), ("flag-a", context({"plan": "x"}), "off")],
        requirements=["eval-and"],
    )


def first_match(book: Book) -> None:
    """Rules a, b and c over all eight contexts."""
    book.part(101)
    for order in permutations("abc"):
        rules = ruleset(
            flag(
                "flag-a",
                *(
                    rule(cond(name, "is", "1"), serve=name, id=f"rule_{name}", priority=place)
                    for place, name in enumerate(order, 1)
                ),
                variations=[("a", "A"), ("b", "B"), ("c", "C"), ("none", "NONE")],
                default="none",
            )
        )
        calls = []
        for number in range(8):
            given = {name: str(number >> bit & 1) for bit, name in enumerate("abc")}
            first = next((name for name in order if given[name] == "1"), None)
            calls.append(("flag-a", context(given), f"{first}@rule_{first}" if first else "none"))
        book.add(
            f"the first of the rules {', '.join(order)} decides",
            rules,
            calls,
            requirements=["eval-first-match", "rule-variation", "eval-default"],
        )


def priorities(book: Book) -> None:
    """The list is shuffled against the priorities; who matches all gets the lowest number."""
    book.part(201)
    numbers = [
        ((1, 2, 3), "small numbers"),
        ((10, 20, 30), "numbers with gaps"),
        ((2, 9, 10), "numbers, not texts: nine comes before ten"),
        ((1, 11, 2), "numbers, not texts: two comes before eleven"),
        ((-1, 0, 1), "negative numbers come first"),
        ((-10, -9, -2), "negative numbers are ordered as numbers"),
        ((0, 1, 2147483647), "the largest of 32 bits"),
        ((-2147483648, 0, 2147483647), "both ends of 32 bits: a difference would overflow"),
        ((-2147483648, -2147483647, -2147483646), "near the smallest of 32 bits"),
        ((2147483646, 2147483647, 2147483648), "beyond 32 bits"),
        ((0, 4294967295, 4294967296), "beyond 32 bits without sign"),
        ((9007199254740989, 9007199254740990, 9007199254740991), "the largest safe integers"),
        ((-9007199254740991, 0, 9007199254740991), "both ends of the safe integers"),
        ((1, 100, 1000), "powers of ten"),
        ((99, 100, 101), "two and three digits"),
        ((5, 4, 3), "listed the other way round"),
    ]
    for chosen, why in numbers:
        ranked = sorted(chosen)
        for listing in list(permutations(chosen))[:: 1 if chosen == (1, 2, 3) else 3]:
            rules = ruleset(
                flag(
                    "flag-a",
                    *(
                        rule(
                            cond("skip", "not_contains", f"[{number}]"),
                            serve=f"v{ranked.index(number)}",
                            id=f"rule_{place}",
                            priority=number,
                        )
                        for place, number in enumerate(listing, 1)
                    ),
                    variations=[("v0", 0), ("v1", 1), ("v2", 2), ("none", -1)],
                    default="none",
                )
            )
            calls, skipped = [], "-"
            for rank, number in enumerate(ranked):
                calls.append(("flag-a", context({"skip": skipped}), f"v{rank}@rule_{listing.index(number) + 1}"))
                skipped += f"[{number}]"
            calls.append(("flag-a", context({"skip": skipped}), "none"))
            book.add(
                f"{why}; listed as {', '.join(map(str, listing))}",
                rules,
                calls,
                requirements=["eval-priority", "rule-priority"],
            )


def books() -> list[Book]:
    book = Book("rules", "Rules, conditions and priorities")
    conjunctions(book)
    first_match(book)
    priorities(book)
    return [book]
