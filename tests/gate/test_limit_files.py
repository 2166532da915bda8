"""Tests that the gate gives the verdicts of the cases of `limit_files`, by the server's answer.

No replay can: p4d's logs do not state the files of a submit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gate.forms import answer_by
from gate.program import policy

if TYPE_CHECKING:
    from gate.program import Home

FILES = sorted((Path(__file__).parents[1] / "cases" / "limit_files").glob("*.yaml"))
ANSWER = """
request = json.load(sys.stdin)
count = int(open(os.path.join(sys.argv[-1], "count")).read())
print(json.dumps({"listed": min(count, request["most_files"] + 1)}))
"""


def count(case: dict[str, Any], event: dict[str, Any]) -> int:
    """Return the number of files that the server tells; 0 if it names none yet."""
    return int(event.get("file_count", len(case.get("files", ()))))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_gate_gives_the_verdict_of_the_case(file: Path, beside: Home) -> None:
    document = yaml.safe_load(file.read_text("utf-8"))
    answer_by(beside, ANSWER)
    rule = {"name": "few", "rule": "limit_files", "mode": "enforce", **document["settings"]}
    beside.activate(policy(rule, on_error="deny"))
    for case in document["cases"]:
        event = document["event"] | case.get("event", {})
        (beside.folder / "count").write_text(str(count(case, event)))
        words = ("--on-error=deny", "--user=ann", f"--change={event['change']}")
        reply = beside.run(event["event"], *words)
        assert reply.code == (case["verdict"] == "refuse"), (case, reply.text)
        for line in case.get("only", ()):
            assert line in reply.text
