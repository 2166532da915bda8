"""Ways in which p4d loses the gate, on a host as deploy/install.sh makes it."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from p4warden.asking import gate_program
from p4warden.history.record import record
from p4warden.server.deployment import table_of
from p4warden.table.instances import installed
from support.small_disks import mounted
from support.triggers import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.servers import ClientFactory, Server
    from support.warden import Warden

_ELF_MACHINE = 18


class Host:
    """A p4warden whose trigger lines name a gate in a folder as install.sh makes it."""

    def __init__(self, folder: Path) -> None:
        self.prefix = folder / "opt"
        self.version = self.prefix / "versions" / "1"
        self.gate = self.prefix / "current" / "bin" / gate_program.NAME
        (self.version / "bin").mkdir(parents=True)
        (self.prefix / "current").symlink_to("versions/1")
        shutil.copy(gate_program.find(), self.gate)

    @property
    def python(self) -> str:
        """The Python that would run p4warden from this folder."""
        return str(self.gate.with_name("python3"))

    def name_in_the_table(self, server: Server, warden: Warden, connect: ClientFactory) -> None:
        """Let the trigger lines of a warden name this host's gate."""
        admin = connect(server, user=server.super_user)
        form = admin.run("triggers", "-o", tagged=False)[0]
        form = form.replace(gate_program.find(), str(self.gate))
        write(admin, form)
        home = str(warden.home)
        record(home, "deploy", table=table_of(home, form, installed(home).owner))
        connect.anew()

    def add_programs(self) -> None:
        """Put the programs that read logs and checkpoints beside the gate."""
        for name in ("p4warden-index", "p4warden-log"):
            self.gate.with_name(name).symlink_to(Path(sys.executable).with_name(name))

    def replace_gate(self, text: str) -> None:
        self.gate.unlink()
        self.gate.write_text(text)
        self.gate.chmod(0o755)

    def close(self) -> None:
        """Let nobody execute the gate."""
        self.gate.chmod(0o600)

    def name_another_machine(self) -> None:
        content = bytearray(self.gate.read_bytes())
        content[_ELF_MACHINE : _ELF_MACHINE + 2] = (243).to_bytes(2, "little")
        self.gate.unlink()
        self.gate.write_bytes(content)
        self.gate.chmod(0o755)

    def lead_to(self, target: str) -> None:
        """Make the gate a link."""
        self.gate.unlink()
        self.gate.symlink_to(target)

    def move_to(self, folder: Path) -> None:
        copy = folder / gate_program.NAME
        shutil.copy(self.gate, copy)
        self.lead_to(str(copy))


BROKEN: dict[str, tuple[Callable[[Host], object], str]] = {
    "removed program": (lambda host: host.gate.unlink(), "p4warden-gate does not exist"),
    "link into a removed version": (
        lambda host: shutil.rmtree(host.version),
        "opt/current is a link to versions/1, which does not exist",
    ),
    "no right to execute": (Host.close, "may not execute "),
    "another processor": (
        Host.name_another_machine,
        "is a program for riscv64, but this host is ",
    ),
    "no program": (lambda host: host.replace_gate("text"), "p4warden-gate is no program"),
    "no interpreter": (
        lambda host: host.replace_gate("#!/nowhere/sh\n"),
        "the interpreter that the first line of ",
    ),
    "ends with an error": (
        lambda host: host.replace_gate("#!/bin/sh\necho no library; exit 127\n"),
        "ends with exit code 127 at once: no library",
    ),
}


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """Fixture: a temporary folder that every account may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture
def noexec(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "noexec"
    folder.mkdir()
    with mounted(folder, "noexec,size=16m"):
        yield folder
