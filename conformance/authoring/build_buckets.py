"""Writes conformance/vectors/bucket.csv: 10,000 rows of revision, flag, user, hash and bucket, from buckets.py.

    python3 build_buckets.py            writes the file
    python3 build_buckets.py --check    writes nothing; fails if the file is not up to date
"""

from __future__ import annotations

import csv
import io
import random
import sys
from pathlib import Path

from buckets import bucket_of, hash_of, user_in, user_with_hash
from tables.rollout import ASTRAL, TEXTS

PATH = Path(__file__).resolve().parents[1] / "vectors" / "bucket.csv"
ROWS = 10_000
EDGES = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 99, 100, 2**31 + 99, 2**31 + 52, 2**32 - 96, 2**32 - 97]
ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:@/+",
    "äöüßéèñçøåÿāłŵ",
    "αβγδεζабвгдеאבגابج",
    "東京都大阪名古屋한국어ひらがな",
    "\U0001f600\U0001f44d\U0001f3fd\U0001f468\u200d\U00010000\U0010ffff\U00020bb7",
    "\u0000\u0001\u007f\u0080\u00a0\u2028\ufeff\ufffd\uffff \t",
]


def pairs() -> list[tuple[str, str]]:
    """The pairs of flag key and user key that both revisions use."""
    dice = random.Random(5381)
    found = [(key, user) for key in ("flag-a", "b", "", "new-checkout") for user, _ in [*TEXTS, *ASTRAL]]
    found += [("a", "b:c"), ("a:b", "c"), ("", ""), ("", ":"), (":", ""), ("flag-a", "")]
    found += [(f"flag-{letter}", f"user-{number}") for letter in "abcde" for number in range(100)]
    found += [("new-checkout", f"{number:06d}") for number in range(0, 1_000_000, 4001)]
    found += [(f"flag-{length}", "x" * length) for length in range(1, 100)]
    while len(found) < 3_800:
        key = "-".join("".join(dice.choices(ALPHABETS[0], k=dice.randint(1, 8))) for _ in range(dice.randint(1, 4)))
        letters = dice.choice(ALPHABETS) if dice.random() < 0.7 else "".join(ALPHABETS)
        found.append((key, "".join(dice.choices(letters, k=dice.randint(1, 24)))))
    while len(found) < 5_100:
        found.append(tuple("".join(dice.choices("".join(ALPHABETS), k=dice.randint(0, 12))) for _ in range(2)))
    return [pair for pair in dict.fromkeys(found) if not any(c in text for text in pair for c in "\r\n")]


def rows() -> list[tuple]:
    """For each revision, users with given hashes and one user per bucket; then the common pairs."""
    common = pairs()
    found = []
    for revision in (1, 2):
        found += [
            (revision, key, user_with_hash(key, edge, revision))
            for key in ("flag-a", "new-checkout")
            for edge in EDGES
        ]
        found += [(revision, "flag-a", user_in("flag-a", bucket, revision, "person-{}")) for bucket in range(100)]
    room = ROWS - len(found)
    found += [(1, *pair) for pair in common[: room // 2]] + [(2, *pair) for pair in common[: room - room // 2]]
    return [
        (revision, key, user, hash_of(key, user, revision), bucket_of(key, user, revision))
        for revision, key, user in dict.fromkeys(found)
    ]


def main() -> None:
    table = rows()
    if len(table) != ROWS:
        sys.exit(f"{len(table)} rows, not {ROWS}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["revision", "flag", "user", "hash", "bucket"])
    writer.writerows(table)
    if "--check" not in sys.argv:
        PATH.write_text(text.getvalue(), encoding="utf-8")
    elif PATH.read_text(encoding="utf-8") != text.getvalue():
        sys.exit(f"{PATH.name} is not up to date")
    print(f"{PATH.name}: {len(table)} rows, {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
