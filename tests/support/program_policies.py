"""The policies whose answers to known programs are recorded: the shipped ones and init's draft."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from p4warden.core import facts
from p4warden.policy.check import check_file
from p4warden.policy.judged import judging_by
from p4warden.policy.starter import Survey, starter_policy
from p4warden.programs.known_programs import DRAFT, Answer, known_programs, known_server
from p4warden.rehearse.program_answers import program_answers

if TYPE_CHECKING:
    from p4warden.policy.compiled import Policy

TODAY = datetime.date(2026, 11, 24)
FOLDER = Path(__file__).parents[2] / "policies"
_ORDER = ("default", "observe-everything", "observe-arguments", "strict")


def draft() -> str:
    """Return the draft of `p4warden init` for a server with the depots in the requests."""
    server = facts.from_document(known_server())
    survey = Survey("1666", "p4admin", "", "p4admin@example.com", server, own_group="admins")
    return starter_policy(survey, TODAY)


def texts() -> dict[str, str]:
    """Return the texts of the policies by name."""
    files = {f.stem: f for f in FOLDER.glob("*.yaml") if ".cases." not in f.name}
    names = sorted(files, key=lambda name: (*_ORDER, name).index(name))
    return {DRAFT: draft()} | {name: files[name].read_text("utf-8") for name in names}


def compiled(text: str) -> Policy:
    """Return a policy that `p4warden check` accepts without a remark."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "policy.yaml")
        file.write_text(text, "utf-8")
        result = check_file(str(file), TODAY)
    assert [p.line("") for p in (*result.problems, *result.warnings)] == []
    assert result.policy is not None
    return result.policy


def policies() -> dict[str, Policy]:
    return {name: compiled(text) for name, text in texts().items()}


def answers_of(policy: Policy) -> dict[str, dict[str, Answer]]:
    """Return a policy's answers, by the key of a program and the title of a request."""
    with judging_by(policy) as judge:
        return {p.key: program_answers(policy, p, judge) for p in known_programs()}
