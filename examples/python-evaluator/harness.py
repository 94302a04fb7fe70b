"""Tagged values and the comparison of results, for the adapter and the vector runner."""

from __future__ import annotations

import json
import math
from typing import Any, Iterable

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


def parse(text: str | bytes) -> Any:
    """Parses JSON; integers of 16 or more digits become binary64, as the vectors require."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 16 else float(digits))


def decode(value: Any) -> Any:
    """Decodes {"$number"}, {"$absent"}, {"$inherited"} and {"$repeat"}.

    Python has no inherited properties, so these become absent.
    """
    if isinstance(value, list):
        return [decode(part) for item in value for part in _written_out(item)]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and isinstance(value.get("$number"), str) and value["$number"] in _NUMBERS:
        return _NUMBERS[value["$number"]]
    return {key: decode(item) for key, item in value.items() if key != "$inherited" and not _is_absent(item)}


def _written_out(item: Any) -> Iterable[Any]:
    """Expands {"$repeat": {"n": 1000}, "item": ...} to a thousand items; {n} in their texts is the index, {n+1} the next."""
    if not isinstance(item, dict) or not isinstance(item.get("$repeat"), dict):
        return [item]
    ((name, times),) = item["$repeat"].items()
    return (_in_place(item["item"], name, place) for place in range(times))


def _in_place(item: Any, name: str, place: int) -> Any:
    if isinstance(item, str):
        return item.replace(f"{{{name}}}", str(place)).replace(f"{{{name}+1}}", str(place + 1))
    if isinstance(item, list):
        return [_in_place(part, name, place) for part in item]
    if isinstance(item, dict):
        return {key: _in_place(part, name, place) for key, part in item.items()}
    return item


def _is_absent(value: Any) -> bool:
    return isinstance(value, dict) and len(value) == 1 and value.get("$absent") is True


def differences(expected: dict, actual: dict) -> list[str]:
    """Names of expected fields that are missing or differ. Other fields are not compared."""
    return [name for name in expected if name not in actual or not same(expected[name], actual[name])]


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values: numbers by value, objects without regard to order; true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return float(left) == float(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right
