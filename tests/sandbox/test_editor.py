"""Tests of forms in an editor: form-out triggers run before it, form-in and form-save after."""

from pathlib import Path

import pytest
from P4 import P4, P4Exception

from support.servers import ClientFactory, Server
from support.triggers import Install, Script
from support.workspaces import ClientWorkspace


@pytest.fixture
def p4(server: Server, connect: ClientFactory) -> P4:
    return connect(server)


@pytest.fixture
def editor(monkeypatch: pytest.MonkeyPatch, script: Script) -> Script:
    """Fixture: `editor('sed -i s/a/b/ "$1"')` makes a shell script the user's editor for forms."""

    def use(text: str) -> str:
        program = script(text)
        monkeypatch.setenv("P4EDITOR", program)
        return program

    return use


def test_a_form_edited_in_the_editor_is_saved(p4: P4, editor: Script) -> None:
    editor('sed -i "s|^Root:.*|Root: /edited|" "$1"')

    assert p4.run("client") == ["Client ws saved."]
    assert p4.fetch_client()["Root"] == "/edited"


def test_form_out_runs_before_the_editor_and_form_in_save_and_commit_after(
    server: Server, p4: P4, editor: Script, install: Install, script: Script, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    note = script(f'echo "$1" >> {log}')
    events = ("out", "in", "save", "commit")
    install(server, *(f'{e} form-{e} client "{note} {e}"' for e in events))
    editor(f'echo editor >> {log}; sed -i "s|^Root:.*|Root: /edited|" "$1"')

    p4.run("client")

    assert log.read_text().split() == ["out", "editor", "in", "save", "commit"]


def test_form_out_changes_the_form_in_the_editor_and_its_output_is_shown(
    server: Server, p4: P4, editor: Script, install: Install, script: Script, tmp_path: Path
) -> None:
    rewrite = script('sed -i "s|^Root:.*|Root: /proposed|" "$1"; echo take care')
    install(server, f'out form-out client "{rewrite} %formfile%"')
    editor(f'cp "$1" {tmp_path}/seen')

    assert p4.run("client") == ["take care", "Client ws saved."]
    assert "\nRoot: /proposed\n" in (tmp_path / "seen").read_text()
    assert "take care" not in (tmp_path / "seen").read_text()


def test_a_form_save_trigger_can_refuse_a_form_from_the_editor(
    server: Server, p4: P4, editor: Script, install: Install
) -> None:
    install(server, 'chk form-save client "fail no"')
    editor("exit 0")

    with pytest.raises(P4Exception) as error:
        p4.run("client")
    assert error.value.errors == ["Error in client specification.\n'chk' validation failed: no"]


def test_a_failing_editor_saves_no_form(p4: P4, editor: Script) -> None:
    editor("exit 1")

    with pytest.raises(P4Exception):
        p4.run("client")
    assert p4.run("clients") == []


def test_form_out_triggers_change_the_text_of_six_kinds_of_forms(
    server: Server, connect: ClientFactory, install: Install, script: Script
) -> None:
    """Test that `p4 FORM -o` returns the description that a form-out trigger wrote."""
    p4 = connect(server, server.super_user)
    rewrite = script('sed -i "s|^Description:.*|Description:\\n\\tby a trigger|" "$1"')
    forms = ("branch", "change", "client", "depot", "label", "stream")
    install(server, *(f'out form-out {form} "{rewrite} %formfile%"' for form in forms))
    names = {"stream": ["//streams/main"], "change": [], "client": []}

    for form in forms:
        (spec,) = p4.run(form, "-o", *names.get(form, ["new-one"]))
        assert spec["Description"].startswith("by a trigger\n"), form


def test_an_invalid_form_written_by_a_form_out_trigger_is_an_error(
    server: Server, p4: P4, install: Install, script: Script
) -> None:
    install(server, f'out form-out client "{script("echo nonsense > $1")} %formfile%"')

    with pytest.raises(P4Exception, match="Error parsing form text; check form-out triggers"):
        p4.fetch_client()


def test_a_submit_uses_the_description_written_in_the_editor(
    disk: ClientWorkspace, editor: Script
) -> None:
    disk.add("work/a.c")
    editor('sed -i "s|<enter description here>|edited|" "$1"')

    number = disk.p4.run("submit")[-1]["submittedChange"]

    assert disk.p4.run("describe", "-s", number)[0]["desc"] == "edited\n"
