"""Compare the two engines for forms and submits: Python's with `p4warden-gate judge`.

Random events, judged by random policies. The first differences that no name explains are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from differential import named_differences, random_events, random_policies, view_differences
from p4warden.asking import gate_program
from p4warden.core.printable import decoded
from p4warden.history.local_time import local_day
from p4warden.judge import baseline, refusal
from p4warden.judge.engine import evaluate, max_files, rules_for
from p4warden.policy.compiled import Policy, compile_policy, dumps
from support.python_events import event_from, facts_from, verdict_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from p4warden.core.records import Event, Facts

EVENTS_OF_A_POLICY = 250
MOST_SHOWN = 10
KEYS = ("verdict", "rule", "value", "summary", "detail", "fix", "exemption", "form", "text")
FINDING_KEYS = ("rule", "verdict", "item", "place", "problem", "value", "limit", "fix", "more")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    source, counts, shown = random.Random(options.seed), Counter[str](), 0  # noqa: S311
    while counts["events"] < options.events:
        for event, old, new in _compared(source):
            counts["events"] += 1
            counts[f"verdict {old['verdict']}"] += 1
            name = "" if old == new else _name(event, old, new)
            if name:
                counts[name] += 1
            if name == "unnamed" and (shown := shown + 1) <= MOST_SHOWN:
                _show(event, old, new)
    for name, count in sorted(counts.items()):
        print(f"{count:>9,}  {name}")
    return 1 if counts["unnamed"] else 0


def _compared(source: random.Random) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    policy = compile_policy(random_policies.policy(source), "0" * 64)
    events = [random_events.event(source, number) for number in range(EVENTS_OF_A_POLICY)]
    for event in events:
        if event.get("facts") and source.random() < 0.3:
            event["facts"]["baseline"] = _tolerated(policy, event, source)
    for event, line in zip(events, _of_gate(policy, events), strict=True):
        new = json.loads(line)
        yield event | {"policy": policy}, _of_python(policy, event), _compact(new)


def _of_python(policy: Policy, document: dict[str, Any]) -> dict[str, Any]:
    event, facts = _read(document)
    outcome = evaluate(policy, event, facts)
    answer = verdict_to(None, outcome)
    if facts.spanned_files and max_files(policy, event, facts) is not None:
        answer["value"] = facts.spanned_files.files
    more = [finding.further_count for one in outcome.judgements for finding in one.findings]
    for finding, count in zip(answer["findings"], more, strict=True):
        finding["more"] = count
    text = None
    if outcome.verdict == "refuse":
        text = refusal.refusal(policy, event, outcome, unicode=facts.unicode)
    return _decoded(_compact(answer | {"text": text}))


def _read(document: dict[str, Any]) -> tuple[Event, Facts]:
    event = event_from(document, local_day)
    return event._replace(is_trial=document.get("trial", False)), facts_from(document)


def _of_gate(policy: Policy, events: Iterable[dict[str, Any]]) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "policy.json")
        file.write_text(dumps(policy), "utf-8")
        lines = "".join(f"{json.dumps(event)}\n" for event in events)
        command = [gate_program.find(), "judge", "--policy", str(file), "--texts"]
        process = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    return process.stdout.splitlines()


def _tolerated(
    policy: Policy, document: dict[str, Any], source: random.Random
) -> list[list[str | int | None]]:
    """Return the baseline of an event's findings, with some entries missing or other values."""
    event, facts = _read(document)
    outcome = evaluate(policy, event, facts, most=None)
    entries: list[list[str | int | None]] = []
    for rule, judgement in zip(rules_for(policy, event), outcome.judgements, strict=True):
        for mark, value in baseline.marks(rule.name, judgement.findings, facts).items():
            other = None if value is None else value + source.choice((0, 0, 0, -1, 1))
            entries.append([*mark, other])
    return [entry for entry in entries if source.random() < 0.9]


def _compact(answer: dict[str, Any]) -> dict[str, Any]:
    findings = [{key: one[key] for key in FINDING_KEYS} for one in answer.get("findings", ())]
    return {key: answer.get(key) for key in KEYS} | {"findings": findings}


def _decoded(answer: dict[str, Any]) -> dict[str, Any]:
    r"""Only `item` and `form` keep bytes that are not UTF-8 as surrogates; others show `\xNN`."""

    def shown(name: str, value: Any) -> Any:
        if name in ("item", "form") or not isinstance(value, str | list):
            return value
        return decoded(value) if isinstance(value, str) else [shown("", one) for one in value]

    findings = [{k: shown(k, v) for k, v in one.items()} for one in answer["findings"]]
    top = {name: shown(name, value) for name, value in answer.items() if name != "findings"}
    return top | {"findings": findings}


def _name(event: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> str:
    explains = named_differences.NAMED.items()
    names = (name for name, explain in explains if explain(event, old, new))
    return next(names, view_differences.name(event, old, new) or "unnamed")


def _show(event: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> None:
    policy = event["policy"]
    print(json.dumps({**event, "policy": None}))
    print(
        f"  rules {[rule._asdict() for rule in policy.rules]}".encode("ascii", "backslashreplace")
    )
    for key, value in old.items():
        if value != new[key]:
            print(f"  {key}:\n    python {json.dumps(value)}\n    gate   {json.dumps(new[key])}")


if __name__ == "__main__":
    sys.exit(main())
