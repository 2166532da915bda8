"""Tests of `p4warden refresh`, which stores a server's facts, never half-written files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from p4warden.commands import refresh
from p4warden.home import active_policy, locks
from p4warden_sandbox import Sandbox, ServerVersion, Settings, StreamSeed
from p4warden_sandbox.settings import DepotSeed
from support.policies import POLICY
from support.warden import Warden, facts

if TYPE_CHECKING:
    from pathlib import Path

    from support.servers import Server

A_DAY_S = 86_400


def refreshed(settings: Settings, folder: Path) -> dict[str, Any]:
    """Start a sandbox server with these settings; return its facts as refreshed by p4warden."""
    with Sandbox(settings) as server:
        warden = Warden(server, folder)
        warden.must("refresh")
        return facts(warden)


def test_only_a_successful_refresh_updates_the_time_of_the_facts_file(
    server: Server, tmp_path: Path
) -> None:
    warden = Warden(server, tmp_path)
    warden.must("refresh")
    file = warden.home / "facts.json"
    before = file.stat()
    os.utime(file, (before.st_atime - A_DAY_S, before.st_mtime - A_DAY_S))
    assert "cannot be reached" in warden.must("refresh", "--port", "127.0.0.1:1", code=1)
    assert file.stat().st_mtime < before.st_mtime
    warden.must("refresh")
    assert file.stat().st_mtime >= before.st_mtime


def test_refresh_creates_the_home_folder_only_if_the_server_is_reachable(
    server: Server, tmp_path: Path
) -> None:
    warden = Warden(server, tmp_path)
    warden.must("refresh", "--port", "127.0.0.1:1", code=1)
    assert not warden.home.exists()
    warden.must("refresh")
    assert warden.home.stat().st_mode & 0o777 == 0o700


def test_refresh_does_nothing_while_another_refresh_runs(server: Server, tmp_path: Path) -> None:
    warden = Warden(server, tmp_path)
    warden.home.mkdir(0o700)
    with locks.file_lock(str(warden.home), refresh.LOCK):
        assert warden.must("refresh") == (
            f"{warden.home}: another refresh is running; this one does nothing.\n"
        )
        assert not (warden.home / "facts.json").exists()
    assert "facts.json: 3 depots, case-sensitive" in warden.must("refresh")


def test_refresh_stores_directories_of_local_and_stream_depots_only(tmp_path: Path) -> None:
    types = ("local", "stream", "remote", "spec", "archive", "unload", "tangent", "graph")
    depots = tuple(DepotSeed(f"{kind}-one", kind) for kind in types)
    files = tuple(f"//{depot.name}/top/file" for depot in depots)
    results = refreshed(Settings(depots=depots, files=files, streams=()), tmp_path)["depots"]
    assert {name: depot["type"] for name, depot in results.items()} == {
        f"{kind}-one": kind for kind in types
    }
    counted_depots = {name for name, depot in results.items() if depot["directories"]}
    assert counted_depots == {"local-one", "stream-one"}


def test_refresh_stores_names_with_special_characters_or_non_utf_8_bytes(tmp_path: Path) -> None:
    names = ("my depot", "it's-$HOME;`id`", "d\u00e9p\u00f4t", "d\udce9p")
    depots = tuple(DepotSeed(name) for name in names)
    files = tuple(f"//{name}/top \udcff{name}/file" for name in names)
    results = refreshed(Settings(depots=depots, files=files, streams=()), tmp_path)["depots"]
    assert {name: depot["directories"] for name, depot in results.items()} == {
        name: [f"top \udcff{name}"] for name in names
    }


def test_the_gate_and_the_worker_accept_facts_with_a_non_utf_8_depot_name(tmp_path: Path) -> None:
    settings = Settings(depots=(DepotSeed("d\udce9p"),), files=("//d\udce9p/x/y",), streams=())
    with Sandbox(settings) as server:
        warden = Warden(server, tmp_path)
        warden.activate(POLICY)
        warden.must("refresh")
    assert active_policy.known_facts(str(warden.home)).depots["d\udce9p"].directories == ("x",)


def test_refresh_stores_non_ascii_names_of_a_unicode_server(tmp_path: Path) -> None:
    depots = (DepotSeed("d\u00e9p\u00f4t"),)
    files = ("//d\u00e9p\u00f4t/\u65e5\u672c/file",)
    settings = Settings(unicode=True, depots=depots, files=files, streams=())
    results = refreshed(settings, tmp_path)["depots"]
    assert results == {
        "d\u00e9p\u00f4t": {"type": "local", "directories": ["\u65e5\u672c"]},
    }


@pytest.mark.parametrize("count", [1000, 1001])
def test_refresh_stores_only_the_count_of_more_than_1000_first_level_directories(
    count: int, tmp_path: Path
) -> None:
    files = tuple(f"//depot/d{number:04}/file" for number in range(count))
    settings = Settings(depots=(DepotSeed("depot"),), files=files, streams=())
    depot = refreshed(settings, tmp_path)["depots"]["depot"]
    if count > 1000:
        assert depot == {"type": "local", "directories": None, "count": count}
    else:
        assert depot["directories"] == [f"d{number:04}" for number in range(count)]


def test_facts_are_laid_out_in_sorted_lines(tmp_path: Path) -> None:
    depots = (DepotSeed("rel"), DepotSeed("depot"), DepotSeed("depot 2"))
    settings = Settings(depots=depots, files=("//depot/main/file",), streams=())
    with Sandbox(settings) as server:
        warden = Warden(server, tmp_path)
        warden.must("refresh")
        first, *lines, last, sums = (warden.home / "facts.json").read_text().splitlines()
    assert '"types": {"depot 2": "local", "depot": "local", "rel": "local"}, "depots": {' in first
    assert [line.partition(": ")[0] for line in lines] == ['"depot 2"', '"depot"', '"rel"']
    assert last == "},"
    assert sums.startswith('"sums": "')


def test_refresh_refuses_a_lock_file_that_is_a_symbolic_link(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / refresh.LOCK).symlink_to(tmp_path / "elsewhere")
    result = Warden(sandbox, tmp_path).run("refresh", "--home", str(tmp_path), home=False)
    assert result.code == 1
    assert "refresh.lock: cannot be opened: Too many levels of symbolic links" in result.output
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(("release", "has_limit_view"), [("2024.2", False), ("2026.1", True)])
def test_refresh_stores_streams_their_depth_and_whether_clients_have_a_limit_view(
    release: str, *, has_limit_view: bool, tmp_path: Path
) -> None:
    streams = (
        StreamSeed("//streams/game/dev", "development", "//streams/game/main"),
        StreamSeed("//streams/game/main"),
        StreamSeed("//streams/game/mine", "task", "//streams/game/main"),
    )
    settings = Settings(
        server_version=ServerVersion.of(release),
        depots=(DepotSeed("depot"), DepotSeed("streams", "stream", 2), DepotSeed("new", "stream")),
        files=("//streams/game/main/src/app.c",),
        streams=streams,
    )
    with Sandbox(settings) as server:
        warden = Warden(server, tmp_path)
        warden.must("refresh")
        stored = facts(warden)
    assert (stored["release"], stored["limit_view"]) == (release, has_limit_view)
    assert stored["depots"] == {
        "depot": {"type": "local", "directories": []},
        "new": {"type": "stream", "directories": [], "stream_depth": 1, "streams": []},
        "streams": {
            "type": "stream",
            "directories": ["game"],
            "stream_depth": 2,
            "streams": ["//streams/game/main", "//streams/game/dev"],
        },
    }


def test_refresh_stores_the_first_hundred_streams_of_a_depot(tmp_path: Path) -> None:
    streams = tuple(StreamSeed(f"//streams/s{number:03}") for number in range(120))
    settings = Settings(depots=(DepotSeed("streams", "stream"),), streams=streams, files=())
    depot = refreshed(settings, tmp_path)["depots"]["streams"]
    assert depot["streams"] == [f"//streams/s{number:03}" for number in range(100)]
