"""Synonyms of p4 commands: a rule for one command applies to every name of the command.

The gate has the same table (`triggers/gate/src/paths/command_synonyms.rs`);
`tests/cases/command_names/synonyms.json` tests both, and has the source of each entry. Whether p4d
renames a synonym before it fires a trigger is not documented, so a trigger line lists all names.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Synonym(NamedTuple):
    """The meaning of a p4 command's name, which may be a synonym.

    Attributes:
        main_name: the command's main name.
        addition: the option or word with which the main command does the same; "" for none.
    """

    main_name: str
    addition: str = ""


SYNONYMS = {
    "changelist": Synonym("change"),
    "changelists": Synonym("changes"),
    "clean": Synonym("reconcile", "-w"),
    "flush": Synonym("sync", "-k"),
    "integ": Synonym("integrate"),
    "jobspec": Synonym("spec", "job"),
    "password": Synonym("passwd"),
    "rebase": Synonym("resubmit"),
    "rec": Synonym("reconcile"),
    "rename": Synonym("move"),
    "renameworkspace": Synonym("renameclient"),
    "status": Synonym("reconcile", "-n"),
    "streamspec": Synonym("spec", "stream"),
    "update": Synonym("sync", "-s"),
    "workspace": Synonym("client"),
    "workspaces": Synonym("clients"),
}


def synonym_of(command: str) -> Synonym:
    """Return the main name of a p4 command, and the option or word that a synonym adds to it.

    Any name that is not a synonym stands for itself, without an addition.
    """
    return SYNONYMS.get(command) or Synonym(command)


def events(commands: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the trigger events of a rule on p4 commands: one for each name of each command."""
    names: dict[str, None] = {}
    for command in commands:
        main = synonym_of(command).main_name
        others = (name for name, synonym in SYNONYMS.items() if synonym.main_name == main)
        names.update(dict.fromkeys((command, main, *others)))
    return tuple(("command", name) for name in names)


def needed_options(commands: Iterable[str]) -> set[str]:
    """Return the trigger line options needed to recognize synonyms of p4 commands.

    `args`, if one of the commands is a synonym with an added option or word; otherwise none.
    """
    return {"args"} if any(synonym_of(command).addition for command in commands) else set()
