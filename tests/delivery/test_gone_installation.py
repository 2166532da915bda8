"""Test of the way out of docs/failures.md where the file is all that is left of p4warden."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

from P4 import P4

from deploy.hosts import PYTHON, ROOT, Host
from support.policies import POLICY
from support.triggers import table

if TYPE_CHECKING:
    from pathlib import Path

    from p4warden_sandbox import Sandbox


def command_of_the_page(host: Host) -> str:
    text = (ROOT / "docs" / "failures.md").read_text("utf-8")
    [command] = re.findall(r"(?m)^    (python3 p4warden-VERSION\.pyz deploy uninstall .+)$", text)
    named = command.replace("p4warden-VERSION.pyz", shlex.quote(str(host.file)))
    return str(named.replace("/var/lib/p4warden", str(host.home)))


def run(host: Host, server: Sandbox, command: str) -> subprocess.CompletedProcess[str]:
    (host.bin / "python3").unlink(missing_ok=True)
    (host.bin / "python3").symlink_to(PYTHON)
    settings = {
        "PATH": f"{host.bin}:/usr/bin:/bin",
        "P4PORT": server.port,
        "P4USER": server.super_user,
        "P4TICKETS": str(server.tickets_file),
        "P4WARDEN_SYSLOG": "",
    }
    return subprocess.run(
        ["sh", "-c", command], env=settings, capture_output=True, text=True, check=False
    )


def save_wide(p4: P4) -> str:
    with p4.at_exception_level(P4.RAISE_NONE):
        p4.save_client({"Client": "ws", "Root": "/x", "View": ["//depot/... //ws/..."]})
        return "\n".join(p4.errors)


def test_the_file_takes_the_lines_of_a_home_out_after_the_programs_are_gone(
    tmp_path: Path, one_file: Path, sandbox: Sandbox
) -> None:
    host = Host(tmp_path, one_file)
    assert host.install().code == 0
    policy = host.bin / "policy.yaml"
    policy.write_text(POLICY)
    put = f"{host.current}/bin/p4warden deploy put --yes --home {host.home} {policy}"
    answer = run(host, sandbox, put)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    shutil.rmtree(host.prefix)

    p4 = P4(port=sandbox.port, user=sandbox.super_user, client="ws")
    p4.ticket_file = str(sandbox.tickets_file)
    with p4.connect():
        assert "rule=no-whole-depot" not in save_wide(p4) != ""
        file = shlex.quote(str(host.file))
        answer = run(host, sandbox, f"python3 {file} off --home {host.home}")
        assert answer.returncode == 1
        *_, advice = answer.stderr.splitlines()
        assert advice == f"  {command_of_the_page(host)}"
        answer = run(host, sandbox, f"{advice} --yes")
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert "p4warden." not in table(p4)
        assert save_wide(p4) == ""
    assert not host.prefix.exists()
