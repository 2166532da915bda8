"""Tests of sandbox variants of a trigger's input: arguments, variables, groups, command names."""

import pytest
from P4 import P4Exception

from support.variant_world import VariantServers, errors

ARGUMENTS = ["-f", "", "a b", 'c"d']


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("plain", '-f  a b c"d'),
        ("quoted", '-f "" "a b" c"d'),
        ("doubled", '-f "" "a b" c""d'),
    ],
)
def test_variant_args_determines_the_quoting_in_the_variable_args(
    world: VariantServers, way: str, text: str
) -> None:
    world.start(args=way, triggers_io="1")
    assert _values_by(world)["args"] == text


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("comma", '-f,,a b,c"d'),
        ("percent", "-f,,a%20b,c%22d"),
        ("csv", '-f,,a b,"c""d"'),
    ],
)
def test_variant_args_quoted_determines_the_encoding_in_the_variable_args_quoted(
    world: VariantServers, way: str, text: str
) -> None:
    world.start(args_quoted=way, triggers_io="1")
    report = _values_by(world)["argsQuoted"]
    assert report.replace("%25", "%") == text


def _values_by(world: VariantServers) -> dict[str, str]:
    """Run `p4 counter` with odd arguments; return the fields that its trigger reads on stdin."""
    file = world.folder / "arguments"
    program = world.folder / "tell"
    program.write_text(f"#!/bin/sh\ncat >{file}\necho action:pass\n")
    program.chmod(0o700)
    world.table(f"n command pre-user-counter$ {program}")
    with pytest.raises(P4Exception):
        world.client().run("counter", *ARGUMENTS)
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split(":", 1) for line in lines)


@pytest.mark.parametrize(
    ("way", "words"),
    [("left", "a|x=%nosuch%|b|"), ("emptied", "a|x=|b|"), ("removed", "a|b|")],
)
def test_variant_unknown_variables_keeps_empties_or_removes_an_unknown_variable(
    world: VariantServers, way: str, words: str
) -> None:
    world.start(unknown_variables=way)
    world.table(f'n command pre-user-depots$ "{world.teller()} a %quote%x=%nosuch%%quote% b"')
    world.client().run("depots")
    assert world.arguments() == words


@pytest.mark.parametrize(
    ("way", "name", "other"),
    [("typed", "user-workspaces", "user-clients"), ("main", "user-clients", "user-workspaces")],
)
def test_variant_command_name_determines_the_name_of_a_synonym_in_triggers(
    world: VariantServers, way: str, name: str, other: str
) -> None:
    world.start(command_name=way)
    world.table(
        f'n command pre-{name}$ "{world.teller()} %command%"',
        f'o command pre-{other}$ "fail wrong name"',
    )
    world.client().run("workspaces")
    assert world.arguments() == f"{name}|"


@pytest.mark.parametrize(
    ("way", "text"), [("blanks", "all|inner|"), ("commas", "all,inner|"), ("direct", "inner|")]
)
def test_variant_groups_determines_separator_and_indirect_groups_in_the_variable_groups(
    world: VariantServers, way: str, text: str
) -> None:
    world.start(groups=way)
    admin = world.admin()
    admin.save_group({"Group": "inner", "Users": ["ann"]})
    admin.save_group({"Group": "all", "Subgroups": ["inner"]})
    world.table(f'n command pre-user-depots$ "{world.teller()} %groups%"')
    world.client().run("depots")
    assert world.arguments() == text


@pytest.mark.parametrize(
    ("path", "ways"),
    [
        ("user-depo", {"anywhere"}),
        ("pre-user-depo", {"anywhere", "start"}),
        ("pre-user-depots$", {"anywhere", "start", "whole"}),
    ],
)
@pytest.mark.parametrize("way", ["anywhere", "start", "whole"])
def test_variant_command_pattern_determines_where_a_trigger_path_matches(
    world: VariantServers, path: str, ways: set[str], way: str
) -> None:
    world.start(command_pattern=way)
    world.table(f'n command {path} "fail caught"')
    p4 = world.client()
    if way in ways:
        assert "caught" in errors(p4, "depots")
    else:
        assert p4.run("depots")
