from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.asking import gate_program
from p4warden.prove.administration import OBSERVING, administer, outcome
from p4warden.prove.experiment_site import SUPER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

ENFORCING = """\
version: 1
contact: "prove"
on_error: deny
rules:
  - {name: prove-view, rule: limit_view_scope, mode: enforce, forms: [client]}
  - {name: prove-scope, rule: limit_command_scope, mode: enforce, commands: [files]}
  - name: prove-rate
    rule: limit_command_rate
    mode: enforce
    commands: [depots]
    limits: [{per: [user], allow: 1 per 1h, burst: 3}]
"""
POLLS = 5
_CLIENT = "prove-life"
_WIDE, _NARROW = f"//depot/... //{_CLIENT}/...", f"//depot/prove/a/... //{_CLIENT}/a/..."


def run(lab: Lab) -> None:
    """Run p4warden's commands as an administrator, and p4 commands as a user between them."""
    lab.note("gate", b"yes" if gate_program.is_installed() else b"no")
    lab.install(lab.line("prove-other-tool", "command", "pre-user-counters$"))
    lab.step("table-before", lab.admin, "triggers", "-o")
    administer(lab, "refresh", "refresh")
    _deploy(lab, "first-deploy", OBSERVING)
    _deploy(lab, "deploy", ENFORCING)
    _use(lab)
    early_connection = lab.connect()
    lab.step("early", early_connection, "info")
    administer(lab, "rollback", "deploy", "rollback", "--yes")
    lab.step("after-rollback", lab.connect(), "client", "-i", command_input=_form(lab, _WIDE))
    _deploy(lab, "deploy-again", ENFORCING)
    lab.step(
        "wide-again", lab.connect(), "client", "-i", command_input=_form(lab, _WIDE, "prove-life2")
    )
    administer(lab, "uninstall", "deploy", "uninstall", "--yes")
    wide = _form(lab, _WIDE, "prove-life3")
    lab.step("after-uninstall", lab.connect(), "client", "-i", command_input=wide)
    wide = _form(lab, _WIDE, "prove-life4")
    lab.step("early-after-uninstall", early_connection, "client", "-i", command_input=wide)
    lab.step("table-after", lab.connect(SUPER), "triggers", "-o")


def read(steps: Mapping[str, Step]) -> dict[str, str | None]:
    """Derive whether each stage of using p4warden worked on p4d."""
    gate = steps.get("gate")
    has_gate = None if gate is None else gate.rows == (b"yes",)
    return {
        "whole_life.first-deploy": outcome(steps.get("first-deploy"), b": yes\n"),
        # Without the gate, the second policy needs no further trigger lines.
        "whole_life.deploy": outcome(steps.get("deploy"), b": yes\n", b"Nothing to write."),
        "whole_life.wide-client": _refused(steps.get("wide"), b"rule=prove-view "),
        "whole_life.narrow-client": _refused(steps.get("narrow"), b""),
        "whole_life.wide-command": _of_gate(steps.get("wide-command"), b"prove-scope", has_gate),
        "whole_life.rate": _of_gate(steps.get(f"poll-{POLLS}"), b"prove-rate", has_gate),
        "whole_life.rollback": _joint_outcome(steps, "rollback", "after-rollback"),
        "whole_life.uninstall": _joint_outcome(steps, "uninstall", "after-uninstall"),
        "whole_life.early-connection": _refused(steps.get("early-after-uninstall"), b""),
        "whole_life.table": _comparison(steps.get("table-before"), steps.get("table-after")),
    }


def _deploy(lab: Lab, name: str, policy: str) -> None:
    file = lab.place.folder / "policy.yaml"
    file.write_text(policy, "ascii")
    administer(lab, f"{name}-activate", "activate", str(file))
    administer(lab, f"{name}-plan", "deploy", "plan")
    administer(lab, name, "deploy", "apply")


def _use(lab: Lab) -> None:
    p4 = lab.connect(client=_CLIENT)
    lab.step("wide", p4, "client", "-i", command_input=_form(lab, _WIDE))
    lab.step("narrow", p4, "client", "-i", command_input=_form(lab, _NARROW))
    lab.step("wide-command", p4, "files", "//...")
    lab.step("narrow-command", p4, "files", "//depot/prove/a/...")
    for number in range(1, POLLS + 1):
        lab.step(f"poll-{number}", p4, "depots")


def _form(lab: Lab, view: str, client: str = _CLIENT) -> str:
    return lab.client_form(client, view.replace(f"//{_CLIENT}/", f"//{client}/"))


def _refused(step: Step | None, text: bytes) -> str | None:
    if step is None:
        return None
    if not step.has_failed:
        return "passes"
    return "refused" if text in step.text and b"p4warden: rule=" in step.text else "fails"


def _of_gate(step: Step | None, rule: bytes, has_gate: bool | None) -> str | None:  # noqa: FBT001
    if has_gate is None or step is None:
        return None
    return _refused(step, b"rule=" + rule + b" ") if has_gate else "no-gate"


def _joint_outcome(steps: Mapping[str, Step], command: str, after: str) -> str | None:
    first_outcome, later_outcome = outcome(steps.get(command)), _refused(steps.get(after), b"")
    if first_outcome is None or later_outcome is None:
        return None
    return "works" if (first_outcome, later_outcome) == ("works", "passes") else "fails"


def _comparison(before: Step | None, after: Step | None) -> str | None:
    if before is None or after is None or before.has_failed or after.has_failed:
        return None
    return "same" if before.rows == after.rows else "changed"
