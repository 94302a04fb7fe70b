"""The dialect of regular expressions (EV-87 to EV-109).

Every engine agrees on the patterns in COMMON, so Python's own re says what to expect. Everything else is
written out by hand.
"""

import re
from warnings import catch_warnings

from writing import MISSING, Book, cond, context, flag, rule, ruleset

# pattern, texts
COMMON = [
    ("a", "a b ab ba bab A aa -"),
    ("abc", "abc xabcy ab abd ababc ABC"),
    ("a|b", "a b c ab xbx -"),
    ("abc|abd", "abc abd ab abcd xabdx"),
    ("a|ab", "a ab b xab abab"),
    ("(a|ab)(c|bcd)", "ac abc abcd abbcd ab"),
    ("|a", "a b - aa"),
    ("a|", "a b -"),
    ("(|a)b", "b ab aab a"),
    ("a*", "- a aa b ab"),
    ("a+", "- a aa b ba"),
    ("a?", "- a aa b"),
    ("ab*c", "ac abc abbbc bc a"),
    ("ab+c", "ac abc abbbc abb"),
    ("ab?c", "ac abc abbc"),
    ("(ab)*", "- ab abab a aba"),
    ("(ab)+c", "abc ababc c abac"),
    ("(a*)*", "- a aaa b"),
    ("(a+)+", "- a aa b"),
    ("(a|b)*c", "c ac abababc ab cc"),
    ("(a*)(b*)", "- ab aabb ba"),
    ("(?:a|b)+", "ab ba c -"),
    ("a(?:bc)?d", "ad abcd abd abcbcd"),
    ("((a))", "a b aa"),
    ("(((a)|b)*)c", "c abc bac d"),
    ("a{2}", "a aa aaa aaaa"),
    ("a{2,}", "a aa aaaaa"),
    ("a{1,3}", "- a aaa aaaa b"),
    ("a{0,1}b", "b ab aab"),
    ("a{0}b", "b ab"),
    ("(ab){2}", "ab abab ababab"),
    ("(a|b){3}", "ab aba bbb abab"),
    ("a{3}b{2}", "aaabb aabb aaab aaaabbb"),
    ("x{1}", "x xx y"),
    ("[abc]", "a b c d ab -"),
    ("[^abc]", "a d - dd ad"),
    ("[a-c]", "a b c d A"),
    ("[^a-c]", "a d ad"),
    ("[a-cx-z]", "a y m"),
    ("[a-zA-Z0-9]", "q Q 7 _ -"),
    ("[.]", "a . ..."),
    ("[*+?]", "* + ? a"),
    ("[a-]", "a - b"),
    ("[-a]", "- a b"),
    ("[^-a]", "b - a"),
    ("[\\]]", "] [ a"),
    ("[\\^]", "^ a"),
    ("[a^]", "a ^ b"),
    ("[\\\\]", "\\ a"),
    ("[\\d]", "7 a"),
    ("[\\w.]", "a . - _"),
    ("[^\\d]", "7 a 7a"),
    ("[^\\w]", "a - _ a-"),
    ("[0-9]+", "1 12 a1b -"),
    (".", "a - \n \t"),
    ("a.b", "aab axb a\nb ab"),
    (".*", "- abc \n"),
    ("a.*b", "ab axxb a\nb ba"),
    (".+", "- a"),
    ("^a", "a ba ab"),
    ("a$", "a ba ab a\n"),
    ("^a$", "a aa ba a\n -"),
    ("^$", "- a \n"),
    ("^", "- a"),
    ("$", "- a"),
    ("^a|b$", "ax xb xax"),
    ("(^a)b", "ab xab"),
    ("a(b$)", "ab abx"),
    ("x^a", "xa x^a a"),
    ("a$b", "ab a$b a"),
    ("(^|,)a(,|$)", "a x,a a,x xa ax b,a,c"),
    ("\\d", "7 a - x7"),
    ("\\d+\\.\\d+", "1.5 1. .5 12.34 1x5"),
    ("\\D", "7 a 7a"),
    ("\\w", "a _ 7 - ."),
    ("\\W", "a - a-"),
    ("\\w+", "ab_9 - a-b"),
    ("\\s", "a \t \n a\tb"),
    ("\\S", "a \t \n"),
    ("a\\sb", "ab a\tb a\nb"),
    ("\\bfoo\\b", "foo foo. xfoo foox foo-bar _foo"),
    ("\\Bfoo", "foo xfoo -foo"),
    ("foo\\B", "foo foox foo-"),
    ("\\b", "- a ."),
    ("\\B", "a aa ."),
    ("a\\b", "a ab a-"),
    ("\\.", "a . a.b"),
    ("\\*", "* a"),
    ("\\(\\)", "() ("),
    ("\\[a\\]", "[a] a"),
    ("\\{2\\}", "{2} 22"),
    ("\\|", "| a"),
    ("\\^\\$", "^$ $^"),
    ("\\\\", "\\ a"),
    ("\\/", "/ a"),
    ("\\+\\?", "+? +"),
    ("\\t", "\t t"),
    ("\\n", "\n n"),
    ("\\r", "\r r"),
    ("\\f", "\f f"),
    ("a-b", "a-b ab"),
    ("a/b", "a/b ab"),
    ("a,b", "a,b ab"),
    ("a:b=c!", "a:b=c! abc"),
    ("<a>", "<a> a"),
    ("a@b#c", "a@b#c abc"),
    ("a~b%c&d", "a~b%c&d abcd"),
    ("'\"`", "'\"` '"),
    ("_-;", "_-; _"),
    ("a*?b", "b ab aab a"),
    ("a+?b", "b ab aab"),
    ("a??b", "b ab"),
    ("a{1,2}?b", "ab aab b"),
    ("(a+?)+$", "a aaa b"),
    ("(?i)abc", "abc ABC aBc abd"),
    ("(?i)[a-c]", "a B d"),
    ("(?i)[^a-c]", "a B d D"),
    ("(?s)a.b", "a\nb axb ab"),
    ("(?m)^b$", "b a\nb b\na ab"),
    ("(?ims)^A.B$", "a\nb xa.b\n A\nBx"),
    ("(?ii)a", "a A b"),
    ("^(\\d{1,3}\\.){3}\\d{1,3}$", "1.2.3.4 255.255.255.255 1.2.3 1.2.3.4.5 a.b.c.d"),
    ("^[\\w.]+@[\\w.]+\\.[a-z]{2,}$", "a@b.de a.b@c.d.org a@b @b.de"),
    ("^#?([a-f0-9]{6}|[a-f0-9]{3})$", "#fff 00ff00 #ff ffff"),
    ("^\\d{4}-\\d{2}-\\d{2}$", "2026-01-15 26-1-15 2026-01-155"),
    ("^(?:beta|canary)-\\d+$", "beta-1 canary-22 beta- alpha-1"),
]

WORD_ENDS = ["0", "9", "A", "Z", "_", "a", "z"]
WORD_NEIGHBOURS = ["/", ":", "@", "[", "^", "`", "{"]
BLANK_NEIGHBOURS = ["\b", "\u000b", "\u000e", "\u001f", "!"]
# (a pattern, texts with a match, texts without one, why)
MEANT = [
    (
        "^.$",
        ["a", "\U0001f600", "é", "東", "\r", "\u2028"],
        ["\n", "ab", "e\u0301", ""],
        "a dot is one code point, not newline; a carriage return is a character",
    ),
    ("^..$", ["ab", "\U0001f600a", "e\u0301"], ["\U0001f600", "a"], "two code points, not two units"),
    (
        "^[\U0001f600-\U0001f64f]$",
        ["\U0001f600", "\U0001f610", "\U0001f64f"],
        ["\U0001f650", "\U0001f5ff", "a"],
        "a range beyond the basic plane",
    ),
    (
        "^[^a]$",
        ["\U0001f600", "\n", "b"],
        ["a", "\U0001f600\U0001f600"],
        "a negated class takes one code point, newline too",
    ),
    (
        "\U0001f600+$",
        ["\U0001f600", "\U0001f600\U0001f600", "x\U0001f600"],
        ["\U0001f601", ""],
        "a quantifier after a code point beyond the basic plane",
    ),
    (
        "^\U0001f600{2}$",
        ["\U0001f600\U0001f600"],
        ["\U0001f600", "\U0001f600\U0001f600\U0001f600"],
        "a counted code point beyond the basic plane",
    ),
    ("^é$", ["\u00e9"], ["e\u0301", "e"], "no normalization"),
    ("^[à-ý]+$", ["é", "çñ"], ["e", "É"], "a range beyond ASCII"),
    ("東|京", ["東", "x京"], ["", "x"], "ideographs"),
    ("\\d", ["0", "9", "a5"], ["\u0663", "\uff11", "\u00b2", "\u2160"], "digits are ASCII"),
    ("\\D", ["\u0663", "a"], ["0", "42", ""], "other digits are not digits"),
    ("^\\w$", ["a", "Z", "_", "5"], ["é", "東", "\u017f", "\u212a", "-"], "word characters are ASCII"),
    ("\\W", ["é", "-", "\U0001f600"], ["a", "_"], "other letters are not word characters"),
    ("(?i)^\\w$", ["k", "K", "s"], ["\u212a", "\u017f"], "letter case adds no word character"),
    ("^\\s$", [" ", "\t", "\n", "\r", "\f"], ["\u000b", "\u00a0", "\u2028", "\u1000", "\ufeff", "a"], "five blanks"),
    ("^\\S$", ["\u000b", "\u00a0", "\u2003", "a"], [" ", "\t", "\n"], "everything else is no blank"),
    ("^[\\s]$", [" ", "\t"], ["\u000b", "\u00a0", "s"], "blanks in a class"),
    ("\\b", ["a", "éa", "a é"], ["é", "\U0001f600", "", "-"], "a boundary needs an ASCII word character"),
    ("é\\bf", ["éf"], ["é f"], "a boundary inside a word with an accent"),
    ("^\\B$", [""], ["a", "ab"], "the empty text has no boundary"),
    ("\\b\\b\\ba", ["a", "-a"], ["ba"], "boundaries may be repeated"),
    ("a\\b\\Bb", [], ["ab", "a b", "a"], "a position that is no boundary"),
    ("\\Ba\\B", ["bab", "aaa"], ["a", "ba", "ab", "a-a"], "inside a word"),
    ("(?i)k", ["k", "K"], ["\u212a"], "the Kelvin sign is not k"),
    ("(?i)\u212a", ["\u212a"], ["k", "K"], "k is not the Kelvin sign"),
    ("(?i)s", ["s", "S"], ["\u017f"], "the long s is not s"),
    ("(?i)é", ["é"], ["É", "e"], "no letter but ASCII is folded"),
    ("(?i)Σ", ["Σ"], ["σ", "ς"], "Greek is not folded"),
    ("(?i)[à-ý]", ["é"], ["É"], "a range beyond ASCII is not folded"),
    ("(?i)ß", ["ß"], ["ss", "SS", "\u1e9e"], "the sharp s is not folded"),
    ("(?i)İ", ["İ"], ["i", "I"], "the dotted I is not folded"),
    (
        "(?i)^[Z-a]$",
        ["Z", "z", "A", "a", "_", "[", "^"],
        ["b", "Y", "y"],
        "a range across both cases is closed before it is used",
    ),
    ("(?i)^[^Z-a]$", ["b", "Y"], ["A", "z", "_"], "and before it is negated"),
    ("(?i)^[^k]$", ["\u212a", "l"], ["k", "K"], "a negated letter, both cases"),
    ("(?i)^[A-Z]$", ["q", "Q"], ["1", "É", "@", "["], "a range of letters"),
    ("(?i)^[@-B]$", ["@", "a", "b", "A"], ["c", "`"], "a range that begins before the letters"),
    ("(?i)^[y-~]$", ["Y", "z", "|", "~"], ["x", "^"], "a range that ends after the letters"),
    ("(?i)a\\tB", ["A\tb"], ["atb"], "a control character and letters"),
    ("a$", ["a", "ba"], ["a\n", "ab", "a\r\n"], "the end is the very end"),
    ("^a$", ["a"], ["a\n", "\na", "b\na"], "start and end of the text, not of a line"),
    (
        "(?m)^a$",
        ["a", "b\na", "a\nb", "b\na\nc", "a\n"],
        ["ba", "a\r", "a\r\nb", "a\u2028b"],
        "start and end of a line; only newline ends a line",
    ),
    ("(?m)^$", ["", "a\n", "\n", "a\n\nb"], ["a", "a\r"], "an empty line, also the last one"),
    ("(?m)$^", ["", "a\n", "\n\n"], ["a", "a\r"], "an end that is a start"),
    ("a$\\n", [], ["a\n"], "nothing is after the end"),
    ("(?m)a$\\nb", ["a\nb"], ["ab"], "a line's end is after it"),
    ("\\n^b", [], ["a\nb"], "nothing is before the start"),
    ("(?m)\\n^b", ["a\nb"], ["ab"], "a line's start"),
    ("(?s)^.*$", ["a\nb", "", "\n"], [], "a dot with s takes newline"),
    ("^.*$", ["ab", ""], ["a\nb", "\n"], "a dot without s does not"),
    ("(?s).", ["\n", "\r", "\U0001f600"], [""], "any code point"),
    ("(?sm)^b.$", ["a\nbc", "b\n"], ["b", "ab", "a\nb\nc"], "both"),
    ("(?ms)a.^b", ["a\nb"], ["a b"], "a newline and a line's start"),
    ("^a.c$", ["a\u0000c", "a\rc", "a\u0085c"], ["a\nc"], "a dot takes control characters"),
    ("a\\nb", ["a\nb"], ["a\\nb", "anb"], "an escape for newline"),
    ("[\\n\\t]", ["a\nb", "\t"], ["n", "t", "\\"], "escapes in a class"),
    ("^[\\r\\f]+$", ["\r\f"], ["r", "f"], "more escapes in a class"),
    ("[\\-\\]\\[\\^\\\\]", ["-", "]", "[", "^", "\\"], ["a"], "meta characters in a class, escaped"),
    ("^[.*+?(){}|$^]$", [".", "*", "(", "}", "|", "$", "^"], ["a", "]"], "meta characters in a class, bare"),
    ("^[a-z-]$", ["a", "-", "z"], ["_", "A"], "a hyphen at the end of a class"),
    ("^[-a-z]$", ["-", "m"], ["A"], "a hyphen at the start"),
    ("^[^-]$", ["a"], ["-"], "a hyphen alone, negated"),
    ("^[-]$", ["-"], ["a"], "a hyphen alone"),
    ("^[--]$", ["-"], ["a", "--"], "a hyphen at the start and at the end"),
    ("^[+\\--/]$", ["+", "-", ".", "/"], [",", "0"], "an escaped hyphen as end of a range"),
    ("^[\\--/]$", ["-", ".", "/"], [",", "0"], "an escaped hyphen as start of a range"),
    ("^[\\d-]$", ["5", "-"], ["a", "d"], "a hyphen after a class escape, at the end"),
    ("^[\\w\\-]+$", ["a-b", "_"], ["é", "a b"], "an escaped hyphen after a class escape"),
    ("^[a^b]$", ["a", "^", "b"], ["c"], "a circumflex inside"),
    ("^[^^]$", ["a"], ["^"], "a circumflex negated"),
    ("^[\\^a]$", ["^", "a"], ["b"], "an escaped circumflex first"),
    ("^[a-a]$", ["a"], ["b"], "a range of one"),
    ("^[!-~]+$", ["aZ9~", "!"], [" ", "é", "\u007f"], "all of printed ASCII"),
    ("^[\\D\\d]$", ["a", "1", "\n", "\U0001f600"], ["", "ab"], "a class and its complement"),
    ("[^\\D\\d]", [], ["a", "1", "\n", ""], "a class of nothing"),
    ("^[^\\w\\s]$", ["-", "é"], ["a", " ", "_"], "neither word nor blank"),
    ("^[\\W]$", ["-", "é"], ["a"], "a complement in a class"),
    ("^[^\\W]$", ["a", "_"], ["-", "é"], "a complement of a complement"),
    ("^[a&b]$", ["a", "&", "b"], ["c"], "one ampersand in a class"),
    ("^[a~b|c]$", ["~", "|"], ["d"], "one tilde and one bar in a class"),
    ("^[&a&]$", ["&", "a"], ["b"], "two ampersands apart"),
    ("^[\\|\\|]$", ["|"], ["\\"], "escaped bars"),
    ("^[a|\\|b]$", ["|", "a"], ["c"], "a bare bar beside an escaped one"),
    ("^[:alpha:]$", [":", "a", "l", "p", "h"], ["z", "A"], "a class of letters and colons, not a POSIX class"),
    ("()", ["", "a"], [], "an empty group"),
    ("a()b", ["ab"], ["a b"], "an empty group inside"),
    ("(?:)", ["", "x"], [], "an empty group without capture"),
    ("()*a", ["a"], ["b", ""], "a repeated empty group"),
    ("(){1000}", ["", "x"], [], "an empty group, many times"),
    ("(|)+", ["", "a"], [], "a repeated choice of nothing"),
    ("|", ["", "a"], [], "a choice of nothing"),
    ("a||b", ["a", "b", ""], [], "an empty branch in the middle"),
    ("^(|a|ab)$", ["", "a", "ab"], ["b", "abb"], "empty, short and long branches"),
    ("(a*)+$", ["", "b", "aa"], [], "a star inside a plus"),
    ("^(a?)*?$", ["", "aa"], ["b"], "lazy repetition of an option"),
    ("^(a*)*b$", ["b", "aab"], ["aac", ""], "a star inside a star"),
    ("(^)*a", ["a", "ba"], [], "a repeated group that holds an anchor"),
    ("(^a)*b", ["b", "ab", "cab"], ["a"], "a repeated group that begins with an anchor"),
    ("(a|^)b", ["b", "ab", "cab"], ["cb", "a"], "a choice of a letter and an anchor"),
    ("(a|\\b)b", ["b", "ab", "-b"], ["cb"], "a choice of a letter and a boundary"),
    ("^(^(^a$)$)$", ["a"], ["aa", "ba"], "anchors within anchors"),
    ("(\\b)?a", ["a", "ba"], ["b"], "an optional group that contains a boundary"),
    ("(a$|b)c", ["bc"], ["ac", "a"], "an end before a letter never holds"),
    ("^a", ["a"], ["ba"], "an anchor"),
    ("a{0,0}b", ["b", "ab"], ["a"], "nothing, counted"),
    ("a{0}", ["", "b"], [], "zero times"),
    ("^a{0,}$", ["", "aaa"], ["b"], "zero or more, counted"),
    ("^a{1000}$", ["a" * 1000], ["a" * 999, "a" * 1001], "a thousand times"),
    ("^a{999,1000}$", ["a" * 999, "a" * 1000], ["a" * 998, "a" * 1001], "both ends of a count"),
    ("^(ab|c){2,3}$", ["abab", "ccc", "abcab"], ["ab", "cccc", "abca"], "a counted choice"),
    ("^a{2}?$", ["aa"], ["a", "aaa"], "lazy, counted exactly"),
    ("^a{2,}?$", ["aa", "aaaa"], ["a"], "lazy, counted from below"),
    ("^((a{2}){3}){2}$", ["a" * 12], ["a" * 11, "a" * 13], "nested counts multiply"),
    ("^(a{1,2}){2}$", ["aa", "aaa", "aaaa"], ["a", "aaaaa"], "counts in counts"),
    ("a{2}b{2}|c{3}", ["aabb", "ccc"], ["aab", "cc"], "counts in branches"),
    ("a/b", ["a/b"], ["ab"], "a bare slash"),
    ("a\\/b", ["a/b"], ["a\\/b"], "an escaped slash"),
    ("a-b", ["a-b"], ["ab"], "a bare hyphen"),
    ("a,b", ["a,b"], ["ab"], "a comma"),
    ("\\{a\\}", ["{a}"], ["a"], "escaped braces"),
    ("\\]", ["]"], ["["], "an escaped bracket"),
    ("a#b c", ["a#b c"], ["a", "a#bc"], "blanks and number signs are characters"),
    ("\u2028", ["a\u2028b"], ["\n"], "a line separator is a character"),
    ("a\nb", ["a\nb"], ["ab"], "a newline in a pattern"),
    ("\u0000", ["a\u0000"], ["a", "0"], "the code zero"),
    ("'", ["it's"], ["its"], "an apostrophe"),
    ("%", ["5%"], ["5"], "a per cent sign"),
    ("_", ["a_b"], ["ab"], "an underscore"),
    ("<b>", ["a<b>"], ["b"], "angle brackets"),
    ("=!:", ["=!:"], ["="], "signs that mean something only in groups"),
    ("x" * 512, ["x" * 512, "x" * 513], ["x" * 511], "512 code points"),
    (
        "x" * 511 + "\U0001f600",
        ["x" * 511 + "\U0001f600"],
        ["x" * 512],
        "512 code points, one of them beyond the basic plane",
    ),
    ("(?i)" + "x" * 508, ["X" * 508], ["x" * 507], "512 code points with flags"),
    ("b|(a{1000}){9}a{999}", ["b"], ["a" * 99], "10,000 states"),
    ("(((){1000}){1000}){1000}", ["", "a"], [], "a group of nothing has no states"),
    ("(a{0}){1000}b", ["b"], ["a"], "nothing, a thousand times"),
    ("^" + "(" * 250 + "a" + ")" * 250 + "$", ["a"], ["aa", ""], "250 groups deep"),
    ("(" * 256 + ")" * 256, ["", "a"], [], "256 groups deep"),
    ("^(?:a|b|c|d|e|f|g|h|i|j)+$", ["abcj", "j"], ["k", ""], "ten branches"),
    ("^(?:(?:(?:a?){10}){10}){10}$", ["", "a" * 1000], ["a" * 1001], "options, counted thrice"),
    ("^(a{999}){3}$", ["a" * 2997], ["a" * 2996, "a" * 2998], "2,997 letters"),
    ("^(\\ba)$", ["a"], ["b"], "a boundary in a group"),
    ("((a?){1000}){10}", ["", "a"], [], "10,000 states in one repetition"),
    ("b|(a?){9}(c{999}){10}", ["b"], ["", "a"], "10,000 states in three parts"),
    (
        "^[^a]$",
        ["^", "b", "\u0000", "\U0010ffff"],
        ["a"],
        "a negating circumflex is not a member; the first and the last code point",
    ),
    ("(?s)^.$", ["\u0000", "\U0010ffff", "\n"], [""], "every code point, the first and the last"),
    ("^\\W$", ["\u0000", "\U0010ffff", "^"], ["_"], "every other code point"),
    ("^\\d$", ["0", "9"], ["/", ":"], "the neighbours of the digits"),
    ("^\\D$", ["/", ":"], ["0", "9"], "the neighbours of the digits, negated"),
    ("^\\w$", WORD_ENDS, WORD_NEIGHBOURS, "the neighbours of the word characters"),
    ("^\\W$", WORD_NEIGHBOURS, WORD_ENDS, "the neighbours of the word characters, negated"),
    ("\\b", WORD_ENDS, WORD_NEIGHBOURS, "the neighbours of the word characters make no boundary"),
    ("^\\B.\\B$", WORD_NEIGHBOURS, WORD_ENDS, "a character that is not a word character has no boundary next to it"),
    ("^\\s$", ["\t", "\n", "\f", "\r", " "], BLANK_NEIGHBOURS, "the neighbours of the blanks"),
    ("^\\S$", BLANK_NEIGHBOURS, ["\t", "\n", "\f", "\r", " "], "the neighbours of the blanks, negated"),
    ("^[\\s\\d]$", ["\t", "\n", "\f", "\r", " ", "0", "9"], [*BLANK_NEIGHBOURS, "/", ":"], "the neighbours in a class"),
    ("^[^\\w]$", WORD_NEIGHBOURS, WORD_ENDS, "the neighbours in a negated class"),
    (
        "(?i)^[`-{]$",
        ["`", "{", "a", "z", "A", "Z"],
        ["@", "[", "_", "|"],
        "the neighbours of the small letters are not folded",
    ),
    (
        "(?i)^[@-\\[]$",
        ["@", "[", "a", "z", "A", "Z"],
        ["`", "{", "\\"],
        "the neighbours of the capital letters are not folded",
    ),
    ("(?i)^[a-z]$", ["a", "z", "A", "Z"], ["@", "[", "`", "{"], "both alphabets and no other characters"),
    ("^[ad]$", ["a", "d"], ["1", "ad"], "a bare d is a letter"),
    ("^[xs,w,D]$", ["x", "s", "w", "D", ","], [" ", "a", "1"], "bare letters of class escapes are letters"),
    ("^[-b]$", ["-", "b"], [",", ".", "a"], "the neighbours of the hyphen, first in a class"),
    ("^[b-]$", ["b", "-"], [",", ".", "a", "]"], "the neighbours of the hyphen, last in a class"),
    ("^[^b-]$", ["a", ",", "."], ["b", "-"], "the hyphen last in a negated class"),
    ("^.$", ["\t", "\u000b", "\u000c"], ["\n"], "the neighbours of newline"),
    ("^(a:b)$", ["a:b"], ["b", ":b"], "a colon in a group"),
    ("^(?::?)$", [":", ""], ["?", "::"], "a colon after the mark of a group"),
    ("b|((a*){999}){10}", ["b"], [], "a star counts as what it repeats"),
    ("b|((a+){999}){10}", ["b"], ["c"], "a plus counts as what it repeats"),
    ("b|((a{0,}){999}){10}", ["b"], [], "none or more, counted once"),
    ("b|((a{2,}){999}){5}", ["b"], ["c"], "two or more, counted twice"),
    ("^(ab){2,}$", ["abab", "ababab"], ["ab", "aba"], "a group, counted from below"),
    ("^(ab|c){3,}$", ["ababab", "cabc", "cccc"], ["abab", "cc", "ccca"], "a choice, counted from below"),
    ("(?i)k\\b", ["k", "K\u017f", "k\u212a"], ["ks", "K1"], "letter case makes no boundary either: after the letter"),
    ("(?i)\\Bs", ["as", "sS"], ["s", "\u017fs", "\u212aS"], "letter case makes no boundary either: before"),
    ("b{0}((a{100}){100}|)", ["", "c"], [], "none counts nothing, beside 10,000 states"),
    ("((a{100}){100}|)b{0,0}", ["", "c"], [], "none to none counts nothing, after 10,000 states"),
    ("^[&~]+$", ["&", "~", "&~~&"], ["|", "a&", ""], "different signs of set operations side by side are members"),
    ("^[~|&]+$", ["~", "|", "&", "|&~"], ["a", "", "~a"], "three different signs of set operations side by side"),
    ("^[^|~&]$", ["a", "^"], ["|", "~", "&"], "the same in a negated class"),
    ("(?:a{0,99}b){100}", ["b" * 100, "ab" * 100], ["b" * 99, "ba" * 99], "a repetition counts its most: 10,000 states"),
]

# (a reason, patterns that are outside the dialect for this reason)
OUTSIDE = [
    ("empty", ["", "(?i)", "(?ims)", "(?m)"]),
    (
        "flags that are not at the start, or unknown, or empty",
        [
            "a(?i)b", "(?i)(?m)a", "(?x)a", "(?a)b", "(?u)a", "(?U)a", "(?g)a", "(?)a", "(?-i)a", "(?i-s)a", "(?I)a",
            "^(?i)a", "(?i", "(?im a", "((?i)a)", "(?i )a", " (?i)a",
        ],
    ),
    (
        "groups with flags or names",
        [
            "(?i:a)", "(?-i:a)", "(?s-i:a)", "(?<n>a)", "(?P<n>a)", "(?'n'a)", "(?P=n)", "(?P>n)", "(?&n)", "(?R)",
            "(?1)", "(?|a|b)", "(?#note)a", "(?>a)", "(?^:a)", "(?^i)a",
        ],
    ),
    ("look-around", ["(?=a)a", "(?!b)a", "(?<=a)b", "(?<!b)a", "a(?=b)", "(?=a)*a", "^(?!admin).*$", "(?!)", "(?=)"]),
    (
        "back-references",
        [
            "(a)\\1", "\\1", "\\2(a)(b)", "(a)\\k<n>", "(?<n>a)\\k<n>", "\\k", "(a)\\g{1}", "\\0", "\\9", "\\01",
            "(a)\\10",
        ],
    ),
    (
        "unknown escapes",
        [
            "\\a", "\\e", "\\v", "\\c", "\\cA", "\\A", "\\Aa", "a\\z", "a\\Z", "\\Ga", "\\K", "\\Qa.b\\E", "\\Ra",
            "\\X", "\\C", "\\h", "\\H", "\\V", "\\N", "\\l", "\\u", "\\U", "\\i", "\\y", "\\m", "\\j", "\\q",
            "\\o{101}", "\\E", "\\x", "\\x4", "\\x41", "\\x{41}", "\\u0041", "\\u{41}", "\\U00000041", "\\p{L}", "\\pL",
            "\\P{L}", "\\PL", "\\p{Greek}", "\\p{^L}", "\\N{U+41}", "\\07", "\\101", "\\é", "\\\U0001f600", "\\\n",
            "\\\u0000",
        ],
    ),
    (
        "needless escapes",
        [
            "\\-", "a\\-b", "\\ ", "a\\ b", "\\_", "\\:", "\\,", "\\;", "\\=", "\\!", "\\@", "\\#", "\\%", "\\&", "\\'",
            '\\"', "\\<", "\\>", "\\~", "\\`", "[\\:]", "[\\ ]", "[\\&]", "[\\~]", "[\\,]", "[\\_]",
        ],
    ),
    ("a backslash at the end", ["\\", "a\\", "\\\\\\", "[\\", "[a\\", "(\\"]),
    (
        "quantifiers without an atom",
        [
            "*", "+", "?", "*a", "+a", "?a", "{1}", "{1}a", "{1,2}", "(*a)", "(+)", "(?)", "(?:*)", "(?:?a)", "a|*",
            "a|+b", "a|?", "|*", "(|*)", "(?i)*", "(?i)*a", "(?i){2}",
        ],
    ),
    (
        "quantifiers after quantifiers",
        [
            "a**", "a*+", "a++", "a?+", "a+*", "a+{2}", "a{2}{3}", "a{2}*", "a{2}+", "a???", "a*??", "a+??", "a{1,2}??",
            "a??*", "a*{2}", "a{2}?{3}", "(a*)**", "a{2}?+", "[a]**", "\\d++",
        ],
    ),
    (
        "quantifiers after assertions",
        [
            "^*", "^*a", "^+a", "^?a", "^{2}a", "a$*", "$+", "$?", "a${2}", "\\b*", "\\b+a", "\\b?a", "\\b{2}a",
            "\\B*a", "\\B?", "(a|^*)", "(?m)^*a",
        ],
    ),
    (
        "braces that are not a count",
        [
            "{", "}", "a{", "a}", "{}", "a{}", "a{,}", "a{,2}", "a{,0}", "a{x}", "a{1", "a{1,", "a{1,2", "a{1,x}",
            "a{ 1}", "a{1 }", "a{1, 2}", "a{1 ,2}", "a{-1}", "a{+1}", "a{1;2}", "a{1,2,3}", "a{1.5}", "x{{1}}", "a}b",
            "{a}", "a{é}", "a{\u0661}", "a{\uff11}",
        ],
    ),
    (
        "counts out of range",
        [
            "a{01}", "a{1,02}", "a{00}", "a{001}", "a{2,1}", "a{1,0}", "a{1000,999}", "a{1001}", "a{1,1001}",
            "a{1001,}", "a{0,1001}", "a{1001,1002}", "a{9999}", "a{10000}", "a{99999999999999999999}",
            "a{1,99999999999999999999}", "(){1001}",
        ],
    ),
    (
        "unbalanced parentheses",
        ["(", ")", "(a", "a)", "((a)", "(a))", ")(", "a|)", "(|", "(?:", "(?:a", "(?", "(a|b", "())", "[(]("],
    ),
    (
        "unbalanced brackets",
        [
            "[", "]", "[a", "a]", "[^", "[^a", "a[", "[a-", "[a-z", "[]", "[^]", "[]a]", "[^]a]", "[]]", "[^]]",
            "[]-a]", "(]", "a]b", "[a]]", "[\\]",
        ],
    ),
    (
        "a bracket in a class",
        [
            "[[]", "[[a]", "[a[]", "[a[b]", "[[:alpha:]]", "[[:^alpha:]]", "[[:foo:]]", "[[=a=]]", "[[.a.]]", "[[:]",
            "[a[:digit:]b]", "[^[]",
        ],
    ),
    (
        "invalid ranges",
        [
            "[b-a]", "[z-a]", "[9-0]", "[a-Z]", "[\U0001f601-\U0001f600]", "[\U0001f600-a]", "[a-\\d]", "[\\d-a]",
            "[\\d-x]", "[\\w-z]", "[\\s-a]", "[a-\\w]", "[\\D-a]", "[\\d-\\w]", "[a-\\s]", "[\\n-\\t]", "[\\]-\\[]",
        ],
    ),
    (
        "hyphens in the middle",
        [
            "[a-b-c]", "[a-c-e]", "[--a]", "[!--]", "[---]", "[a--]", "[--/]", "[a-z-9]", "[\\w-.]", "[\\d-.]",
            "[a-z-A-Z]", "[a\\d-z]", "[^--a]", "[+--]", "[a--b]", "[^---]",
        ],
    ),
    (
        "escapes that are not allowed in a class",
        [
            "[\\b]", "[\\B]", "[\\S]", "[^\\S]", "[a\\b]", "[\\S\\s]", "[\\1]", "[\\0]", "[\\x41]", "[\\u0041]",
            "[\\p{L}]", "[\\c]", "[\\cA]", "[\\v]", "[\\a]", "[\\e]", "[\\Q]", "[\\A]", "[\\z]", "[\\é]",
        ],
    ),
    (
        "set operations",
        [
            "[a&&b]", "[&&]", "[a&&]", "[&&a]", "[a~~b]", "[~~]", "[a||b]", "[||]", "[a-z&&b-c]", "[^&&a]",
            "[\\w&&\\d]", "[a&&&b]", "[%-&&]", "[&-&&]", "[}-~~]",
        ],
    ),
    ("513 code points", ["a" * 513]),
    ("513 code points, one beyond the basic plane", ["(?:a|" + "b" * 506 + "\U0001f600)"]),
    ("10,001 states", ["b|(a{1000}){10}"]),
    ("10,001 states in three parts", ["b|(a?){10}(c{999}){10}"]),
    (
        "a repetition of 10,001 states",
        ["((a?){137}){73}", "b|((a*){137}){73}", "b|((a{0,}){137}){73}", "b|((a{2,}){500}){11}"],
    ),
    (
        "more than 512 code points",
        ["a" * 513, "(?i)" + "a" * 509, "a" * 512 + "\U0001f600", "(?:" + "a" * 509 + ")", "a|" * 256 + "a"],
    ),
    (
        "more than 10,000 states",
        [
            "b|(a{100}b){100}", "b|" + "a{1000}" * 10, "b|(a{1000}){11}", "b|((a{10}){10}){101}", "b|(a{1000}){1000}",
            "b|((a{1000}){1000}){1000}", "b|(?:a{1000}b?){10}", "b|(a{500}|b{501}){10}", "b|(^a{1000}){10}",
            "b|(a{1000}$){10}", "b|(a{1,1000}){11}", "b|(a{1000,}){11}", "b|(a{0,1000}){11}",
        ],
    ),
    (
        "habits of other languages",
        ["a(?#x)", "(*UTF8)a", "(*F)", "(?P<a>", "\\d{2,}+", "(?<=\\d)a", "@[a&&b]", "(?s-m)a", "a{2}+b"],
    ),
    (
        "more than 10,000 states, of which few are optional",
        [
            "(a{90,100}b){100}", "b|(a{990,1000}){11}", "b|(?:a{500,1000}b?){11}", "b|((a{3,5}){50,51}){50}",
            "b|(?:(?:a|b){100,101}){50}", "b|(?:a{2,3}){1000}(?:a{7,8}){1000}", "b|(a{999,1000}){10}c",
            "b|(?:a{10,11}){910}", "b|(?:[ab]{99,101}){100}", "b|(?:a{1,2}b{1,2}){600}(?:c{8,9}){900}",
            "b|(?:(?:a{9,10}){9,10}){101}", "b|(a{1,1000}){10}(a{1,2}){1}",
        ],
    ),
]
TRIES = [
    "", "a", "A", "b", "ab", "aa", "aaa", "aaaa", "aab", "abab", "1", "9", "-", " ", "\n", "\t", "[", "]", "{", "}",
    "a{,2}", "_", "a{1}", "é", "&", ":", ",", "x", "admin", "(", ")", "z", "|", "~", "%", "a]", "a}", "a-", "S", "u",
    "p", "^", "+", "!", "a" * 600,
]


def _lenient(pattern: str) -> str:
    """A text that matches in an engine that accepts the pattern: found with `re`, or the pattern itself if `re` refuses it."""
    try:
        with catch_warnings(action="ignore"):
            native = re.compile(pattern)
    except (re.error, ValueError, OverflowError):
        return pattern
    return next((text for text in TRIES if native.search(text)), "a")


def common(book: Book) -> None:
    """Adds a vector for each pattern, with two rules: one matches if the whole text fits, the other if a part of it
    does."""
    book.part(1)
    for pattern, listed in COMMON:
        texts = ["" if text == "-" else text for text in listed.split(" ")]
        texts += [" "] if "\\s" in pattern.lower() or "[ " in pattern else []
        flags, body = re.match(r"(\(\?[ims]+\))?(.*)", pattern, re.S).groups(default="")
        whole = f"{flags}^(?:{body})$"
        rules = ruleset(
            flag(
                "flag-a",
                rule(cond("text", "matches_regex", whole), serve="whole"),
                rule(cond("text", "matches_regex", pattern), serve="part", id="rule_2", priority=2),
                variations=[("whole", 2), ("part", 1), ("none", 0)],
                default="none",
            )
        )
        fits, found = (re.compile(_native(source), re.ASCII) for source in (whole, pattern))
        calls = [
            (
                "flag-a",
                context({"text": text}),
                "whole@rule_1" if fits.search(text) else "part@rule_2" if found.search(text) else "none",
            )
            for text in dict.fromkeys([*texts, "zz"])
        ]
        book.add(
            f"as a whole, in part or not at all: {pattern}",
            rules,
            calls,
            requirements=["operator-matches-regex"],
            decision="D11",
        )


def _native(pattern: str) -> str:
    """In the dialect, $ without m matches only at the very end; in `re` it also matches before a last newline."""
    if re.match(r"\(\?[is]*m", pattern):
        return pattern
    return re.sub(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$", lambda found: found.group(1) or r"\Z", pattern)


def meant(book: Book) -> None:
    book.part(201)
    for pattern, yes, no, why in MEANT:
        book.condition(why, "matches_regex", pattern, yes, no, decision="D11", attribute="text")


def outside(book: Book) -> None:
    first = 401
    for reason, patterns in OUTSIDE:
        book.part(first)
        first += 20
        for place in range(0, len(patterns), 6):
            chunk = patterns[place : place + 6]
            tries = list(dict.fromkeys(["", "a", "zz", *map(_lenient, chunk)]))
            if reason != "empty":
                # A second alternative matches, which shows whether the first one is accepted.
                chunk = [*chunk, *(f"zz|{pattern}" for pattern in chunk if _lenient(pattern) == pattern)]
            book.never(
                f"outside the dialect: {reason}", [("matches_regex", pattern) for pattern in chunk], tries,
                decision="D11", attribute="text", requirements=["operator-matches-regex"],
            )


def search(book: Book) -> None:
    book.part(1001)
    for pattern, yes, no, why in [
        (
            "pro",
            ["pro", "my-pro", "professional", "apropos"],
            ["prо", "p-r-o", ""],
            "in the middle, at the start and at the end",
        ),
        ("^pro", ["pro", "professional"], ["my-pro"], "an anchor at the start only"),
        ("pro$", ["pro", "my-pro"], ["professional"], "an anchor at the end only"),
        ("^pro$", ["pro"], ["my-pro", "professional", "pro\n"], "both anchors: the whole"),
        ("a|^b$", ["xax", "b"], ["xb", "bx"], "an anchor binds its branch only"),
        ("^a|b$", ["ax", "xb"], ["xa", "bx"], "each branch has its anchor"),
        ("^(a|b)$", ["a", "b"], ["ax", "xb"], "a group under both anchors"),
        ("\\d\\d", ["a12b", "12"], ["1a2", "1"], "two digits anywhere"),
        ("b", ["\nb", "a\nb\nc"], ["\n"], "after a newline"),
        ("", [], ["", "a"], "the empty pattern is outside"),
        ("x*", ["", "a", "xx"], [MISSING], "a pattern that matches the empty text matches each text"),
        ("c$", ["abc"], ["abcd", "c\n"], "not before a newline at the end"),
        ("[0-9]$", ["v1", "10"], ["1v"], "a class at the end"),
        ("\U0001f600", ["a\U0001f600b"], ["\ud83d"], "a code point beyond the basic plane"),
    ]:
        if yes:
            book.condition(
                f"search: {why}", "matches_regex", pattern, yes, no, decision="D10", attribute="text",
                **({"level": "optional"} if "\ud83d" in no else {}),
            )
    book.part(1021)
    for pattern, yes, no, why in [
        ("^.$", ["\ud83d", "\ude00"], ["\ude00\ud83d"], "half a pair is one code point"),
        ("\ud83d", ["\ud83d", "a\ud83d"], ["\U0001f600"], "half a pair is not in the pair"),
        ("[\ud83d-\ude00]", ["\ud83d", "\ude00"], ["\U0001f600"], "a range between halves"),
        ("[^a]", ["\ud83d"], ["a"], "half a pair outside a class"),
    ]:
        book.condition(why, "matches_regex", pattern, yes, no, decision="D11", attribute="text", level="optional")


def time(book: Book) -> None:
    book.part(1041)
    slow = [
        ("^(a+)+$", "a" * 28 + "!", "a" * 28),
        ("^(a+)+$", "a" * 1000 + "!", "a" * 1000),
        ("^(a*)*$", "a" * 1000 + "!", ""),
        ("^(a|a)*$", "a" * 1000 + "!", "aa"),
        ("^(a|aa)+$", "a" * 1000 + "!", "aaa"),
        ("^(.*a){12}$", "a" * 11 + "!" * 1000, "a" * 12),
        ("(a*)*b", "a" * 1000, "aab"),
        ("(x+x+)+y", "x" * 1000, "xxy"),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 1000, "aaBc"),
        ("(.*)*(.*)*=", "x" * 1000, "="),
        ("^(\\w+\\s?)*$", "a " * 1000 + "!", "a b"),
        ("(a?){30}a{30}b", "a" * 300, "a" * 30 + "b"),
        ("^(a?){100}a{100}$", "a" * 99, "a" * 150),
        ("(.+)+\\.(.+)+\\.(.+)+x", "." * 1000, "a.b.cx"),
        ("^(?:(?:a?){10}){10}b", "a" * 300, "b"),
        ("(\\d+)*,(\\d+)*;", "1" * 1000, "1,;"),
        ("([^\"]+)+\"", "x" * 1000, "x\""),
        ("(?s)(.*\\n)*end$", "line\n" * 400 + "e", "\nend"),
        ("a{1,500}b", "a" * 1000, "ab"),
        ("(a|b|ab)*c", "ab" * 1000, "abc"),
        ("^[a-z]+([-.]?[a-z]+)*@$", "a" * 1000, "a-b@"),
        ("(?i)(a+b?)+$", "aB" * 1000 + "!", "ab"),
    ]
    for pattern, text, found in slow:
        rules = ruleset(flag("flag-a", rule(cond("text", "matches_regex", pattern), serve="on")))
        book.add(
            f"linear in the text: {pattern} on {len(text)} characters",
            rules,
            [
                ("flag-a", context({"text": text}), "off", {"within_ms": 50}),
                ("flag-a", context({"text": found}), "on@rule_1"),
            ],
            decision="D12",
            requirements=["operator-matches-regex"],
        )
    for pattern, first, found, none, why in [
        ("b$", "a", "b", "a", "what is last decides"),
        ("^(?:a|b)+c", "ab", "c", "d", "longer than a place of 16 bits can say"),
    ]:
        long = first * (65_540 // len(first))
        rules = ruleset(flag("flag-a", rule(cond("text", "matches_regex", pattern), serve="on")))
        book.add(
            f"a text of 65,541 characters: {why}",
            rules,
            [("flag-a", context({"text": long + found}), "on@rule_1"), ("flag-a", context({"text": long + none}), "off")],
            decision="D12",
            requirements=["operator-matches-regex"],
        )


def books() -> list[Book]:
    book = Book("regex", "The dialect of regular expressions (EV-87 to EV-109)")
    common(book)
    meant(book)
    outside(book)
    search(book)
    time(book)
    return [book]
