"""Tests of how a plan shows the difference between two triggers tables."""

from __future__ import annotations

from p4warden.commands.deploy.plan_output import difference
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.table.merge import Plan, merge
from p4warden.table.trigger_lines import Installation, lines_for

HERE = Installation("/opt/p4warden-gate", "/srv/warden")
FORMS = ["client", "stream", "branch", "label"]
OTHER = "Triggers:\n\tother form-save job /bin/true\n"


def policy(*commands: str) -> Policy:
    limits = [{"per": ["user"], "allow": "1/s"}]
    rate = {"name": "r", "rule": "limit_command_rate", "mode": "enforce", "limits": limits}
    views = {"name": "v", "rule": "limit_view_scope", "mode": "enforce", "forms": FORMS}
    return compile_policy(
        {"contact": "x", "rules": [views, {**rate, "commands": [*commands]}]}, "0" * 64
    )


def planned(form: str, new: Policy) -> Plan:
    return merge(form, lines_for(new, HERE), HERE.owner)


def test_of_a_changed_line_the_changed_words_are_shown_and_other_lines_are_counted() -> None:
    plan = planned(planned(OTHER, policy("fstat")).after, policy("fstat", "files"))
    changed, counted = difference(plan, 80)
    assert changed == "~   p4warden.command: pre-user-fstat$ -> pre-user-(fstat|files)$"
    assert counted.startswith("~   4 lines with no other change than the digest of all lines, ")


def test_added_and_removed_lines_are_shown_whole() -> None:
    adding = planned(OTHER, policy("fstat"))
    removing = planned(adding.after, compile_policy({"contact": "x", "rules": []}, "1" * 64))
    lines = [line.strip() for line in adding.after.splitlines() if "p4warden." in line]
    assert len(lines) == 5
    for plan, sign in ((adding, "+"), (removing, "-")):
        rows = [row for row in difference(plan, None) if row.startswith(f"{sign}   ")]
        assert rows == [f"{sign}   {line}" for line in lines]


def test_of_a_long_line_the_changed_words_are_shown_and_a_shortened_row_ends_with_dots() -> None:
    def line(answer: str) -> str:
        command = f"/opt/gate {'x' * 300} {answer} {'y' * 300}"
        return f'Triggers:\n\tp4warden.x form-save client "{command}"\n'

    plan = Plan(line("allow"), line("deny"), updated=("p4warden.x",))
    assert [*difference(plan, 80)] == ["~   p4warden.x: allow -> deny"]
    cut = ["~   p4warden.x: a...", "(Long lines are cut; --full shows them whole.)"]
    assert [*difference(plan, 20)] == cut
