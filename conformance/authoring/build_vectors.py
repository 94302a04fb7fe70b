"""Writes conformance/vectors/*.json from the tables, and checks each vector with examples/python-evaluator.

    python3 build_vectors.py            writes files that have changed
    python3 build_vectors.py --check    writes nothing; fails if a file is not up to date

The expected results are written in the tables. If the evaluator returns other results, the file is not
written: either the table or the evaluator is wrong, and what-an-evaluator-owes.md says which.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "conformance" / "vectors"
sys.path.insert(0, str(ROOT / "examples" / "python-evaluator"))

from harness import parse  # noqa: E402
from run_vectors import run_vector  # noqa: E402
from tables import attributes, malformed, operators, prerequisites, regex, rollout, rules  # noqa: E402
from tables import segments, serving, state, units, values, versions, whole  # noqa: E402
from writing import Book  # noqa: E402

TABLES = [
    operators, rules, state, values, rollout, versions, regex, attributes, serving, segments, prerequisites, malformed,
    whole, units,
]


def disagreements(book: Book) -> list[str]:
    """Runs the evaluator on the vectors of a file; returns one message for each difference."""
    vectors = parse(book.dump())["vectors"]
    return [failure for vector in vectors for failure in run_vector(vector)]


def main() -> int:
    check = "--check" in sys.argv
    wrong = 0
    for book in (book for table in TABLES for book in table.books()):
        failures = disagreements(book)
        print("".join(f"disagrees: {failure}\n" for failure in failures), end="")
        path, text = VECTORS / f"{book.category}.json", book.dump()
        changed = not path.exists() or path.read_text(encoding="utf-8") != text
        if check and changed:
            print(f"{path.name} is not up to date")
        wrong += len(failures) + (check and changed)
        if not failures and changed and not check:
            path.write_text(text, encoding="utf-8")
        calls = sum(len(vector["calls"]) for vector in book.vectors)
        print(f"{path.name}: {len(book.vectors)} vectors, {calls} calls, {len(text):,} characters")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
