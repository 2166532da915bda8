from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from p4warden import __version__
from p4warden.core.releases import of_version
from p4warden.prove.facts_file import promises
from p4warden.prove.judge import findings
from p4warden.prove.recording_file import recording, step_row
from p4warden.prove.records import BREAKS, HOLDS, INCONCLUSIVE, TOLERATED, UNASKED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from p4warden.prove.records import Experiment, Finding, Recording

FORMAT = 1
_OWN_PREFIX = "whole_life."
"""Facts about p4warden itself; no variant of the sandbox server reproduces them."""
_VERSION = re.compile(rb"P4D/[\w./-]+/(\d{4}\.\d)/[\w.-]+(?: \([\d/]+\))?")


_EXIT_CODES = {BREAKS: 1, INCONCLUSIVE: 2}
WORDS = {
    HOLDS: "hold",
    TOLERATED: "differ but tolerated",
    BREAKS: "break a promise",
    INCONCLUSIVE: "inconclusive",
    UNASKED: "not asked",
}
ANSWERS = {
    0: "all promises hold",
    1: "a promise does not hold",
    2: "not every promise could be checked",
}


class Report(NamedTuple):
    """`version` is like `P4D/LINUX26X86_64/2024.2/2697822 (2024/12/18)`; None if unknown.

    `recordings` are by experiment name.
    """

    version: str | None
    experiments: Sequence[Experiment]
    recordings: Mapping[str, Recording]
    findings: Sequence[Finding]

    @property
    def exit_code(self) -> int:
        """1 if a promise is broken, else 2 if a fact has no value, else 0.

        Facts that this p4d could not be asked for do not count.
        """
        verdicts = {finding.verdict for finding in self.findings}
        return next((code for verdict, code in _EXIT_CODES.items() if verdict in verdicts), 0)

    @property
    def broken_promises(self) -> dict[str, str]:
        """Texts by id."""
        broken = (finding.fact for finding in self.findings if finding.verdict == BREAKS)
        return {name: promises()[name] for fact in broken for name in fact.promises}

    def sum(self) -> str:
        """One line, such as `40 hold; all promises hold`."""
        verdicts = Counter(finding.verdict for finding in self.findings)
        counts = ", ".join(f"{verdicts[one]} {WORDS[one]}" for one in WORDS if verdicts[one])
        return f"{counts}; {ANSWERS[self.exit_code]}"

    @property
    def configurables(self) -> list[str]:
        """Set after the first start, sorted, as `name=value`."""
        recording = self.recordings.get("login")
        step = recording.steps.get("configurables") if recording else None
        rows = (_fields(row) for row in (step.rows if step else ()))
        return sorted(
            f"{row['Name']}={row['Value']}" for row in rows if {"Name", "Value"} <= {*row}
        )


def report_of(
    version: bytes, experiments: Sequence[Experiment], recordings: Mapping[str, Recording]
) -> Report:
    """Judge the recordings of experiments; `version` is the output of `p4d -V`."""
    match = _VERSION.search(version)
    version_text = match[0].decode("ascii") if match else None
    return Report(version_text, experiments, recordings, findings(experiments, recordings))


def recordings_of(document: Any) -> dict[str, Recording]:
    """Return the recordings in the JSON of a report; raise ValueError if it is none."""
    try:
        return {
            str(row["experiment"]): recording(row["steps"], row["trouble"])
            for row in document["recordings"]
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"it is not a report of p4warden prove: {error!r:.80}") from error


def as_document(report: Report) -> dict[str, Any]:
    """Return the report as an object for JSON."""
    return {
        "format": FORMAT,
        "p4warden": __version__,
        "p4d": report.version,
        "configurables": report.configurables,
        "exit_code": report.exit_code,
        "broken_promises": report.broken_promises,
        "facts": [_fact_row(finding) for finding in report.findings],
        "sandbox": _for_sandbox(report),
        "recordings": [
            {
                "experiment": name,
                "trouble": recording.trouble,
                "steps": [step_row(step) for step in recording.steps.values()],
            }
            for name, recording in report.recordings.items()
        ],
    }


def _fact_row(finding: Finding) -> dict[str, Any]:
    fact = finding.fact
    return {
        "id": fact.id,
        "question": fact.question,
        "hypothesis": fact.hypothesis,
        "accepted": list(fact.accepted_values),
        "value": finding.value,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "promises": list(fact.promises),
        "steps": list(fact.steps),
    }


def _for_sandbox(report: Report) -> dict[str, Any]:
    """Return the part that `p4warden sandbox --like-report` reads.

    A fact is unmatched if it has no value, if its value differs from the hypothesis and no variant
    has that value, or if it needs another value of a variant than an earlier fact.
    """
    releases = of_version(report.version or "")
    variants: dict[str, str] = {}
    without = []
    for finding in report.findings:
        if finding.fact.id.startswith(_OWN_PREFIX):
            continue
        variant = finding.fact.variants.get(finding.value or "")
        if variant:
            name, _, value = variant.partition("=")
            if variants.setdefault(name, value) != value:
                without.append(finding.fact.id)
        elif finding.verdict != UNASKED and finding.value != finding.fact.hypothesis:
            without.append(finding.fact.id)
    release = releases.text() if releases else None
    return {"release": release, "variants": variants, "without_variant": without}


def _fields(row: bytes) -> dict[str, str]:
    lines = row.decode("utf-8", "replace").split("\n")
    return {name: value for name, _, value in (line.partition(": ") for line in lines)}
