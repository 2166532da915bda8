"""Tests of notes of saved forms, by which commands are judged."""

from __future__ import annotations

import os
import time
import zlib
from typing import TYPE_CHECKING

import pytest

from gate.program import GO_ON, GateReply, Home, policy
from index.conftest import rows
from p4warden.home import trial_client
from support.small_index import small_index

if TYPE_CHECKING:
    from pathlib import Path

RULE = {
    "name": "big",
    "rule": "limit_scanned_rows",
    "mode": "enforce",
    "commands": ["sync", "fstat"],
    "max_files": 2000,
}
SYNC = ["--command=user-sync", "--user=ann"]
SLOTS, SLOT_BYTES = 8192, 4096


class Site:
    """A p4warden home folder with an index, for forms and commands."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.folder = self.home.folder
        self.form = folder / "form"
        self.home.activate(policy(RULE))
        self.home.know({"case_sensitive": True, "depots": {}})
        directories = {"//depot/main": 3000, "//depot/few": 30}
        clients = {"wide": ["//depot/... //wide/..."], "few": ["//depot/few/... //few/..."]}
        index = small_index(folder, directories, clients)
        self.write("checkpoint.index", index.read_bytes())

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)
        (self.folder / name).chmod(0o600)

    def save(self, name: str, *lines: str, more: str = "", form_type: str = "client") -> None:
        """Save a form, which must be accepted."""
        title = form_type.capitalize()
        view = "".join(f"\t{line}\n" for line in lines)
        form = f"{title}: {name}\n\nRoot: /home/{name}\n\n{more}View:\n{view}"
        assert self.sent(name, form, form_type) == GO_ON

    def sent(self, name: str, form: str, form_type: str = "client") -> GateReply:
        """Return the reply to a saved form."""
        self.form.write_text(form)
        words = [f"--form={self.form}", f"--type={form_type}", f"--name={name}"]
        return self.home.run("form-save", *words)

    def may_sync(self, client: str) -> bool:
        code, text = self.home.run("command", *SYNC, f"--client={client}", "--args=")
        assert code == 0 or "would read about" in text
        return code == 0


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_client_is_judged_by_its_saved_form_instead_of_its_view_in_the_index(site: Site) -> None:
    assert (site.may_sync("wide"), site.may_sync("few")) == (False, True)
    site.save("wide", "//depot/few/... //wide/...")
    site.save("few", "//depot/... //few/...")
    assert (site.may_sync("wide"), site.may_sync("few")) == (True, False)


@pytest.mark.parametrize("on_error", ["allow", "deny"])
@pytest.mark.parametrize("way", ["of others", "cut", "a link", "a folder"])
def test_with_unusable_notes_of_saved_forms_no_stale_view_is_judged(
    site: Site, way: str, on_error: str
) -> None:
    site.home.activate(policy(RULE, on_error=on_error))
    site.save("wide", "//depot/few/... //wide/...")
    notes = site.folder / "saved_forms"
    if way == "of others":
        notes.chmod(0o666)
    elif way == "cut":
        os.truncate(notes, SLOTS * SLOT_BYTES // 2)
    else:
        notes.unlink()
        notes.symlink_to(site.form) if way == "a link" else notes.mkdir()
    assert site.may_sync("wide")
    assert site.home.counts()["unknown"] == 1
    site.save("wide", "//depot/few/... //wide/...")
    assert "saved_forms" in site.home.log()[-1]["trouble"]


def test_a_client_missing_from_the_index_is_judged_by_its_saved_form(site: Site) -> None:
    assert site.may_sync("new")
    site.save("new", "//depot/... //new/...", "-//depot/main/... //new/main/...")
    assert not site.may_sync("new")
    assert site.may_sync("other")
    args = ["--command=user-fstat", "--user=ann", "--client=other", "--args=//new/..."]
    assert site.home.run("command", *args).code == 1


def test_the_form_of_a_deploys_trial_is_not_noted(site: Site) -> None:
    client = f"{trial_client.PREFIX}0123456789abcdef"
    trial_client.announce(str(site.folder), client, int(time.time()))
    site.save(client, f"//depot/few/... //{client}/...")
    assert not (site.folder / "saved_forms").exists()


def test_local_paths_are_resolved_by_the_roots_of_the_saved_form(site: Site) -> None:
    site.save("new", "//depot/... //new/...", more='AltRoots:\n\t"/alt/my ws"\n\n')
    sync = ["--command=user-sync", "--user=ann", "--client=new"]
    for directory, code in (("/home/new", 1), ("/alt/my ws", 1), ("/alt/my ws/few", 0)):
        assert site.home.run("command", *sync, f"--cwd={directory}", "--args=...").code == code


@pytest.mark.parametrize("more", ["Stream: //s/main\n\n", "View:\n\t//depot/x\n\n"])
def test_a_saved_form_with_a_stream_or_an_invalid_view_allows_the_sync(
    site: Site, more: str
) -> None:
    site.save("wide", "//depot/... //wide/...", more=more)
    assert site.may_sync("wide")


def test_an_empty_view_is_accepted_of_a_client_that_the_server_has(site: Site) -> None:
    """Test that it maps nothing; of a new client, p4d may fill it in."""
    depth = {"name": "no-whole-depot", "rule": "limit_view_scope", "mode": "enforce"}
    site.home.activate(policy(RULE, depth))
    site.save("wide")
    assert site.may_sync("wide")
    assert site.sent("new", "Client: new\n\nRoot: /home/new\n\nView:\n").code == 1
    site.save("new", "//depot/few/... //new/...")
    site.save("new")


def test_a_client_that_is_made_anew_counts_as_the_old_one_until_the_next_index(site: Site) -> None:
    """Test that its type is not demanded; no event tells of the deletion."""
    demand = {"rule": "require_client_options", "demands": [{"type": "partitioned"}]}
    site.home.activate(policy(RULE, demand | {"name": "builds", "mode": "enforce"}))
    site.save("few", "//depot/few/... //few/...", more="Type: writeable\n\n")
    later = int(time.time()) + 3600
    index = small_index(site.folder, {"//depot/main": 1}, {}, time_s=later)
    site.write("checkpoint.index", index.read_bytes())
    assert site.sent("few", site.form.read_text()).code == 1


def long_lines(client: str, directory: str, count: int) -> list[str]:
    return [
        f"//depot/{directory}/{number:0100}/... //{client}/{number}/..." for number in range(count)
    ]


@pytest.mark.parametrize("count", [20, 60, 1500])
def test_a_client_with_a_long_saved_view_is_judged_by_the_number_of_its_files(
    site: Site, count: int
) -> None:
    site.save("few", "//depot/... //few/...", *long_lines("few", "main", count))
    assert not site.may_sync("few")
    site.save("wide", "//depot/few/... //wide/...", *long_lines("wide", "few", count))
    assert site.may_sync("wide")
    assert site.home.counts()["unknown"] == 0
    site.save("wide", "//depot/few/... //wide/...", *long_lines("wide", "main", count))
    assert site.may_sync("wide")
    assert site.home.counts()["unknown"] == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        *[(whole, 1) for whole in ("", "//...", "//new/...", "-n //new/...#head", "...")],
        *[(part, 0) for part in ("//new/few/...", "//depot/few/...", "few/...", "//new/a.c")],
    ],
)
def test_of_a_long_saved_view_only_the_whole_is_judged(site: Site, args: str, code: int) -> None:
    site.save("new", "//depot/... //new/...", *long_lines("new", "main", 60))
    options = ["--client=new", "--cwd=/home/new", f"--args={args}"]
    assert site.home.run("command", *SYNC, *options).code == code


def test_a_long_list_of_roots_does_not_hide_a_long_view(site: Site) -> None:
    roots = "".join(f"\t/home/{number:0200}\n" for number in range(40))
    lines = long_lines("new", "main", 60)
    site.save("new", "//depot/... //new/...", *lines, more=f"AltRoots:\n{roots}\n")
    assert not site.may_sync("new")


@pytest.mark.parametrize(
    "roots", ['"/alt\n"', '"/alt\n9999999999"', '"\n9999999999"\n\tnew\n\tview\n\t0']
)
def test_a_line_end_in_a_root_ends_no_note(site: Site, roots: str) -> None:
    site.save("new", "//depot/... //new/...", more=f"AltRoots:\n\t{roots}\n\n")
    assert not site.may_sync("new")


def test_an_index_newer_than_a_saved_form_replaces_the_note_of_the_form(
    site: Site, tmp_path: Path
) -> None:
    site.save("few", "//depot/... //few/...")
    assert not site.may_sync("few")
    # The new index is of a checkpoint later than every saved form, so it makes the notes of these
    # forms obsolete.
    later = tmp_path / "later"
    later.mkdir()
    index = small_index(later, {"//depot/few": 30}, {"few": ["//depot/few/... //few/..."]})
    text = (later / "checkpoint").read_text() + "@ex@ 1 9999999999\n"
    (later / "checkpoint").write_text(text)
    rows("build", "--output", index, later / "checkpoint")
    site.write("checkpoint.index", index.read_bytes())
    assert site.may_sync("few")


@pytest.mark.parametrize("damage", [b"\xff" * 4096, b"00000000", b"x" * 60])
def test_a_damaged_note_is_ignored_and_the_index_applies(site: Site, damage: bytes) -> None:
    site.save("few", "//depot/... //few/...")
    place = zlib.crc32(b"few") % SLOTS * SLOT_BYTES
    with (site.folder / "saved_forms").open("r+b") as file:
        file.seek(place)
        file.write(damage)
    assert site.may_sync("few")
    assert not site.may_sync("wide")
    site.save("few", "//depot/... //few/...")
    assert not site.may_sync("few")


def test_without_an_index_saved_forms_are_not_noted(site: Site) -> None:
    (site.folder / "checkpoint.index").unlink()
    site.save("few", "//depot/... //few/...")
    assert not (site.folder / "saved_forms").exists()


def test_a_note_that_cannot_be_written_is_logged_and_the_form_is_saved(site: Site) -> None:
    (site.folder / "saved_forms").symlink_to("/etc/passwd")
    site.save("few", "//depot/... //few/...")
    assert "the saved form is not noted" in (site.folder / "decisions.jsonl").read_text()


def test_a_rule_about_depths_judges_a_client_by_its_saved_form(site: Site) -> None:
    depots = {"depot": {"directories": ["few", "main"]}}
    site.home.know({"case_sensitive": True, "depots": depots})
    deep = {"name": "deep", "rule": "limit_command_scope", "mode": "enforce", "min_depth": 1}
    site.home.activate(policy(deep | {"commands": ["files"]}))
    files = ["--command=user-files", "--user=ann", "--client=few", "--args=//few/..."]
    assert site.home.run("command", *files).code == 0
    site.save("few", "//depot/... //few/...")
    code, text = site.home.run("command", *files)
    assert (code, "rule=deep" in text) == (1, True)
