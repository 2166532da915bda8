"""Tests of the sandbox as a stand-in for the p4d program, with p4d's command-line options."""

import contextlib
import os
import secrets
import shlex
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from P4 import P4, P4Exception

from p4warden_sandbox.p4d.root_folder import RootFolder
from support.examples import long_but

SECRET = secrets.token_urlsafe(9)
PATIENCE_S = 60
PROGRAM = [sys.executable, "-m", "p4warden_sandbox.p4d"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Fixture: a server root whose path is too long for the address of a Unix socket."""
    folder = tmp_path / ("root of a server" + "r" * 100)
    folder.mkdir()
    return folder


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *arguments]
    settings = {**os.environ, **environment}
    return subprocess.run(
        command, env=settings, capture_output=True, text=True, timeout=60, check=False
    )


def rsh(root: Path, user: str = "joe", charset: str = "none") -> P4:
    command = shlex.join([*PROGRAM, "-L", "log", "-vserver=3", "-i"])
    return P4(port=f'rsh:{command} -r "{root}"', user=user, charset=charset)


@contextlib.contextmanager
def listening(root: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = f"127.0.0.1:{free.getsockname()[1]}"
    command = [*PROGRAM, "-r", str(root), "-p", port, "-Joff"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline()
        try:
            yield port, process
        finally:
            process.terminate()


def test_version_output_identifies_the_sandbox_and_its_release() -> None:
    result = run("-V", P4WARDEN_SANDBOX_LIKE="2026.1")
    assert result.returncode == 0
    assert "not Perforce's server" in result.stdout
    assert "Rev. P4D/P4WARDEN-SANDBOX/2026.1/" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "0.0.0.0:1666"], "-p 0.0.0.0:1666: write 127.0.0.1:PORT"),
        (["-p", "ssl:1666"], "-p ssl:1666: write 127.0.0.1:PORT"),
        (["-p", "99999"], "-p 99999: write a port from 1 to 65535"),
        (["-p", "9" * 5000], "999: write a port from 1 to 65535"),
        (["-xr"], "it does not do -xr"),
        (["-cshow"], "it does not do -cshow"),
        (["-Z"], "option -Z not recognized"),
        (["1666"], "'1666' is no option"),
        (["-r", "/nowhere/at/all"], "/nowhere/at/all: No such file or directory"),
    ],
)
def test_invalid_p4d_arguments_are_reported_in_one_line(
    arguments: list[str], message: str, root: Path
) -> None:
    result = run("-r", str(root), *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_invalid_variant_value_is_reported_in_one_line(root: Path) -> None:
    result = run("-r", str(root), "-i", P4WARDEN_SANDBOX_VARIANTS="killed=maybe")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "variant killed is not 'maybe'" in result.stderr


def test_connections_to_one_root_share_one_state(root: Path) -> None:
    with rsh(root).connect() as first, rsh(root).connect() as second:
        first.save_user(first.fetch_user("joe"), "-f")
        assert [user["User"] for user in second.run("users")] == ["joe"]
    with listening(root) as (port, _), P4(port=port, user="joe").connect() as third:
        assert [user["User"] for user in third.run("users")] == ["joe"]


def test_every_user_of_a_new_server_is_super_user_until_protections_are_saved(root: Path) -> None:
    with rsh(root).connect() as p4:
        assert [depot["name"] for depot in p4.run("depots")] == ["depot"]
        with pytest.raises(P4Exception, match="Protections table is empty"):
            p4.run("protects", "-m")
        assert p4.fetch_protect()["Protections"] == [
            "write user * * //...",
            "super user joe * //...",
        ]
        assert p4.save_protect(p4.fetch_protect()) == ["Protections saved."]
    with rsh(root, "ann").connect() as p4:
        assert p4.run("protects", "-m") == [{"permMax": "write"}]
        with pytest.raises(P4Exception, match="You don't have permission"):
            p4.fetch_protect()


def test_a_server_on_a_port_ends_with_its_process(root: Path) -> None:
    with listening(root) as (port, process):
        client = P4(port=port, user="joe").connect()
        assert client.run("info")[0]["serverAddress"] == port
        process.terminate()
        process.wait()
        with pytest.raises(P4Exception, match="Partner exited"):
            client.run("info")


def test_option_xi_switches_a_root_to_unicode_mode(root: Path) -> None:
    with rsh(root).connect() as p4:
        assert not p4.server_unicode
    assert run("-r", str(root), "-xi").returncode == 0
    with rsh(root, charset="utf8").connect() as p4:
        assert p4.server_unicode


def test_options_cset_and_cunset_change_a_configurable_while_the_server_is_down(
    root: Path,
) -> None:
    for option in (
        "-cset filesys.P4ROOT.min=2G",
        "-cset filesys.P4JOURNAL.min=2G",
        "-cset filesys.P4ROOT.min=500M",
        "-cunset filesys.P4JOURNAL.min",
    ):
        assert run("-r", str(root), option).returncode == 0
    with rsh(root).connect() as p4:
        values = [p4.run("configure", "show", f"filesys.P4{of}.min") for of in ("ROOT", "JOURNAL")]
    assert [[row["Value"] for row in rows] for rows in values] == [["500M", ""], [""]]


@pytest.mark.parametrize("release", long_but(["2026.1"], ["2024.2", "2026.1"]))
def test_a_root_set_up_for_a_user_by_xnn_needs_no_password(
    root: Path, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P4WARDEN_SANDBOX_LIKE", release)
    assert run("-r", str(root), "-xnn", "-u", "ann").returncode == 0

    with rsh(root, "ann").connect() as p4:
        assert [depot["name"] for depot in p4.run("depots")] == ["depot", "stream"]


def test_option_xne_sets_up_a_unicode_root_for_a_user(root: Path) -> None:
    assert run("-r", str(root), "-xne", "-u", "jo%C3%ABl", "-C1", "-q", "-Joff").stdout == ""
    with rsh(root, charset="utf8").connect() as p4:
        assert "joël" in [user["User"] for user in p4.run("users")]
        assert [depot["name"] for depot in p4.run("depots")] == ["depot", "stream"]


def test_files_in_the_state_folder_are_private_to_their_owner(root: Path) -> None:
    assert run("-r", str(root), "-xi").returncode == 0
    with rsh(root, charset="utf8").connect() as p4:
        p4.run("info")
        files = list((root / ".p4warden-sandbox").rglob("*"))
        assert {file.name for file in files} >= {"socket", "lock", "setup.json"}
        open_to_others = [file for file in files if stat.S_IMODE(file.stat().st_mode) & 0o077]
        assert open_to_others == []


def test_a_user_with_a_password_must_log_in_on_each_connection(root: Path) -> None:
    with rsh(root).connect() as p4:
        p4.save_user(p4.fetch_user("joe"), "-f")
        p4.input = [SECRET, SECRET]
        assert p4.run("password") == ["Password updated."]
        p4.password = f"not {SECRET}"
        with pytest.raises(P4Exception, match="Password invalid"):
            p4.run_login()
    with rsh(root).connect() as p4:
        with pytest.raises(P4Exception, match="invalid or unset"):
            p4.run("clients")
        p4.password = SECRET
        assert p4.run_login() == ["User joe logged in."]
        assert len(p4.run("users")) == 1


def test_the_process_that_holds_the_state_ends_when_the_root_is_deleted(root: Path) -> None:
    with rsh(root).connect() as p4:
        p4.run("info")
    keeper = RootFolder(root).connect()
    assert keeper is not None
    with keeper:
        shutil.rmtree(root)
        keeper.settimeout(PATIENCE_S)
        # Reset in place of closed, if the process ends with something unread.
        with contextlib.suppress(ConnectionResetError):
            assert keeper.recv(1) == b""


def test_a_second_server_on_the_same_port_is_an_error(root: Path) -> None:
    with listening(root) as (port, _):
        result = run("-r", str(root), "-p", port)
        assert (result.returncode, result.stderr) == (
            1,
            f"-p {port}: Address already in use; choose another port\n",
        )
