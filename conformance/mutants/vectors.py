"""Writes conformance/vectors/mutants.json and malformed-mutants.json: vectors that kill mutants which survive
the tables of conformance/authoring.

    python3 vectors.py            writes the files, if examples/python-evaluator agrees
    python3 vectors.py --check    writes nothing; fails if a file is not up to date

Run authoring/build_index.py afterwards. Ids are left free between parts, so that no vector ever changes its id.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "conformance" / "authoring"))
sys.path.insert(0, str(ROOT / "examples" / "python-evaluator"))

from harness import parse  # noqa: E402
from run_vectors import run_vector  # noqa: E402
from writing import Book, cond, context, flag, needs, rule, ruleset, segment  # noqa: E402

MINUS_ZERO = {"$number": "-0"}
THREE = [("a", "A"), ("b", "B"), ("none", "NONE")]
OTHER = dict(variations=[("on", "ON"), ("off", "OFF"), ("other", "OTHER")])


def ask(book: Book, why: str, operator: str, value, yes=(), no=(), attribute: str = "plan", **more) -> None:
    """Adds a vector with one condition, and attribute values that match and that do not; a dict holds all attributes."""
    calls = []
    for items, expected in ((yes, "on@rule_1"), (no, "off")):
        for item in items:
            calls.append(("flag-a", context(item if isinstance(item, dict) else {attribute: item}), expected))
    rules = ruleset(flag("flag-a", rule(cond(attribute, operator, value), serve="on")))
    more.setdefault("requirements", [f"operator-{operator.replace('_', '-')}"])
    book.add(why, rules, calls, **more)


def bucketing(book: Book) -> None:
    book.part(1)
    for users in (("user-1", "user-2", "user-3", "user-4"), ("anna", "bert", "carla", "dora")):
        rollout = dict(rollout=[("a", 100)], id="rule_1")
        rules = ruleset(
            flag("flag-null", rule(**rollout, bucketing=None), variations=THREE, default="none"),
            flag("flag-text", rule(**rollout, bucketing="2"), variations=THREE, default="none"),
            flag("flag-near", rule(**rollout, bucketing=2.4), variations=THREE, default="none"),
            flag("flag-half", rule(**rollout, bucketing=0.9), variations=THREE, default="none"),
            flag("flag-late", rule(**rollout, bucketing=3), variations=THREE, default="none"),
        )
        calls = [
            (key, context(user=user), served)
            for user in users
            for key, served in (
                ("flag-null", "a%rule_1"), ("flag-text", "none"), ("flag-near", "none"), ("flag-half", "none"), ("flag-late", "none"),
            )
        ]
        book.add("null is revision 1; a text, a fraction and a later revision bucket nobody", rules, calls, decision="D32", requirements=["bucket-modulo"], bucketing=2)


def serving(book: Book) -> None:
    book.part(21)
    for key in ("Flag-A", "CHECKOUT"):
        rules = ruleset(flag(key, rule(rollout=[(f"v{n}", 10) for n in range(10)]), variations=[(f"v{n}", n) for n in range(10)], default="v0"))
        users = ("u", "u1", "u-2", "us-3", "use-4", "user-5", "users-6", "user-id-7")
        book.add("the hash takes the flag's key as it is written", rules, [(key, context(user=user), f"v{bucket_of(key, user) // 10}%rule_1") for user in users], decision="D07", requirements=["bucket-step"])
    for first, second in ((1, 1), (-3, -3)):
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve="a", priority=first),
                rule(cond("plan", "is", "pro"), cond("age", "gt", 17), serve="b", id="rule_2", priority=second),
                variations=THREE, default="none",
            )
        )
        book.add("among equal priorities the first listed one is tried first, however many conditions the others have", rules, [("flag-a", context({"plan": "pro", "age": 30}), "a@rule_1"), ("flag-a", context({"plan": "team", "age": 30}), "none")], decision="D20", requirements=["rule-priority"])
    rules = ruleset(
        flag("flag-a", rule(serve="a", rollout=[]), rule(serve="b", id="rule_2", priority=2), variations=THREE, default="none"),
        flag("flag-b", rule(rollout=[]), rule(serve="b", id="rule_2", priority=2), variations=THREE, default="none"),
    )
    book.add("an empty rollout is a rollout: it serves nobody, whatever the variation says", rules, [("flag-a", context(), "none"), ("flag-b", context(), "none")], decision="D26", requirements=["rule-one-of-two"])
    rules = ruleset(flag("flag-a", rule(cond("plan", "is", "pro"), serve=""), variations=[("", "EMPTY"), ("off", "OFF")]))
    book.add("the empty text is a variation's key", rules, [("flag-a", context({"plan": "pro"}), "@rule_1"), ("flag-a", context(), "off")], requirements=["rule-variation", "variation-key"])
    rules = ruleset(flag("flag-a", rule(serve="on")), flag(" flag-b ", rule(serve="on")))
    book.add("a flag's key has the blanks that it has", rules, [("flag-a", context(), "on@rule_1"), (" flag-a", context(), "-"), ("flag-a ", context(), "-"), ("flag-a\n", context(), "-"), (" flag-b ", context(), "on@rule_1"), ("flag-b", context(), "-")], decision="D07", requirements=["reason-flag-not-found"])


def contexts(book: Book) -> None:
    book.part(41)
    for value in (["pro", "team"], "pro", [["pro"], True]):
        rules = ruleset(
            flag("flag-first", rule(cond("0", "is_not", "team"), serve="on")),
            flag("flag-length", rule(cond("length", "gt", 0), serve="on")),
        )
        calls = [("flag-first", {"user_key": "user-1", "attributes": value}, "off"), ("flag-length", {"user_key": "user-1", "attributes": value}, "off"), ("flag-first", context({"0": "pro"}), "on@rule_1"), ("flag-length", context({"length": 2}), "on@rule_1")]
        book.add("attributes that are a list or a string count as empty: neither an index nor length is an attribute", rules, calls, decision="D33", requirements=["context-attributes"])
    for value in ("pro", "team"):
        rules = ruleset(flag("flag-a", rule(cond("__proto__", "is", value), serve="on")), flag("flag-b", rule(cond("__proto__", "is_not", value), serve="on")))
        book.add("an attribute of the context may be named __proto__", rules, [("flag-a", context({"__proto__": value}), "on@rule_1"), ("flag-b", context({"__proto__": value}), "off"), ("flag-b", context({"__proto__": "other"}), "on@rule_1"), ("flag-b", context({}), "off")], decision="D21", requirements=["context-attributes"])
    for operator, value, yes, no in (("is", "pro", "pro", "free"), ("contains", "r", "pro", "free-")):
        ask(book, "a dotted name is literal, even if the path also exists", operator, value, [{"plan.name": yes, "plan": {"name": "x"}}], [{"plan.name": "x", "plan": {"name": yes}}, {"plan": {"name": yes}}], attribute="plan.name", decision="D23")
    for name in ("Plan", "pLaN"):
        ask(book, "an attribute's name is compared exactly", "is", "pro", [{name: "pro"}], [{"plan": "pro"}, {name.lower(): "pro", name.upper(): "pro"}], attribute=name, decision="D07")
    for name in ("userKey", "key"):
        ask(book, "only user_key is the user's key", "is", "user-1", [{name: "user-1"}], [{}, {"user_key": "user-1"}], attribute=name, decision="D22")
    rules = ruleset(flag("flag-a", rule(cond("user_key", "is", "user-1"), serve="on"), **OTHER), flag("flag-b", rule(cond("user_key", "is_not", "user-1"), serve="on"), **OTHER))
    calls = []
    for own, a, b in (("user-2", "off", "on@rule_1"), (None, "off", "off"), ("user-1", "on@rule_1", "off"), (7, "off", "on@rule_1"), ([], "off", "on@rule_1"), ({}, "off", "off")):
        calls += [("flag-a", context({"user_key": own}), a), ("flag-b", context({"user_key": own}), b)]
    for user in ("user-1", "user-9"):
        mine = [(key, {**given, "user_key": user}, served) for key, given, served in calls]
        book.add("an attribute named user_key takes precedence over the context's, even if it is null", rules, mine, decision="D22", requirements=["context-user-key"])
    for user in ("user-1", "eva"):
        rules = ruleset(
            flag("flag-a", rule(cond("$segment", "is", "testers"), serve="on")),
            segments=[segment("testers", cond("user_key", "is", user))],
        )
        book.add("a segment may use the user key", rules, [("flag-a", context(user=user), "on@rule_1"), ("flag-a", context(user="nobody"), "off"), ("flag-a", {}, "off")], decision="D22", requirements=["segment-conditions"])


def texts(book: Book) -> None:
    book.part(81)
    for operator in ("one_of", "is"):
        wrap = (lambda item: [item]) if operator == "one_of" else (lambda item: item)
        ask(book, "spaces around a string belong to it", operator, wrap(" pro "), [" pro "], ["pro", " pro", "pro ", "\tpro\t"], decision="D07")
        ask(book, "a comma in a string separates nothing", operator, wrap("pro,team"), ["pro,team"], ["pro", "team", ["pro", "team"]], decision="D07")
        ask(book, "a star is a star", operator, wrap("*"), ["*", ["*"]], ["pro", "", "**"], decision="D07")
        ask(book, "a star is a star, not any text", f"not_{operator}" if operator == "one_of" else "is_not", wrap("*"), ["pro", "", "**"], ["*"], decision="D07")
        ask(book, "a text does not end at U+0000", operator, wrap("pro\0"), ["pro\0"], ["pro", "pro\0team", "\0pro"], decision="D07")
    # Two shortest decimals are equally near the number; the one with the even last digit is its text.
    for exact, even, odd in ((2100073255172743.25, "2100073255172743.2", "2100073255172743.3"), (1330263339937811.25, "1330263339937811.2", "1330263339937811.3"), (-750190288551581.25, "-750190288551581.2", "-750190288551581.3")):
        ask(book, "of two shortest decimals that are equally near, the even one is the number's text", "is", even, [exact, even], [odd], decision="D03")
    for operator, yes, no in (("gt", [0.5, "1e-300"], [0, MINUS_ZERO, "0", "-0", -1]), ("lt", [-0.5, "-1e-300"], [0, MINUS_ZERO, "0", "-0", 1])):
        ask(book, "zero and negative zero are equal", operator, MINUS_ZERO, yes, no, decision="D06")
    rules = ruleset(flag("flag-a", rule(serve="on"), prerequisites=needs(("flag-z", "ON"))), flag("flag-b", rule(serve="on"), prerequisites=needs(("flag-z", "on "))), flag("flag-c", rule(serve="on"), prerequisites=needs(("flag-z", "on"))), flag("flag-z", rule(serve="on")))
    book.add("the variation of a prerequisite is compared exactly", rules, [("flag-a", context(), "off!prerequisite"), ("flag-b", context(), "off!prerequisite"), ("flag-c", context(), "on@rule_1")], decision="D30", requirements=["reason-prerequisite"])


def versions(book: Book) -> None:
    book.part(121)
    for bound in ("1.0.0", "v0.9"):
        above = ["1.0.1", "v1.0.1", "V1.0.1", "1.0.1+a", "1.0.1+a.b", "1.0.1+001", "1.0.1+0.00.a-b", "1.0.1-a+b.c.d"]
        no = ["vv1.0.1", "=1.0.1", "v=1.0.1", "v v1.0.1", "1.0.1+", "1.0.1+a.", "1.0.1+a..b", "1.0.1+a+b", "1.0.1+a_b"]
        ask(book, "build metadata is identifiers with dots between, leading zeros allowed; only one v may come before", "version_gt", bound, above, no, decision="D13")


def defaults(book: Book) -> None:
    book.part(141)
    whole = flag("flag-a", rule(serve="on"))
    for default in ("OFF", "Off", "gone"):
        rules = ruleset(flag("flag-a", rule(serve="on"), default=default), whole)
        book.add("a flag whose default names none of its variations does not hide an intact flag with the same key", rules, [("flag-a", context(), "on@rule_1")], decision="D33", requirements=["flag-default-variation"])


def malformed(book: Book) -> None:
    whole = flag("flag-a", rule(serve="on"))
    book.part(1)
    for conditions in (None, "absent"):
        first = rule(serve="on")
        first["conditions"] = conditions
        if conditions == "absent":
            del first["conditions"]
        rules = ruleset(flag("flag-a", first), flag("flag-b", first), whole, flag("flag-z", rule(serve="on")))
        book.add("a rule without conditions breaks its flag, which does not hide another with the same key", rules, [("flag-a", context(), "on@rule_1"), ("flag-b", context(), "-"), ("flag-z", context(), "on@rule_1")], decision="D33", requirements=["rule-conditions"])
    for key, flag_key in ((None, "null"), (0, "0")):
        nameless = {name: value for name, value in whole.items() if name != "key"}
        rules = ruleset(whole | {"key": key}, nameless, flag("flag-z", rule(serve="on")))
        book.add("a key that is not a string names no flag", rules, [(flag_key, context(), "-"), ("undefined", context(), "-"), ("flag-z", context(), "on@rule_1")], decision="D33", requirements=["reason-flag-not-found"])


def pattern(book: Book, why: str, source: str, yes=(), no=(), **more) -> None:
    ask(book, why, "matches_regex", source, yes, no, attribute="text", requirements=["operator-matches-regex"], **{"decision": "D11", **more})


def patterns(book: Book) -> None:
    book.part(161)
    outside = [
        ("\\v", ["\v", "v", "\\v"]), ("[\\v]", ["\v", "v"]), ("\\a", ["\a", "a", "\\a"]), ("[\\a]", ["\a", "a"]),
        ("\\-", ["-", "\\-"]), ("[\\S]", ["a", "\\"]), ("[^\\S]", [" ", "a"]),
        ("(?)a", ["a", "(?)a"]), ("(?x)a", ["a", "x"]), ("(?iu)a", ["a", "u"]), ("(?m)", ["", "m", "(?m)"]), ("(?s)", ["", "s"]),
        ("[a||b]", ["a", "|", "b"]), ("[^||]", ["a", "|"]), ("[]", ["", "[]", "]"]), ("a[]b", ["ab", "a[]b"]), ("[^]", ["a", ""]),
        ("a{01}", ["a", "a{01}"]), ("a{1,02}", ["a", "aa"]), ("a{1, 2}", ["a", "aa", "a{1, 2}"]), ("a{ 1}", ["a", "a{ 1}"]), ("a{1 }", ["a"]),
        ("a{1001,}", ["a" * 1001]), ("(?:a|b){1001,}", ["ab" * 501]),
    ]
    for source, texts in outside:
        pattern(book, "outside the dialect", source, no=texts)
    pattern(book, "the empty pattern is outside the dialect", "", no=["", "a"])
    book.part(201)
    astral = "\U0001f600"
    pattern(book, "512 code points, many of them beyond the basic plane", astral * 512, [astral * 512, "x" + astral * 513], [astral * 511])
    pattern(book, "513 code points, flags included", "(?i)" + "a" * 509, no=["a" * 509])
    pattern(book, "512 code points, flags included", "(?i)" + "a" * 508, ["A" * 508], ["a" * 507])
    for code in (0, 0x2028, 0x2029, 0x85, 0x0D):
        pattern(book, f"a dot and a negated class take U+{code:04X}", "^.[^x].$", [chr(code) * 3], ["\n" + chr(code) * 2, chr(code) * 2 + "\n"])
    pattern(book, "a negated class takes a newline", "^a[^b]c$", ["a\nc"], ["abc", "ac"])
    pattern(book, "a range of one code point", "^[a-a\\--\\-]+$", ["a-a"], ["b", ","])
    for source, yes, no in (("^a{1,3}$", ["a", "aa", "aaa"], ["", "aaaa"]), ("^(?:ab){0,4}c$", ["c", "abc", "ababc", "abababc", "ababababc"], ["abababababc", "ac"]), ("^[0-9]{2,5}$", ["12", "123", "1234", "12345"], ["1", "123456"])):
        pattern(book, "every number of copies between the two", source, yes, no)
    long = "x" + "a" * 110
    for source, counted in (("(?:(?:\\B){100}a){99}", "9,999"), ("(?:\\B(?:\\B){99}a){99}", "9,999")):
        pattern(book, f"assertions count as states: {counted}", source, [long], ["x" + "a" * 90])
    for source, counted in (("(?:(?:\\B){100}a){100}", "10,100"), ("(?:(?:^|\\B){50}a){100}", "10,100"), ("(?:\\B\\B){5000}a", "10,001")):
        pattern(book, f"assertions count as states: {counted}", source, no=[long])


def many_rules(book: Book) -> None:
    """Flags with many rules on few attributes, for which an implementation may use an index of values."""
    book.part(241)
    for default in ("none", "b"):
        variations = [("a", "A"), ("b", "B"), ("none", "NONE")]
        plan = [
            rule(cond("plan", "is", "pro"), cond("plan", "is_not", "pro"), serve="a", id="rule_0"),
            rule(cond("plan", "is", "pro"), cond("$segment", "is", "testers"), serve="a", id="rule_1"),
            rule(cond("plan", "one_of", ["team", 7, True, None]), serve="a", id="rule_2"),
            rule(cond("$segment", "one_of", ["testers", "nowhere"]), serve="b", id="rule_3"),
            rule(cond("plan", "is", 8), serve="a", id="rule_4"),
            rule(cond("plan", "not_one_of", ["x", "pro", "free", 9]), cond("plan", "is_not", "gold"), serve="a", id="rule_5"),
            rule(cond("plan", "is", "x"), cond("plan", "one_of", ["y", "x"]), serve="a", id="rule_6"),
            rule(cond("plan", "is_not", "free"), cond("plan", "is_not", "pro"), serve="a", id="rule_7"),
            rule(cond("plan", "contains", "e"), serve="a", id="rule_8"),
            rule(cond("plan", "is", "pro"), serve="a", id="rule_9"),
        ]
        rules = ruleset(flag("flag-a", *plan, variations=variations, default=default), segments=[segment("testers", cond("group", "is", "test"))])
        served = [
            ("pro", "a@rule_9"), ("team", "a@rule_2"), (7, "a@rule_2"), ("7", "a@rule_2"), (True, "a@rule_2"), ("true", "a@rule_2"), (8, "a@rule_4"), ("8", "a@rule_4"),
            ("free", "a@rule_8"), ("x", "a@rule_6"), ("gold", "a@rule_7"), ("other", "a@rule_5"), (False, "a@rule_5"), (9, "a@rule_7"), ("9", "a@rule_7"), (None, default), ({}, default),
            (["team", "x"], "a@rule_2"), (["x", "free"], "a@rule_6"), (["free"], "a@rule_8"), (["pro", "free"], "a@rule_8"), (["pro", "x"], "a@rule_6"), ([], "a@rule_5"), (["y"], "a@rule_5"), (["y", "pro"], "a@rule_9"),
        ]
        calls = [("flag-a", context({"plan": value}), expected) for value, expected in served]
        calls += [("flag-a", context({"plan": "pro", "group": "test"}), "a@rule_1"), ("flag-a", context({"plan": "free", "group": "test"}), "b@rule_3"), ("flag-a", context({"group": "test"}), "b@rule_3"), ("flag-a", context(), default)]
        book.add("ten rules on one attribute, negative ones, numbers and segments among them", rules, calls, requirements=["eval-first-match", "eval-and"])
    for users in (("user-1", "user-2"), ("anna", "bert")):
        one, two = users
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("user_key", "is", one), cond("plan", "is", "pro"), serve="a", id="rule_1"),
                rule(cond("user_key", "one_of", ["x", "y", two]), serve="a", id="rule_2"),
                *(rule(cond("user_key", "is", f"other-{n}"), serve="b", id=f"rule_o{n}") for n in range(6)),
                rule(cond("user_key", "is_not", one), cond("plan", "is_not", "pro"), serve="b", id="rule_3"),
                rule(cond("plan", "one_of", ["team", "pro"]), serve="b", id="rule_4"),
                variations=THREE, default="none",
            )
        )
        given = [({"plan": "pro"}, one, "a@rule_1"), ({"plan": "team"}, one, "b@rule_4"), ({"plan": "free"}, one, "none"), ({}, one, "none"), ({}, two, "a@rule_2"), ({"user_key": "y"}, one, "a@rule_2"), ({"user_key": None}, two, "none"), ({"user_key": ["y", "z"]}, one, "a@rule_2"), ({"user_key": ["z"], "plan": "free"}, one, "b@rule_3"), ({}, "other-5", "b@rule_o5"), ({"plan": "free"}, "someone", "b@rule_3"), ({"plan": "pro"}, "someone", "b@rule_4"), ({"plan": ["free", "pro"]}, "someone", "b@rule_4"), ({"plan": ["free"]}, "someone", "b@rule_3")]
        book.add("ten rules on the user's key and another attribute", rules, [("flag-a", context(attributes, user), expected) for attributes, user, expected in given], decision="D22", requirements=["eval-first-match"])
    for count in (32, 33, 64, 70):
        listed = [rule(cond("plan", "is", f"p{n}"), cond("age", "gt", n), serve="a", id=f"rule_{n}") for n in range(count)]
        listed += [rule(cond("plan", "one_of", ["p3", f"p{count - 1}", "p40"]), serve="b", id="rule_last")]
        rules = ruleset(flag("flag-a", *listed, variations=THREE, default="none"))
        calls = []
        for n in (0, 3, 30, 31, 32, 33, 40, 63, 64, count - 1):
            is_listed = n in (3, 40, count - 1)
            for age in (n, n + 1):
                expected = f"a@rule_{n}" if n < count and age > n else "b@rule_last" if is_listed else "none"
                calls.append(("flag-a", context({"plan": f"p{n}", "age": age}), expected))
        calls += [("flag-a", context({"plan": ["p31", "p2"], "age": 40}), "a@rule_2"), ("flag-a", context({"plan": ["p31", "x"], "age": 40}), "a@rule_31"), ("flag-a", context({"plan": ["x"], "age": 40}), "none"), ("flag-a", context({"plan": "x"}), "none"), ("flag-a", context({}), "none")]
        book.add(f"{count + 1} rules", rules, calls, requirements=["eval-first-match"])
    book.part(261)
    for mark in ("x", "gold"):
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "one_of", ["pro", "team", mark]), cond("plan", "is_not", mark), serve="a", id="rule_1"),
                rule(cond("plan", "is", mark), cond("plan", "not_one_of", ["pro", mark]), serve="a", id="rule_2"),
                rule(cond("plan", "not_one_of", ["pro", "free"]), cond("plan", "is", mark), serve="b", id="rule_3"),
                rule(cond("plan", "is_not", "free"), cond("plan", "is_not", "basic"), serve="b", id="rule_4"),
                rule(cond("plan", "is", "free"), serve="a", id="rule_5"),
                variations=THREE, default="none",
            )
        )
        given = [("pro", "a@rule_1"), ("team", "a@rule_1"), (mark, "b@rule_3"), ("free", "a@rule_5"), ("basic", "none"), ("other", "b@rule_4"), (["pro", mark], "b@rule_4"), (["team", "free"], "a@rule_1"), (None, "none")]
        book.add("positive and negative conditions on one attribute", rules, [("flag-a", context({"plan": value}), expected) for value, expected in given], requirements=["eval-and", "operator-is-not"])


def prerequisites(book: Book) -> None:
    """Chains that are evaluated for several users: a result for one user must not be reused for another."""
    book.part(281)
    for wanted, plans in (("on", ("pro", "free", "pro")), ("on", ("free", "pro", "free"))):
        rules = ruleset(
            flag("flag-a", default="on", prerequisites=needs(("flag-b", wanted))),
            flag("flag-b", default="on", prerequisites=needs(("flag-c", wanted))),
            flag("flag-c", rule(cond("plan", "is", "pro"), serve="on")),
        )
        calls = [("flag-a", context({"plan": plan}), "on" if plan == "pro" else "on!prerequisite") for plan in plans]
        book.add("a chain of prerequisites, for one user after another", rules, calls, decision="D30", requirements=["eval-deterministic"])


def bucket_of(flag_key: str, user_key: str) -> int:
    """Computes the bucket as the specification defines it, without code of an evaluator."""
    hash = 5381
    for character in f"{flag_key}:{user_key}":
        hash = ((hash << 5) + hash + ord(character)) & 0xFFFFFFFF
    return hash % 100


def books() -> list[Book]:
    mutants = Book("mutants", "Vectors that kill further mutants")
    for part in (bucketing, serving, contexts, texts, versions, defaults, patterns, many_rules, prerequisites):
        part(mutants)
    broken = Book("malformed-mutants", "Broken rulesets that kill further mutants")
    malformed(broken)
    return [mutants, broken]


def main() -> int:
    wrong = 0
    for book in books():
        text = book.dump()
        failures = [failure for vector in parse(text)["vectors"] for failure in run_vector(vector)]
        print("".join(f"disagrees: {failure}\n" for failure in failures), end="")
        path = ROOT / "conformance" / "vectors" / f"{book.category}.json"
        changed = not path.exists() or path.read_text(encoding="utf-8") != text
        if "--check" in sys.argv:
            print(f"{path.name} is not what the table says\n" if changed else "", end="")
            wrong += changed
        elif not failures:
            path.write_text(text, encoding="utf-8")
        wrong += len(failures)
        print(f"{path.name}: {len(book.vectors)} vectors, {len(text):,} characters")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
