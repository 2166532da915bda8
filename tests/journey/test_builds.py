"""Test that plays policies/builds.yaml on a commit server and an edge, with clients of builds.

Each test is named after the rule that it shows: a build is refused, does as the refusal says, and
passes; a person is not concerned.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.home import trusted_files
from p4warden_sandbox import Sandbox, Settings
from p4warden_sandbox.settings import GroupSeed
from support.refusal_text import without_id
from support.servers import errors, list_servers
from support.small_index import small_index
from support.warden import Warden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from P4 import P4

    from support.servers import ClientFactory

pytestmark = [pytest.mark.timeout(300)]

POLICY = Path(__file__).parents[2].joinpath("policies", "builds.yaml").read_text("utf-8")
PATH = "//depot/main/..."
BUILD, THROW_AWAY, PERSON = "build", "bob", "ann"
GROUPS = (GroupSeed("build-farm", (BUILD,)), GroupSeed("throw-away-builds", (THROW_AWAY,)))
HOSTS = {"commit": "commit-1", "edge": "edge-1"}


class Site:
    """Two servers with a home folder each, as on two hosts."""

    def __init__(self, folder: Path, connect: ClientFactory) -> None:
        self._folder, self._connect = folder, connect
        self.servers = {
            name: Sandbox(Settings(server_id=server_id, groups=GROUPS)).start()
            for name, server_id in HOSTS.items()
        }
        self.wardens = {}
        for name, server in self.servers.items():
            (folder / name).mkdir()
            list_servers(connect(server, user=server.super_user), HOSTS[name])
            self.wardens[name] = Warden(server, folder / name, connect)
            self.wardens[name].install(POLICY)

    def stop(self) -> None:
        for server in self.servers.values():
            server.stop()

    def client(self, name: str, user: str) -> P4:
        """Return a connection from a client that exists; for a build a readonly one."""
        p4 = self._connect(self.servers[name], user=user, client=f"{user}-{name}")
        kind = {} if user == PERSON else {"Type": "readonly"}
        view = [f"{PATH} //{p4.client}/..."]
        root = str(self._folder / p4.client)
        p4.save_client({**p4.fetch_client(), "Root": root, "View": view, **kind})
        return p4

    def activate(self, before: str, after: str) -> None:
        """Activate the policy with another limit at the edge."""
        assert before in POLICY
        self.wardens["edge"].activate(POLICY.replace(before, after))


@pytest.fixture
def site(tmp_path: Path, connect: ClientFactory) -> Iterator[Site]:
    site = Site(tmp_path, connect)
    yield site
    site.stop()


def refused_by(p4: P4, *command: str) -> str:
    """Return the rule that refuses a command; "" if p4warden allows it."""
    return errors(p4, *command).partition("p4warden: rule=")[2].partition(" ")[0].strip()


def test_builds_use_the_replica(site: Site) -> None:
    build = site.client("commit", BUILD)
    text = without_id(errors(build, "sync", PATH))
    assert "Your command p4 sync is not allowed.\n" in text
    assert "\nBuilds sync from ssl:replica:1666.\n" in text
    assert text.strip().endswith("p4warden: rule=builds-use-the-replica")
    assert refused_by(site.client("edge", BUILD), "sync", PATH) == ""
    assert refused_by(site.client("commit", PERSON), "sync", PATH) == ""


def test_throw_away_syncs(site: Site) -> None:
    build = site.client("edge", THROW_AWAY)
    text = errors(build, "sync", "-q", PATH)
    proposed = text.partition("Send instead: ")[2].partition("\n")[0]
    assert proposed == f"p4 sync -p -q {PATH}"
    assert refused_by(build, *proposed.split()[1:]) == ""
    assert refused_by(build, "sync", "-n", PATH) == ""
    assert refused_by(site.client("edge", PERSON), "sync", PATH) == ""


def test_fresh_syncs(site: Site, tmp_path: Path) -> None:
    site.activate("max_files: 500000", "max_files: 5")
    build = site.client("edge", BUILD)
    view = {build.client: [f"{PATH} //{build.client}/..."]}
    changed = {str(number): 1 for number in range(1, 10)}
    index = small_index(
        tmp_path, {"//depot/main": 9}, view, changed=changed, server_id=HOSTS["edge"]
    )
    home = str(site.wardens["edge"].home)
    trusted_files.replace(home, trusted_files.INDEX, index.read_bytes())
    text = errors(build, "sync", PATH)
    assert "p4warden: rule=fresh-syncs" in text, text
    assert "p4 sync PATH@N,#head" in text
    assert refused_by(build, "sync", f"{PATH}@5,#head") == ""
    assert refused_by(build, "sync", f"{PATH}@1,#head") == "fresh-syncs"
    assert refused_by(site.client("edge", PERSON), "sync", PATH) == ""


def test_staggered_syncs(site: Site) -> None:
    site.activate("allow: 2/s, burst: 20}", "allow: 1 per 5s, burst: 1}")
    build = site.client("edge", BUILD)
    assert [refused_by(build, "sync", PATH) for _ in range(2)] == ["", ""]
    [record] = [one for one in site.wardens["edge"].log() if one["verdict"] == "delay"]
    assert (record["rule"], record["user"]) == ("staggered-syncs", BUILD)
    assert record["class"] == "builds"


def test_build_polling(site: Site) -> None:
    site.activate("allow: 2/s, burst: 120}", "allow: 1 per 1h, burst: 2}")
    polling = ("changes", "-m1", PATH)
    build, person = site.client("edge", BUILD), site.client("edge", PERSON)
    assert [refused_by(build, *polling) for _ in range(3)] == ["", "", "build-polling"]
    assert [refused_by(person, *polling) for _ in range(3)] == ["", "", ""]


def test_build_clients(site: Site) -> None:
    p4 = site.client("edge", BUILD)
    form = "Client: new\nOwner: build\nRoot: /w\n{}View:\n\t//depot/main/... //new/...\n"
    for kind, rule in (("", "build-clients"), ("Type: readonly\n", "")):
        p4.input = form.format(kind)
        assert refused_by(p4, "client", "-i") == rule
    person = site.client("edge", PERSON)
    person.input = form.format("")
    assert refused_by(person, "client", "-i") == ""
