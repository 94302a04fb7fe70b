"""Computes hash and bucket of all revisions by formula, and finds users for given buckets and hashes.

This is a third, independent implementation of EV-42 to EV-49 and EV-129: a polynomial over the integers, reduced modulo 2^32 only
at the end.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import count, islice, product
from string import ascii_lowercase, digits
from typing import Iterator

MASK = 2**32
ALPHABET = digits + ascii_lowercase


def polynomial(flag_key: str, user_key: str) -> int:
    codes = [5381, *map(ord, f"{flag_key}:{user_key}")]
    return sum(code * pow(33, power, MASK) for power, code in enumerate(reversed(codes))) % MASK


def fmix32(number: int) -> int:
    number = (number ^ (number >> 16)) * 0x85EBCA6B % MASK
    number = (number ^ (number >> 13)) * 0xC2B2AE35 % MASK
    return number ^ (number >> 16)


def unmix32(number: int) -> int:
    """The inverse of fmix32."""
    number ^= number >> 16
    number = number * pow(0xC2B2AE35, -1, MASK) % MASK
    number ^= (number >> 13) ^ (number >> 26)
    number = number * pow(0x85EBCA6B, -1, MASK) % MASK
    return number ^ (number >> 16)


def hash_of(flag_key: str, user_key: str, revision: int = 1) -> int:
    number = polynomial(flag_key, user_key)
    return fmix32(number) if revision == 2 else number


def bucket_of(flag_key: str, user_key: str, revision: int = 1) -> int:
    return hash_of(flag_key, user_key, revision) % 100


def users_in(flag_key: str, bucket: int, revision: int = 1, style: str = "user-{}") -> Iterator[str]:
    """User keys with this style that fall into the bucket, without end."""
    return (user for user in map(style.format, count(1)) if bucket_of(flag_key, user, revision) == bucket)


def user_in(flag_key: str, bucket: int, revision: int = 1, style: str = "user-{}", nth: int = 0) -> str:
    return next(islice(users_in(flag_key, bucket, revision, style), nth, None))


@lru_cache(maxsize=4)
def _beginnings(flag_key: str, length: int, after: int) -> dict[int, tuple]:
    """Maps hashes to beginnings of user keys: each hash is that of a beginning of this length with `after` NUL
    characters appended."""
    start, step, found = polynomial(flag_key, ""), pow(33, after, MASK), {}
    for characters in product(ALPHABET, repeat=length):
        number = start
        for character in characters:
            number = (number * 33 + ord(character)) % MASK
        found.setdefault(number * step % MASK, characters)
    return found


@lru_cache(maxsize=None)
def user_with_hash(flag_key: str, wanted: int, revision: int = 1) -> str:
    """Finds a user key of letters and digits with the wanted hash, by a meet-in-the-middle search."""
    target, beginnings = unmix32(wanted) if revision == 2 else wanted, _beginnings(flag_key, 4, 3)
    for characters in product(ALPHABET, repeat=3):
        number = sum(ord(character) * 33**power for power, character in enumerate(reversed(characters)))
        if (target - number) % MASK in beginnings:
            return "".join((*beginnings[(target - number) % MASK], *characters))
    raise ValueError(f"no user key for {flag_key} {wanted}")


def unit_bucket(salt: str, unit: str) -> int:
    """The bucket of a unit in revision 3, 0 to 9,999."""
    return fmix32(polynomial(salt, unit)) % 10_000
