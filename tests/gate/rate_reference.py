"""Simple implementation of rate rules, to which tests compare the verdicts of the gate."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

UNITS_NS = {"ms": 10**6, "s": 10**9, "m": 60 * 10**9}
Verdict = tuple[str, int]


class Reference:
    """Simple implementation of a policy's rate rules, written from the policy reference."""

    def __init__(self, rules: list[dict[str, Any]]) -> None:
        self.rules = rules
        self.times: dict[tuple[object, ...], int] = {}

    def judge(self, event: dict[str, Any], now_ns: int) -> tuple[Verdict, list[Verdict]]:
        """Return the verdict on an event, and the delay or time until a retry, in nanoseconds.

        Also return both for each observing rule that objects.
        """
        judgements = [(rule["mode"], *self._judge(rule, event, now_ns)) for rule in self.rules]
        order = ("allow", "observe", "delay", "refuse")
        enforced_verdicts = [(own, wait) for mode, own, wait, _ in judgements if mode == "enforce"]
        worst = max((own for own, _ in enforced_verdicts), key=order.index, default="allow")
        if worst != "refuse":
            for _, own, _, new_times in judgements:
                if own != "refuse":
                    self.times.update(new_times)
        objections = [
            (own, wait)
            for mode, own, wait, _ in judgements
            if mode == "observe" and own != "allow"
        ]
        waits = [wait for own, wait in enforced_verdicts if own == worst]
        wait = max(waits) if worst in ("delay", "refuse") else 0
        return ("observe" if worst == "allow" and objections else worst, wait), objections

    def _judge(
        self, rule: dict[str, Any], event: dict[str, Any], now_ns: int
    ) -> tuple[str, int, dict[tuple[object, ...], int]]:
        longest, new_times = 0, {}
        for index, limit in enumerate(rule["limits"]):
            interval = interval_ns(limit["allow"])
            key = (rule["name"], index, *(event_key(event, part) for part in limit["per"]))
            at = max(self.times.get(key, 0), now_ns)
            longest = max(longest, at - (limit["burst"] - 1) * interval - now_ns)
            new_times[key] = at + interval
        if longest <= 0:
            return "allow", 0, new_times
        longest_delay = int(rule["max_delay"][:-2]) * 10**6 if rule["action"] == "delay" else -1
        return ("delay" if longest <= longest_delay else "refuse"), longest, new_times


def interval_ns(allow: str) -> int:
    number, period = allow.split(" per ")
    unit = period.lstrip("0123456789")
    return -(-int(period.removesuffix(unit)) * UNITS_NS[unit] // int(number))


def event_key(event: dict[str, Any], part: str) -> object:
    return frozenset(event["args"]) if part == "args" else event[part]


def would(answer: dict[str, Any]) -> list[Verdict]:
    return [(output["verdict"], wait_ns(output)) for output in answer["would"]]


def wait_ns(answer: dict[str, Any]) -> int:
    wait = answer["delay_s"] if answer["retry_after_s"] is None else answer["retry_after_s"]
    return round(Decimal(str(wait or 0)) * 10**9)
