"""The eleven operators on strings and numbers: calls that match and that do not, on the same flag."""

from writing import Book, cond, context, flag, rule, ruleset

LONG = "x" * 200

# (a text, other texts that differ from it, why)
EQUALITY = [
    ("pro", ["free", "enterprise"], "plain texts"),
    ("pro", ["pros", "pr", "xpro", "pro-annual"], "neither a prefix nor a suffix nor a part is the whole"),
    ("pro", ["", " ", "-", "p r o"], "the empty text and blanks are texts of their own"),
    ("a.b", ["axb", "a-b", "ab"], "a dot is a dot, not any character"),
    ("a*", ["a", "aa", "aaa", ""], "a star is not a wildcard"),
    ("%", ["", "abc", "%%", "\\%"], "a per cent sign is not a wildcard"),
    ("_", ["a", "-", "__"], "an underscore is not a wildcard"),
    ("^pro$", ["pro", "^pro", "pro$"], "anchors mean nothing outside matches_regex"),
    ("a\\b", ["a\\\\b", "ab", "a/b", "a\b"], "a backslash is a character"),
    ('say "hi"', ["say hi", "say 'hi'", 'say \\"hi\\"'], "quotation marks are characters"),
    ("a,b", ["a", "b", "a;b", "a, b"], "a comma does not make a list"),
    ("line\nbreak", ["line", "line break", "line\r\nbreak", "line\\nbreak"], "a newline is a character"),
    ("a\tb", ["a b", "ab", "a\\tb"], "a tab is a character"),
    ("null", ["", "None", "NULL", "undefined"], "the word null is a text"),
    ("undefined", ["", "null", "undefine"], "the word undefined is a text"),
    ("true", ["True", "1", "yes", ""], "the word true is a text"),
    ("false", ["0", "", "no", "true"], "the word false is a text"),
    ("0", ["", "00", "0.0", "-0", "false", "O"], "texts are not compared as numbers: zero"),
    ("1", ["1.0", "01", "+1", "1e0", "one"], "texts are not compared as numbers: one"),
    ("1000", ["1e3", "1,000", "1000.0", "0x3e8"], "texts are not compared as numbers: thousand"),
    ("1.0.0", ["1.0", "v1.0.0", "1.0.0+1"], "texts are not compared as versions"),
    ("2026-01-01", ["2026-1-1", "2026-01-01T00:00:00Z"], "texts are not compared as dates"),
    ("Zürich", ["Zurich", "ZÜRICH", "Zuerich"], "an umlaut is a letter of its own"),
    ("東京", ["京東", "東", "东京"], "ideographs"),
    ("\U0001f600", ["\U0001f601", "\U0001f600\U0001f600", ":)"], "a code point beyond the basic plane"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467", ["\U0001f468\U0001f469\U0001f467", "\U0001f468"], "joined emoji"),
    ("${plan}", ["pro", "plan", "{plan}"], "nothing is interpolated"),
    ("{{plan}}", ["pro", "plan", "{plan}"], "nothing is a template"),
    ("__proto__", ["constructor", "proto", "[object Object]"], "a hostile name as value"),
    ("[object Object]", ["{}", "[]", "object"], "no string equals an object"),
    ("<script>", ["&lt;script&gt;", "script"], "markup is not escaped"),
    ("' OR 1=1 --", ["1", "", "true"], "nothing is a query"),
    (LONG + "a", [LONG + "b", LONG, LONG + "aa"], "long texts that differ at their end"),
    ("a" + LONG, ["b" + LONG, LONG, "aa" + LONG], "long texts that differ at their start"),
]

# (a needle, texts that contain it, texts that do not, why)
CONTAINMENT = [
    (
        "pro",
        ["pro", "pro-annual", "is pro now", "my-pro"],
        ["free", "por"],
        "as a whole, at the start, inside, at the end",
    ),
    (
        "@example.com",
        ["ann@example.com", "@example.com"],
        ["ann@example.org", "ann@example,com"],
        "the end of an address",
    ),
    ("ab", ["aab", "abb", "aabb"], ["aa", "bb", "ba", "a b"], "a run, not a set of letters"),
    ("aab", ["aaab", "aaaab"], ["aba", "abaa"], "a needle whose start repeats"),
    ("abab", ["aabab", "ababab", "abaabab"], ["abaab", "abba"], "a needle that overlaps itself"),
    ("a", ["a", "banana"], ["", "b", "A"], "one letter"),
    (".", ["a.b", "."], ["ab", "", "a,b"], "a dot is a dot"),
    ("a.c", ["xa.cx", "a.c"], ["abc", "ac"], "a dot inside the needle"),
    ("*", ["a*b", "*"], ["", "ab"], "a star is not a wildcard"),
    ("^a", ["^a", "b^a"], ["a", "ab"], "anchors mean nothing"),
    ("a|b", ["a|b"], ["a", "b"], "a bar is not an alternative"),
    ("[a]", ["x[a]"], ["a", "xa"], "brackets are not a class"),
    ("(", ["f(x)", "("], ["f", ")"], "a lone parenthesis"),
    ("\\", ["a\\b", "\\"], ["a/b", "ab"], "a backslash"),
    ("\\d", ["\\d", "a\\db"], ["1", "d"], "an escape means nothing"),
    ("$&", ["a$&b"], ["a", "&$"], "replacement patterns mean nothing"),
    (" ", ["a b", " "], ["ab", "", "a\u00a0b"], "a blank"),
    ("\n", ["a\nb", "\n"], ["ab", "a\\nb", "a\rb"], "a newline"),
    ('"', ['say "hi"'], ["say 'hi'"], "a quotation mark"),
    ("0", ["10", "0", "2026-01-01"], ["1", ""], "a digit"),
    ("1.1", ["1.10", "11.1", "1.1"], ["1.2", "1,1"], "a part of a number's text"),
    ("é", ["café", "é"], ["cafe", "CAFÉ"], "a letter with an accent"),
    ("京", ["東京", "京都"], ["東", "都"], "an ideograph"),
    ("\U0001f600", ["a\U0001f600b", "\U0001f600"], ["\U0001f601", "a"], "a code point beyond the basic plane"),
    ("null", ["null", "nullable"], ["", "nul"], "the word null"),
    ("admin,", ["user,admin,owner"], ["user,admin", "admin"], "lists in texts are texts"),
    ("proto", ["__proto__"], ["__prot", ""], "a part of a hostile name"),
    ("x" * 50, ["x" * 50, "x" * 51, "a" + "x" * 50], ["x" * 49, ""], "a long needle"),
    ("xy", ["x" * 300 + "y"], ["x" * 300, "y" + "x" * 300], "a needle at the end of a long text"),
    ("abc", ["abc"], ["ab", "bc", ""], "a text shorter than its needle"),
]

# (a bound, numbers above, numbers equal, numbers below, why)
NUMERIC = [
    (10, [11, 100, 10.5], [10], [9, 0, 9.5, -10], "integers and fractions around ten"),
    (0, [1, 0.1], [0], [-1, -0.1], "around zero"),
    (-5, [-4, 0, 5, -4.999], [-5], [-6, -5.001, -100], "negative numbers"),
    (1.5, [1.6, 2, 1.50001], [1.5], [1.4, 1, 1.49999], "a fraction as bound"),
    (0.1, [0.2, 0.10000000000000002], [0.1], [0, 0.09999999999999999], "the neighbours of a tenth"),
    (9, [10, 11, 100, 1000], [9], [8, 1], "numbers, not texts: ten is more than nine"),
    (100, [101, 1000], [100], [99, 20, 9], "numbers, not texts: twenty is less than hundred"),
    (-10, [-9, -2], [-10], [-11, -100], "numbers, not texts, below zero"),
    (2147483647, [2147483648, 4294967296], [2147483647], [2147483646, -2147483648], "the largest of 32 bits"),
    (-2147483648, [-2147483647, 0], [-2147483648], [-2147483649], "the smallest of 32 bits"),
    (4294967295, [4294967296], [4294967295], [4294967294, -1], "the largest of 32 bits without sign"),
    (9007199254740991, [9007199254740992], [9007199254740991], [9007199254740990], "the largest safe integer"),
    (1e21, [1.1e21, 1e22], [1e21], [9e20, 1], "a large number"),
    (1e-7, [2e-7, 1], [1e-7], [9e-8, 0, -1], "a small number"),
    (1e308, [1.5e308], [1e308], [9e307, -1e308], "near the largest number"),
    (-1e308, [-9e307, 0], [-1e308], [-1.5e308], "near the smallest number"),
    (5e-324, [1e-323, 1], [5e-324], [0, -5e-324], "the smallest positive number"),
    (3, [3.0000000000000004, 4], [3], [2.9999999999999996, 2], "the neighbours of three"),
    (1, [2, 1.0000000000000002], [1], [0, 0.9999999999999999], "the neighbours of one"),
    (18, [19, 65], [18], [17, 0], "an age"),
    (99.99, [100, 99.991], [99.99], [99.98, 99], "a price"),
    (50, [50.5, 51], [50], [49.5, 49], "a half above and below"),
    (1700000000000, [1700000000001], [1700000000000], [1699999999999], "a time in milliseconds"),
    (255, [256], [255], [254], "a byte"),
]

REGEX = [
    ("^pro", ["pro", "pro-annual"], ["my-pro", "free"], "an anchor at the start"),
    ("pro$", ["pro", "my-pro"], ["pro-annual", "free"], "an anchor at the end"),
    ("pro", ["pro", "my-pro-plan"], ["free", "PRO"], "a text to be found"),
    (
        "^[a-z]+@example\\.com$",
        ["ann@example.com"],
        ["ann@examplexcom", "ANN@example.com", "@example.com"],
        "an address",
    ),
    ("^(de|at|ch)$", ["de", "at", "ch"], ["de-at", "d", "fr"], "alternatives"),
    ("^\\d{4}$", ["2026", "0000"], ["202", "20260", "abcd"], "a counted class"),
    ("^v?\\d+\\.\\d+$", ["1.2", "v10.20"], ["1", "1.2.3", "vv1.2"], "an optional letter"),
    ("colou?r", ["color", "colour"], ["colouur", "colr"], "an optional letter inside"),
    ("^a.c$", ["abc", "a.c", "a c"], ["ac", "abbc", "a\nc"], "a dot is any character but newline"),
    ("^a\\.c$", ["a.c"], ["abc", "ac"], "an escaped dot is a dot"),
    ("^[^0-9]*$", ["", "abc"], ["abc1", "1"], "a negated class"),
    ("(?i)^pro$", ["pro", "PRO", "pRo"], ["prо", "pros"], "a flag for letter case"),
    ("\\bbeta\\b", ["beta", "the beta test", "beta-2"], ["betas", "alphabeta"], "word boundaries"),
    ("^$", [""], [" ", "a", "\n"], "the empty text"),
    ("a{2,3}b", ["aab", "aaab", "aaaab"], ["ab", "b"], "a counted letter in a search"),
]

VERSIONS = [
    ("1.2.3", ["1.2.4", "1.3.0", "2.0.0"], ["1.2.3"], ["1.2.2", "1.1.9", "0.9.9"], "each of the three numbers"),
    ("1.9.0", ["1.10.0", "1.11.0"], ["1.9.0"], ["1.8.0", "1.1.0"], "numbers, not texts: ten is more than nine"),
    ("2.0.0", ["2.0.1", "10.0.0"], ["2.0.0"], ["1.99.99", "1.0.0"], "a major number outweighs the others"),
    ("1.0.0", ["1.0.1"], ["1.0.0"], ["1.0.0-rc.1", "1.0.0-alpha", "0.9.9"], "a prerelease is below its release"),
    (
        "1.0.0-beta.2",
        ["1.0.0-beta.11", "1.0.0-rc.1", "1.0.0"],
        ["1.0.0-beta.2"],
        ["1.0.0-beta", "1.0.0-alpha"],
        "prereleases",
    ),
    ("1.0.0+5", ["1.0.1+1"], ["1.0.0", "1.0.0+9", "1.0.0+abc"], ["0.9.9+9"], "build has no rank"),
    ("0.0.0", ["0.0.1", "1.0.0"], ["0.0.0"], ["0.0.0-0"], "the lowest release"),
    ("0.0.1", ["0.1.0", "0.0.2"], ["0.0.1"], ["0.0.0"], "numbers below one"),
    ("10.20.30", ["10.20.31", "10.21.0", "11.0.0"], ["10.20.30"], ["10.20.29", "10.19.99", "9.99.99"], "two digits"),
    ("1.0.0-1", ["1.0.0-2", "1.0.0-a", "1.0.0"], ["1.0.0-1"], ["1.0.0-0"], "a number as prerelease"),
]


def one_of(book: Book) -> None:
    table = [
        (["pro", "enterprise"], ["pro", "enterprise"], ["free", "", "pro,enterprise"], "each entry, and no other string"),
        (["pro"], ["pro"], ["free", "pr", "pros"], "a list of one"),
        (["de", "at", "ch"], ["de", "at", "ch"], ["fr", "d", "DE-AT"], "first, middle and last entry"),
        (["a", "a", "a"], ["a"], ["b", "aa"], "an entry that is repeated"),
        (["", "x"], ["", "x"], [" ", "y"], "the empty text as entry"),
        (["a,b"], ["a,b"], ["a", "b"], "a comma does not part an entry"),
        (["a|b", "c.*"], ["a|b", "c.*"], ["a", "b", "cc"], "entries are not patterns"),
        (["10", "20"], ["10", "20"], ["1", "0", "2", "1020"], "entries are not parts"),
        (
            ["__proto__", "constructor"],
            ["__proto__", "constructor"],
            ["toString", "hasOwnProperty", "length"],
            "hostile entries",
        ),
        (
            ["pro"],
            ["pro"],
            ["constructor", "__proto__", "toString", "length", "0"],
            "names that every list or object knows",
        ),
        (["0"], ["0"], ["", "1", "00"], "a list whose index is its entry"),
        (["true", "false"], ["true", "false"], ["True", "1", "0"], "the words true and false"),
        (["null"], ["null"], ["", "undefined"], "the word null"),
        (["é", "東京", "\U0001f600"], ["é", "東京", "\U0001f600"], ["e", "東", "\U0001f601"], "beyond ASCII"),
        ([str(number) for number in range(60)], ["0", "30", "59"], ["60", "-1", ""], "sixty entries"),
        (["u-1", "u-10", "u-100"], ["u-1", "u-10", "u-100"], ["u-1000", "u-", "u-11"], "entries that begin alike"),
        (["x" * 300, "y"], ["x" * 300, "y"], ["x" * 299, "x" * 301], "a long entry"),
        ([" pro "], [" pro "], ["pro", " pro", "pro "], "blanks around an entry"),
        (["a\nb"], ["a\nb"], ["a", "b", "ab"], "a newline in an entry"),
        (["[\"a\"]"], ["[\"a\"]"], ["a"], "an entry that looks like a list"),
    ]
    book.part(201)
    for entries, inside, outside, why in table:
        book.pair(why, "one_of", "not_one_of", entries, inside, outside)


def all_on_one_attribute(book: Book) -> None:
    """Eleven flags, one per operator, evaluated for the same attribute."""
    asked = {
        "is": "1.5.0", "is_not": "1.5.0", "contains": "5", "not_contains": "5", "one_of": ["1.5.0"],
        "not_one_of": ["1.5.0"], "gt": 1.5, "lt": 1.5, "matches_regex": "^1", "version_gt": "1.5.0",
        "version_lt": "1.5.0",
    }
    flags = [
        flag(
            f"flag-{operator.replace('_', '-')}",
            rule(cond("app", operator, value), serve="on", id=f"rule_{operator}"),
        )
        for operator, value in asked.items()
    ]
    matches = {
        "1.5.0": "is contains one_of matches_regex",
        "1.10.0": "is_not not_contains not_one_of matches_regex version_gt",
        "2": "is_not not_contains not_one_of gt version_gt",
        "1.05": "is_not contains not_one_of lt matches_regex",
        "0.5": "is_not contains not_one_of lt version_lt",
        "latest": "is_not not_contains not_one_of",
        "": "is_not not_contains not_one_of",
    }
    calls = [
        (item["key"], context({"app": text}), f"on@rule_{operator}" if operator in operators.split() else "off")
        for text, operators in matches.items()
        for operator, item in zip(asked, flags)
    ]
    book.add("the result of each operator for seven strings", ruleset(*flags), calls, requirements=["condition-operator"])


def books() -> list[Book]:
    book = Book("operators", "The eleven operators")
    book.part(1)
    for text, others, why in EQUALITY:
        book.pair(why, "is", "is_not", text, [text], others)
    book.part(101)
    for needle, inside, outside, why in CONTAINMENT:
        book.pair(why, "contains", "not_contains", needle, inside, outside)
    one_of(book)
    for first, table, above_operator, below_operator, attribute in (
        (301, NUMERIC, "gt", "lt", "count"),
        (351, VERSIONS, "version_gt", "version_lt", "app"),
    ):
        book.part(first)
        for bound, above, equal, below, why in table:
            rules = ruleset(
                flag(
                    "flag-a",
                    rule(cond(attribute, above_operator, bound), serve="above"),
                    rule(cond(attribute, below_operator, bound), serve="below", id="rule_2", priority=2),
                    variations=[("above", 1), ("below", -1), ("same", 0)],
                    default="same",
                )
            )
            calls = [
                ("flag-a", context({attribute: item}), served)
                for served, items in (("above@rule_1", above), ("same", equal), ("below@rule_2", below))
                for item in items
            ]
            book.add(
                why,
                rules,
                calls,
                requirements=[f"operator-{name.replace('_', '-')}" for name in (above_operator, below_operator)],
            )
    book.part(401)
    for pattern, found, not_found, why in REGEX:
        book.condition(why, "matches_regex", pattern, found, not_found)
    book.part(601)
    all_on_one_attribute(book)
    return [book]
