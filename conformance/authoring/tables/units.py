"""Units: revision 3 of bucketing (EV-124 to EV-134). Every expected bucket comes from the formula in buckets.py."""

from buckets import unit_bucket, user_with_hash
from tables.rollout import ASTRAL, LONE, TEXTS
from writing import ABSENT, INF, MINUS_ZERO, NAN, Book, cond, context, flag, needs, repeat, rule, ruleset, segment

PARTS = [("below", "BELOW"), ("here", "HERE"), ("above", "ABOVE"), ("none", "NONE")]
TWO = [("a", "A"), ("b", "B"), ("none", "NONE")]
SALT = "exp_1"
UNIT = "user-1"
BUCKET = unit_bucket(SALT, UNIT)


def units(ranges, salt=SALT, by="user_key", **more) -> dict:
    """Ranges are (variation, from, to), gates (salt, from, to)."""
    written = {"revision": 3, "salt": salt, "by": by, "ranges": [_part("variation", *part) for part in ranges]}
    if "gates" in more:
        more["gates"] = [_part("salt", *gate) for gate in more["gates"]]
    return written | more


def _part(name: str, text: str, start, end) -> dict:
    return {name: text, "from": start, "to": end}


def assigned(bucketing, *conditions, rollout=(("a", 50), ("b", 50)), **more) -> dict:
    return rule(*conditions, rollout=list(rollout), bucketing=bucketing, **more)


def around(bucket: int) -> list:
    """Three ranges, of which the second has only the given bucket."""
    return [("below", 0, bucket), ("here", bucket, bucket + 1), ("above", bucket + 1, 10_000)]


def one(*rules, variations=TWO, key="flag-a", **more) -> dict:
    return ruleset(flag(key, *rules, variations=variations, default="none"), **more)


EVERYBODY = rule(serve="b", id="rule_2", priority=2)


def add(book: Book, why: str, rules, calls, **more) -> None:
    more.setdefault("requirements", ["eval-first-match"])
    book.add(why, rules, calls, **{"decision": "D35", "bucketing": 3, **more})


def at(bucketing) -> list:
    return [assigned(bucketing, rollout=[("here", 100)]), rule(serve="above", id="rule_2", priority=2)]


def positions(book: Book) -> None:
    """A range for the one bucket that the formula gives."""
    book.part(1)
    for text, why in [*TEXTS, *ASTRAL]:
        found = unit_bucket(SALT, text)
        calls = [("flag-a", context(user=text), "here%rule_1")]
        calls += [("flag-b", context({"id": text}, user=other), "here%rule_1") for other in ("user-1", "")]
        ranges = around(found)
        rules = ruleset(
            flag("flag-a", *at(units(ranges)), variations=PARTS, default="none"),
            flag("flag-b", *at(units(ranges, by="id")), variations=PARTS, default="none"),
        )
        add(book, f"the bucket of a unit: {why}", rules, calls, requirements=["bucket-step"])
    book.part(61)
    for text, why in LONE:
        rules = one(*at(units(around(unit_bucket(SALT, text)))), variations=PARTS)
        add(book, f"the bucket of a unit: {why}", rules, [("flag-a", context(user=text), "here%rule_1")], level="optional", requirements=["bucket-step"])
    book.part(71)
    salts = [
        ("a", "a letter"), (":", "a colon"), ("exp_1:", "a colon at the end"), (" ", "a blank"), ("\u0000", "the code zero"),
        ("\u6771\u4eac", "ideographs"), ("\U0001f600", "beyond the basic plane"), ("x" * 1000, "a thousand letters"),
        ("EXP_1", "upper case"), ("exp_01HZX4ZK8Q2M3N4P5R6S7T8V9W", "an id"), ("flag-a", "the flag's key"),
    ]
    for salt, why in salts:
        calls, flags = [], []
        for number, unit in enumerate(["user-1", "42", "\U0001f600", "ann@example.com"]):
            ranges = around(unit_bucket(salt, unit))
            flags.append(flag(f"flag-{number}", *at(units(ranges, salt=salt)), variations=PARTS, default="none"))
            calls.append((f"flag-{number}", context(user=unit), "here%rule_1"))
        add(book, f"the bucket under a salt: {why}", ruleset(*flags), calls, requirements=["bucket-seed"])
    ranges = around(unit_bucket("a", "b:c"))
    rules = ruleset(
        flag("flag-a", *at(units(ranges, salt="a")), variations=PARTS, default="none"),
        flag("flag-b", *at(units(ranges, salt="a:b")), variations=PARTS, default="none"),
    )
    calls = [("flag-a", context(user="b:c"), "here%rule_1"), ("flag-b", context(user="c"), "here%rule_1")]
    add(book, "salt and unit, split in two ways, have one bucket", rules, calls, requirements=["bucket-step"])
    for half in ("\ud83d", "\ude00"):
        ranges = around(unit_bucket(half, UNIT))
        rules = one(*at(units(ranges, salt=half)), variations=PARTS)
        add(book, "half a surrogate pair as the salt", rules, [("flag-a", context(), "here%rule_1")], level="optional", requirements=["bucket-step"])
    book.part(101)
    for number in (0, 1, 9_999, 10_000, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 7_296, 3 * 10**9):
        unit = user_with_hash(SALT, number, 2)
        rules = one(*at(units(around(number % 10_000))), variations=PARTS)
        add(book, f"the mixed hash {number} is in bucket {number % 10_000}", rules, [("flag-a", context(user=unit), "here%rule_1")], requirements=["bucket-modulo"])
    for key in ("flag-a", "flag-b", "other"):
        rules = one(*at(units(around(BUCKET))), variations=PARTS, key=key)
        add(book, "the flag's key does not enter the hash", rules, [(key, context(), "here%rule_1")], requirements=["bucket-stable"])


def boundaries(book: Book) -> None:
    book.part(131)
    for ranges, served, why in [
        ([("a", 0, BUCKET)], None, "to is exclusive"),
        ([("a", 0, BUCKET + 1)], "a", "the last bucket of a range"),
        ([("a", BUCKET, 10_000)], "a", "from is inclusive"),
        ([("a", BUCKET + 1, 10_000)], None, "the bucket before a range"),
        ([("a", 0, BUCKET), ("b", BUCKET, 10_000)], "b", "two ranges that meet, the unit in the second"),
        ([("a", 0, BUCKET + 1), ("b", BUCKET + 1, 10_000)], "a", "two ranges that meet, the unit in the first"),
        ([("a", BUCKET + 1, 10_000), ("b", 0, BUCKET + 1)], "b", "ranges need not ascend"),
        ([("a", 0, BUCKET - 1), ("b", BUCKET + 2, 10_000)], None, "a gap between two ranges"),
        ([("a", 0, 1), ("a", BUCKET, BUCKET + 1)], "a", "two ranges of one variation"),
        ([("b", 0, 1), ("none", BUCKET, BUCKET + 1)], "none", "a range may serve the default variation, and is the reason"),
        ([("a", 0, 10_000)], "a", "every bucket"),
        ([], None, "no ranges"),
    ]:
        rules = one(assigned(units(ranges)), EVERYBODY)
        served = f"{served}%rule_1" if served else "none"
        add(book, f"ranges: {why}", rules, [("flag-a", context(), served), ("flag-a", {}, "none")])
    book.part(151)
    some = [f"user-{n}" for n in range(40)]
    for salt, split in [("exp_1", [5_000, 5_000]), ("exp_2", [3_333, 3_333, 3_334]), ("exp_3", [100, 9_900]), ("exp_4", [2_500, 2_500]), ("exp_5", [1, 9_999])]:
        ends = [sum(split[: place + 1]) for place in range(len(split))]
        ranges = [(f"v{place}", end - split[place], end) for place, end in enumerate(ends)]
        calls = []
        for unit in some:
            found = unit_bucket(salt, unit)
            place = next((place for place, end in enumerate(ends) if found < end), None)
            calls.append(("flag-a", context(user=unit), "none" if place is None else f"v{place}%rule_1"))
        rules = one(assigned(units(ranges, salt=salt), rollout=[("v0", 100)]), variations=[*((f"v{n}", n) for n in range(len(split))), ("none", "none")])
        add(book, f"forty users in ranges of {split}", rules, calls)


def odd_ranges(book: Book) -> None:
    book.part(161)
    for ranges, served, why in [
        ([("a", 0, BUCKET + 5), ("b", BUCKET - 5, 10_000)], "a", "of two that overlap, the first listed serves"),
        ([("b", BUCKET - 5, 10_000), ("a", 0, BUCKET + 5)], "b", "of two that overlap, the first listed serves"),
        ([("a", BUCKET + 1, BUCKET), ("b", 0, 10_000)], "b", "one whose from exceeds its to is empty"),
        ([("a", BUCKET, BUCKET), ("b", 0, 10_000)], "b", "one whose from equals its to is empty"),
        ([("a", 10_000, 0)], None, "from and to in the wrong order are not exchanged"),
        ([("a", -5, BUCKET + 1)], "a", "a negative from"),
        ([("a", -10_000, -1), ("b", 0, 20_000)], "b", "negative buckets do not exist"),
        ([("a", 10_000, 20_000)], None, "buckets beyond the last do not exist"),
        ([("a", BUCKET + 0.5, 10_000)], None, "a fraction as from is not rounded down"),
        ([("a", 0, BUCKET + 0.5)], "a", "a fraction as to is not rounded down"),
        ([("a", BUCKET - 0.5, BUCKET + 0.1)], "a", "fractions around the bucket"),
        ([("a", 0, 1e300)], "a", "a huge to"),
        ([("gone", 0, 10_000)], None, "an unknown variation"),
        ([("gone", BUCKET, BUCKET + 1), ("a", 0, 10_000)], None, "an unknown variation, before a range that contains the unit too"),
        ([("gone", 0, BUCKET), ("a", BUCKET, 10_000)], "a", "an unknown variation does not move the others"),
        ([("A", 0, 10_000)], None, "variations are compared exactly"),
    ]:
        rules = one(assigned(units(ranges)), EVERYBODY)
        add(book, f"ranges as they are: {why}", rules, [("flag-a", context(), f"{served}%rule_1" if served else "none")])
    zero = user_with_hash(SALT, 0, 2)
    rules = one(assigned(units([("a", MINUS_ZERO, 1)])), EVERYBODY)
    add(book, "ranges as they are: negative zero is zero", rules, [("flag-a", context(user=zero), "a%rule_1"), ("flag-a", context(), "none")])


def gates(book: Book) -> None:
    book.part(191)
    everything = [("a", 0, 10_000)]
    own, other = unit_bucket("layer_1", UNIT), unit_bucket("holdout_1", UNIT)
    for listed, passes, why in [
        ([], True, "no gates"),
        ([("layer_1", 0, 10_000)], True, "every bucket"),
        ([("layer_1", 0, own + 1)], True, "the last bucket"),
        ([("layer_1", 0, own)], False, "to is exclusive"),
        ([("layer_1", own, 10_000)], True, "from is inclusive"),
        ([("layer_1", own + 1, 10_000)], False, "the bucket before"),
        ([("layer_1", own, own + 1), ("holdout_1", other, other + 1)], True, "both of two"),
        ([("layer_1", own, own + 1), ("holdout_1", 0, other)], False, "only the first of two"),
        ([("layer_1", 0, own), ("holdout_1", other, other + 1)], False, "only the second of two"),
        ([("layer_1", own, own + 1)] * 3, True, "one gate, three times"),
        ([("layer_1", 0, 10_000), ("layer_1", 0, own)], False, "two gates with one salt"),
        ([("layer_1", own + 1, own)], False, "from and to in the wrong order"),
        ([("layer_1", own, own)], False, "an empty one"),
        ([("layer_1", -1, own + 0.5)], True, "negative numbers and fractions as they are"),
        ([("layer_1", own + 0.5, 10_000)], False, "a fraction as from"),
        ([(SALT, BUCKET, BUCKET + 1)], True, "the rule's salt, the unit inside"),
        ([(SALT, BUCKET + 1, 10_000)], False, "the rule's salt, the unit outside"),
    ]:
        rules = one(assigned(units(everything, gates=listed)), EVERYBODY)
        calls = [("flag-a", context(), "a%rule_1" if passes else "none"), ("flag-a", {}, "none")]
        add(book, f"gates: {why}", rules, calls)
    for value, why in ((ABSENT, "absent"), (None, "null")):
        bucketing = units(everything) | ({} if value is ABSENT else {"gates": value})
        add(book, f"gates that are {why} are no gates", one(assigned(bucketing), EVERYBODY), [("flag-a", context(), "a%rule_1")])
    for by, given in (("company", {"company": "c1"}), ("user_key", {})):
        unit = given.get(by, UNIT)
        inside = unit_bucket("layer_1", unit)
        rules = ruleset(
            flag("flag-a", assigned(units(everything, by=by, gates=[("layer_1", inside, inside + 1)])), EVERYBODY, variations=TWO, default="none"),
            flag("flag-b", assigned(units(everything, by=by, gates=[("layer_1", 0, inside)])), EVERYBODY, variations=TWO, default="none"),
        )
        calls = [("flag-a", context(given), "a%rule_1"), ("flag-b", context(given), "none")]
        add(book, f"a gate hashes the same unit: {by}", rules, calls)
    # Two experiments share a layer: no unit is in both.
    layers = ruleset(
        flag("flag-a", assigned(units(everything, salt="exp_a", gates=[("layer_1", 0, 5_000)])), variations=TWO, default="none"),
        flag("flag-b", assigned(units(everything, salt="exp_b", gates=[("layer_1", 5_000, 10_000)])), variations=TWO, default="none"),
    )
    calls = []
    for unit in (f"user-{n}" for n in range(20)):
        first = unit_bucket("layer_1", unit) < 5_000
        calls += [("flag-a", context(user=unit), "a%rule_1" if first else "none"), ("flag-b", context(user=unit), "none" if first else "a%rule_1")]
    add(book, "two experiments in one layer share no user", layers, calls)
    # Traffic grows: the gate widens and nobody changes sides.
    shares = [0, 100, 1_000, 5_000, 10_000]
    halves = [("a", 0, 5_000), ("b", 5_000, 10_000)]
    growing = one(*(assigned(units(halves, gates=[("traffic", 0, share)]), cond("share", "is", str(share)), id=f"rule_{share}") for share in shares))
    for unit in ("user-1", "user-2", "user-3", "user-19"):
        side = "a" if unit_bucket(SALT, unit) < 5_000 else "b"
        calls = [
            ("flag-a", context({"share": str(share)}, unit), f"{side}%rule_{share}" if unit_bucket("traffic", unit) < share else "none")
            for share in shares
        ]
        add(book, f"growing traffic moves nobody: {unit}", growing, calls, requirements=["bucket-stable"])


def attributes(book: Book) -> None:
    book.part(231)
    for value, text, why in [
        ("c1", "c1", "a string"), (42, "42", "a number"), (0, "0", "zero"), (MINUS_ZERO, "0", "negative zero"),
        (1.5, "1.5", "a fraction"), (1e21, "1e+21", "a large number"), (1e-7, "1e-7", "a small number"), (-3, "-3", "a negative number"),
        (True, "true", "true"), (False, "false", "false"), (" c1 ", " c1 ", "blanks"), ("C1", "C1", "upper case"),
        (123456789012345680000, "123456789012345680000", "twenty-one digits"),
    ]:
        rules = one(*at(units(around(unit_bucket(SALT, text)), by="company")), variations=PARTS)
        calls = [("flag-a", context({"company": given}, user="user-9"), "here%rule_1") for given in (value, text)]
        add(book, f"the unit as a string: {why}", rules, calls, requirements=["context-attributes"])
    book.part(251)
    company = at(units([("here", 0, 10_000)], by="company"))
    for value, why in [
        (ABSENT, "absent"), (None, "null"), ("", "empty"), ([], "an empty array"), (["c1"], "an array"), ([1], "an array of a number"),
        ({}, "an object"), ({"id": "c1"}, "an object"), (NAN, "NaN"), (INF, "infinite"), ({"$absent": True}, "undefined"),
    ]:
        given = {} if value is ABSENT else {"company": value}
        calls = [("flag-a", context(given), "none"), ("flag-a", context({"company": "c1"}, ABSENT), "here%rule_1")]
        add(book, f"a unit that is {why} is not assigned", one(*company, variations=PARTS), calls, requirements=["context-attributes"])
    for user, why in [(ABSENT, "absent"), ("", "empty"), (None, "null"), (7, "a number"), (True, "a boolean"), (["user-1"], "an array"), ({}, "an object")]:
        rules = one(*at(units([("here", 0, 10_000)])), variations=PARTS)
        calls = [("flag-a", context(user=user), "none"), ("flag-a", context({"user_key": "user-1"}, user), "none"), ("flag-a", context(), "here%rule_1")]
        add(book, f"a user key that is {why} is not assigned, whatever the attribute", rules, calls, requirements=["context-user-key"])
    book.part(281)
    for own in ("user-2", None, 7):
        rules = one(*at(units(around(BUCKET))), variations=PARTS)
        add(book, "an attribute named user_key is not the unit", rules, [("flag-a", context({"user_key": own}), "here%rule_1")], requirements=["context-user-key"])
    found = unit_bucket(SALT, "c1")
    for by in ("company.id", "", "$segment", "$group", "__proto__", "constructor", "Company", "userKey", "user_key ", "salt"):
        rules = one(*at(units(around(found), by=by)), variations=PARTS, segments=[segment("c1")])
        near = {by.lower() + "x": "c1", "company": "c1", "user_key": "c1", "name": {"id": "c1"}}
        calls = [("flag-a", context({by: "c1"}), "here%rule_1"), ("flag-a", context(near), "none")]
        add(book, f"the name of the attribute is exact: {by!r}", rules, calls, requirements=["context-attributes"])
    for name in ("company", "toString"):
        rules = one(*at(units([("here", 0, 10_000)], by=name)), variations=PARTS)
        calls = [("flag-a", context({"$inherited": {name: "c1"}}), "none"), ("flag-a", context({name: "c1"}), "here%rule_1"), ("flag-a", context({}), "none")]
        add(book, f"an inherited attribute is no unit: {name}", rules, calls, requirements=["context-attributes"])
    rules = one(*company, variations=PARTS)
    for attributes in ("c1", ["c1"], None, 7):
        calls = [("flag-a", {"user_key": "user-1", "attributes": attributes, "company": "c1"}, "none"), ("flag-a", context({"company": "c1"}), "here%rule_1")]
        add(book, "attributes that are no object have no unit", rules, calls, requirements=["context-attributes"])


BROKEN = [
    ("revision", ABSENT, "no revision"), ("revision", "3", "the revision as a string"), ("revision", 4, "revision 4"),
    ("revision", 2, "revision 2 in an object"), ("revision", 1, "revision 1 in an object"), ("revision", None, "null as the revision"),
    ("revision", 3.5, "a fraction as the revision"), ("revision", [3], "an array as the revision"), ("revision", True, "true as the revision"),
    ("revision", 4294967299, "3 beyond 32 bits"),
    ("salt", ABSENT, "no salt"), ("salt", "", "an empty salt"), ("salt", None, "null as the salt"), ("salt", 7, "a number as the salt"),
    ("salt", ["exp_1"], "an array as the salt"),
    ("by", ABSENT, "no by"), ("by", None, "null as by"), ("by", 7, "a number as by"), ("by", ["user_key"], "an array as by"),
    ("ranges", ABSENT, "no ranges"), ("ranges", None, "null as ranges"), ("ranges", {}, "an object as ranges"), ("ranges", "all", "a string as ranges"),
    ("ranges", [None], "a range that is null"), ("ranges", [["a", 0, 10_000]], "a range that is an array"),
    ("ranges", [{"from": 0, "to": 10_000}], "a range without a variation"), ("ranges", [{"variation": None, "from": 0, "to": 10_000}], "a range whose variation is null"),
    ("ranges", [{"variation": "a", "to": 10_000}], "a range without from"), ("ranges", [{"variation": "a", "from": 0}], "a range without to"),
    ("ranges", [_part("variation", "a", "0", 10_000)], "a string as from"), ("ranges", [_part("variation", "a", 0, "10000")], "a string as to"),
    ("ranges", [_part("variation", "a", None, 10_000)], "null as from"), ("ranges", [_part("variation", "a", 0, None)], "null as to"),
    ("ranges", [_part("variation", "a", 0, INF)], "an infinite to"), ("ranges", [_part("variation", "a", NAN, 10_000)], "NaN as from"),
    ("ranges", [_part("variation", "a", 0, 10_000), None], "a broken range after one that contains the unit"),
    ("ranges", [_part("variation", "a", 0, 10_000), _part("variation", "b", 0, "x")], "a broken range after one that contains the unit"),
    ("gates", {}, "an object as gates"), ("gates", "", "a string as gates"), ("gates", False, "false as gates"), ("gates", 0, "zero as gates"),
    ("gates", [None], "a gate that is null"), ("gates", [{"from": 0, "to": 10_000}], "a gate without a salt"),
    ("gates", [_part("salt", "", 0, 10_000)], "a gate with an empty salt"), ("gates", [_part("salt", 7, 0, 10_000)], "a gate whose salt is a number"),
    ("gates", [_part("salt", "layer_1", "0", 10_000)], "a gate with a string as from"), ("gates", [{"salt": "layer_1", "from": 0}], "a gate without to"),
    ("gates", [_part("salt", "layer_1", 0, INF)], "a gate with an infinite to"), ("gates", [_part("salt", "layer_1", MINUS_ZERO, NAN)], "a gate with NaN as to"),
    ("gates", [_part("salt", "layer_1", 5, 5), _part("salt", "", 0, 10_000)], "a broken gate after one that is closed"),
]


def malformed(book: Book) -> None:
    book.part(331)
    whole = units([("a", 0, 10_000)])
    for name, value, why in BROKEN:
        broken = {key: part for key, part in whole.items() if key != name} | ({} if value is ABSENT else {name: value})
        rules = ruleset(
            flag("flag-a", assigned(broken), EVERYBODY, variations=TWO, default="none"),
            flag("flag-b", rule(cond("plan", "is", "pro"), serve="a", bucketing=broken), EVERYBODY, variations=TWO, default="none"),
            flag("flag-c", assigned(whole), variations=TWO, default="none"),
        )
        calls = [
            ("flag-a", context(), "none"), ("flag-b", context({"plan": "pro"}), "a@rule_1"), ("flag-b", context(), "b@rule_2"),
            ("flag-c", context(), "a%rule_1"),
        ]
        add(book, f"malformed: {why}", rules, calls)
    for value, why in [([whole], "the object in an array"), ("3", "a string"), (3, "the number 3")]:
        add(book, f"malformed: {why}", one(assigned(value), EVERYBODY), [("flag-a", context(), "none")])
    for more, why in [({"name": "x"}, "a name"), ({"seed": 7, "revision_note": None}, "a seed"), ({"version": 2, "percentage": 0}, "a version")]:
        ranges = [_part("variation", "a", 0, 10_000) | more]
        gate = [_part("salt", "layer_1", 0, 10_000) | more]
        rules = one(assigned(whole | more | {"ranges": ranges, "gates": gate}), EVERYBODY)
        add(book, f"fields that are not known are ignored: {why}", rules, [("flag-a", context(), "a%rule_1")])


def together(book: Book) -> None:
    """With rollouts, variations, conditions, segments and prerequisites."""
    book.part(411)
    everything = units([("a", 0, 10_000)])
    for rollout, why in [([], "empty"), ([("b", 100)], "of another variation"), ([("gone", 100)], "of an unknown variation"), ([("b", 0)], "of zero"), ([("none", 250)], "above a hundred")]:
        rules = one(assigned(everything, rollout=rollout), EVERYBODY)
        add(book, f"the ranges decide, beside a rollout that is {why}", rules, [("flag-a", context(), "a%rule_1")], requirements=["rule-one-of-two"])
        closed = one(assigned(units([]), rollout=rollout), EVERYBODY)
        add(book, f"no range contains the unit, beside a rollout that is {why}", closed, [("flag-a", context(), "none")], requirements=["rule-one-of-two"])
    rules = ruleset(
        flag("flag-a", rule(serve="b", bucketing=everything), variations=TWO, default="none"),
        flag("flag-b", rule(bucketing=everything), EVERYBODY, variations=TWO, default="none"),
        flag("flag-c", rule(serve="b", bucketing=everything, percentage_rollout=None), variations=TWO, default="none"),
        flag("flag-d", assigned(everything, serve="b"), variations=TWO, default="none"),
    )
    calls = [("flag-a", context(), "b@rule_1"), ("flag-b", context(), "none"), ("flag-c", context(), "b@rule_1"), ("flag-d", context(), "a%rule_1")]
    for user in ("user-1", "user-2"):
        add(book, "a rule without a rollout ignores its ranges; one with a variation too does not", rules, [(key, context(user=user), served) for key, _, served in calls], requirements=["rule-one-of-two"])
    book.part(431)
    halves = units([("a", 0, 5_000), ("b", 5_000, 10_000)])
    for unit in ("user-1", "user-2", "user-5"):
        side = "a" if unit_bucket(SALT, unit) < 5_000 else "b"
        rules = one(assigned(halves, cond("plan", "is", "pro")), rule(serve="none", id="rule_2", priority=2))
        calls = [("flag-a", context({"plan": "pro"}, unit), f"{side}%rule_1"), ("flag-a", context({"plan": "free"}, unit), "none@rule_2")]
        add(book, "conditions first, then the ranges", rules, calls, requirements=["eval-and"])
        rules = one(assigned(halves, cond("$segment", "is", "beta")), EVERYBODY, segments=[segment("beta", cond("plan", "is", "pro"))])
        calls = [("flag-a", context({"plan": "pro"}, unit), f"{side}%rule_1"), ("flag-a", context({}, unit), "b@rule_2")]
        add(book, "a segment as the condition", rules, calls, requirements=["segment-conditions"])
        rules = ruleset(
            flag("flag-a", assigned(halves), variations=TWO, default="none"),
            flag("flag-b", rule(serve="a"), variations=TWO, default="none", prerequisites=needs(("flag-a", side))),
            flag("flag-c", assigned(halves), variations=TWO, default="none", prerequisites=needs(("flag-a", "b" if side == "a" else "a"))),
            flag("flag-d", rule(serve="a"), variations=TWO, default="none", prerequisites=needs(("flag-e", "none"))),
            flag("flag-e", assigned(units([])), variations=TWO, default="none"),
        )
        calls = [("flag-b", context(user=unit), "a@rule_1"), ("flag-c", context(user=unit), "none!prerequisite"), ("flag-d", context(user=unit), "a@rule_1")]
        add(book, "a prerequisite holds if the ranges serve its variation", rules, calls, requirements=["reason-prerequisite"])
        rules = one(assigned(halves), variations=TWO, key="flag-a")
        rules["flags"][0]["enabled"] = False
        add(book, "a disabled flag assigns nobody", rules, [("flag-a", context(user=unit), "none!disabled")], requirements=["eval-disabled"])
        rules = one(assigned(halves, id="rule_9", priority=9), assigned(units([("none", 0, 10_000)], salt="exp_2"), cond("plan", "is", "pro"), id="rule_3", priority=3))
        calls = [("flag-a", context({"plan": "pro"}, unit), "none%rule_3"), ("flag-a", context({}, unit), f"{side}%rule_9")]
        add(book, "two rules, each with ranges of its own", rules, calls, requirements=["eval-priority"])
    book.part(451)
    mixed = [f"user-{n}" for n in range(12)]
    calls = []
    for user in mixed:
        for key, salt, by in (("flag-a", "exp_a", "user_key"), ("flag-b", "exp_b", "user_key"), ("flag-c", "exp_a", "company")):
            unit = user if by == "user_key" else "c1"
            calls.append((key, context({"company": "c1"}, user), f"{'a' if unit_bucket(salt, unit) < 5_000 else 'b'}%rule_1"))
    ranges = [("a", 0, 5_000), ("b", 5_000, 10_000)]
    rules = ruleset(*(flag(key, assigned(units(ranges, salt=salt, by=by)), variations=TWO, default="none") for key, salt, by in (("flag-a", "exp_a", "user_key"), ("flag-b", "exp_b", "user_key"), ("flag-c", "exp_a", "company"))))
    add(book, "all users of a company share a bucket; users alone do not", rules, calls, requirements=["bucket-stable"])
    add(book, "the same the other way round", rules, calls[::-1], requirements=["bucket-stable"])


def sizes(book: Book) -> None:
    book.part(471)
    many = [repeat("n", 10_000, {"variation": "a", "from": 0, "to": 0}), _part("variation", "b", 0, 10_000)]
    open_gates = [repeat("n", 10_000, _part("salt", "layer_{n}", 0, 10_000))]
    for ranges, listed, served, why in [
        (many, [], "b%rule_1", "ten thousand empty ranges before one that contains everybody"),
        ([_part("variation", "a", 0, 10_000)], open_gates, "a%rule_1", "ten thousand open gates"),
        (many, [*open_gates, _part("salt", "layer_x", 0, 0)], "none", "ten thousand ranges, ten thousand open gates, and a closed one"),
    ]:
        bucketing = {"revision": 3, "salt": SALT, "by": "user_key", "ranges": ranges, "gates": listed}
        add(book, why, one(assigned(bucketing)), [("flag-a", context(user=user), served, {"within_ms": 50}) for user in ("user-1", "user-2")])
    long = "u" * 10_000
    ranges = around(unit_bucket(SALT, long))
    rules = one(*at(units(ranges, by="id")), variations=PARTS)
    calls = [("flag-a", context({"id": long}), "here%rule_1", {"within_ms": 50})]
    add(book, "a unit of ten thousand letters", rules, calls, requirements=["bucket-step"])


def more(book: Book) -> None:
    """A second vector for each mistake that only one of the others detects."""
    book.part(481)
    everything = [("a", 0, 10_000)]
    for salt in (" exp_1", "exp_1\t", "\u00a0exp_1 "):
        rules = one(*at(units(around(unit_bucket(salt, UNIT)), salt=salt)), variations=PARTS)
        add(book, "blanks belong to the salt", rules, [("flag-a", context(), "here%rule_1")], requirements=["bucket-seed"])
    for by in (" company", "company\t", "", "$segment"):
        rules = one(*at(units(around(unit_bucket(SALT, "c7")), by=by)), variations=PARTS, segments=[segment("c7")])
        calls = [("flag-a", context({by: "c7", by.strip(): "c8"} | {by: "c7"}), "here%rule_1"), ("flag-a", context({"other": "c7"}, user="c7"), "none")]
        add(book, f"the name of the attribute is as it is written: {by!r}", rules, calls, requirements=["context-attributes"])
    own, other = unit_bucket("layer_1", UNIT), unit_bucket("layer_2", UNIT)
    for listed, passes, why in [
        ([("layer_1", 0, own), ("layer_2", 0, 10_000)], False, "the first of two is closed"),
        ([("layer_1", 0, own), ("layer_2", 0, 10_000), ("layer_3", 0, 10_000)], False, "the first of three is closed"),
        ([("layer_1", 0, 10_000), ("layer_2", other, other), ("layer_3", 0, 10_000)], False, "the second of three is closed"),
        ([("layer_1", own - 0.4, own + 0.4)], True, "fractions around the bucket"),
        ([("layer_1", own + 0.4, own + 0.6)], False, "fractions above the bucket"),
    ]:
        rules = one(assigned(units(everything, gates=listed)), EVERYBODY)
        add(book, f"more gates: {why}", rules, [("flag-a", context(), "a%rule_1" if passes else "none")])
    for unit in ("c1", "c2", "c3"):
        inside = unit_bucket("layer_1", unit)
        rules = one(assigned(units(everything, by="company", gates=[("layer_1", inside, inside + 1)])), EVERYBODY)
        calls = [("flag-a", context({"company": unit}, user), "a%rule_1") for user in ("user-1", "user-2", ABSENT)]
        add(book, "a gate hashes the unit, not the user", rules, calls)
    for ranges, served, why in [
        ([("a", BUCKET - 0.6, BUCKET + 0.4)], "a", "from half a bucket before"),
        ([("a", BUCKET + 0.4, BUCKET + 0.9)], None, "between two buckets"),
        ([("gone", 0, 10_000), ("b", 0, 10_000), ("a", 0, 10_000)], None, "an unknown variation before two that are known"),
        ([("gone", BUCKET, BUCKET + 1), ("none", 0, 10_000)], None, "an unknown variation before the default one"),
    ]:
        rules = one(assigned(units(ranges)), EVERYBODY)
        add(book, f"more ranges: {why}", rules, [("flag-a", context(), f"{served}%rule_1" if served else "none")])
    for text in ("null", "undefined"):
        rules = one(*at(units(around(unit_bucket(SALT, text)), by="company")), variations=PARTS)
        calls = [("flag-a", context({"company": text}), "here%rule_1"), ("flag-a", context({"company": None}), "none"), ("flag-a", context({}), "none")]
        add(book, f"a missing unit has no text, and the word {text} is a unit", rules, calls, requirements=["context-attributes"])
    for rollout in ([], [("a", 0)]):
        for user in ("user-1", "user-8"):
            calls = [("flag-a", context(user=user), "a%rule_1")]
            add(book, "the ranges need no entries", one(assigned(units(everything), rollout=rollout)), calls, requirements=["rule-one-of-two"])
    whole = units(everything)
    part = _part("variation", "a", 0, 10_000)
    for name, value, why in [
        ("ranges", None, "null as ranges, beside huge entries"), ("ranges", ABSENT, "no ranges, beside huge entries"), ("ranges", "", "a string as ranges, beside huge entries"),
        ("ranges", [part, {"from": 0, "to": 1}], "a range without a variation, after one that contains the unit"),
        ("ranges", [part, {"variation": 7, "from": 0, "to": 1}], "a range whose variation is a number, after one that contains the unit"),
        ("ranges", [part, {"variation": ["a"], "from": 0, "to": 1}], "a range whose variation is an array, after one that contains the unit"),
        ("gates", [_part("salt", "layer_1", None, 10_000)], "a gate with null as from"),
        ("gates", [_part("salt", "layer_1", 0, 10_000), _part("salt", "", 0, 10_000)], "a gate with an empty salt, after an open one"),
    ]:
        broken = {key: item for key, item in whole.items() if key != name} | ({} if value is ABSENT else {name: value})
        rules = one(assigned(broken, rollout=[("a", 20_000)]), EVERYBODY)
        add(book, f"malformed: {why}", rules, [("flag-a", context(user=user), "none") for user in ("user-1", "user-8")])


def books() -> list[Book]:
    book = Book("units", "Units: revision 3 of bucketing (EV-124 to EV-134)")
    for write in (positions, boundaries, odd_ranges, gates, attributes, malformed, together, sizes, more):
        write(book)
    return [book]
