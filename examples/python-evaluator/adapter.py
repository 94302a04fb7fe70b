"""The conformance adapter: JSON lines on stdin and stdout, one answer for each request."""

from __future__ import annotations

import json
import platform
import sys
from typing import Any, Callable

from flagsvc_evaluator import Evaluator, bucket, bucket_hash
from harness import decode, parse


class Adapter:
    def __init__(self) -> None:
        self.evaluator = Evaluator({})
        self.running = True
        self.commands: dict[str, Callable[[dict], Any]] = {
            "hello": self.hello,
            "load": self.load,
            "evaluate": self.evaluate,
            "evaluateAll": self.evaluate_all,
            "bucket": self.bucket,
            "stop": self.stop,
        }

    def answer(self, line: str) -> dict:
        try:
            request = parse(line)
            command = self.commands.get(request["cmd"])
        except (ValueError, KeyError, TypeError) as error:
            return {"seq": None, "error": {"kind": "request", "message": repr(error)}}
        answer: dict = {"seq": request.get("seq")}
        if command is None:
            answer["skipped"] = {"reason": f"unknown command {request['cmd']}", "issue": None}
            return answer
        try:
            answer["ok"] = command(request)
        except Exception as error:  # reported to the kit as a finding
            answer["error"] = {"kind": type(error).__name__, "message": str(error)}
        return answer

    def hello(self, _request: dict) -> dict:
        return {
            "name": "python-evaluator",
            "version": "1.0.0",
            "language": "python",
            "runtime": f"python {platform.python_version()}",
            "bucketing": [1, 2, 3],
            "capabilities": ["evaluate", "bucket"],
        }

    def load(self, request: dict) -> dict:
        self.evaluator = Evaluator(decode(request.get("ruleset")))
        return {}

    def evaluate(self, request: dict) -> dict:
        if "calls" in request:
            return {"results": [self.evaluate(call) for call in request["calls"]]}
        return self.evaluator.evaluate(request.get("flag"), decode(request.get("context")))

    def evaluate_all(self, request: dict) -> dict:
        return self.evaluator.evaluate_all(decode(request.get("context")))

    def bucket(self, request: dict) -> dict:
        parts = request["flag"], request["user"], request.get("bucketing") or 1
        return {"hash": bucket_hash(*parts), "bucket": bucket(*parts)}

    def stop(self, _request: dict) -> dict:
        self.running = False
        return {}


def main() -> None:
    adapter = Adapter()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(adapter.answer(line)), flush=True)
        if not adapter.running:
            break


if __name__ == "__main__":
    main()
