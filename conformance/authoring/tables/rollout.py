"""Percentage rollouts: ranges, both sides of each boundary, users with given hashes, unusual texts.

Every expectation comes from the formula in buckets.py.
"""

from itertools import accumulate

from buckets import bucket_of, hash_of, user_in, user_with_hash
from writing import Book, cond, context, flag, rule, ruleset

SPLITS = [
    [50, 50], [10, 90], [90, 10], [1, 99], [99, 1], [30, 70], [33, 33, 34], [25, 25, 25, 25], [10, 20, 30, 40],
    [40, 30, 20, 10], [0, 100], [100, 0], [0, 0, 100], [0, 50, 50], [50, 0, 50], [50, 50, 0], [100], [1, 1, 98],
    [98, 1, 1], [20, 20, 20, 20, 20], [5, 15, 80], [49, 51], [51, 49], [3, 7, 11, 13, 17, 19, 30],
]
PARTIAL = [[10], [50], [99], [1], [0], [10, 20], [30, 30, 30], [0, 0], [0, 5], [5, 0], [20, 0, 20], []]
STYLES = [
    "user-{}", "{}", "{:06d}", "person{}@example.com", "usr_01HZX{:04d}", "7f3c{:04x}-0000-4000-8000-00000000abcd",
]


def _variations(split: list) -> list:
    return [(f"v{place}", place) for place in range(len(split))] + [("none", "none")]


def _served(split: list, bucket: int) -> str:
    place = next((place for place, total in enumerate(accumulate(split)) if bucket < total), None)
    return "none" if place is None else f"v{place}%rule_1"


def _revision(number: int) -> dict:
    """Leaves `bucketing` out for revision 1; an explicit 1 has its own vectors."""
    return {} if number == 1 else {"bucketing": number}


def splits(book: Book, first: int, table: list, flags: list, **more) -> None:
    book.part(first)
    for number, split in enumerate(table):
        for key in flags:
            for revision in (1, 2):
                style = STYLES[number % len(STYLES)]
                edges = sorted(
                    {0, 99, *(total + side for total in accumulate(split) for side in (-1, 0))} & set(range(100))
                )
                entries = [(f"v{place}", share) for place, share in enumerate(split)]
                rules = ruleset(
                    flag(
                        key,
                        rule(rollout=entries, **_revision(revision)),
                        variations=_variations(split),
                        default="none",
                    )
                )
                calls = [
                    (key, context(user=user_in(key, edge, revision, style)), _served(split, edge))
                    for edge in edges
                ]
                why = f"{'/'.join(map(str, split)) or 'no entries'}: both sides of each boundary"
                book.add(
                    why,
                    rules,
                    calls,
                    bucketing=revision,
                    requirements=["eval-first-match", "bucket-modulo", "reason-percentage-rollout"],
                    **more,
                )


def solved(book: Book) -> None:
    book.part(301)
    edges = {
        0: "zero",
        1: "one",
        2**31 - 1: "the largest signed",
        2**31: "the first that is negative when signed",
        2**32 - 1: "the largest",
    }
    for key in ("flag-a", "new-checkout"):
        for revision in (1, 2):
            for number, why in edges.items():
                user = user_with_hash(key, number, revision)
                bucket = number % 100
                entries = _percents(bucket)
                variations = [(name, name) for name, _ in entries] + [("none", "none")]
                rules = ruleset(
                    flag(key, rule(rollout=entries, **_revision(revision)), variations=variations, default="none")
                )
                book.add(
                    f"the hash {number}, {why}, is taken as an unsigned number",
                    rules,
                    [(key, context(user=user), "here%rule_1")],
                    bucketing=revision,
                    requirements=["bucket-step", "bucket-modulo"],
                    **({"decision": "D32"} if revision == 2 else {}),
                )
    # Hashes on both sides of 2^31: from there on, a signed remainder is negative.
    for revision in (1, 2):
        for number in (2**31 + 99, 2**31 + 52, 2**32 - 96, 2**32 - 97, 3 * 10**9, 99, 100, 2**31 - 48):
            user = user_with_hash("flag-a", number, revision)
            rules = ruleset(
                flag(
                    "flag-a",
                    rule(rollout=[("on", number % 100), ("off", 1)], **_revision(revision)),
                    variations=[("on", 1), ("off", 0), ("none", -1)],
                    default="none",
                )
            )
            book.add(
                f"the hash {number} is in bucket {number % 100}, the first of the second entry",
                rules,
                [("flag-a", context(user=user), "off%rule_1")],
                bucketing=revision,
                requirements=["bucket-modulo"],
                **({"decision": "D32"} if revision == 2 else {}),
            )


TEXTS = [
    ("u", "one letter"), ("0", "a digit"), (" ", "a blank"), ("a" * 100, "a hundred letters"),
    ("ab" * 300, "six hundred letters"), ("ann@example.com", "an address"),
    ("550e8400-e29b-41d4-a716-446655440000", "a UUID"), ("12345678901234567890", "twenty digits"),
    ("Zürich", "Latin-1"), ("ÿ", "the last of Latin-1"), ("Ā", "the first beyond Latin-1"), ("Ωμέγα", "Greek"),
    ("Москва", "Cyrillic"), ("東京", "ideographs"), ("\uffff", "the last of the basic plane"),
    ("\ufeffu", "a byte order mark"), ("\u0000", "the code zero"), ("\u007f", "the code 127"),
    ("e\u0301", "a letter and its accent"), ("\u00e9", "the same letter as one code point"),
    ("line\nbreak", "a newline"), ("tab\t", "a tab"), (":", "a colon"), ("a:b", "a colon inside"),
    ("flag-a:u", "the flag's key as part of the user key"), ("\\n", "a backslash"), ("%41", "a per cent sign"),
    ("A", "upper case"), ("a", "lower case"),
]
ASTRAL = [
    ("\U0001f600", "one code point beyond the basic plane"),
    ("\U00010000", "the first code point beyond the basic plane"),
    ("\U0010ffff", "the last code point"),
    ("user-\U0001f600", "at the end"),
    ("\U0001f600-user", "at the start"),
    ("a\U0001f600b\U0001f601c", "two inside"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "a family: three code points, joined"),
    ("\U0001f1e9\U0001f1ea", "a flag: two code points"),
    ("\U00020bb7野家", "an ideograph beyond the basic plane"),
    ("\U0001f600" * 20, "twenty of them"),
]
LONE = [
    ("\ud83d", "a high surrogate alone"),
    ("\ude00", "a low surrogate alone"),
    ("\ude00\ud83d", "a pair the wrong way round"),
    ("a\ud83db", "a high surrogate inside"),
]


def _percents(bucket: int) -> list:
    return [("below", bucket), ("here", 1), ("above", 99 - bucket)]


def texts(book: Book, first: int, table: list, **more) -> None:
    """Adds vectors whose rollout has a separate entry for the expected bucket, so that any other bucket fails."""
    book.part(first)
    for user, why in table:
        for revision in (1, 2):
            calls, flags = [], []
            for key in ("flag-a",) if len(user) > 2 else ("flag-a", "b"):
                entries = _percents(bucket_of(key, user, revision))
                flags.append(
                    flag(
                        key,
                        rule(rollout=entries, **_revision(revision)),
                        variations=[(name, name) for name in ("below", "here", "above", "none")],
                        default="none",
                    )
                )
                calls.append((key, context(user=user), "here%rule_1"))
            book.add(
                f"the hash of a user key: {why}",
                ruleset(*flags),
                calls,
                bucketing=revision,
                **({"requirements": ["bucket-seed", "bucket-step"]} | more),
            )


def flag_keys(book: Book) -> None:
    book.part(501)
    for key, why in [
        ("a", "one letter"), ("checkout-flow-v2", "a slug"), ("x" * 200, "long"), ("0", "a digit"), ("", "empty"),
        ("a:b", "with a colon"), ("Ωμέγα", "Greek"), ("\U0001f600", "beyond the basic plane"),
    ]:
        for revision in (1, 2):
            calls = []
            entries = _percents(bucket_of(key, "user-1", revision))
            rules = ruleset(
                flag(
                    key,
                    rule(rollout=entries, **_revision(revision)),
                    variations=[(name, name) for name in ("below", "here", "above", "none")],
                    default="none",
                )
            )
            calls.append((key, context(user="user-1"), "here%rule_1"))
            book.add(
                f"the hash of a flag key: {why}", rules, calls, bucketing=revision, requirements=["bucket-step"],
                **({"decision": "D16"} if key == "\U0001f600" else {}),
            )
    for revision in (1, 2):
        keys = ["flag-a", "flag-b", "flag-c", "flag-d"]
        users = [f"user-{number}" for number in range(1, 7)]
        flags = [
            flag(
                key,
                rule(rollout=[("on", 50), ("off", 50)], **_revision(revision)),
                variations=[("on", 1), ("off", 0), ("none", -1)],
                default="none",
            )
            for key in keys
        ]
        calls = [
            (key, context(user=user), f"{'on' if bucket_of(key, user, revision) < 50 else 'off'}%rule_1")
            for user in users
            for key in keys
        ]
        book.add(
            "another flag key redistributes the users",
            ruleset(*flags),
            calls,
            bucketing=revision,
            requirements=["bucket-stable"],
        )
        # "a:b" with "c" and "a" with "b:c" give the same hash input.
        flags = [
            flag(
                key,
                rule(rollout=_percents(bucket_of("a", "b:c", revision)), **_revision(revision)),
                variations=[(name, name) for name in ("below", "here", "above", "none")],
                default="none",
            )
            for key in ("a", "a:b")
        ]
        calls = [("a", context(user="b:c"), "here%rule_1"), ("a:b", context(user="c"), "here%rule_1")]
        book.add(
            "one text, split in two ways, has one hash",
            ruleset(*flags),
            calls,
            bucketing=revision,
            requirements=["bucket-step"],
        )


def with_conditions(book: Book) -> None:
    book.part(551)
    for revision in (1, 2):
        inside, outside = user_in("flag-a", 29, revision), user_in("flag-a", 30, revision)
        both = rule(cond("plan", "is", "pro"), rollout=[("on", 30), ("off", 70)], **_revision(revision))
        rules = ruleset(flag("flag-a", both, rule(serve="off", id="rule_2", priority=2)))
        calls = [
            ("flag-a", context({"plan": "pro"}, inside), "on%rule_1"),
            ("flag-a", context({"plan": "pro"}, outside), "off%rule_1"),
            ("flag-a", context({"plan": "free"}, inside), "off@rule_2"),
            ("flag-a", context({"plan": "free"}, outside), "off@rule_2"),
        ]
        book.add(
            "conditions first, then the bucket",
            rules,
            calls,
            bucketing=revision,
            requirements=["eval-first-match", "eval-and"],
        )
        two = [
            rule(
                cond("plan", "is", plan),
                rollout=[("on", share), ("off", 100 - share)],
                id=f"rule_{place}",
                priority=place,
                **_revision(revision),
            )
            for place, (plan, share) in enumerate([("pro", 30), ("team", 31)], 1)
        ]
        calls = [
            ("flag-a", context({"plan": plan}, user), served)
            for plan, user, served in [
                ("pro", inside, "on%rule_1"),
                ("team", inside, "on%rule_2"),
                ("pro", outside, "off%rule_1"),
                ("team", outside, "on%rule_2"),
                ("free", inside, "off"),
            ]
        ]
        book.add(
            "two rollouts of one flag use one bucket",
            ruleset(flag("flag-a", *two)),
            calls,
            bucketing=revision,
            requirements=["bucket-stable"],
        )
        grown = [
            flag(key, rule(rollout=[("on", share), ("off", 100 - share)], id=f"rule_{share}", **_revision(revision)))
            for key, share in [("flag-a", 30)]
        ]
        calls = [
            ("flag-a", context(given, inside), "on%rule_30")
            for given in ({}, {"plan": "pro"}, {"user_key": outside})
        ] + [("flag-a", context({"x": 1}, outside), "off%rule_30")]
        book.add(
            "attributes do not change the bucket",
            ruleset(*grown),
            calls,
            bucketing=revision,
            requirements=["eval-deterministic"],
        )
        repeated = rule(rollout=[("on", 10), ("off", 10), ("on", 10), ("off", 70)], **_revision(revision))
        calls = [
            ("flag-a", context(user=user_in("flag-a", bucket, revision)), f"{served}%rule_1")
            for bucket, served in [(9, "on"), (10, "off"), (19, "off"), (20, "on"), (29, "on"), (30, "off")]
        ]
        book.add(
            "a variation that is listed twice", ruleset(flag("flag-a", repeated)), calls, bucketing=revision,
            requirements=["eval-first-match"], decision="D17",
        )
        ordered = [flag("flag-a", rule(rollout=[("off", 70), ("on", 30)], **_revision(revision)))]
        calls = [
            ("flag-a", context(user=user_in("flag-a", bucket, revision)), f"{served}%rule_1")
            for bucket, served in [(0, "off"), (69, "off"), (70, "on"), (99, "on")]
        ]
        book.add(
            "the order of the entries counts, not of the variations", ruleset(*ordered), calls, bucketing=revision,
            requirements=["eval-first-match"], decision="D17",
        )
    rules = ruleset(
        flag(
            "flag-a",
            rule(rollout=[("on", 50), ("off", 50)], priority=2, id="rule_2"),
            rule(cond("plan", "is", "pro"), serve="on", priority=1),
        )
    )
    late, early = user_in("flag-a", 99), user_in("flag-a", 0)
    calls = [
        ("flag-a", context({"plan": "pro"}, late), "on@rule_1"),
        ("flag-a", context({}, late), "off%rule_2"),
        ("flag-a", context({}, early), "on%rule_2"),
    ]
    book.add("a rule before a rollout", rules, calls, requirements=["eval-first-match"])


MORE_SPLITS = [
    [60, 40], [40, 60], [75, 25], [80, 20], [20, 80], [95, 5], [5, 95], [98, 2], [2, 98], [67, 33], [34, 33, 33],
    [33, 34, 33], [1, 0, 99], [99, 0, 1], [0, 1, 0, 99], [0, 0, 0, 100], [100, 0, 0], [10] * 10, [2] * 50, [1] * 20 + [80],
    [80] + [1] * 20, [64, 32, 4], [1, 2, 4, 8, 16, 32, 37], [50, 49, 1],
]
MORE_PARTIAL = [[2], [98], [33, 33], [1, 1], [0, 99], [99, 0], [49, 50], [10] * 9, [1] * 50, [0, 0, 1], [25, 0, 25], [97, 2]]
MORE_TEXTS = [
    ("\u0001", "the code one"), ("\u2028", "a separator of lines"), ("\u0645\u0631\u062d\u0628\u0627", "Arabic"),
    ("\u05e9\u05dc\u05d5\u05dd", "Hebrew"), ("\u0928\u092e\u0938\u094d\u0924\u0947", "Hindi, with marks that combine"),
    ("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "Thai"), ("\u1112\u1161\u11ab", "Korean in parts"), ("\ud55c", "the same as one letter"),
    ("\ue000\uf8ff", "letters for private use"), ("\ufffd\ufffe", "the last but one of the basic plane"),
    ("\ud7ff", "the last before the surrogates"), ("x" * 1000, "a thousand letters"), ("\u6771\u4eac" * 500, "a thousand ideographs"),
]
MORE_KEYS = [
    ("A", "upper case"), ("flag-A", "a capital at the end"), ("new_checkout", "with an underscore"), ("x" * 1000, "very long"),
    ("\u6771\u4eac", "ideographs"), (":", "a colon"), (" ", "a blank"), ("\u0000", "the code zero"),
]


def more_keys(book: Book) -> None:
    """Adds vectors whose rollout has a separate entry for the expected bucket, with users in the buckets next to it."""
    book.part(901)
    names = ("below", "here", "above", "none")
    for key, why in MORE_KEYS:
        for revision in (1, 2):
            bucket = bucket_of(key, "user-1", revision)
            sides = [(bucket, "here"), *((side, name) for side, name in ((bucket - 1, "below"), (bucket + 1, "above")) if 0 <= side < 100)]
            rules = ruleset(
                flag(
                    key,
                    rule(rollout=_percents(bucket), **_revision(revision)),
                    variations=[(name, name) for name in names],
                    default="none",
                )
            )
            calls = [(key, context(user="user-1"), "here%rule_1")]
            calls += [(key, context(user=user_in(key, side, revision, "p{}")), f"{name}%rule_1") for side, name in sides]
            book.add(
                f"the hash of a flag key: {why}", rules, calls, bucketing=revision, requirements=["bucket-seed", "bucket-step"],
                **({"decision": "D32"} if revision == 2 else {}),
            )


def more_solved(book: Book) -> None:
    """Hashes near the limits of 16, 24, 31 and 32 bits, and small ones."""
    book.part(951)
    for revision in (1, 2):
        for number in (2**16 - 1, 2**16, 2**24 - 1, 2**24, 2**30, 2**31 - 2, 2**31 + 1, 2**32 - 2, 50, 200):
            bucket = number % 100
            user = user_with_hash("flag-a", number, revision)
            rules = ruleset(
                flag(
                    "flag-a",
                    rule(rollout=_percents(bucket), **_revision(revision)),
                    variations=[(name, name) for name in ("below", "here", "above", "none")],
                    default="none",
                )
            )
            book.add(
                f"the hash {number} is in bucket {bucket}",
                rules,
                [("flag-a", context(user=user), "here%rule_1")],
                bucketing=revision,
                requirements=["bucket-step", "bucket-modulo"],
                **({"decision": "D32"} if revision == 2 else {}),
            )


def growth(book: Book) -> None:
    """Raising a percentage only adds users."""
    book.part(981)
    shares = [0, 1, 10, 11, 50, 99, 100]
    for revision in (1, 2):
        rules = ruleset(
            flag(
                "flag-a",
                *(
                    rule(
                        cond("share", "is", str(share)),
                        rollout=[("on", share), ("off", 100 - share)],
                        id=f"rule_{share}",
                        **_revision(revision),
                    )
                    for share in shares
                ),
            )
        )
        for bucket in (0, 10, 49, 99):
            user = user_in("flag-a", bucket, revision, "person-{}")
            calls = [
                ("flag-a", context({"share": str(share)}, user), f"{'on' if bucket < share else 'off'}%rule_{share}")
                for share in shares
            ]
            book.add(
                f"a growing percentage, for a user in bucket {bucket}", rules, calls, bucketing=revision,
                requirements=["bucket-stable", "bucket-modulo"], decision="D17",
            )


def books() -> list[Book]:
    book = Book("rollout", "Percentage rollouts")
    splits(book, 1, SPLITS, ["flag-a"], decision="D17")
    splits(book, 201, PARTIAL, ["new-checkout"], decision="D18")
    solved(book)
    texts(book, 401, TEXTS)
    flag_keys(book)
    with_conditions(book)
    texts(book, 601, ASTRAL, decision="D16")
    texts(book, 651, LONE, decision="D16", level="optional")
    splits(book, 701, MORE_SPLITS, ["new-checkout"], decision="D17")
    splits(book, 801, MORE_PARTIAL, ["flag-a"], decision="D18")
    texts(book, 851, MORE_TEXTS)
    more_keys(book)
    more_solved(book)
    growth(book)
    assert hash_of("flag-a", user_with_hash("flag-a", 0)) == 0
    return [book]
