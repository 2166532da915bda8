"""Trigger lines of every kind, and names that try to break them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.core.trigger_options import ORDER
from p4warden.policy.compiled import compile_policy
from p4warden.table.trigger_lines import Installation, lines_for
from p4warden_sandbox.words import expand, split_command

if TYPE_CHECKING:
    from collections.abc import Mapping

GATE = "/opt/gate"
COMMON = {"mode": "enforce", "commands": ["fstat"]}
SCOPE = {"name": "scope", "rule": "limit_command_scope", **COMMON}
OLD = {"name": "old", "rule": "block_client_program", **COMMON}
FORMS = {"name": "views", "rule": "limit_view_scope", "mode": "enforce"}
PATHS = {"name": "paths", "rule": "limit_path_length", "mode": "enforce", "submits": True}
POLICY = compile_policy(
    {
        "contact": "admins",
        "rules": [
            SCOPE,
            {**OLD, "programs": [{"program": "P4V", "below": "2019.2"}]},
            FORMS,
            {**PATHS, "max_leading": 100},
        ],
    },
    "",
)
LINES = {
    line.name.partition(".")[2]: line.command
    for line in lines_for(POLICY, Installation(GATE, "/h"))
}
# By option: the variable with a value that a user chooses.
VARIABLES = {
    "user": "user",
    "client": "client",
    "name": "formname",
    "version": "clientversion",
    "prog": "clientprog",
}
FIXED = {
    "quote": '"',
    "formfile": "/tmp/form",  # noqa: S108 - a value, no file
    "clientip": "10.0.0.1",
    "groups": "dev qa",
    "command": "user-fstat",
    "changelist": "12",
}
PIECES = (
    '"',
    '""',
    '" "',
    '"\t"',
    " ",
    "\t",
    "\n",
    "a",
    "p4admin",
    ".",
    "=",
    "--",
    "//...",
    "%user%",
    *(f"--{name}=" for name in ORDER),
    *(f'" "--{name}=' for name in ORDER),
    '" "--args=" "--end=.',
    '" "--prog=p" "--cwd=" "--args=',
    '--end=."',
)
SENT = {"ip": "10.0.0.1", "home": "/h", "on-error": "allow", "groups": "dev qa"}


def words_of_line(line: str, values: Mapping[str, str]) -> list[str]:
    """Expand and split a trigger line as the sandbox does; return the words after the gate."""
    words = split_command(expand(line, FIXED | dict(values)))
    assert words[0] == GATE
    return words[1:]


def intended_value(values: Mapping[str, str], option: str) -> str:
    return values[VARIABLES[option]].replace('"', "")


def is_exact(options: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """Tell whether all options that arrived are unchanged, apart from quotation marks."""
    has_own_values = all(options.get(name) == value for name, value in SENT.items())
    present = [name for name in VARIABLES if name in options]
    return has_own_values and all(
        options.get(name) == intended_value(values, name) for name in present
    )


def is_whole(options: Mapping[str, str], values: Mapping[str, str], line: str) -> bool:
    """Tell whether all names of a line arrived, except empty and `%variable%`-like ones."""
    names = [name for name, variable in VARIABLES.items() if f"%{variable}%" in line]
    missing = [intended_value(values, name) for name in names if name not in options]
    return all(not text or (text[0] == text[-1] == "%") for text in missing)
