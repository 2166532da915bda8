"""Tests of form triggers on the sandbox: the events that fire them, their input and effects."""

from pathlib import Path
from threading import Thread

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox import Sandbox
from support.servers import ClientFactory, Server
from support.triggers import Install, Script

FORM = "Client: ws\nRoot: /r\nView: //depot/main/... //ws/...\n"


@pytest.fixture
def p4(server: Server, connect: ClientFactory) -> P4:
    return connect(server)


def saving_fails(p4: P4) -> str:
    with pytest.raises(P4Exception) as error:
        p4.save_client(FORM)
    return error.value.errors[0]


def test_form_triggers_run_in_the_order_of_their_events(
    server: Server, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    note = script(f'echo "$@" >> {log}')
    events = ("out", "in", "save", "commit", "delete")
    install(server, *(f'{e} form-{e} client "{note} {e} %formname%"' for e in events))

    p4.save_client(FORM)
    p4.fetch_client()
    p4.run("client", "-d", "ws")

    assert log.read_text().splitlines() == [
        "in ws",
        "save ws",
        "commit ws",
        "out ws",
        "delete ws",
    ]


def test_no_form_trigger_runs_after_the_first_that_fails(
    server: Server, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    after = tmp_path / "after"
    install(
        server,
        "one form-save client pass",
        'two form-save client "fail two says no"',
        f'three form-save client "{script(f"touch {after}")}"',
    )

    assert saving_fails(p4) == (
        "Error in client specification.\n'two' validation failed: two says no"
    )
    assert not after.exists()


def test_all_form_trigger_lines_with_the_same_name_are_run(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, "chk form-save client pass", 'chk form-save client "fail second"')

    assert saving_fails(p4).endswith("'chk' validation failed: second")


def test_a_form_trigger_runs_only_for_its_form_type_and_event(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'chk form-save label "fail no"', 'chk form-out client "fail no"')

    assert p4.save_client(FORM) == ["Client ws saved."]


def test_a_form_in_trigger_changes_the_saved_form(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    rewrite = script('sed -i "s|^Root:.*|Root: /rewritten|" "$1"')
    install(server, f'in form-in client "{rewrite} %formfile%"')

    p4.save_client(FORM)

    assert p4.fetch_client()["Root"] == "/rewritten"


def test_a_form_save_trigger_cannot_change_the_saved_form(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    rewrite = script('sed -i "s|^Root:.*|Root: /rewritten|" "$1"')
    install(server, f'save form-save client "{rewrite} %formfile%"')

    p4.save_client(FORM)

    assert p4.fetch_client()["Root"] == "/r"


def test_a_form_out_trigger_changes_the_form_returned_to_the_user(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    rewrite = script('sed -i "s|^Root:.*|Root: /rewritten|" "$1"')
    install(server, f'out form-out client "{rewrite} %formfile%"')

    assert p4.fetch_client()["Root"] == "/rewritten"
    with p4.while_tagged(t=False):
        (form,) = p4.run("client", "-o")
    assert "\nRoot: /rewritten\n" in form


def test_a_failing_form_out_trigger_refuses_the_form(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'out form-out client "fail not now"')

    with pytest.raises(P4Exception) as error:
        p4.fetch_client()
    assert error.value.errors == ["'out' validation failed: not now"]


def test_a_failing_form_in_trigger_prevents_the_save(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'in form-in client "fail not now"')

    assert saving_fails(p4).endswith("'in' validation failed: not now")
    assert p4.run("clients") == []


def test_a_failing_form_delete_trigger_prevents_the_deletion(
    server: Server, p4: P4, install: Install
) -> None:
    p4.save_client(FORM)
    install(server, 'del form-delete client "fail keep it"')

    with pytest.raises(P4Exception, match="'del' validation failed: keep it"):
        p4.run("client", "-d", "ws")
    assert len(p4.run("clients")) == 1


def test_a_failing_form_commit_trigger_does_not_prevent_the_save(
    server: Server, p4: P4, install: Install
) -> None:
    install(server, 'com form-commit client "fail too late"')

    assert p4.save_client(FORM)[0] == "Client ws saved."
    assert len(p4.run("clients")) == 1


def test_a_form_save_trigger_can_read_the_form_file(
    server: Server, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    values = tmp_path / "seen"
    copy = script(f'cat "$1" > {values}; stat -c %a "$1" > {values}-mode')
    install(server, f'save form-save client "{copy} %formfile%"')

    p4.save_client(FORM)

    assert "//depot/main/... //ws/..." in values.read_text()
    # No source documents the mode of the form file that a trigger gets, so several modes with
    # which p4d's own account can read the file are accepted.
    assert (tmp_path / "seen-mode").read_text().strip() in {"400", "444", "600", "644", "666"}


def test_the_form_file_is_deleted_after_the_trigger(
    sandbox: Sandbox, connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> None:
    note = script(f'echo "$1" >> {tmp_path / "paths"}; exit $2')
    install(sandbox, f'save form-save client "{note} %formfile% 1"')

    saving_fails(connect(sandbox))

    (path,) = (tmp_path / "paths").read_text().splitlines()
    assert not Path(path).exists()
    assert list((sandbox.root / "tmp").iterdir()) == []


def test_form_save_triggers_run_for_an_unchanged_form(
    sandbox: Sandbox, connect: ClientFactory, install: Install
) -> None:
    p4 = connect(sandbox)
    p4.save_client(FORM)
    install(sandbox, 'save form-save client "fail again"')

    assert saving_fails(p4).endswith("'save' validation failed: again")


def test_the_output_of_a_passing_form_save_trigger_is_shown(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(server, f'save form-save client "{script("echo one; echo two >&2")}"')

    assert p4.save_client(FORM) == ["one\ntwo", "Client ws saved."]


def test_the_output_of_a_form_out_trigger_precedes_the_form(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(server, f'out form-out client "{script("echo chatter")}"')

    with p4.while_tagged(t=False):
        output = "\n".join(p4.run("client", "-o"))

    assert output.startswith("chatter\n# A Perforce Client Specification.\n")
    assert p4.fetch_client()["Client"] == "ws"


def test_form_bytes_that_are_not_utf8_are_kept_unchanged(
    server: Server, p4: P4, install: Install, script: Script, tmp_path: Path
) -> None:
    values = tmp_path / "seen"
    rewrite = script(r"printf 'Client: ws\nRoot: /caf\351\nView:\n' > $1")
    install(
        server,
        f'in form-in client "{rewrite} %formfile%"',
        f'save form-save client "{script(f"cat $1 > {values}")} %formfile%"',
    )
    p4.save_client(FORM)
    p4.encoding = "raw"

    with p4.while_tagged(t=False):
        (form,) = p4.run("client", "-o")

    assert b"/caf\xe9\n" in values.read_bytes()
    assert b"\nRoot:\t/caf\xe9\n" in form


def test_form_save_triggers_can_refuse_the_triggers_table(
    server: Server, connect: ClientFactory, install: Install
) -> None:
    install(server, 'tab form-save triggers "fail hands off"')

    with pytest.raises(P4Exception, match="'tab' validation failed: hands off"):
        connect(server, server.super_user).save_triggers("Triggers:\n")


def test_form_save_triggers_of_two_simultaneous_saves_run_in_parallel(
    sandbox: Sandbox, connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> None:
    """Save two forms at the same time; the trigger of each waits for the other trigger to start.

    The test passes only if the server holds no lock while triggers run, which is inferred: with a
    lock, the second trigger would start only after the first had given up waiting.
    """
    wait = script(
        f"touch {tmp_path}/$1; n=0\n"
        f"until [ -e {tmp_path}/one -a -e {tmp_path}/two -o $n -ge 100 ]; do\n"
        "  sleep 0.02; n=$((n + 1))\n"
        "done\n"
        f"ls {tmp_path} > {tmp_path}/seen-by-$1"
    )
    install(sandbox, f'wait form-save depot "{wait} %formname%"')
    admins = {name: connect(sandbox, sandbox.super_user) for name in ("one", "two")}
    forms = {name: admin.fetch_depot(name) for name, admin in admins.items()}
    threads = [Thread(target=admins[name].save_depot, args=(forms[name],)) for name in admins]

    for save in threads:
        save.start()
    for save in threads:
        save.join()

    assert {"one", "two"} <= {row["name"] for row in admins["one"].run("depots")}
    for name in admins:
        assert {"one", "two"} <= set((tmp_path / f"seen-by-{name}").read_text().split())
