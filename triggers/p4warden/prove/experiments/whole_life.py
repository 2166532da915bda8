from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4warden.prove.administration import OBSERVING, administer, outcome
from p4warden.prove.experiment_site import SUPER
from p4warden.prove.experiments.fact_values import of_steps

if TYPE_CHECKING:
    from P4 import P4

    from p4warden.prove.lab import Lab
    from p4warden.prove.records import Step

ENFORCING = f"""\
version: 1
contact: "prove"
on_error: deny
exemptions:
  - {{users: [{SUPER}], rules: [prove-rate], reason: p4warden asks as this user, owner: prove}}
rules:
  - {{name: prove-view, rule: limit_view_scope, mode: enforce, forms: [client]}}
  - {{name: prove-scope, rule: limit_command_scope, mode: enforce, commands: [files]}}
  - name: prove-rate
    rule: limit_command_rate
    mode: enforce
    commands: [depots]
    limits: [{{per: [user], allow: 1 per 1h, burst: 3}}]
"""
POLLS = 5
_CLIENT = "prove-life"


def run(lab: Lab) -> None:
    """Run p4warden's commands as an administrator, and p4 commands as a user between them."""
    lab.install(lab.line("prove-other-tool", "command", "pre-user-counters$"))
    lab.step("table-before", lab.admin, "triggers", "-o")
    administer(lab, "refresh", "refresh")
    _deploy(lab, "first-deploy", OBSERVING)
    _deploy(lab, "deploy", ENFORCING)
    _use(lab)
    early_connection = lab.connect()
    lab.step("early", early_connection, "info")
    administer(lab, "rollback", "deploy", "rollback", "--yes")
    _save_wide(lab, "after-rollback", lab.connect(), _CLIENT)
    _deploy(lab, "deploy-again", ENFORCING)
    _save_wide(lab, "wide-again", lab.connect(), "prove-life2")
    administer(lab, "uninstall", "deploy", "uninstall", "--yes")
    _save_wide(lab, "after-uninstall", lab.connect(), "prove-life3")
    _save_wide(lab, "early-after-uninstall", early_connection, "prove-life4")
    lab.step("table-after", lab.connect(SUPER), "triggers", "-o")


def _deploy(lab: Lab, name: str, policy: str) -> None:
    file = lab.place.folder / "policy.yaml"
    file.write_text(policy, "ascii")
    administer(lab, f"{name}-activate", "activate", str(file))
    administer(lab, f"{name}-plan", "deploy", "plan")
    administer(lab, name, "deploy", "apply")


def _use(lab: Lab) -> None:
    p4 = lab.connect(client=_CLIENT)
    _save_wide(lab, "wide", p4, _CLIENT)
    lab.save("narrow", p4, _CLIENT, f"//depot/prove/a/... //{_CLIENT}/a/...")
    lab.step("wide-command", p4, "files", "//...")
    lab.step("narrow-command", p4, "files", "//depot/prove/a/...")
    for number in range(1, POLLS + 1):
        lab.step(f"poll-{number}", p4, "depots")


def _save_wide(lab: Lab, name: str, p4: P4, client: str) -> None:
    lab.save(name, p4, client, f"//depot/... //{client}/...")


def _refused(text: bytes, step: Step) -> str:
    if not step.has_failed:
        return "passes"
    return "refused" if text in step.text and b"p4warden: rule=" in step.text else "fails"


def _joint_outcome(step: Step, later: Step) -> str:
    is_passed = outcome(step) == "works" and _refused(b"", later) == "passes"
    return "works" if is_passed else "fails"


def _comparison(before: Step, after: Step) -> str | None:
    if before.has_failed or after.has_failed:
        return None
    return "same" if before.rows == after.rows else "changed"


_deployed = partial(outcome, texts=(b": yes\n",))
VALUES = {
    "first-deploy": of_steps(_deployed, "first-deploy"),
    "deploy": of_steps(_deployed, "deploy"),
    "wide-client": of_steps(partial(_refused, b"rule=prove-view "), "wide"),
    "narrow-client": of_steps(partial(_refused, b""), "narrow"),
    "wide-command": of_steps(partial(_refused, b"rule=prove-scope "), "wide-command"),
    "rate": of_steps(partial(_refused, b"rule=prove-rate "), f"poll-{POLLS}"),
    "rollback": of_steps(_joint_outcome, "rollback", "after-rollback"),
    "uninstall": of_steps(_joint_outcome, "uninstall", "after-uninstall"),
    "early-connection": of_steps(partial(_refused, b""), "early-after-uninstall"),
    "table": of_steps(_comparison, "table-before", "table-after"),
}
