"""Fuzz command events: `p4warden-gate judge` against a plain Python model of rate limits.

Streams are long for rules that refuse, and short for rules that delay: at most 16 commands of a
user can wait, and the model does not limit that.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaign import Campaign, CampaignResult, finding

from gate.program import PROGRAM, policy, rate, rule
from gate.rate_reference import Reference, wait_ns, would

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

LONG, SHORT = 20_000, 16
UNITS = ("ms", "s", "m")
KEYS = ("user", "client", "ip", "args")
NAMES = ("ann", "bob", "carol", "Ann", "jörg", "a b", "", "_", "*")
ARGS = ([], ["-Ro"], ["//depot/a"], ["//depot/b#3"], ["-e", "12"], ["…"])


def runs(random: random.Random) -> Iterator[CampaignResult]:
    """Judge random streams of command events by random rate rules; yield results without end."""
    while True:
        delays = random.random() < 0.2
        rules = [_rule(random, number, delays=delays) for number in range(random.randint(1, 4))]
        stream = list(_stream(random, SHORT if delays else LONG))
        yield CampaignResult(len(stream), tuple(_differences(rules, stream)))


def _rule(random: random.Random, number: int, *, delays: bool) -> dict[str, Any]:
    limits = [
        rate(
            *random.sample(KEYS, random.randint(0, 3)),
            allow=f"{random.randint(1, 60)} per {random.randint(1, 90)}{random.choice(UNITS)}",
            burst=random.choice((1, 1, 2, 5, 50)),
        )
        for _ in range(random.randint(1, 3))
    ]
    action = {"action": "delay", "max_delay": f"{random.randint(1, 60_000)}ms"}
    mode = random.choice(("enforce", "enforce", "observe"))
    return rule(
        *limits,
        name=f"rule{number}",
        mode=mode,
        **(action if delays else {"action": "refuse", "max_delay": None}),
    )


def _stream(random: random.Random, length: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Times are in nanoseconds since the epoch."""
    now_ns, usual_ns = 10**18, random.choice((10**6, 10**8, 10**10))
    for _ in range(length):
        now_ns += random.choice(
            (0, 0, random.randint(0, usual_ns), random.randint(0, 50 * usual_ns))
        )
        event = {"user": random.choice(NAMES), "client": random.choice(NAMES[:3])}
        event |= {"ip": f"10.0.0.{random.randint(1, 3)}", "args": random.choice(ARGS)}
        yield event, now_ns


def _differences(
    rules: list[dict[str, Any]], stream: list[tuple[dict[str, Any], int]]
) -> Iterator[dict[str, Any]]:
    reference = Reference(rules)
    for (event, now_ns), line in zip(stream, _answers(rules, stream), strict=True):
        answer = json.loads(line)
        expected = reference.judge(event, now_ns)
        values = ((answer["verdict"], wait_ns(answer)), would(answer))
        if values != expected:
            yield finding("rates", rules=rules, event=event, expected=expected, given=values)
            # Stop at the first difference: after it the stored rates of gate and model differ, and
            # so would all later results.
            return


def _answers(rules: list[dict[str, Any]], stream: list[tuple[dict[str, Any], int]]) -> list[bytes]:
    lines = []
    for event, now_ns in stream:
        body = json.dumps({"event": "command", "command": "fstat", **event})
        lines.append(f'{body[:-1]}, "time": {Decimal(now_ns) / 10**9}}}\n')
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "policy.json")
        source.write_text(json.dumps(policy(*rules)))
        command = [str(PROGRAM), "judge", "--policy", str(source)]
        text = "".join(lines).encode()
        return subprocess.run(
            command, input=text, capture_output=True, check=True
        ).stdout.splitlines()


CAMPAIGN = Campaign("command-events", "events", runs, 8_000_000)
