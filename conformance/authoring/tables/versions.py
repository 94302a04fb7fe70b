"""Versions: expected results follow from the position in a sorted list, not from comparing texts (D13 to D15)."""

from writing import MISSING, Book, cond, context, flag, rule, ruleset

BOTH = ["operator-version-gt", "operator-version-lt"]
PUBLISHED = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0".split()
CHAINS = [
    ("the published chain", PUBLISHED, None),
    ("major, minor and patch", "0.0.0 0.0.9 0.0.10 0.9.9 0.10.0 1.0.0 1.9.0 1.10.0 2.0.0 10.0.0 100.0.0".split(), None),
    ("the specification's own core", "1.9.0 1.10.0 1.11.0 2.0.0 2.1.0 2.1.1".split(), None),
    (
        "numbers below texts, and texts by code",
        "1.0.0-0 1.0.0-2 1.0.0-10 1.0.0-- 1.0.0-A 1.0.0-Z 1.0.0-a 1.0.0-a-b 1.0.0-aa 1.0.0-b 1.0.0".split(),
        None,
    ),
    (
        "fewer identifiers below more",
        "1.0.0-a 1.0.0-a.0 1.0.0-a.0.0 1.0.0-a.1 1.0.0-a.1.0 1.0.0-a.a 1.0.0-a.a.0 1.0.0-a0 1.0.0".split(),
        None,
    ),
    (
        "digits with letters or hyphens are texts",
        "1.0.0-9 1.0.0-99999 1.0.0--1 1.0.0-0a 1.0.0-10a 1.0.0-1a 1.0.0-9-9 1.0.0-x9".split(),
        None,
    ),
    (
        "huge numbers",
        [
            "1.0.0", "2147483648.0.0", "4294967296.0.0", "9007199254740992.0.0", "9007199254740993.0.0",
            "18446744073709551616.0.0", "1" + "0" * 39 + ".0.0", "1" + "0" * 38 + "1.0.0", "9" * 40 + ".0.0",
            "1" + "0" * 99 + ".0.0",
        ],
        "D15",
    ),
    (
        "huge numbers in each place",
        [
            "1.0.9007199254740992", "1.0.9007199254740993", "1.9007199254740992.0", "1.9007199254740993.0",
            "9007199254740992.0.0", "9007199254740993.0.0",
        ],
        "D15",
    ),
    (
        "huge numbers in a prerelease",
        [
            "1.0.0-9007199254740992", "1.0.0-9007199254740993", "1.0.0-" + "9" * 30, "1.0.0-1" + "0" * 30, "1.0.0-a",
            "1.0.0",
        ],
        "D15",
    ),
]
# Versions of equal rank.
EQUALS = [
    (["1.2.3", "v1.2.3", "V1.2.3", "1.2.3+build", "v1.2.3+7"], "1.2.2", "1.2.4", "a leading v, and build"),
    (["1.2.0", "1.2", "v1.2", "V1.2", "1.2+x"], "1.1.9", "1.2.1", "a missing patch is 0"),
    (["1.0.0", "1", "v1", "1.0", "1+1"], "0.9.9", "1.0.1", "a missing minor and patch are 0"),
    (["1.0.0-rc.1", "1-rc.1", "1.0-rc.1", "v1-rc.1", "1-rc.1+b"], "1-rc.0", "1", "a prerelease after a short form"),
    (["0.0.0", "0", "0.0", "v0", "V0.0"], "0-a", "0.0.1", "zero in all forms"),
    (
        ["1.0.0+a", "1.0.0+b", "1.0.0+0", "1.0.0+001", "1.0.0+a.b.c", "1.0.0+--", "1.0.0+-"],
        "1.0.0-z",
        "1.0.1",
        "build has no rank",
    ),
    (["1.0.0-a+1", "1.0.0-a+2", "1.0.0-a"], "1.0.0-Z", "1.0.0-b", "build after a prerelease"),
    (
        ["1.0.0--", "1--", "1.0--+x"],
        "1.0.0-9",
        "1.0.0-0a",
        "a prerelease that is a hyphen: texts by code put it before 0a",
    ),
    (["2.1", "2.1.0"], "2.0.9", "2.1.1", "a store's version"),
    (["10", "10.0.0"], "9", "11", "a lone number in a text"),
    (["1.0.0-0a0", "v1-0a0"], "1-0", "1-0a1", "a text that begins with a zero has no leading zero"),
]
INVALID = [
    "", " ", "v", "V", "vv1", "v 1", "v.1", "v-1", "-1", "+1", ".1", "1.", "1..2", "1.2.", "1.2.3.", "1.2.3.4", "01",
    "1.02", "1.2.03", "00", "1.2.3-", "1.2.3-.", "1.2.3-a.", "1.2.3-.a", "1.2.3-a..b", "1.2.3-01", "1.2.3-a.00",
    "1.2.3+", "1.2.3+.", "1.2.3+a.", "1.2.3+a..b", "1.2.3+a+b", "1.2.3-a_b", "1.2.3+a_b", "1.2.3-a b", "1.2.3 ",
    " 1.2.3", "1.2.3\n", "\t1.2.3", "1.2.3\r\n", "1,2,3", "1.2,3", "1.x", "1.2.x", "1.*", "*", "x", "latest", "beta",
    "version 1", "version1.2.3", "ver1.2.3", "^1.2.3", "~1.2", ">=1.0.0", "=1.0.0", "1.0.0 - 2.0.0", "1.2.3-é",
    "1.2.3+é", "\uff11.2.3", "\u0661.0.0", "1\u00a0", "1.2.3-\u0661", "1e3", "0x1", "1_0", "1.0.0-rc/1", "1-2-3_4",
    "true", "null", "NaN", "Infinity", "1.2.3\u0000", "\ufeff1.2.3", "1:1.2.3", "r1", "1.2.3-+", "1.2.3-+b", "1.2.3a",
    "1.2a", "1a", "2026.01.15", "1.-1", "1.+1", "--1", "1.2.3.-a", "⒈2.3",
]


OUTCOMES = [("above", 1), ("below", -1), ("same", 0)]


def _against(bound: str, key: str = "flag-a") -> dict:
    """A flag that serves one variation above the bound, one below it, and the default otherwise."""
    return flag(
        key,
        rule(cond("app", "version_gt", bound), serve="above"),
        rule(cond("app", "version_lt", bound), serve="below", id="rule_2", priority=2),
        variations=OUTCOMES,
        default="same",
    )


def chains(book: Book) -> None:
    """Each member of a chain as condition value, the others as attributes."""
    first = 1
    for name, chain, decision in CHAINS:
        book.part(first)
        first += 40
        for place, bound in enumerate(chain):
            # Each version of the published chain is compared with all; each version of the other chains is compared
            # with
            # two neighbours on each side and with both ends.
            seen = [
                at
                for at in range(len(chain))
                if chain is PUBLISHED or abs(at - place) <= 2 or at in (0, len(chain) - 1)
            ]
            calls = [
                (
                    "flag-a",
                    context({"app": chain[at]}),
                    "same" if at == place else "below@rule_2" if at < place else "above@rule_1",
                )
                for at in seen
            ]
            shown = bound if len(bound) < 30 else bound[:12] + "..."
            book.add(
                f"{name}: {shown}",
                ruleset(_against(bound)),
                calls,
                requirements=BOTH,
                **({"decision": decision} if decision else {}),
            )


def equals(book: Book) -> None:
    book.part(501)
    for texts, below, above, why in EQUALS:
        decision = "D15" if "build" in why or "by code" in why else "D13"
        for bound in texts[: 3 if len(texts) > 3 else 2]:
            calls = [("flag-a", context({"app": text}), "same") for text in texts]
            calls += [
                ("flag-a", context({"app": above}), "above@rule_1"),
                ("flag-a", context({"app": below}), "below@rule_2"),
            ]
            book.add(f"{why}: {bound}", ruleset(_against(bound)), calls, decision=decision, requirements=BOTH)


def invalid(book: Book) -> None:
    """Texts that are no versions: an attribute is then neither above nor below, and a condition value matches nothing."""
    book.part(551)
    for place in range(0, len(INVALID), 3):
        texts = INVALID[place : place + 3]
        calls = [
            ("flag-a", context({"app": text}), "same")
            for text in texts
        ] + [("flag-a", context({"app": texts}), "same")]
        calls += [
            ("flag-a", context({"app": "1.2.3"}), "above@rule_1"),
            ("flag-a", context({"app": [*texts, "0.0.0"]}), "below@rule_2"),
        ]
        book.add(
            f"not versions: {', '.join(map(repr, texts))}",
            ruleset(_against("1.0.0")),
            calls,
            decision="D13",
            requirements=BOTH,
        )
    book.part(601)
    for place in range(0, len(INVALID), 9):
        texts = INVALID[place : place + 9]
        conditions = [(operator, text) for text in texts for operator in ("version_gt", "version_lt")]
        book.never(
            "condition values that are not versions", conditions, ["0.0.0-0", "1.2.3", "9999.0.0", *texts[:2]],
            decision="D13", attribute="app", requirements=BOTH,
        )


def no_numbers(book: Book) -> None:
    book.part(701)
    for operator, bound in (("version_gt", "0.0.1"), ("version_lt", "99.0.0")):
        book.condition(
            "numbers and booleans are not versions",
            operator,
            bound,
            ["1.10", "1", ["1.10", 2]],
            [1, 1.1, 1.10, 2, 0, -1, True, False, [1], [1.1, True], MISSING, None, {}],
            decision="D14",
            attribute="app",
        )
        conditions = [(operator, value) for value in (1, 1.5, 0, True, False)]
        book.never(
            "numbers and booleans are not versions to compare with",
            conditions,
            ["0.0.0", "1.0.0", "99.0.0", 1, 2, 0, True],
            decision="D14",
            attribute="app",
        )


MORE_CHAINS = [
    (
        "short forms, a v, and all that between",
        "0-a v0 0.0.1 V0.1 v0.1.1-rc 0.1.1 1-alpha V1.0-beta 1 1.0.1+7 v1.1 1.9 1.10 v2-0 2 V10 11.0".split(),
        "D13",
    ),
    ("years and months", "2019.12.31 2020 2020.1 2020.1.2 2020.2 2020.10 2020.11.1 2021.0.1 20200.1".split(), "D13"),
    (
        "prereleases as tools write them",
        [
            "1.0.0-0.3.7", "1.0.0-20260101", "1.0.0-20260101.1", "1.0.0-SNAPSHOT", "1.0.0-beta-10", "1.0.0-beta-2",
            "1.0.0-canary.9", "1.0.0-canary.10", "1.0.0-dev", "1.0.0-rc1", "1.0.0-rc10", "1.0.0-rc2", "1.0.0-x.7.z.92", "1.0.0",
        ],
        None,
    ),
    (
        "prereleases of neighbours: the release between them is nearer",
        "1.0.0-z 1.0.0 1.0.1-a 1.0.1 1.1.0-a 1.1.0 2.0.0-0 2.0.0-a.b.c 2.0.0".split(),
        None,
    ),
]


def more_chains(book: Book) -> None:
    for first, (name, chain, decision) in zip((801, 831, 851, 881), MORE_CHAINS):
        book.part(first)
        for place, bound in enumerate(chain):
            seen = [at for at in range(len(chain)) if abs(at - place) <= 2 or at in (0, len(chain) - 1)]
            calls = [
                (
                    "flag-a",
                    context({"app": chain[at]}),
                    "same" if at == place else "below@rule_2" if at < place else "above@rule_1",
                )
                for at in seen
            ]
            book.add(
                f"{name}: {bound}", ruleset(_against(bound)), calls, requirements=BOTH,
                **({"decision": decision} if decision else {}),
            )
    book.part(911)
    for bound in ("1.2.3", "v2", "1.0.0-rc.1", "0", "9007199254740993.0.0"):
        lower, higher = {"1.2.3": ("1.2.2", "1.2.4"), "v2": ("1.99", "2.0.1"), "1.0.0-rc.1": ("1-rc", "1"),
                         "0": ("0-0", "0.0.1"), "9007199254740993.0.0": ("9007199254740992.9.9", "9007199254740993.0.1")}[bound]
        calls = [
            ("flag-a", context({"app": given}), served)
            for given, served in (
                ([lower, higher], "above@rule_1"), ([higher, lower], "above@rule_1"), ([lower, bound], "below@rule_2"),
                ([bound, bound], "same"), ([bound, "latest", 7], "same"), (["latest", higher], "above@rule_1"),
            )
        ]
        book.add(
            f"a list of versions, around {bound}: one of them is enough", ruleset(_against(bound)), calls, decision="D05",
            requirements=BOTH,
        )


def books() -> list[Book]:
    book = Book("versions", "Semantic versions")
    chains(book)
    equals(book)
    invalid(book)
    no_numbers(book)
    more_chains(book)
    return [book]
