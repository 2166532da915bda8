"""Tests of the trigger lines for a policy: each passes the options that the rules need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.core.errors import P4WardenError
from p4warden.policy.compiled import compile_policy
from p4warden.table.line_subject import subject_of
from p4warden.table.trigger_lines import Installation, digest_in, lines_for, rules_with_arguments

if TYPE_CHECKING:
    from p4warden.table.triggers_table import TriggerLine

PLACE = Installation("/opt/gate", "/var/lib/p4warden")
RATE = {"rule": "limit_command_rate", "limits": [{"per": ["user"], "allow": "1 per 1s"}]}
SCOPE = {"rule": "limit_command_scope"}
SCANNED = {"rule": "limit_scanned_rows", "max_files": 1}
PROGRAM = {"rule": "block_client_program", "programs": [{"program": "P4EXP"}]}
VERSION = {"rule": "block_client_program", "programs": [{"program": "P4V", "below": "2019.2"}]}
PRESSED = {
    "rule": "limit_command_rate",
    "limits": [{"per": ["user"], "allow": "1 per 1s", "when_pressure": "high"}],
}
ALWAYS = ["ip", "groups", "command", "server", "services", "user", "client", "prog"]
COMMON = {"name": "r", "mode": "enforce", "commands": ["fstat"]}


def line_of(*rules: dict[str, Any]) -> str:
    """Return the command in the trigger line for command events of a policy with these rules."""
    document = {"contact": "admins", "rules": [COMMON | rule for rule in rules]}
    policy = compile_policy(document, "")
    [line] = (line for line in lines_for(policy, PLACE) if line.type == "command")
    assert bool(rules_with_arguments(policy)) == ("%args%" in line.command)
    return line.command


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((RATE,), ALWAYS),
        ((PROGRAM,), ALWAYS),
        ((SCOPE,), [*ALWAYS, "args"]),
        ((SCANNED,), [*ALWAYS, "cwd", "args"]),
        ((PRESSED,), [*ALWAYS[:5], "pressure-cpu", "pressure-mem", *ALWAYS[5:]]),
        ((VERSION,), [*ALWAYS[:-1], "version", "prog"]),
        ((SCOPE, VERSION), [*ALWAYS[:-1], "version", "prog", "args"]),
        ((RATE, VERSION | {"mode": "off"}), ALWAYS),
    ],
)
def test_a_command_trigger_line_passes_only_values_that_a_rule_needs(
    rules: tuple[dict[str, Any], ...], expected: list[str]
) -> None:
    options = re.findall(r"%quote%--([a-z-]+)=%(?!quote%)", line_of(*rules))
    assert options == expected


@pytest.mark.parametrize("home", ['/a"b', "/a\nb", "/a#b", "/a\udcffb"])
def test_a_path_that_no_trigger_line_can_contain_is_refused(home: str) -> None:
    with pytest.raises(P4WardenError, match="cannot contain this path; install p4warden elsewh"):
        _ = Installation("/opt/gate", home).owner


@pytest.mark.parametrize("rules", [(RATE,), (SCOPE, VERSION), (PRESSED,)])
def test_a_command_trigger_line_has_all_options_in_a_fixed_order(
    rules: tuple[dict[str, Any], ...],
) -> None:
    words = line_of(*rules).split("%quote% %quote%")
    assert [word.partition("=")[0].rpartition("--")[2] for word in words] == [
        *("line", "home", "on-error", "triggers-io", "ip", "groups", "command"),
        *("server", "services", "pressure-cpu", "pressure-mem"),
        *("user", "client", "version", "prog", "cwd", "args", "end"),
    ]
    assert re.search(r"%quote%--line=1\.[0-9a-f]{8}$", words[0])
    assert words[-1] == "--end=.%quote%"


def test_form_and_submit_trigger_lines_have_all_options_in_a_fixed_order() -> None:
    forms = {"name": "f", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client"]}
    paths = {"name": "p", "rule": "limit_path_length", "mode": "enforce", "submits": True}
    rules = [forms, {**paths, "forms": [], "max_leading": 9}]
    lines = lines_for(compile_policy({"contact": "a", "rules": rules}, ""), PLACE)
    assert [re.findall(r"--([a-z-]+)=", line.command) for line in lines] == [
        [
            *("line", "home", "on-error", "triggers-io", "type", "form", "ip", "groups"),
            *("server", "services", "user", "client", "name", "prog", "end"),
        ],
        [
            *("line", "home", "on-error", "triggers-io", "ip", "groups", "change"),
            *("server", "services", "user", "client", "prog", "end"),
        ],
    ]


def test_a_limit_of_commands_at_once_has_a_line_for_their_ends_that_refuses_nothing() -> None:
    at_once = {
        "name": "s",
        "rule": "limit_concurrent_commands",
        "limits": [],
        "commands": ["sync"],
    }

    def lines(mode: str) -> tuple[TriggerLine, ...]:
        rules = [COMMON | RATE, at_once | {"mode": mode}]
        document = {"contact": "admins", "on_error": "deny", "rules": rules}
        return lines_for(compile_policy(document, ""), PLACE)

    end, commands = lines("enforce")
    assert end[:3] == ("p4warden.command-end", "command", "post-user-(sync|flush|update)$")
    assert re.findall(r"--([a-z-]+)=([^%]*)%", end.command)[1:] == [
        *(("home", "/var/lib/p4warden"), ("on-error", "allow"), ("triggers-io", "0"), ("end", "."))
    ]
    assert subject_of(end.text()) == "sync, flush, update, when they have ended"
    assert commands.path == "pre-user-(fstat|sync|flush|update)$"
    assert [line.path for line in lines("off")] == ["pre-user-fstat$"]


def digests(*rules: dict[str, Any], place: Installation = PLACE) -> set[str | None]:
    """Return the digests in a policy's trigger lines, which identify the whole set of lines."""
    document = {"contact": "admins", "rules": list(rules)}
    lines = lines_for(compile_policy(document, ""), place)
    assert len(lines) > 1
    return {digest_in([line.text()]) for line in lines}


VIEWS = {"name": "v", "rule": "limit_view_scope", "mode": "enforce", "forms": ["client", "stream"]}


def test_the_digest_in_trigger_lines_changes_only_if_a_trigger_line_changes() -> None:
    [digest] = digests(VIEWS)
    assert digests(VIEWS | {"min_depth": 2}) == {digest}
    others = [
        digests(VIEWS, COMMON | RATE),
        digests(VIEWS | {"forms": ["client", "branch"]}),
        digests(VIEWS, place=PLACE._replace(triggers_io=True)),
    ]
    assert [len(lines) for lines in others] == [1, 1, 1]
    assert len({digest}.union(*others)) == 4


def test_no_digest_is_found_in_a_trigger_line_without_a_digest() -> None:
    assert digest_in(["", 'p4warden.command command x "g command %quote%--line=1%quote%"']) is None
