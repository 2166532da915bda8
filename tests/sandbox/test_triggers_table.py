"""Tests of the sandbox's triggers table: access, checks of its lines, and unchanged read-back.

Also of trigger programs in a depot.
"""

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory, Server
from support.triggers import Install, Script
from support.workspaces import ClientWorkspace

ROWS = [
    "chk form-save client /opt/chk",
    'chk form-in client "/opt/chk --user=%user% %formfile%"',
    'lim command pre-user-(fstat|files)$ "/opt/gate %quote%--args=%args%%quote%"',
    'odd "form-save" label "/opt/chk #1 100% %%"',
    'sub change-submit //... "/opt/chk %changelist%"',
]


@pytest.mark.state(protections="filled")
def test_only_the_super_user_can_read_and_save_the_triggers_table(
    server: Server, connect: ClientFactory
) -> None:
    p4 = connect(server)
    for action in ("-o", "-i"):
        p4.input = {"Triggers": ROWS}
        with pytest.raises(P4Exception) as error:
            p4.run("triggers", action)
        assert error.value.errors == ["You don't have permission for this operation."]


def test_trigger_lines_are_returned_without_needless_quotes(admin: P4) -> None:
    assert admin.save_triggers({"Triggers": ROWS}) == ["Triggers saved."]

    rows = admin.fetch_triggers()["Triggers"]

    assert rows == [*ROWS[:3], ROWS[3].replace('"form-save"', "form-save"), ROWS[4]]
    assert admin.save_triggers({"Triggers": rows}) == ["Triggers not changed."]


def test_saving_an_empty_triggers_field_empties_the_table(admin: P4) -> None:
    admin.save_triggers({"Triggers": ROWS})

    assert admin.save_triggers("Triggers:\n") == ["Triggers saved."]
    assert "Triggers" not in admin.fetch_triggers()


def test_saving_a_form_without_triggers_field_leaves_the_table_unchanged(admin: P4) -> None:
    admin.save_triggers({"Triggers": ROWS})

    with pytest.raises(P4Exception):
        admin.save_triggers("# nothing\n")
    assert len(admin.fetch_triggers()["Triggers"]) == len(ROWS)


def test_comments_in_the_triggers_table_are_not_stored(admin: P4) -> None:
    admin.save_triggers("Triggers:\n\t# one\n\tn form-save client /opt/chk # two\n")

    assert admin.fetch_triggers()["Triggers"] == ["n form-save client /opt/chk"]


def test_untagged_triggers_output_is_the_form(admin: P4) -> None:
    admin.save_triggers({"Triggers": ROWS[:2]})

    with admin.while_tagged(t=False):
        (form,) = admin.run("triggers", "-o")

    assert form.startswith("#")
    assert form.endswith(
        "\nTriggers:\n\tchk form-save client /opt/chk\n"
        '\tchk form-in client "/opt/chk --user=%user% %formfile%"\n'
    )


def test_a_long_trigger_line_is_returned_unchanged(admin: P4) -> None:
    row = f'n form-save client "/opt/chk {"x" * 200_000}"'
    admin.save_triggers({"Triggers": [row]})

    assert admin.fetch_triggers()["Triggers"] == [row]


def test_trigger_line_bytes_that_are_not_utf8_are_returned_unchanged(
    server: Server, admin: P4, install: Install, script: Script
) -> None:
    rewrite = script(r"printf 'Triggers:\n\tn form-save client /opt/caf\351\n' > $1")
    install(server, f'in form-in triggers "{rewrite} %formfile%"')
    admin.save_triggers("Triggers:\n")
    admin.encoding = "raw"

    with admin.while_tagged(t=False):
        (form,) = admin.run("triggers", "-o")

    assert form.endswith(b"\nTriggers:\n\tn form-save client /opt/caf\xe9\n")


def test_a_trigger_line_of_five_words_is_refused(admin: P4) -> None:
    with pytest.raises(P4Exception, match="Wrong number of words for field 'Triggers'"):
        admin.save_triggers({"Triggers": ["n form-save client /opt/chk %user%"]})


@pytest.mark.parametrize(
    "row",
    [
        "n form-sav client /opt/chk",
        "n form-save clients /opt/chk",
        "n form-save //depot/... /opt/chk",
        "n fix-add client /opt/chk",
    ],
)
def test_a_trigger_line_with_an_invalid_type_or_path_is_refused(admin: P4, row: str) -> None:
    with pytest.raises(P4Exception):
        admin.save_triggers({"Triggers": [row]})
    assert "Triggers" not in admin.fetch_triggers()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("n form-sav client c", "Invalid trigger type 'form-sav'."),
        ("n form-save clients c", "Invalid trigger path 'clients'."),
    ],
)
def test_an_invalid_trigger_type_or_path_is_named_in_the_refusal(
    sandbox: Sandbox, connect: ClientFactory, row: str, message: str
) -> None:
    with pytest.raises(P4Exception) as error:
        connect(sandbox, sandbox.super_user).save_triggers({"Triggers": [row]})
    assert error.value.errors == [f"Error in triggers specification.\n{message}"]


def test_an_invalid_regular_expression_in_a_trigger_path_is_refused(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    with pytest.raises(P4Exception, match="Regular expression error"):
        connect(sandbox, sandbox.super_user).save_triggers(
            {"Triggers": ["n command pre-user-(fstat pass"]}
        )


def test_a_missing_depot_program_is_an_error_only_when_the_trigger_runs(
    sandbox: Sandbox, connect: ClientFactory
) -> None:
    admin = connect(sandbox, sandbox.super_user)
    row = "n form-save client %//depot/chk.py%"
    admin.save_triggers({"Triggers": [row]})
    assert admin.fetch_triggers()["Triggers"] == [row]
    missing = (
        "Trigger depot file '//depot/chk.py' not found, purged or wrong type for trigger 'n'."
    )
    with pytest.raises(P4Exception, match=missing):
        admin.save_client(admin.fetch_client())


def submit_program(disk: ClientWorkspace, path: str, text: str) -> None:
    disk.write(path, text)
    disk.p4.run("add", str(disk.root / path))
    disk.p4.run("submit", "-d", "a program")


def test_a_trigger_program_in_a_depot_is_run(
    server: Server, disk: ClientWorkspace, install: Install
) -> None:
    submit_program(disk, "work/chk.sh", "#!/bin/sh\necho $1 $(basename $0); exit 1\n")
    install(server, 'n form-save client "sh %//depot/work/chk.sh% %user%"')
    with pytest.raises(P4Exception, match=r"'n' validation failed: ann .*chk\.sh"):
        disk.p4.save_client({**disk.p4.fetch_client(), "Description": "other words"})


def test_a_trigger_program_in_a_depot_can_delete_its_copy(
    disk: ClientWorkspace, install: Install, server: Server
) -> None:
    submit_program(disk, "work/gone.sh", 'rm "$0"\n')
    install(server, 'n form-save client "sh %//depot/work/gone.sh%"')
    form = {**disk.p4.fetch_client(), "Description": "other words"}
    assert disk.p4.save_client(form) == [f"Client {form['Client']} saved."]
    assert disk.p4.run("info")


@pytest.mark.parametrize("kinds", [["check"], ["pre", "init"], ["pre", "init", "check"]])
def test_an_incomplete_set_of_2fa_triggers_is_refused(
    server: Server, connect: ClientFactory, kinds: list[str]
) -> None:
    rows = [f"n-{kind} auth-{kind}-2fa auth pass" for kind in kinds]
    admin = connect(server, server.super_user)
    if len(kinds) == 3:
        assert admin.save_triggers({"Triggers": rows}) == ["Triggers saved."]
        return
    incomplete = "Incomplete set of multi factor authentication triggers defined"
    with pytest.raises(P4Exception, match=incomplete):
        admin.save_triggers({"Triggers": rows})
