"""Rules: all conditions, the first match, the order of priorities."""

from itertools import permutations
from random import Random

from writing import Book, cond, context, flag, rule, ruleset

LETTERS = "abcdefgh"


def conjunctions(book: Book) -> None:
    """Rules with zero to eight conditions; each condition fails alone in one call."""
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
    """Rules a, b and c, with a context for each of the eight combinations of rules that match."""
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
    """Lists rules out of the order of their priorities; for a user who matches all of them, the lowest number
    decides."""
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


# (operator, its value, a match, a near miss)
ASKED = [
    ("is", "pro", "pro", "Pro"),
    ("is_not", "pro", "free", "pro"),
    ("contains", "pro", "my-pro", "pr"),
    ("not_contains", "pro", "pr", "my-pro"),
    ("one_of", ["pro", "team"], "team", "pro,team"),
    ("not_one_of", ["pro", "team"], "free", "team"),
    ("gt", 10, 11, 10),
    ("lt", 10, 9, 10),
    ("matches_regex", "^pro$", "pro", "prop"),
    ("version_gt", "1.9.0", "1.10.0", "1.9.0"),
    ("version_lt", "1.10.0", "1.9.0", "1.10.0"),
]
FOUR = [("v0", 0), ("v1", 1), ("v2", 2), ("v3", 3), ("none", -1)]


def mixed_conjunctions(book: Book) -> None:
    """Conjunctions of different operators, with missing attributes, and of conditions on the same attribute."""
    book.part(301)
    for first in range(len(ASKED)):
        asked = [ASKED[(first + place) % len(ASKED)] for place in range(8)]
        rules = ruleset(
            flag(
                "flag-a",
                rule(*(cond(name, operator, value) for name, (operator, value, _, _) in zip(LETTERS, asked)), serve="on"),
            )
        )
        matching = {name: yes for name, (_, _, yes, _) in zip(LETTERS, asked)}
        calls = [("flag-a", context(matching), "on@rule_1")]
        calls += [("flag-a", context(matching | {name: no}), "off") for name, (*_, no) in zip(LETTERS, asked)]
        book.add(f"eight operators from {asked[0][0]} on, each fails alone", rules, calls, requirements=["eval-and"])
    for size in range(2, 9):
        names = LETTERS[:size]
        whole = {name: "1" for name in names}
        rules = ruleset(flag("flag-a", rule(*(cond(name, "is", "1") for name in names), serve="on")))
        calls = [("flag-a", context(whole), "on@rule_1")]
        calls += [
            ("flag-a", context({name: "1" for name in names if name != missing}), "off") for missing in names
        ]
        book.add(f"{size} conditions, and each attribute is missing in turn", rules, calls, requirements=["eval-and"])
    for size in range(2, 9):
        rules = ruleset(flag("flag-a", rule(*(cond("text", "contains", name) for name in LETTERS[:size]), serve="on")))
        calls = [("flag-a", context({"text": LETTERS[:size][::-1]}), "on@rule_1")]
        calls += [
            ("flag-a", context({"text": LETTERS[:size].replace(name, "")}), "off") for name in LETTERS[:size]
        ]
        book.add(f"{size} conditions on one attribute", rules, calls, requirements=["eval-and", "rule-conditions"])


def first_of_many(book: Book) -> None:
    """The first matching rule decides, not the most specific or the last."""
    book.part(351)
    for size in range(8):
        narrow = [cond(name, "is", "1") for name in LETTERS[: size + 1]]
        for listed, outcomes in ((("wide", "narrow"), ("wide", "wide")), (("narrow", "wide"), ("narrow", "wide"))):
            given = {"wide": narrow[:size], "narrow": narrow}
            rules = ruleset(
                flag(
                    "flag-a",
                    *(
                        rule(*given[name], serve=name, id=f"rule_{name}", priority=place)
                        for place, name in enumerate(listed)
                    ),
                    variations=[("wide", 1), ("narrow", 2), ("none", 0)],
                    default="none",
                )
            )
            both = {name: "1" for name in LETTERS[: size + 1]}
            calls = [
                ("flag-a", context(both), f"{outcomes[0]}@rule_{outcomes[0]}"),
                ("flag-a", context(both | {LETTERS[size]: "0"}), f"{outcomes[1]}@rule_{outcomes[1]}"),
            ]
            if size:
                calls.append(("flag-a", context(both | {"a": "0"}), "none"))
            book.add(
                f"the rule with {size + (listed[0] == 'narrow')} conditions comes first, {' before '.join(listed)}",
                rules,
                calls,
                requirements=["eval-first-match"],
            )
    for size in (2, 3, 5, 8, 13, 21, 34):
        rules = ruleset(
            flag("flag-a", *(rule(cond("roles", "one_of", [f"r{n}"]), serve="on", id=f"rule_{n}") for n in range(size)))
        )
        alone = [("flag-a", context({"roles": f"r{n}"}), f"on@rule_{n}") for n in sorted({0, 1, size // 2, size - 1})]
        pairs = [
            ("flag-a", context({"roles": [f"r{second}", f"r{first}"]}), f"on@rule_{first}")
            for first in sorted({0, size // 2 - 1, size - 2})
            for second in sorted({first + 1, size - 1})
        ]
        calls = [*alone, *pairs, ("flag-a", context({"roles": f"r{size}"}), "off")]
        book.add(f"one of {size} rules matches, or two of them", rules, calls, requirements=["eval-first-match"])
    for place in range(5):
        listed = [rule(cond("n", "is", str(n)), serve="off", id=f"rule_{n}") for n in range(5)]
        listed[place] = rule(serve="on", id=f"rule_{place}")
        calls = [
            ("flag-a", context({"n": str(n)}), f"off@rule_{n}" if n < place else f"on@rule_{place}") for n in range(6)
        ]
        book.add(
            f"a rule for everybody at place {place + 1} of five ends the list",
            ruleset(flag("flag-a", *listed)),
            calls,
            requirements=["eval-first-match", "rule-conditions"],
        )
    for operator, value, yes, no in ASKED:
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("app", operator, value), serve="on"),
                rule(serve="other", id="rule_2"),
                variations=[("on", 1), ("off", 0), ("other", 2)],
            )
        )
        calls = [
            ("flag-a", context({"app": given}), served)
            for given, served in ((yes, "on@rule_1"), (no, "other@rule_2"), ([], "other@rule_2"))
            if not (given == [] and ("not" in operator))
        ]
        book.add(f"a user a user who does not match {operator} reaches the next rule", rules, calls, requirements=["eval-first-match"])
    for ids in (("rule_1", "rule_1"), ("", ""), ("rule_a", "rule_A"), ("1", "01"), ("\u00e9", "e\u0301")):
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve="on", id=ids[0]),
                rule(cond("plan", "is", "team"), serve="off", id=ids[1]),
                default="on",
            )
        )
        calls = [
            ("flag-a", context({"plan": plan}), served)
            for plan, served in (("pro", f"on@{ids[0]}"), ("team", f"off@{ids[1]}"), ("free", "on"))
        ]
        book.add(f"two rules with the ids {ids[0]!r} and {ids[1]!r}, which are returned unchanged", rules, calls, requirements=["eval-first-match"])


def _shuffled(listing: list, ranked: list, why: str, book: Book) -> None:
    """Every user matches all rules except those that the attribute `skip` names; of the rules that match, the one with
    the lowest priority decides."""
    names = [f"v{rank}" for rank in range(len(ranked))]
    rules = ruleset(
        flag(
            "flag-a",
            *(
                rule(
                    cond("skip", "not_one_of", [f"s{number}"]),
                    serve=f"v{ranked.index(number)}",
                    id=f"rule_{place}",
                    priority=number,
                )
                for place, number in enumerate(listing)
            ),
            variations=[*((name, place) for place, name in enumerate(names)), ("none", -1)],
            default="none",
        )
    )
    ranks = range(len(ranked)) if len(ranked) < 9 else (0, 1, len(ranked) // 2, len(ranked) - 1)
    calls = [
        (
            "flag-a",
            context({"skip": ["-", *(f"s{number}" for number in ranked[:rank])]}),
            f"v{rank}@rule_{listing.index(ranked[rank])}",
        )
        for rank in ranks
    ]
    calls.append(("flag-a", context({"skip": [f"s{number}" for number in ranked]}), "none"))
    book.add(why, rules, calls, requirements=["eval-priority", "rule-priority"])


def shuffled_priorities(book: Book) -> None:
    book.part(451)
    ends = [-2147483648, -1, 0, 2147483647]
    for listing in permutations(ends):
        _shuffled(list(listing), ends, f"four priorities, listed as {', '.join(map(str, listing))}", book)
    book.part(481)
    dice = Random(2147483647)
    for size in (3, 5, 8, 13, 21, 34, 55):
        for low, high in ((-size, size), (-2147483648, 2147483647)):
            ranked = sorted(dice.sample(range(low, high + 1), size))
            listing = dice.sample(ranked, size)
            _shuffled(listing, ranked, f"{size} rules, shuffled, with priorities from {low} to {high}", book)
    for key, listing in (("flag-b", [3, 1, 2]), ("flag-c", [2, 3, 1])):
        flags = [
            flag(
                name,
                *(rule(serve=f"v{number}", id=f"rule_{number}", priority=number) for number in numbers),
                variations=FOUR,
                default="none",
            )
            for name, numbers in (("flag-a", [1, 2, 3]), (key, listing))
        ]
        calls = [(name, context(), "v1@rule_1") for name in ("flag-a", key)]
        book.add("each flag orders its own rules", ruleset(*flags), calls, requirements=["eval-priority"])


def books() -> list[Book]:
    book = Book("rules", "Rules, conditions and priorities")
    conjunctions(book)
    first_match(book)
    priorities(book)
    mixed_conjunctions(book)
    first_of_many(book)
    shuffled_priorities(book)
    return [book]
