"""Runs the conformance vectors through the evaluator and prints the failures."""

from __future__ import annotations

import csv
import json
import pathlib
import sys
import time

from flagsvc_evaluator import Evaluator, bucket, bucket_hash
from harness import decode, differences, parse

CONFORMANCE = pathlib.Path(__file__).resolve().parents[2] / "conformance"
VECTORS = CONFORMANCE / "vectors"


def run_vector(vector: dict) -> list[str]:
    """One line for each call that fails."""
    failures = []
    evaluator = Evaluator(decode(vector["ruleset"]))
    for number, call in enumerate(vector["calls"], 1):
        context, expected = decode(call["context"]), decode(call["expect"])
        started = time.process_time()
        result = evaluator.evaluate(call["flag"], context)
        elapsed_ms = (time.process_time() - started) * 1000
        if differences(expected, result):
            failures.append(f"{vector['id']} call {number}: expected {json.dumps(expected)}, got {json.dumps(result)}")
        # The limits only distinguish linear from exponential time, so slow machines get ten times as long.
        elif elapsed_ms > 10 * call.get("within_ms", float("inf")):
            failures.append(f"{vector['id']} call {number}: took {elapsed_ms:.0f} ms")
    return failures


def run_bucket_row(row: dict) -> list[str]:
    parts = row["flag"], row["user"], int(row["revision"])
    got = bucket_hash(*parts), bucket(*parts)
    if got == (int(row["hash"]), int(row["bucket"])):
        return []
    return [f"bucket.csv {parts}: expected {row['hash']} {row['bucket']}, got {got}"]


def main() -> int:
    passed, failed = 0, 0
    for path in sorted(VECTORS.glob("*.json")):
        for vector in parse(path.read_bytes())["vectors"]:
            failures = run_vector(vector)
            passed, failed = passed + (not failures), failed + bool(failures)
            print("".join(f"not ok {failure}\n" for failure in failures), end="")
    with open(VECTORS / "bucket.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            failures = run_bucket_row(row)
            passed, failed = passed + (not failures), failed + bool(failures)
            print("".join(f"not ok {failure}\n" for failure in failures), end="")
    print(f"{passed} passed, {failed} failed")
    listed = sum(file["count"] for file in json.loads((CONFORMANCE / "index.json").read_bytes())["files"])
    if passed + failed != listed:
        print(f"index.json lists {listed}")
    return 1 if failed or passed != listed else 0


if __name__ == "__main__":
    sys.exit(main())
