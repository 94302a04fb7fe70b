"""Tests of the evaluator's parts. run_vectors.py tests the behaviour as a whole."""

import io
import json
import random
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

from adapter import Adapter
from flagsvc_evaluator import Evaluator, bucket, bucket_hash, compile_pattern, number_text, parse_version
from harness import decode, same
from random_pairs import World

HERE = Path(__file__).resolve().parent


class NumberText(unittest.TestCase):
    def test_formats_as_ecmascript_does(self):
        for number, text in [
            (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (1e20, "100000000000000000000"),
            (1e21, "1e+21"), (123456789012345680000.0, "123456789012345680000"), (1.5e300, "1.5e+300"),
            (0.000001, "0.000001"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"), (2.0**53, "9007199254740992"),
        ]:
            self.assertEqual(number_text(number), text)


class Patterns(unittest.TestCase):
    def test_refuses_patterns_outside_the_dialect(self):
        outside = (
            "|(?i)|a**|a*+|a{2}{3}|*a|^*|\\b+|a{,2}|a{2,1}|a{1001}|a{01}|]|}|{|a{|[]|[]a]|[^]|[[a]|[b-a]|[a-b-c]|[--a]|"
            "[\\d-a]|[a-\\d]|[\\b]|[\\S]|[&&]|[~~]|(?=a)|(?<n>a)|(?i:a)|a(?i)|(?i)(?m)a|\\1|\\p{L}|\\x41|\\-|\\|(|)|(?"
        ).split("|")
        for source in [*outside, "[||]", "a" * 513, "(a{100}b){100}", "(?a)", "a|*"]:
            self.assertIsNone(compile_pattern(source), source)

    def test_accepts_patterns_inside_the_dialect(self):
        for source in ["()", "a|", "|", "(?:)*", "[--]", "[a-z-]", "[^-a]", "[\\--a]", "[a^]", "a{0}", "(?ii)a", "a-b/",
                       "a" * 512, "(a{100}){100}", "(((){1000}){1000}){1000}", "[\\||]", "(" * 256 + ")" * 256]:
            self.assertIsNotNone(compile_pattern(source), source)

    def test_agrees_with_re_on_the_common_subset(self):
        dice = random.Random(11)
        pieces = ["a", "b", "(", ")", "(?:", "|", "*", "+", "?", "{1,2}", "^", "$", ".", "[ab]", "[^a]", "\\b", "\\w"]
        compared = 0
        for _ in range(4000):
            source = "".join(dice.choices(pieces, k=dice.randint(1, 7)))
            pattern = compile_pattern(source)
            if pattern is None:
                continue
            native = re.compile(source.replace("$", r"\Z"), re.ASCII)
            for _ in range(5):
                text = "".join(dice.choices("ab -\n", k=dice.randint(0, 5)))
                compared += 1
                self.assertEqual(pattern.search(text), native.search(text) is not None, (source, text))
        self.assertGreater(compared, 2000)

    def test_takes_linear_time(self):
        started = time.perf_counter()
        self.assertFalse(compile_pattern("^(a+)+$").search("a" * 50_000 + "!"))
        self.assertFalse(compile_pattern("(a?){100}a{100}b").search("a" * 2_000))
        self.assertLess(time.perf_counter() - started, 5)


class Versions(unittest.TestCase):
    def test_orders_versions_as_semver(self):
        chain = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1"
        versions = [parse_version(text) for text in chain.split()]
        self.assertEqual(sorted(versions, reverse=True)[::-1], versions)

    def test_refuses_invalid_versions(self):
        for text in ["", "v", "1.2.3.4", "01.2.3", "1.2.", "1.2.3-", "1.2.3-01", "1.2.3+", " 1", "1\n", "１.2.3", 1, True]:
            self.assertIsNone(parse_version(text), text)


class Buckets(unittest.TestCase):
    def test_hashes_by_code_points(self):
        self.assertEqual(bucket_hash("", ""), 5381 * 33 + 58)
        self.assertEqual(bucket_hash("f", "\U0001F600"), (bucket_hash("f", "") * 33 + 0x1F600) & 0xFFFFFFFF)
        self.assertEqual(bucket("f", "u"), bucket_hash("f", "u") % 100)


class Prerequisites(unittest.TestCase):
    def test_evaluates_a_chain_longer_than_the_stack(self):
        flags = [
            {"key": f"f{n}", "enabled": True, "variations": [{"key": "on", "value": True}], "default_variation": "on",
             "prerequisites": [{"flag_key": f"f{n - 1}", "variation": "on"}] if n else []}
            for n in range(5000)
        ]
        self.assertEqual(Evaluator({"flags": flags}).evaluate("f4999", {})["reason"], "DEFAULT")
        flags[0]["prerequisites"] = [{"flag_key": "f4999", "variation": "on"}]
        self.assertEqual(Evaluator({"flags": flags}).evaluate("f4999", {})["reason"], "PREREQUISITE")


class AllFlags(unittest.TestCase):
    def test_each_result_equals_that_of_a_single_evaluation(self):
        for place in range(200):
            world = World(f"all/{place}")
            evaluator, context = Evaluator(world.ruleset()), world.context()
            results = evaluator.evaluate_all(context)
            self.assertEqual(results, {key: evaluator.evaluate(key, context) for key in results})
            whole = [key for key in world.keys if evaluator.evaluate(key, context)["reason"] != "FLAG_NOT_FOUND"]
            self.assertLessEqual(set(whole), set(results))


class Totality(unittest.TestCase):
    def test_nothing_raises(self):
        for ruleset in [None, 1, "x", [], {}, {"flags": 1}, {"flags": [None, 1, {}]}, {"segments": [None, {}]}]:
            for context in [None, 1, [], {}, {"user_key": 1, "attributes": []}]:
                for key in ["f", "", None, 1, [], {}]:
                    self.assertEqual(Evaluator(ruleset).evaluate(key, context)["reason"], "FLAG_NOT_FOUND")
                self.assertEqual(Evaluator(ruleset).evaluate_all(context), {})


class Harness(unittest.TestCase):
    def test_decodes_tags(self):
        self.assertTrue(same(decode({"a": {"$number": "-0"}, "b": {"$absent": True}, "$inherited": {"c": 1}}), {"a": 0}))

    def test_booleans_are_not_numbers(self):
        self.assertFalse(same(True, 1))
        self.assertTrue(same({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.0}))

    def test_the_adapter_answers_each_request(self):
        requests = [
            {"seq": 1, "cmd": "hello", "protocol": 1},
            {"seq": 2, "cmd": "load", "ruleset": {"flags": []}},
            {"seq": 3, "cmd": "evaluate", "flag": "f", "context": {}},
            {"seq": 4, "cmd": "evaluate", "calls": [{"flag": "f", "context": {}}] * 2},
            {"seq": 5, "cmd": "bucket", "flag": "f", "user": "u"},
            {"seq": 6, "cmd": "client.create"},
            {"seq": 7, "cmd": "stop"},
        ]
        run = subprocess.run(
            [sys.executable, "adapter.py"], cwd=HERE, capture_output=True, text=True, check=True,
            input="\n".join(map(json.dumps, requests)),
        )
        answers = [json.loads(line) for line in io.StringIO(run.stdout)]
        self.assertEqual([answer["seq"] for answer in answers], [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(len(answers[3]["ok"]["results"]), 2)
        self.assertIn("skipped", answers[5])
        self.assertIn("error", Adapter().answer("not json"))


class RandomPairs(unittest.TestCase):
    def lines(self, *arguments):
        run = subprocess.run([sys.executable, "random_pairs.py", *arguments], cwd=HERE, capture_output=True, text=True, check=True)
        return run.stdout.splitlines()

    def test_the_seed_decides_and_the_count_is_kept(self):
        first, second = self.lines("--seed", "3", "--count", "500"), self.lines("--seed", "3", "--count", "200")
        self.assertEqual(first[: len(second) - 1], second[:-1])
        self.assertNotEqual(first[0], self.lines("--seed", "4", "--count", "20")[0])
        self.assertEqual(sum(len(json.loads(line)["calls"]) for line in first), 500)

    def test_every_reason_occurs(self):
        calls = [call for line in self.lines("--seed", "1", "--count", "1000") for call in json.loads(line)["calls"]]
        self.assertEqual(len({call["expect"]["reason"] for call in calls}), 6)


if __name__ == "__main__":
    unittest.main()
