"""Values of variations: evaluation returns them unchanged."""

from writing import MINUS_ZERO, Book, cond, context, flag, rule, ruleset


def _nested(depth: int) -> object:
    return "leaf" if depth == 0 else {"next": [_nested(depth - 1)]}


VALUES = [
    (True, False, "booleans"),
    ("", "x", "the empty text"),
    ("0", "1", "digits as text stay text"),
    ("false", "true", "the words for booleans stay text"),
    ("null", "x", "the word null stays text"),
    (" padded ", "padded", "blanks are kept"),
    ("line\nbreak\ttab", "x", "control characters are kept"),
    ("é", "e\u0301", "composed and decomposed letters stay apart"),
    ("東京", "京都", "ideographs"),
    ("\U0001f600", "\U0001f601", "beyond the basic plane"),
    ("\\ \" / \b\f", "x", "characters that JSON escapes"),
    ("x" * 300, "y" * 300, "long texts"),
    ("<b>&amp;</b>", "x", "markup"),
    ("{\"a\":1}", "[1]", "JSON in a text is not parsed"),
    ("2026-01-01T00:00:00Z", "x", "a date stays text"),
    (0, 1, "zero"),
    (-1, -2, "negative integers"),
    (0.1, 0.2, "fractions"),
    (1.0, 2.5, "a whole number"),
    (2147483647, -2147483648, "32 bits"),
    (4294967296, 4294967295, "beyond 32 bits"),
    (9007199254740991, -9007199254740991, "the safe integers' ends"),
    (1e21, 1e-7, "numbers that are written with an exponent"),
    (1e308, -1e308, "near the ends of binary64"),
    (5e-324, 2.2250738585072014e-308, "the smallest numbers"),
    (3.141592653589793, 2.718281828459045, "seventeen digits"),
    ({}, {"a": 1}, "the empty object"),
    ([], [1], "the empty array"),
    ({"a": {"b": {"c": [1, 2, {"d": None}]}}}, {"a": None}, "nested objects"),
    ([[], [[]], [[[]]]], [[]], "nested arrays"),
    ([1, "1", True, None, {}], [1], "an array of everything"),
    ({"": 0, " ": 1, "a.b": 2}, {"x": 0}, "odd member names"),
    ({"constructor": 1, "toString": 2, "__proto__": 3}, {"x": 0}, "hostile member names"),
    (
        {"value": 1, "reason": "DEFAULT", "rule_id": "x", "variation_key": "y"},
        {"key": "on"},
        "a value that looks like a result",
    ),
    (
        {"colors": ["#fff", "#000"], "limit": 10, "beta": False},
        {"colors": [], "limit": 0, "beta": True},
        "a configuration",
    ),
    (None, {"a": 1}, "null is a value"),
    (False, None, "false and null are apart"),
    (0, None, "zero and null are apart"),
    ("", None, "the empty text and null are apart"),
    (0, False, "zero and false are apart"),
    (0, "", "zero and the empty text are apart"),
    (1, True, "one and true are apart"),
    ({}, [], "an object and an array are apart"),
    ({"type": "number", "$ref": "#/x"}, {"type": "text"}, "a value with a dollar sign in it"),
    (False, True, "booleans, the other way round"),
    ("off", "on", "texts that look like variations"),
    ("1.0", "1", "versions and numbers as text are not shortened"),
    ("NaN", "Infinity", "the words for odd numbers stay text"),
    ("undefined", "", "the word undefined stays text"),
    ("a\u0000b", "a", "the code zero does not end a text"),
    ("\u2028\u2029", "\n", "separators of lines and paragraphs"),
    ("\ufeffx", "x", "a byte order mark is kept"),
    ("\u202eabc", "abc", "a mark for direction is kept"),
    ("\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469", "joined emoji"),
    ("\U0010ffff", "\uffff", "the last code points"),
    ("é" * 1000, "é" * 999, "a thousand letters beyond ASCII"),
    ("\u05e9\u05dc\u05d5\u05dd", "\u0633\u0644\u0627\u0645", "texts from right to left"),
    ("https://example.com/?a=1&b=%20#c", "x", "an address"),
    ("$1 $& {{x}} ${x} %s", "x", "nothing is filled in"),
    (MINUS_ZERO, 1, "negative zero is zero"),
    (0.30000000000000004, 0.3, "neighbours of three tenths"),
    (1.0000000000000002, 1, "the neighbour of one"),
    (9007199254740993, 9007199254740991, "an integer beyond 2^53 is the nearest number"),
    (-2147483649, 2147483648, "just beyond 32 bits"),
    (-0.5, -1.5, "negative fractions"),
    (1e-320, 2e-320, "numbers without full precision"),
    (123456789.123456789, 0.000001, "many digits"),
    (1e15, 1e16, "where a text would get an exponent in some languages"),
    (100, 1e2, "one number, written in two ways"),
    ([False, 0, "", None, [], {}], [True], "an array of nothings"),
    ([1, 2, 3], [3, 2, 1], "the order of an array counts"),
    ([[1, 2], [3]], [[1], [2, 3]], "where inner arrays end counts"),
    ({"a": 1, "b": 2}, {"a": 2, "b": 1}, "which member has which value"),
    ({"a": {"a": {"a": {}}}}, {"a": {"a": {}}}, "names that repeat at each depth"),
    ({"1": "one", "0": "zero", "-1": "minus"}, {"1": "one"}, "members whose names are numbers"),
    ({"\u00e9": 1, "e\u0301": 2}, {"\u00e9": 2}, "members whose names look alike"),
    ({"\U0001f600": [None]}, {}, "a member beyond the basic plane"),
    ({f"member-{place}": place for place in range(200)}, {"member-0": 0}, "two hundred members"),
    (list(range(300)), [0], "three hundred items"),
    (_nested(40), _nested(39), "forty levels"),
]


def books() -> list[Book]:
    book = Book("values", "Values of variations")
    for first, second, why in VALUES:
        variations = [("first", first), ("second", second)]
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("plan", "is", "pro"), serve="first"),
                rule(cond("plan", "is", "team"), rollout=[("first", 100)], id="rule_2", priority=2),
                variations=variations,
                default="second",
            ),
            flag("flag-b", variations=variations, default="first", enabled=False),
        )
        calls = [
            ("flag-a", context({"plan": "pro"}), "first@rule_1"),
            ("flag-a", context({"plan": "team"}), "first%rule_2"),
            ("flag-a", context({}), "second"),
            ("flag-b", context(), "first!disabled"),
        ]
        book.add(why, rules, calls, requirements=["result-value", "variation-value"])
    return [book]
