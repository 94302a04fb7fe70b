"""Attributes: missing ones, texts, numbers, arrays and their names (EV-54 to EV-80)."""

from writing import ABSENT, INF, MINUS_INF, MINUS_ZERO, MISSING, NAN, YES_NO, Book, cond, context, flag, rule, ruleset

POSITIVE = {
    "is": "1.0.0", "contains": "1", "one_of": ["1.0.0"], "gt": 0, "lt": 9, "matches_regex": "", "version_gt": "0.1.0",
    "version_lt": "9.0.0",
}
POSITIVE["matches_regex"] = "^.*$"
NEGATIVE = {"is_not": "1.0.0", "not_contains": "1", "not_one_of": ["1.0.0"]}
EVERY = POSITIVE | NEGATIVE
YES = {
    "is": "1.0.0", "contains": "1", "one_of": "1.0.0", "gt": 1, "lt": 1, "matches_regex": "x", "version_gt": "1.0.0",
    "version_lt": "1.0.0", "is_not": "x", "not_contains": "x", "not_one_of": "x",
}
NO_SCALARS = [{}, {"a": 1}, {"value": "1.0.0"}, {"0": "1.0.0", "length": 1}]
NOT_FINITE = [(NAN, "NaN"), (INF, "infinity"), (MINUS_INF, "minus infinity")]


def missing(book: Book) -> None:
    for first, operators, decision in ((1, POSITIVE, "D01"), (51, NEGATIVE, "D02")):
        book.part(first)
        for operator, value in operators.items():
            book.condition(
                f"{operator}, and the attribute is absent or null", operator, value, [YES[operator]],
                [MISSING, None, ABSENT], decision=decision, attribute="app",
            )
            book.condition(
                f"{operator}, and the attribute is an object", operator, value, [YES[operator]], NO_SCALARS,
                decision=decision, attribute="app",
            )
    book.part(101)
    for operator, value in EVERY.items():
        decision = "D02" if operator in NEGATIVE else "D01"
        rules = ruleset(flag("flag-a", rule(cond("app", operator, value), serve="on")))
        given = [
            context(), {"user_key": "user-1", "attributes": None}, {"attributes": {}}, {},
            context({"App": YES[operator]}), context({"app ": YES[operator]}), context({"": YES[operator]}),
        ]
        calls = [("flag-a", item, "off") for item in given] + [("flag-a", context({"app": YES[operator]}), "on@rule_1")]
        book.add(
            f"{operator}: no attributes, or only other ones",
            rules,
            calls,
            decision=decision,
            requirements=[f"operator-{operator.replace('_', '-')}"],
        )
    book.part(121)
    for operator in NEGATIVE:
        given = [{"$absent": True}, None, {"$inherited": {"app": "x"}}]
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("app", operator, NEGATIVE[operator]), serve="on"),
                rule(serve="other", id="rule_2", priority=2),
                variations=[("on", 1), ("off", 0), ("other", 2)],
            )
        )
        calls = [
            ("flag-a", context({"app": given[0]}), "other@rule_2"),
            ("flag-a", context({"app": None}), "other@rule_2"),
            ("flag-a", context(given[2]), "other@rule_2"),
            ("flag-a", context({"app": "x"}), "on@rule_1"),
        ]
        book.add(
            f"{operator}: undefined, null and inherited attributes are missing; the next rule is tried",
            rules,
            calls,
            decision="D02",
            requirements=["eval-first-match"],
        )
    rules = ruleset(flag("flag-a", rule(cond("country", "is_not", "DE"), cond("plan", "is", "pro"), serve="on")))
    calls = [
        ("flag-a", context({"country": country, "plan": "pro"}), "on@rule_1" if country == "FR" else "off")
        for country in ("FR", "DE", None)
    ]
    book.add(
        "is_not does not match an unknown country",
        rules,
        calls + [("flag-a", context({"plan": "pro"}), "off")],
        decision="D02",
        requirements=["operator-is-not"],
    )


# (value as number or boolean, its text, other texts, why)
AS_TEXT = [
    (True, "true", ["True", "1", "yes"], "true"),
    (False, "false", ["False", "0", ""], "false"),
    (0, "0", ["0.0", "-0", "", "false"], "zero"),
    (1, "1", ["1.0", "01", "true"], "one"),
    (-1, "-1", ["1", "- 1"], "minus one"),
    (MINUS_ZERO, "0", ["-0"], "negative zero"),
    (1.5, "1.5", ["1,5", "1.50"], "a fraction"),
    (0.1, "0.1", [".1", "0.10"], "a tenth"),
    (100, "100", ["1e2", "100.0"], "hundred"),
    (1e3, "1000", ["1e3", "1e+3"], "a thousand, written with an exponent"),
    (1e20, "100000000000000000000", ["1e20", "1e+20"], "ten to the 20th"),
    (1e21, "1e+21", ["1e21", "1000000000000000000000"], "ten to the 21st"),
    (1.5e21, "1.5e+21", ["1.5e21"], "beyond ten to the 21st"),
    (123456789012345680000, "123456789012345680000", ["1.2345678901234568e+20"], "21 digits"),
    (1e-6, "0.000001", ["1e-6"], "a millionth"),
    (1e-7, "1e-7", ["0.0000001", "1e-07"], "a ten-millionth"),
    (1.25e-7, "1.25e-7", ["1.25e-07"], "digits and a negative exponent"),
    (0.1 + 0.2, "0.30000000000000004", ["0.3"], "a sum of tenths"),
    (1 / 3, "0.3333333333333333", ["0.33333333333333331"], "a third: the shortest digits"),
    (9007199254740991, "9007199254740991", ["9007199254740992"], "the largest safe integer"),
    (9007199254740993, "9007199254740992", ["9007199254740993"], "beyond 2^53 the text is that of the nearest number"),
    (12345678901234567890, "12345678901234567000", ["12345678901234567890"], "twenty digits"),
    (5e-324, "5e-324", ["4.9406564584124654e-324"], "the smallest number"),
    (1.7976931348623157e308, "1.7976931348623157e+308", ["1.7976931348623157e308"], "the largest number"),
    (-1e21, "-1e+21", ["-1e21"], "a large negative number"),
    (-1e-7, "-1e-7", ["-1e-07"], "a small negative number"),
    (4.35, "4.35", ["4.3499999999999996"], "a fraction that binary cannot hold"),
    (2**53, "9007199254740992", ["9.007199254740992e+15"], "2^53"),
    (1e16, "10000000000000000", ["1e16", "1e+16"], "ten to the 16th: no exponent yet"),
    (0.00001, "0.00001", ["1e-05", "1e-5"], "a hundred-thousandth: no exponent yet"),
    (1e100, "1e+100", ["1e100"], "ten to the hundredth"),
    (1.0, "1", ["1.0"], "a whole number written with a point"),
    (1.5e-6, "0.0000015", ["1.5e-6", "1.5e-06"], "a few millionths: no exponent yet"),
    (2.5e21, "2.5e+21", ["2.5e21", "2500000000000000000000"], "two digits and an exponent"),
]


def texts(book: Book) -> None:
    book.part(1)
    for value, text, others, why in AS_TEXT:
        rules = ruleset(
            flag(
                "flag-text",
                rule(cond("a", "is", text), serve="yes"),
                rule(cond("a", "is_not", text), serve="no", id="rule_2", priority=2),
                variations=YES_NO,
                default="neither",
            ),
            flag(
                "flag-value",
                rule(cond("a", "one_of", ["x", value]), serve="yes"),
                rule(cond("a", "not_one_of", ["x", value]), serve="no", id="rule_2", priority=2),
                variations=YES_NO,
                default="neither",
            ),
        )
        calls = [
            ("flag-text", context({"a": value}), "yes@rule_1"),
            ("flag-value", context({"a": value}), "yes@rule_1"),
            ("flag-value", context({"a": text}), "yes@rule_1"),
        ]
        calls += [(key, context({"a": other}), "no@rule_2") for other in others for key in ("flag-text", "flag-value")]
        book.add(
            f"as text: {why}",
            rules,
            calls,
            decision="D03",
            requirements=["operator-is", "operator-is-not", "operator-one-of", "operator-not-one-of"],
        )
    book.part(51)
    for operator, value, yes, no, why in [
        ("contains", "5", [15, 0.5, 1.05e21, "5"], [1, True, 0.1], "digits in a number's text"),
        ("contains", 5, [15, "x5", 5], [1, "x", False], "a number as needle"),
        ("contains", "ru", [True, "ruby"], [False, 1], "letters in a boolean's text"),
        ("contains", True, ["is true", True], ["True", False, 1], "a boolean as needle"),
        ("contains", "e+", [1e21, 1e300], [1e20, 1], "an exponent"),
        ("contains", ".", [1.5, 0.1], [1.0, 2, 1e21], "a decimal point"),
        ("contains", "-", [-1, 1e-7], [1, 0.001, MINUS_ZERO], "a sign"),
        ("not_contains", "5", [1, True, 0.1], [15, 0.5, "5"], "no such digit"),
        ("not_contains", False, [True, "x", 0], [False, "it is false"], "a boolean that is not there"),
        ("one_of", [1, 2.5, True], ["1", 1, "2.5", "true", True], ["1.0", "True", 2, False], "a list of scalars"),
        ("one_of", ["1", "true"], [1, True, "1"], [False, 0, "TRUE"], "a list of strings, tested with scalars"),
        ("one_of", [1e21, 1e-7], ["1e+21", 1e21, "1e-7"], ["1e21", 1, "1e-07"], "numbers whose text has an exponent"),
        ("one_of", [0], [0, "0", MINUS_ZERO], [False, "", None], "zero in a list"),
        ("one_of", [MINUS_ZERO], [0, "0"], ["-0", False], "negative zero in a list"),
        ("not_one_of", [1, True], ["x", 2, False], [1, "1", True, "true"], "not in a list of scalars"),
        ("is_not", 1, ["x", 2, True, "1.0"], [1, "1", 1.0], "a number under is_not"),
        ("is_not", False, [True, 0, "", "False"], [False, "false"], "a boolean under is_not"),
        ("is", 1.0, [1, "1"], ["1.0", True], "a whole number"),
        ("matches_regex", "^\\d+$", [15, 0, "7", 9007199254740993], [1.5, -1, True, 1e21], "a pattern on numbers"),
        ("matches_regex", "^(true|false)$", [True, False, "true"], [1, 0, "TRUE"], "a pattern on booleans"),
        ("matches_regex", "e\\+\\d\\d$", [1e21, 1e22], [1e20, 1e100, 1e-21], "a pattern on an exponent"),
        ("matches_regex", 5, ["5", 15, "a5b"], ["4", 1, True], "a number as pattern"),
        ("matches_regex", True, [True, "is true"], [False, "TRUE"], "a boolean as pattern"),
        ("matches_regex", 1.5, [1.5, "1x5", "21.50"], ["15", 1], "the point of a number is a dot in a pattern"),
    ]:
        book.condition(why, operator, value, yes, no, decision="D03", attribute="a")
    book.part(101)
    for operator, value, yes, no, why in [
        ("is", "Pro", ["Pro"], ["pro", "PRO"], "letter case"),
        ("is_not", "Pro", ["pro", "PRO"], ["Pro"], "letter case, negated"),
        ("is", "pro", ["pro"], ["pro ", " pro", "pro\n", "\tpro", "pro\u00a0"], "blanks"),
        ("contains", "Pro", ["my Pro"], ["my pro", "PRO"], "letter case in a part"),
        ("contains", "a b", ["xa by"], ["a  b", "a\tb", "a\u00a0b"], "blanks in a part"),
        ("not_contains", "Pro", ["pro"], ["Pro"], "letter case in an absent part"),
        ("one_of", ["DE"], ["DE"], ["de", "De", " DE"], "letter case in a list"),
        ("not_one_of", ["DE"], ["de", "DE "], ["DE"], "letter case in a negated list"),
        ("is", "\u00e9", ["\u00e9"], ["e\u0301", "e"], "a composed letter"),
        ("is", "e\u0301", ["e\u0301"], ["\u00e9"], "a decomposed letter"),
        ("contains", "e", ["e\u0301", "e"], ["\u00e9"], "a letter in a decomposed one"),
        ("contains", "\u0301", ["e\u0301"], ["\u00e9"], "an accent alone"),
        ("is", "\u212b", ["\u212b"], ["\u00c5", "A\u030a"], "the sign for angstrom"),
        ("is", "\ufb01", ["\ufb01"], ["fi"], "a ligature"),
        ("is", "stra\u00dfe", ["stra\u00dfe"], ["strasse", "STRASSE"], "a sharp s"),
        ("is", "\u0130", ["\u0130"], ["i", "I", "i\u0307"], "a dotted capital I"),
        ("is", "\u212a", ["\u212a"], ["k", "K"], "the Kelvin sign"),
        ("is", "\uff11", ["\uff11"], ["1", 1], "a full-width digit"),
        ("is", "a\u200bb", ["a\u200bb"], ["ab"], "a zero-width blank"),
        ("is", "\ufeffa", ["\ufeffa"], ["a"], "a byte order mark"),
        ("is", "a\u0000b", ["a\u0000b"], ["a", "ab"], "the code zero"),
        ("is", "\u202eabc", ["\u202eabc"], ["abc", "cba"], "a mark for direction"),
        (
            "contains",
            "\U0001f600",
            ["\U0001f600", "a\U0001f600"],
            ["\U0001f601", "\U0001f5ff"],
            "a code point whose units are shared",
        ),
        ("one_of", ["\u00e9"], ["\u00e9"], ["e\u0301"], "a composed letter in a list"),
        ("is", "\U0001f44d", ["\U0001f44d"], ["\U0001f44d\U0001f3fd", "\U0001f44d\ufe0f"], "an emoji and its variants"),
    ]:
        book.condition(f"exact: {why}", operator, value, yes, no, decision="D07")
    book.part(141)
    for needle, inside, outside, why in [
        (
            "\ud83d",
            ["\ud83d", "a\ud83d", "\ud83d\ud83d"],
            ["\U0001f600", "a\U0001f600b"],
            "a high half is not in the pair",
        ),
        ("\ude00", ["\ude00", "\ude00a"], ["\U0001f600"], "a low half is not in the pair"),
        ("\U0001f600", ["\U0001f600"], ["\ud83d", "\ude00", "\ude00\ud83d"], "the pair is not in its halves"),
        ("a\ud83d", ["a\ud83d", "ba\ud83dc"], ["a\U0001f600"], "a letter and half a pair"),
        ("\ude00b", ["\ude00b"], ["\U0001f600b"], "half a pair and a letter"),
        ("\ude00\ud83d", ["\ude00\ud83d"], ["\U0001f600\U0001f600"], "the halves between two pairs"),
    ]:
        for operator, yes, no in (("contains", inside, outside), ("not_contains", outside, inside)):
            book.condition(f"code points: {why}", operator, needle, yes, no, decision="D07", level="optional")
    book.condition(
        "half a surrogate pair is equal to itself only", "is", "\ud83d", ["\ud83d"], ["\ude00", "\U0001f600", "\ufffd"],
        decision="D07", level="optional",
    )
    book.part(161)
    present = ["", "x", " ", 0, 1.5, True, False, "\n", ["x"], [""]]
    book.condition(
        "every text contains the empty text", "contains", "", present, [MISSING, None, {}, []], decision="D09",
    )
    book.never(
        "no text lacks the empty text",
        [("not_contains", "")],
        ["", "x", 0, True, MISSING, None, ["x"]],
        decision="D09",
    )
    book.condition(
        "an array without scalars lacks the empty text", "not_contains", "", [[], [None], [{}]], ["", "x", ["x"], [""]],
        decision="D09",
    )
    book.condition(
        "the empty text is equal to itself", "is", "", ["", [""]], [" ", "x", 0, False, MISSING, None, []],
        decision="D09",
    )
    book.condition(
        "the empty text under is_not", "is_not", "", [" ", "x", 0, False, []], ["", [""], MISSING, None],
        decision="D09",
    )
    book.condition("the empty text in a list", "one_of", [""], ["", ["", "x"]], [" ", "x", 0, MISSING], decision="D09")


def shapes(book: Book) -> None:
    """Condition values with a shape that the operator does not accept never match."""
    book.part(201)
    scalar = [
        (["1.0.0"], "a list"), ([], "an empty list"), ([["1.0.0"]], "a list of lists"), ({}, "an object"),
        ({"value": "1.0.0"}, "an object that holds the value"), (None, "null"), (ABSENT, "no value"), (NAN, "NaN"),
        (INF, "infinity"),
    ]
    listed = [
        ("1.0.0", "a text"),
        ("", "the empty text"),
        (1, "a number"),
        (True, "a boolean"),
        ({}, "an object"),
        ({"0": "1.0.0", "length": 1}, "an object that looks like a list"),
        (None, "null"),
        (ABSENT, "no value"),
        (NAN, "NaN"),
    ]
    numeric = [
        (True, "a boolean"), (False, "the other boolean"), ([1], "a list"), ([], "an empty list"), ({}, "an object"),
        (None, "null"), (ABSENT, "no value"), (NAN, "NaN"), (INF, "infinity"), (MINUS_INF, "minus infinity"),
        ("", "the empty text"), ("x", "a text that is not a number"), (" 1", "a number after a blank"),
        ("0x10", "a hexadecimal number"), ("1e999", "a number that overflows"),
    ]
    versions = [
        (1, "a number"), (1.5, "a fraction"), (True, "a boolean"), (["1.0.0"], "a list"), ([], "an empty list"),
        ({}, "an object"), (None, "null"), (ABSENT, "no value"), ("", "the empty text"),
        ("latest", "a text that is not a version"), ("1.2.3.4", "four numbers"), (NAN, "NaN"),
    ]
    table = {operator: scalar for operator in ("is", "is_not", "contains", "not_contains", "matches_regex")}
    table |= {
        "one_of": listed, "not_one_of": listed, "gt": numeric, "lt": numeric, "version_gt": versions,
        "version_lt": versions,
    }
    asked = ["1.0.0", "", 0, 2, True, [], ["1.0.0"], MISSING, "undefined", "[object Object]", "NaN"]
    for operator, values in table.items():
        half = (len(values) + 1) // 2
        for part in (values[:half], values[half:]):
            shown = ", ".join(why for _, why in part)
            book.never(
                f"{operator} with a value of another shape: {shown}",
                [(operator, value) for value, _ in part],
                asked,
                decision="D34",
            )
    book.part(401)
    ignored = [None, {}, ["a"], [], {"a": 1}, NAN, INF]
    book.condition(
        "elements that are not scalars are ignored, the others count",
        "one_of",
        [*ignored, "pro", 1],
        ["pro", 1, "1"],
        ["a", "null", "", "NaN", "Infinity", "[object Object]", MISSING],
        decision="D34",
    )
    book.condition(
        "elements that are not scalars are ignored in a negative list",
        "not_one_of",
        [*ignored, "pro"],
        ["a", "null", "", "NaN", "Infinity", 0, []],
        ["pro", MISSING, ["pro"]],
        decision="D34",
    )
    book.never(
        "a list of ignored elements is an empty list",
        [("one_of", ignored)],
        ["a", "", "null", "NaN", MISSING, [], ["a"]],
        decision="D34",
    )
    book.condition(
        "a negative list of ignored elements is an empty list", "not_one_of", ignored,
        ["a", "", "null", 0, False, [], ["a"]], [MISSING, None, {}], decision="D34",
    )
    book.condition("lists do not nest", "one_of", [["a", "b"], "c"], ["c"], ["a", "b", "a,b", ["a"]], decision="D34")


DECIMALS = [
    "42", "42.0", "+42", "042", "42e0", "4.2e1", "4.2E1", "420e-1", "0.42e2", "4.2e+1", "00042.000", "+.42e+2",
    "42.00000000000000000000001",
]
NO_DECIMALS = [
    "", " ", "42 ", " 42", "4 2", "42.", "42.e0", ".", "+", "-", "e1", "42e", "42e+", "42e1.0", "4_2", "4,2", "42,0",
    "0x2a", "0b101010", "0o52", "052n", "42n", "42px", "Infinity", "-Infinity", "inf", "NaN", "nan", "\u0664\u0662",
    "\uff14\uff12", "42\n", "\t42", "--42", "+-42", "- 42", "4.2.0", "4..2", "1e999", "-1e999", "\u221242", "42\u00a0",
    "42%", "$42", "(42)", "true", "null", "42f", "42L", "1d3", "\u00bd", "42\u0000",
]


BOTH = ["operator-gt", "operator-lt"]


def _against(bound, key: str = "flag-a") -> dict:
    """A flag that serves one variation above the bound, one below it, and the default otherwise."""
    return flag(
        key,
        rule(cond("a", "gt", bound), serve="above"),
        rule(cond("a", "lt", bound), serve="below", id="rule_2", priority=2),
        variations=[("above", 1), ("below", -1), ("same", 0)],
        default="same",
    )


def numbers(book: Book) -> None:
    book.part(1)
    for text in DECIMALS:
        rules = ruleset(
            *(_against(bound, f"flag-{side}") for side, bound in (("low", 41.5), ("even", 42), ("high", 42.5)))
        )
        calls = [
            (f"flag-{side}", context({"a": text}), served)
            for side, served in (("low", "above@rule_1"), ("even", "same"), ("high", "below@rule_2"))
        ]
        book.add(f"the attribute {text!r} counts as 42", rules, calls, decision="D04", requirements=BOTH)
    book.part(21)
    for text in DECIMALS:
        calls = [
            ("flag-a", context({"a": value}), served)
            for served, values in (("below@rule_2", (41, "41.5")), ("same", (42, "42")), ("above@rule_1", (43, "42.5")))
            for value in values
        ]
        book.add(
            f"the condition value {text!r} counts as 42",
            ruleset(_against(text)),
            calls,
            decision="D04",
            requirements=BOTH,
        )
    book.part(41)
    for place in range(0, len(NO_DECIMALS), 3):
        texts = NO_DECIMALS[place : place + 3]
        calls = [
            ("flag-a", context({"a": text}), "same")
            for text in texts
        ] + [("flag-a", context({"a": texts}), "same")]
        calls += [
            ("flag-a", context({"a": [*texts, 42]}), "above@rule_1"),
            ("flag-a", context({"a": "-42"}), "below@rule_2"),
        ]
        book.add(
            f"not numbers: {', '.join(map(repr, texts))}",
            ruleset(_against(0.5)),
            calls,
            decision="D04",
            requirements=BOTH,
        )
    book.part(81)
    for place in range(0, len(NO_DECIMALS), 8):
        texts = NO_DECIMALS[place : place + 8]
        conditions = [(operator, text) for text in texts for operator in ("gt", "lt")]
        book.never(
            "condition values that are not numbers", conditions, [-1, 0, 41, 42, 43, 1e300, *texts[:2]], decision="D04",
            attribute="a", requirements=BOTH,
        )
    book.part(121)
    for value, why in [(True, "true"), (False, "false")]:
        rules = ruleset(
            flag("flag-gt", rule(cond("a", "gt", -5), serve="on")),
            flag("flag-lt", rule(cond("a", "lt", 5), serve="on")),
        )
        calls = [
            (key, context({"a": item}), served)
            for key in ("flag-gt", "flag-lt")
            for item, served in ((value, "off"), ([value], "off"), (1, "on@rule_1"), ([value, 1], "on@rule_1"))
        ]
        book.add(f"{why} is not a number", rules, calls, decision="D04", requirements=BOTH)
    for text, value, why in [
        ("0.5", ".5", "a point without a zero"),
        ("-0.5", "-.5", "a sign and a point"),
        ("-42", "-4.2e1", "negative with an exponent"),
        ("0", "-0", "negative zero as text"),
        ("0", "0e999", "zero with a huge exponent"),
        ("0", "1e-999", "a text that rounds to zero"),
        ("1", "1.0000000000000000000001", "a text that rounds to one"),
        ("100000000000000000000", "1e20", "a large number, written in two ways"),
        ("1" + "0" * 308, "1e308", "three hundred digits"),
        ("0." + "0" * 322 + "5", "5e-324", "the smallest number, written in two ways"),
        ("1" + "0" * 400 + "e-400", "1", "four hundred digits that the exponent takes back"),
        ("0." + "0" * 400 + "1e401", "1", "four hundred zeros that the exponent takes back"),
    ]:
        rules = ruleset(
            flag("flag-gt", rule(cond("a", "gt", text), serve="on")),
            flag("flag-lt", rule(cond("a", "lt", value), serve="on")),
        )
        calls = [
            ("flag-gt", context({"a": value}), "off"),
            ("flag-lt", context({"a": text}), "off"),
            ("flag-gt", context({"a": "1.7e308"}), "on@rule_1"),
            ("flag-lt", context({"a": "-1.7e308"}), "on@rule_1"),
        ]
        book.add(f"two texts for one number: {why}", rules, calls, decision="D04", requirements=BOTH)
    book.part(201)
    for bound, equal, above, below, why in [
        (
            9007199254740992,
            [9007199254740993, 9007199254740992, "9007199254740993"],
            [9007199254740994, "9007199254740995"],
            [9007199254740991],
            "2^53 and its neighbour",
        ),
        (
            9007199254740993,
            [9007199254740992, "9007199254740992.5"],
            [9007199254740994],
            [9007199254740991, "9007199254740991.4"],
            "the bound itself is rounded",
        ),
        (
            "9007199254740993",
            [9007199254740992, 9007199254740993],
            [9007199254740996],
            [9007199254740990],
            "a text as bound is rounded",
        ),
        (9007199254740995, [9007199254740996], [9007199254740998], [9007199254740994], "ties go to even: up"),
        (-9007199254740993, [-9007199254740992], [-9007199254740991], [-9007199254740994], "below zero"),
        (
            18446744073709551615,
            [18446744073709551616, "18446744073709551617"],
            [18446744073709556000],
            [18446744073709549568],
            "the largest of 64 bits",
        ),
        (
            9223372036854775807,
            [9223372036854775808, "9223372036854775807"],
            [9223372036854777856],
            [9223372036854774784],
            "the largest signed of 64 bits",
        ),
        (0, [MINUS_ZERO, "-0", "0", "-0.0", "+0"], [5e-324, "1e-300"], [-5e-324, "-1e-300"], "zero and negative zero"),
        (MINUS_ZERO, [0, MINUS_ZERO, "0"], [1], [-1], "negative zero as bound"),
        (
            0.3,
            ["0.3", "0.300000000000000000001"],
            [0.1 + 0.2, "0.30000000000000004"],
            [0.29999999999999993],
            "the neighbours of three tenths",
        ),
        (
            1.7976931348623157e308,
            ["1.7976931348623157e308", "1.7976931348623158e308"],
            [],
            [1.7976931348623155e308],
            "the largest number",
        ),
    ]:
        calls = [
            ("flag-a", context({"a": value}), served)
            for served, values in (("above@rule_1", above), ("same", equal), ("below@rule_2", below))
            for value in values
        ]
        book.add(f"binary64: {why}", ruleset(_against(bound)), calls, decision="D06", requirements=BOTH)
    book.part(231)
    for operator, value in EVERY.items():
        witness = YES[operator]
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("a", operator, value), serve="on"),
                rule(serve="other", id="rule_2", priority=2),
                variations=[("on", 1), ("off", 0), ("other", 2)],
            )
        )
        calls = [
            ("flag-a", context({"a": given}), "other@rule_2")
            for given, _ in NOT_FINITE
        ] + [("flag-a", context({"a": witness}), "on@rule_1")]
        book.add(
            f"numbers that are not finite are missing, under {operator}",
            rules,
            calls,
            decision="D06",
            requirements=[f"operator-{operator.replace('_', '-')}"],
        )
    for text in ("NaN", "Infinity", "-Infinity"):
        book.condition(f"the number {text} has no text", "is", text, [text], [{"$number": text}], decision="D06")
        book.condition(
            f"the number {text} has no text, negated", "is_not", "x", [text], [{"$number": text}, "x"], decision="D06",
        )
        book.condition(
            f"the number {text} in an array is skipped", "is_not", text, [[{"$number": text}], "x"], [text, [text]],
            decision="D06",
        )
        book.condition(
            f"the number {text} in a list is ignored", "one_of", [{"$number": text}, "x"], ["x"],
            [text, {"$number": text}], decision="D06",
        )


def arrays(book: Book) -> None:
    book.part(1)
    for operator, value, yes, no in [
        (
            "is",
            "admin",
            [["admin"], ["user", "admin"], ["admin", "user"], [None, {}, "admin"]],
            [[], ["user"], ["Admin"], ["adm", "in"], [["admin"]], [{"a": "admin"}], "admin,user", [None]],
        ),
        ("is", "1", [[1], ["1"], [2, 1]], [[], [True], [[1]], [1.5], [11]]),
        ("is", True, [[True], ["true", 0]], [[False], [1], []]),
        ("is", "a,b", ["a,b", ["a,b"]], [["a", "b"], ["a", ",", "b"]]),
        ("is", "", [[""], ["x", ""]], [[], [None], ["x"], [[]]]),
        (
            "contains",
            "min",
            [["admin"], ["user", "minor"]],
            [[], ["user"], ["mi", "n"], ["m", "i", "n"], [["admin"]], {"min": 1}],
        ),
        ("contains", ",", [["a,b"]], [["a", "b"], []]),
        ("contains", "admin", [["admin"], ["superadmin"]], [["adm", "in"], ["user"]]),
        (
            "one_of",
            ["admin", "owner"],
            [["admin"], ["user", "owner"], ["owner", "admin"]],
            [[], ["user"], [["admin"]], ["admin,owner"], [None, {}]],
        ),
        ("one_of", [1, "true"], [[1], ["1", 2], [True]], [[], [2], [False], [[1]]]),
        ("gt", 10, [[11], [1, 2, 30], ["11"], [None, 12]], [[], [10], [1, 9], ["x"], [True], [[11]], [NAN, INF]]),
        ("lt", 10, [[9], [30, 2], ["9"], [None, 1]], [[], [10], [11, 99], ["x"], [False], [[1]], [MINUS_INF]]),
        ("matches_regex", "^a", [["ab"], ["b", "a"]], [[], ["b"], ["ba"], [["a"]]]),
        ("matches_regex", "^a,b$", ["a,b", ["a,b"]], [["a", "b"], []]),
        ("matches_regex", "^\\d$", [[1], ["x", 2]], [[10], [True], [1.5], []]),
        ("version_gt", "1.0.0", [["1.0.1"], ["0.1", "v2"]], [[], ["1.0.0"], ["latest"], [2], [["2.0.0"]]]),
        ("version_lt", "1.0.0", [["0.9.9"], ["2.0", "0.1"]], [[], ["1.0.0"], ["latest"], [0.5], [["0.1.0"]]]),
    ]:
        book.condition(
            f"one element is enough for {operator}", operator, value, yes, no, decision="D05", attribute="roles",
        )
    book.part(31)
    for operator, value, yes, no in [
        (
            "is_not",
            "admin",
            [[], ["user"], ["Admin"], [None], [{}], [["admin"]], [NAN]],
            [["admin"], ["user", "admin"], ["admin", "user"], [None, "admin"]],
        ),
        ("is_not", "1", [[], [True], [11]], [[1], ["1"], [2, 1]]),
        ("is_not", "", [[], [None], ["x"]], [[""], ["x", ""]]),
        ("is_not", False, [[], [0], [True], [None]], [[False], ["false", 1]]),
        ("not_contains", "min", [[], ["user"], ["mi", "n"], [None]], [["admin"], ["user", "minor"]]),
        ("not_contains", ",", [["a", "b"], []], [["a,b"], ["x", ","]]),
        (
            "not_one_of",
            ["admin", "owner"],
            [[], ["user"], [["admin"]], [None, {}], ["admin,owner"]],
            [["admin"], ["user", "owner"], ["owner", "admin"]],
        ),
        ("not_one_of", [1, "true"], [[], [2], [False]], [[1], ["1", 2], [True]]),
    ]:
        book.condition(
            f"no element may be one for {operator}", operator, value, yes, no, decision="D05", attribute="roles",
        )
    book.part(41)
    unusable = [[], [None], [{}], [[]], [[["1.0.0"]]], [NAN, INF, MINUS_INF], [None, {"a": "1.0.0"}, ["1.0.0"]]]
    for operator, value in POSITIVE.items():
        book.condition(
            f"an array without scalars matches no {operator}", operator, value, [[*unusable[-1], YES[operator]]],
            unusable, decision="D05", attribute="roles",
        )
    for operator, value in NEGATIVE.items():
        book.condition(
            f"an array without scalars matches {operator}, a missing one does not",
            operator,
            value,
            unusable,
            [MISSING, None, {}],
            decision="D05",
            attribute="roles",
        )
    book.condition(
        "one element is enough in a long array", "is", "x", [["y"] * 200 + ["x"]], [["y"] * 200], decision="D05",
        attribute="roles",
    )
    rules = ruleset(flag("flag-a", rule(cond("n", "gt", 10), cond("n", "lt", 20), serve="on")))
    calls = [
        ("flag-a", context({"n": n}), served)
        for n, served in [([15], "on@rule_1"), ([5, 25], "on@rule_1"), ([5], "off"), ([25], "off"), ([], "off")]
    ]
    book.add(
        "each condition tests all elements: two elements may match two conditions",
        rules,
        calls,
        decision="D05",
        requirements=["eval-and"],
    )
    book.part(101)
    book.never(
        "one_of an empty list never matches",
        [("one_of", [])],
        ["", "x", 0, True, [], ["x"], [""], MISSING, None, {}],
        decision="D08",
    )
    book.condition(
        "not_one_of an empty list matches everybody with the attribute", "not_one_of", [],
        ["", "x", 0, False, [], ["x"], [None]], [MISSING, None, {}, NAN], decision="D08",
    )
    rules = ruleset(
        flag(
            "flag-a",
            rule(cond("user_key", "not_one_of", []), serve="on"),
            rule(cond("user_key", "one_of", []), serve="off", id="rule_2", priority=0),
        )
    )
    calls = [("flag-a", context(), "on@rule_1"), ("flag-a", {}, "off"), ("flag-a", context(user=""), "on@rule_1")]
    book.add(
        "an empty list for the user key",
        rules,
        calls,
        decision="D08",
        requirements=["operator-one-of", "operator-not-one-of"],
    )


def names(book: Book) -> None:
    book.part(1)
    hostile = [
        "__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__class__",
        "__dict__", "length", "size", "get", "has", "keys", "__defineGetter__", "__lookupSetter__",
        "propertyIsEnumerable", "toJSON", "then",
    ]
    for name in hostile:
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond(name, "is", "1"), serve="same"),
                rule(cond(name, "is_not", "1"), serve="other", id="rule_2", priority=2),
                rule(cond(name, "contains", ""), serve="there", id="rule_3", priority=3),
                variations=[("same", 1), ("other", 2), ("there", 3), ("none", 0)],
                default="none",
            )
        )
        given = [
            ({}, "none"),
            ({name: "1"}, "same@rule_1"),
            ({name: "2"}, "other@rule_2"),
            ({name: None}, "none"),
            ({"$inherited": {name: "1"}}, "none"),
        ]
        calls = [("flag-a", context(attributes), served) for attributes, served in given]
        book.add(
            f"an attribute named {name}: present only if the context holds it",
            rules,
            calls,
            decision="D21",
            requirements=["condition-attribute"],
        )
    book.part(31)
    for operator in ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "length"]:
        book.never(
            f"{operator} is not an operator",
            [(operator, "x")],
            ["x", "", 0, MISSING, ["x"]],
            decision="D21",
            requirements=["condition-operator"],
        )
    rules = ruleset(flag("flag-a", rule(cond("plan", "is", "pro"), serve="on")))
    calls = [
        ("flag-a", context({"$inherited": {"plan": "pro"}}), "off"),
        ("flag-a", context({"$inherited": {"plan": "free"}, "plan": "pro"}), "on@rule_1"),
        ("flag-a", context({"$inherited": {"plan": "pro"}, "plan": "free"}), "off"),
    ]
    book.add(
        "what attributes inherit does not count",
        rules,
        calls,
        decision="D21",
        requirements=["condition-attribute"],
    )
    book.part(41)
    for operator, value, yes, no in [
        ("is", "user-1", ["user-1"], ["user-2", "", "User-1"]),
        ("one_of", ["user-1", "user-2"], ["user-1", "user-2"], ["user-3", ""]),
        ("is_not", "user-1", ["user-2", ""], ["user-1"]),
        ("contains", "er-", ["user-1"], ["u-1"]),
        ("matches_regex", "^user-\\d$", ["user-7"], ["user-10", "guest"]),
        ("gt", 100, ["101"], ["100", "x"]),
        ("version_gt", "1.0.0", ["2.0.0"], ["user-1"]),
        ("not_one_of", ["user-1"], ["user-2", ""], ["user-1"]),
    ]:
        rules = ruleset(flag("flag-a", rule(cond("user_key", operator, value), serve="on")))
        calls = [
            ("flag-a", given, "on@rule_1")
            for user in yes
            for given in (context(user=user), context({"x": 1}, user))
        ] + [("flag-a", context(user=user), "off") for user in no]
        calls += [("flag-a", {}, "off"), ("flag-a", context(user=None), "off"), ("flag-a", context(user=7), "off")]
        book.add(
            f"user_key is an attribute, under {operator}",
            rules,
            calls,
            decision="D22",
            requirements=["condition-attribute", "context-user-key"],
        )
    rules = ruleset(
        flag("flag-a", rule(cond("user_key", "is", "user-1"), serve="on")),
        flag("flag-b", rule(cond("user_key", "is_not", "user-1"), serve="on")),
    )
    calls = []
    for given, is_it, is_not in [
        (context({"user_key": "user-2"}), 0, 1),
        (context({"user_key": "user-1"}, "user-2"), 1, 0),
        (context({"user_key": None}), 0, 0),
        (context({"user_key": ["user-1"]}, "user-2"), 1, 0),
        (context({"user_key": {}}), 0, 0),
        (context({"user_key": NAN}), 0, 0),
        (context({"User_key": "user-2"}), 1, 0),
        (context({"userKey": "user-2"}), 1, 0),
        ({"user_key": "user-1"}, 1, 0),
        ({"attributes": {"user_key": "user-1"}}, 1, 0),
        (context({"$inherited": {"user_key": "user-2"}}), 1, 0),
        ({"user_key": "", "attributes": {}}, 0, 1),
        ({"user_key": "user-1", "attributes": {"user_key": ""}}, 0, 1),
        ({"user_key": "user-1", "attributes": None}, 1, 0),
    ]:
        calls += [
            ("flag-a", given, "on@rule_1" if is_it else "off"),
            ("flag-b", given, "on@rule_1" if is_not else "off"),
        ]
    book.add(
        "an attribute user_key takes precedence over the context's user key, even if it is null",
        rules,
        calls,
        decision="D22",
        requirements=["condition-attribute", "context-user-key"],
    )
    rules = ruleset(
        flag("flag-a", rule(cond("userKey", "is", "user-1"), serve="on")),
        flag("flag-b", rule(cond("user", "is", "user-1"), serve="on")),
        flag("flag-c", rule(cond("attributes", "is", "x"), serve="on")),
        flag("flag-d", rule(cond("key", "is", "user-1"), serve="on")),
    )
    calls = [(f"flag-{letter}", context({"x": "x"}), "off") for letter in "abcd"] + [
        ("flag-b", context({"user": "user-1"}), "on@rule_1"),
        ("flag-c", context({"attributes": "x"}), "on@rule_1"),
    ]
    book.add(
        "no other field of the context is an attribute",
        rules,
        calls,
        decision="D22",
        requirements=["condition-attribute"],
    )
    rules = ruleset(flag("flag-a", rule(cond("plan", "is", "pro"), serve="on")))
    book.add(
        "a context's own fields are not attributes",
        rules,
        [("flag-a", {"user_key": "user-1", "plan": "pro"}, "off"), ("flag-a", context({"plan": "pro"}), "on@rule_1")],
        decision="D22",
        requirements=["condition-attribute"],
    )
    book.part(61)
    for name, near, why in [
        ("plan.name", [{"plan": {"name": "x"}}, {"name": "x"}, {"plan": "x"}], "a dot is not a path"),
        ("a.b.c", [{"a": {"b": {"c": "x"}}}, {"a.b": {"c": "x"}}], "two dots"),
        ("a[0]", [{"a": ["x"]}], "brackets are not an index"),
        ("/a/b", [{"a": {"b": "x"}}], "slashes are not a pointer"),
        ("a-b", [{"a_b": "x"}, {"aB": "x"}], "a hyphen"),
        ("Plan", [{"plan": "x"}, {"PLAN": "x"}], "letter case"),
        (" plan", [{"plan": "x"}], "a blank in front"),
        ("", [{" ": "x"}, {"x": "x"}], "the empty name"),
        ("0", [{"00": "x"}], "a digit"),
        ("é", [{"e\u0301": "x"}, {"e": "x"}], "a letter with an accent"),
        ("\U0001f600", [{"\U0001f601": "x"}], "beyond the basic plane"),
        ("a*", [{"a": "x"}, {"ab": "x"}], "a star"),
        ("attributes.plan", [{"plan": "x"}], "the context's structure is not named"),
        ("$plan", [{"plan": "x"}], "a dollar sign: reserved for the server, ordinary here"),
        ("$.plan", [{"plan": "x"}], "not a path expression"),
        ("#", [{"": "x"}], "a number sign"),
        ("a b", [{"ab": "x"}, {"a_b": "x"}], "a blank inside"),
        ("plan.", [{"plan": "x"}], "a dot at the end"),
        ("x" * 300, [{"x" * 299: "x"}], "a long name"),
    ]:
        rules = ruleset(flag("flag-a", rule(cond(name, "is", "x"), serve="on")))
        book.add(
            f"names are literal: {why}",
            rules,
            [("flag-a", context({name: "x"}), "on@rule_1"), *(("flag-a", context(given), "off") for given in near)],
            decision="D23",
            requirements=["condition-attribute"],
        )


def books() -> list[Book]:
    made = []
    for category, title, *writers in [
        ("missing", "Missing attributes (EV-54 to EV-56)", missing),
        ("text", "Scalars as strings, exact comparison, shapes of condition values (EV-64 to EV-76)", texts, shapes),
        ("numbers", "Numbers are finite binary64 (EV-77 to EV-80)", numbers),
        ("arrays", "Arrays and lists (EV-60 to EV-62)", arrays),
        ("names", "Names of attributes (EV-57 to EV-59)", names),
    ]:
        book = Book(category, title)
        for write in writers:
            write(book)
        made.append(book)
    return made
