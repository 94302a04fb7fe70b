"""Writes conformance/index.json: count, hash and requirements of each file of vectors.

    python3 build_index.py            writes the file
    python3 build_index.py --check    writes nothing; fails if the file is not up to date

The kit compares the vectors that it loads with the index. The script also checks what a
schema cannot: ids are unique, ascending and named after their file, cited requirements exist, and
every requirement that vectors can test is cited.
"""

from __future__ import annotations

import csv
import json
import sys
from hashlib import sha256
from pathlib import Path

from sentences import BUCKETS

ROOT = Path(__file__).resolve().parents[1]
INDEX, REQUIREMENTS = ROOT / "index.json", ROOT / "requirements.json"


def vector_file(path: Path, known: set[str]) -> tuple[dict, list[str]]:
    vectors = json.loads(path.read_bytes())["vectors"]
    faults = []
    ids = [vector["id"] for vector in vectors]
    if ids != sorted(set(ids)) or any(not id.startswith(f"{path.stem}-") for id in ids):
        faults.append(f"{path.name}: ids are not unique, not in order or not of this file")
    names = sorted({name for vector in vectors for name in vector["requirements"]})
    faults += [f"{path.name}: there is no requirement {name}" for name in names if name not in known]
    faults += [
        f"{vector['id']}: neither why nor kills"
        for vector in vectors
        if not vector.get("why") and not vector.get("kills")
    ]
    return entry(path, len(vectors), names), faults


def entry(path: Path, count: int, names: list[str]) -> dict:
    name = path.relative_to(ROOT).as_posix()
    return {"file": name, "count": count, "sha256": sha256(path.read_bytes()).hexdigest(), "requirements": names}


def bucket_file(path: Path) -> dict:
    with open(path, newline="", encoding="utf-8") as file:
        return entry(
            path,
            sum(1 for _ in csv.DictReader(file)),
            sorted({"bucket-modulo", "bucket-seed", "bucket-step", *(f"EV-{n}" for n in sum(BUCKETS.values(), []))}),
        )


def formatted(value: object, indent: str = "", room: int = 110) -> str:
    """Formats JSON like the repository's formatter: one line per property, and lists on one line if they fit."""
    flat = json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [
            f"{inner}{json.dumps(name)}: {formatted(part, inner, 110 - len(inner) - len(name) - 5)}"
            for name, part in value.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and (len(flat) > room or any(isinstance(part, (dict, list)) for part in value)):
        return "[\n" + ",\n".join(inner + formatted(part, inner) for part in value) + f"\n{indent}]"
    return flat


def build() -> tuple[str, list[str]]:
    file = json.loads(REQUIREMENTS.read_bytes())
    requirements = file["requirements"]
    faults = []
    known = {item["id"] for item in requirements} | set(file["owed"])
    if len(known) != len(requirements) + len(file["owed"]):
        faults.append("requirements: an id is used twice")
    files = [bucket_file(ROOT / "vectors" / "bucket.csv")]
    for path in sorted((ROOT / "vectors").glob("*.json")):
        listed, found = vector_file(path, known)
        files.append(listed)
        faults += found
    named = {name for item in files for name in item["requirements"]}
    faults += [
        f"requirement {item['id']}: no vector names it"
        for item in requirements
        if item["by"] == "vectors" and item["id"] not in named
    ]
    index = {"version": (ROOT / "VERSION").read_text().strip(), "files": files}
    return formatted(index) + "\n", faults


def main() -> int:
    text, faults = build()
    if "--check" in sys.argv and (not INDEX.exists() or INDEX.read_text() != text):
        faults.append("index.json is not up to date")
    print("".join(f"{fault}\n" for fault in faults), end="")
    if faults:
        return 1
    if "--check" not in sys.argv:
        INDEX.write_text(text)
    counts = [item["count"] for item in json.loads(text)["files"]]
    print(f"{sum(counts)} vectors and rows in {len(counts)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
