"""Tests of how a plan shows the difference between two triggers tables."""

from __future__ import annotations

from typing import Any

from p4warden.asking.tables import trigger_events
from p4warden.commands.deploy.plan_output import difference
from p4warden.policy.compiled import Policy, compile_policy
from p4warden.table.line_subject import subject_of
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
    changed, counted = difference(plan)
    assert changed == "~   p4warden.command: pre-user-fstat$ -> pre-user-(fstat|files)$"
    assert counted.startswith("~   4 lines with no other change than the digest of all lines, ")


def test_added_and_removed_lines_are_shown_by_name_and_what_they_are_about() -> None:
    adding = planned(OTHER, policy("fstat", "files"))
    removing = planned(adding.after, compile_policy({"contact": "x", "rules": []}, "1" * 64))
    for plan, sign in ((adding, "+"), (removing, "-")):
        rows = difference(plan)
        assert [row for row in rows if row.startswith(f"{sign}   ")] == [
            f"{sign}   p4warden.form-save.client: each client form that is saved",
            f"{sign}   p4warden.form-save.stream: each stream form that is saved",
            f"{sign}   p4warden.form-save.branch: each branch form that is saved",
            f"{sign}   p4warden.form-save.label: each label form that is saved",
            f"{sign}   p4warden.command: fstat, files",
        ]
        assert "    other form-save job /bin/true" in rows
        assert rows[-1] == "(--full shows p4warden's lines whole.)"


def test_what_a_line_is_about_is_said_for_every_event_that_a_rule_judges() -> None:
    rules: list[dict[str, Any]] = [
        {"rule": "limit_command_scope", "commands": ["sync"]},
        {"rule": "limit_files", "max": 9, "shelves": True},
        {"rule": "suggest_client_options", "wishes": []},
    ]
    named = [{"name": f"r{n}", "mode": "enforce", **one} for n, one in enumerate(rules)]
    lines = lines_for(compile_policy({"contact": "x", "rules": named}, "0" * 64), HERE)
    assert {line.type: subject_of(line.text()) for line in lines} == {
        "command": "sync, flush, update, with their arguments",
        "change-submit": "each submit",
        "shelve-submit": "each shelved changelist",
        "form-out": "each client form that is shown",
        "form-save": "each stream form that is saved",
    }
    assert {line.type for line in lines} == trigger_events()


def test_a_line_of_another_tool_is_shown_as_it_is() -> None:
    plan = Plan("Triggers:\n", f'Triggers:\n\tp4warden.x form-save client "/opt/x {"y" * 600}"\n')
    assert f'+   p4warden.x form-save client "/opt/x {"y" * 600}"' in difference(plan)
