"""Test of the commands of docs/guide.md in order, from an installation to the uninstall.

Each command runs in a shell on a simulated host of the sandbox server, with PREFIX/bin on PATH;
its exit code and parts of its output are checked.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from P4 import P4

from deploy import versions
from deploy.hosts import OWNER, Host
from p4warden import __version__
from support.pasted import advice
from support.triggers import table, write

if TYPE_CHECKING:
    from p4warden_sandbox import Sandbox
    from support.servers import ClientFactory

pytestmark = [pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs/guide.md"
BACKUP = "\tbackup form-save label /bin/true\n"
SWARM = "\tswarm form-commit change /bin/true\n"
SWARM_2 = "\tswarm form-commit change //.../swarm\n"


class Administrator:
    """An administrator of the simulated host, who runs shell commands there as p4d's account."""

    def __init__(self, folder: Path, server: Sandbox, file: Path) -> None:
        self.folder = folder
        self.server = server
        self.host = Host(folder, file)
        self.policy = folder / "policy.yaml"
        self.ran: list[str] = []
        self.settings = {
            "PATH": f"{self.host.prefix}/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "P4PORT": server.port,
            "P4USER": server.super_user,
            "P4TICKETS": str(server.tickets_file),
            "P4ENVIRO": str(folder / "enviro"),
            "P4CHARSET": "none",
            "P4WARDEN_HOME": str(self.host.home),
            "P4WARDEN_SYSLOG": "",
        }

    def run(
        self,
        command: str,
        *output: str,
        code: int = 0,
        answer: str = "",
        settings: dict[str, str] | None = None,
    ) -> str:
        """Run a shell command; check its exit code and texts in its output; return the output."""
        self.ran.append(command)
        result = subprocess.run(
            ["sh", "-c", command],
            input=answer,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=self.folder,
            env=settings or self.settings,
        )
        assert result.returncode == code, f"$ {command}\n{result.stdout}"
        for part in output:
            assert part in result.stdout, f"$ {command}\n{result.stdout}"
        return result.stdout

    def edit(self, old: str, new: str) -> None:
        """Replace the first occurrence of `old` in the administrator's policy file."""
        text = self.policy.read_text()
        assert old in text
        self.policy.write_text(text.replace(old, new, 1))

    def install(self, file: Path, *options: str) -> str:
        """Install a file on the host; paste the commands that it proposes; return its output."""
        known = {} if self.host.current.exists() else self.settings
        result = self.host.run(*options, file=file, settings=known)
        assert result.code == 0, result.output
        own = {"PATH": "/usr/bin:/bin"} | {
            name: self.settings[name] for name in ("HOME", "P4ENVIRO", "P4WARDEN_SYSLOG")
        }
        self.run(f"{result.next_steps()}\n", settings=own)
        return result.output


@pytest.fixture
def admin(tmp_path: Path, sandbox: Sandbox, one_file: Path) -> Administrator:
    return Administrator(tmp_path, sandbox, one_file)


def save(server: Sandbox, user: str, view: str) -> str:
    """Save a client as a user; return the server's error message, empty if the client
    was saved.
    """
    p4 = P4(port=server.port, user=user, client=f"{user}-ws")
    p4.exception_level = P4.RAISE_NONE
    with p4.connect():
        p4.input = f"Client: {user}-ws\nOwner: {user}\nRoot: /x\nView:\n\t{view}\n"
        p4.run("client", "-i")
        return "\n".join(p4.errors)


def wide(server: Sandbox, user: str) -> str:
    return save(server, user, f"//depot/... //{user}-ws/...")


def others(p4: P4) -> list[str]:
    """Return the lines of other tools in the server's triggers table."""
    lines = [line for line in table(p4).splitlines(keepends=True) if line.startswith("\t")]
    return [line for line in lines if not line.startswith("\tp4warden")]


def test_the_guides_commands_from_the_installation_to_the_uninstall(
    admin: Administrator, sandbox: Sandbox, connect: ClientFactory
) -> None:
    p4 = connect(sandbox, user=sandbox.super_user)
    email = {"User": "ann", "Email": "ann@example.com", "FullName": "Ann"}
    p4.save_user(email, "-f")
    p4.save_group({"Group": "team", "Users": ["ann"]})
    p4.save_group({"Group": "admins", "Users": [sandbox.super_user]})
    write(p4, f"Triggers:\n{BACKUP}")
    before = table(p4)

    _install(admin)
    _first_look(admin, sandbox)
    _letters(admin)
    write(p4, table(p4) + SWARM)
    _canary(admin, sandbox)
    write(p4, table(p4).replace(SWARM, SWARM_2))
    _for_everyone(admin, sandbox)
    _a_storm(admin, sandbox)
    write(p4, table(p4).replace(BACKUP, ""))
    _back(admin, sandbox)
    assert others(p4) == [SWARM_2]
    _upgrade(admin, sandbox)
    _history(admin)
    write(p4, table(p4).replace(SWARM_2, BACKUP))
    _uninstall(admin)
    assert table(p4) == before
    assert guide_commands() - {" ".join(words(line)) for line in admin.ran} == set()


def guide_commands() -> set[str]:
    """Return the subcommands that the guide proposes for an installation, such as `deploy put`."""
    lines = re.findall(r"^    p4warden .*|`p4warden [^`]*`", GUIDE.read_text(), re.MULTILINE)
    return {" ".join(words(line.strip(" `"))) for line in lines}


def words(line: str) -> list[str]:
    """Return the subcommand that a line calls as words: two of `p4warden deploy`, else one."""
    _, *rest = line.split()
    return rest[:2] if rest[:1] == ["deploy"] else rest[:1]


def _install(admin: Administrator) -> None:
    places = (f"--prefix={admin.host.prefix}", f"--home={admin.host.home}", *OWNER)
    output = admin.install(admin.host.file, *places)
    assert f"{admin.host.current} is now versions/{__version__}-1." in output
    for file in ("policy.yaml", "policy.cases.yaml"):
        (admin.folder / file).unlink()
    # With p4warden's PREFIX/bin on PATH, `python3` must still be the account's own Python.
    admin.run("command -v p4warden", f"{admin.host.prefix}/bin/p4warden")
    assert str(admin.host.prefix) not in admin.run("command -v python3")
    admin.run("p4warden --version", __version__)
    admin.run("p4warden doctor", "no policy yet; p4warden init drafts one", code=1)


def _first_look(admin: Administrator, server: Sandbox) -> None:
    """Step of the guide: the administrator's first deployment; every rule only observes."""
    admin.run(
        "p4warden init --output policy.yaml",
        "Wrote the policy to policy.yaml and its test cases to policy.cases.yaml.",
    )
    admin.run("p4warden check policy.yaml", "5 rules, 1 exemption: no mistakes")
    admin.run("p4warden test policy.yaml", "3 cases, 0 failed")
    admin.run("p4warden programs policy.yaml", "Swarm")
    deploy = "p4warden deploy put"
    output = admin.run(f"{deploy} policy.yaml", "No policy is active in", answer="n\n")
    assert output.endswith("[y/N]: Nothing was changed.\n")
    assert "Next:" not in output
    admin.run(f"{deploy} policy.yaml", "Nothing was changed: nobody answered", code=1)
    output = admin.run(
        f"{deploy} --message 'first look' policy.yaml",
        "5 observe",
        "p4warden.form-save.client",
        "read back.",
        answer="y\n",
    )
    assert output.count("[y/N]") == 1
    assert wide(server, "ann") == ""
    admin.run(
        "p4warden status",
        "5 observe",
        "p4warden lines, as the policy requires; 1 line of other tools",
    )
    admin.run("p4warden report", "Users at each rule", "wide-views", "ann", "ann-ws", "first look")
    admin.run("p4warden explain --spec client:ann-ws", "wide-views (limit_view_scope, observe)")
    admin.run("p4warden units units", "p4warden-refresh.timer")


def _letters(admin: Administrator) -> None:
    """Step of the guide: a letter for each owner of a client that will be refused."""
    admin.run("p4warden refresh")
    admin.run("p4warden census --policy policy.yaml --json >census.jsonl")
    admin.run(
        "p4warden notify-owners --census census.jsonl --deadline 2027-03-31 --domain example.com "
        "--contact p4-admins@example.com --to-folder letters"
    )
    assert "//ann-ws/" in next((admin.folder / "letters").glob("*.eml")).read_text()


def _canary(admin: Administrator, server: Sandbox) -> None:
    """Step of the guide: the second deployment, which enforces a rule for one group of users."""
    rule = "    rule: limit_view_scope\n    mode: "
    admin.edit(f"{rule}observe\n", f"{rule}enforce\n    canary: [{{groups: [team]}}]\n")
    admin.run("p4warden check policy.yaml", "no mistakes")
    admin.run(
        "p4warden deploy put --yes -m 'the team first' policy.yaml",
        "wide-views: mode: observe -> enforce\n",
        "wide-views: canary: none -> [{groups: [team]}]",
        "2 lines of other tools unchanged.",
    )
    assert "rule=wide-views " in wide(server, "ann")
    assert wide(server, "bob") == ""
    admin.run("p4warden status", "1 enforce for a canary, 4 observe")
    admin.run("p4warden report", "enforce for a canary")
    allowed = re.findall(r"id=(\w+)", wide(server, "ann"))[0]
    admin.run(f"p4warden allow {allowed} --for 1d --reason 'until the client is split'")
    assert wide(server, "ann") == ""
    admin.run(f"p4warden allow --end {allowed}")


def _for_everyone(admin: Administrator, server: Sandbox) -> None:
    """Step of the guide: the third deployment, which enforces the rule for all users."""
    admin.edit("    canary: [{groups: [team]}]\n", "")
    admin.run("p4warden test policy.yaml", "1 failed", code=1)
    cases = admin.folder / "policy.cases.yaml"
    cases.write_text(
        cases.read_text().replace(
            "verdict: observe\n    rule: wide", "verdict: refuse\n    rule: wide"
        )
    )
    admin.run("p4warden test policy.yaml", "3 cases, 0 failed")
    admin.run(
        "p4warden deploy put --yes -m 'for everyone' policy.yaml",
        "wide-views: canary: [{groups: [team]}] -> none",
    )
    assert "rule=wide-views " in wide(server, "bob")
    assert save(server, "bob", "//depot/main/... //bob-ws/...") == ""


def _a_storm(admin: Administrator, server: Sandbox) -> None:
    """Step of the guide: switch p4warden off for two hours, and on again before they are over."""
    admin.run("p4warden off --for 2h --reason 'nobody can work'", "They are on again from ")
    assert wide(server, "bob") == ""
    admin.run("p4warden status", "off until ", "(nobody can work)", code=1)
    admin.run("p4warden doctor", "p4warden on --home", code=1)
    admin.run("p4warden on", "apply its policy")
    assert "rule=wide-views " in wide(server, "bob")


def _back(admin: Administrator, server: Sandbox) -> None:
    """Step of the guide: roll back to the second deployment; trigger lines of other
    tools stay.
    """
    output = admin.run("p4warden deploy rollback", "[y/N]", answer="n\n")
    assert output.endswith("Nothing was changed.\n")
    admin.run(
        "p4warden deploy rollback --yes -m 'too early'",
        "Plan: return to the state after change",
        "1 line of other tools unchanged.",
        "Done: written, read back and recorded.",
    )
    assert wide(server, "bob") == ""
    assert "rule=wide-views " in wide(server, "ann")
    admin.run(
        "p4warden status", "1 enforce for a canary", "is not the active policy since rollback"
    )


def _upgrade(admin: Administrator, server: Sandbox) -> None:
    newer = versions.write(admin.host.file, admin.folder / "newer.pyz", "0.2.0")
    output = admin.install(newer, f"--prefix={admin.host.prefix}")
    assert f"The previous version, versions/{__version__}-1, is kept" in output
    admin.run("p4warden --version", "0.2.0")
    admin.run("p4warden deploy plan", "0 added, 0 updated, 0 removed")
    assert "rule=wide-views " in wide(server, "ann")
    admin.run("p4warden deploy verify", "a client that maps a whole depot is refused: yes")


def _history(admin: Administrator) -> None:
    rows = admin.run("p4warden history").splitlines()[1:]
    actions = [line.lstrip("> ").split()[3] for line in rows]
    of_policy = [action for action in actions if action not in ("refresh", "allow", "end")]
    assert of_policy == ["deploy", "deploy", "deploy", "off", "on", "rollback"]
    deploys = [line for line in rows if line.lstrip("> ").split()[3] == "deploy"]
    for line, reason in zip(
        deploys, ("first look", "the team first", "for everyone"), strict=True
    ):
        assert reason in line
    assert [line[0] for line in rows if line.startswith(">")] == [">"]


def _uninstall(admin: Administrator) -> None:
    output = admin.run("p4warden deploy uninstall", "-   p4warden.form-save.client", answer="n\n")
    assert output.endswith("[y/N]: Nothing was changed.\n")
    admin.run("p4warden deploy uninstall", "Nothing was changed: nobody answered", code=1)
    admin.run(
        "p4warden deploy uninstall --yes -m 'moving on'",
        "the table was read back: no lines of this p4warden installation; ",
    )
    admin.run("p4warden status", "warning: uninstalled: ")
    admin.run("p4warden history", " uninstall ", "moving on")
    output = admin.run("p4warden deploy uninstall --remove-files --yes", "files were removed\n")
    assert [file.name for file in admin.host.home.iterdir()] == ["off"]
    [last] = advice(output)
    admin.run(last)
    assert not admin.host.prefix.exists()
    assert not admin.host.home.exists()
    assert os.listdir(admin.folder)  # noqa: PTH208 - nothing else of ours was made on the host
