"""Test of the lines of docs/servers.md for a host without Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.hosts import put
from support.policies import POLICY
from support.triggers import line_words

if TYPE_CHECKING:
    from support.warden import Warden

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"
FEW = "  - {name: few, rule: limit_files, mode: enforce, max: 2, shelves: true}\n"
GATE = f"p4warden-gate.{os.uname().machine}"
OF_ANOTHER = "p4warden-gate.aarch64"

pytestmark = pytest.mark.skipif(not shutil.which("rsync"), reason="rsync is not here")


class Bare:
    """A host without Python, below a folder, beside the folder that a commit server shares."""

    def __init__(self, folder: Path) -> None:
        self.home, self.shared = folder / "p4warden", folder / "p4warden-shared"
        self.gate = folder / "opt/current/bin/p4warden-gate"
        text = PAGE.read_text().replace("/opt/p4warden", f"{folder}/opt")
        text = text.replace("/var/lib", str(folder))
        self.line_for_another, self.lines = re.findall(r"(?ms)^```sh\n(.*?)^```$", text)

    def update(self, programs: str = "") -> int:
        path = f"{programs}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", self.lines], env={"PATH": path}, capture_output=True, check=False
        ).returncode

    def judge(self, event: str, *options: str) -> tuple[int, str]:
        words = line_words(event, f"--home={self.home}", "--on-error=deny", *options)
        process = subprocess.run(
            [self.gate, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return process.returncode, process.stdout

    def save(self) -> tuple[int, str]:
        form = self.home.with_name("form")
        form.write_text("Client:\tws\n\nView:\n\t//depot/... //ws/...\n")
        return self.judge(
            "form-save", "--type=client", f"--form={form}", "--name=ws", "--user=ann"
        )

    def content(self) -> dict[str, bytes]:
        files = [*self.home.iterdir(), self.gate]
        return {file.name: file.read_bytes() for file in files}


@pytest.fixture
def bare(tmp_path: Path, warden: Warden) -> Bare:
    warden.prepare(POLICY.replace("rules:", "on_error: deny\nrules:") + FEW)
    bare = Bare(tmp_path / "bare")
    bare.home.parent.mkdir()
    warden.must("share", str(bare.shared))
    return bare


def test_the_lines_of_the_page_give_a_host_without_python_what_it_judges_by(bare: Bare) -> None:
    assert bare.update() == 0
    assert sorted(file.name for file in bare.home.iterdir()) == ["facts.json", "policy.json"]
    code, text = bare.save()
    assert code == 1
    assert "//depot/main/... //ws/main/..." in text
    assert bare.judge("shelve-submit", "--change=12", "--user=ann") == (0, "")
    (bare.home / "off").touch()
    assert bare.save() == (0, "")
    (bare.home / "off").unlink()
    assert bare.save()[0] == 1
    assert bare.update() == 0


@pytest.mark.parametrize("name", ["policy.json", "policy.yaml", "facts.json", GATE, "SHA256SUMS"])
def test_a_folder_that_is_cut_at_a_file_changes_nothing_there(
    bare: Bare, warden: Warden, name: str
) -> None:
    assert bare.update() == 0
    before = bare.content()
    warden.activate(POLICY)
    warden.must("share", str(bare.shared))
    file = bare.shared / name
    whole = file.read_bytes()
    for cut in (whole[:-2], whole[: len(whole) // 2], b""):
        file.write_bytes(cut)
        assert bare.update() != 0, cut[-99:]
        assert bare.content() == before
    file.write_bytes(whole)
    away = file.rename(bare.home.with_name("away"))
    assert bare.update() != 0
    assert bare.content() == before
    away.rename(file)
    assert bare.update() == 0
    assert bare.content() != before


@pytest.mark.skipif(not shutil.which("unzip"), reason="unzip is not here")
def test_the_line_of_the_page_gives_the_folder_the_gate_of_another_processor(
    bare: Bare, warden: Warden, tmp_path: Path
) -> None:
    programs, file = tmp_path / "bin", tmp_path / "p4warden-VERSION.pyz"
    put(programs, "uname", "#!/bin/sh\necho aarch64\n")
    with zipfile.ZipFile(file, "w") as archive:  # this machine's gate, so that it starts here
        archive.write(bare.shared / GATE, "bin/aarch64/p4warden-gate")
    assert bare.update(str(programs)) != 0
    assert not bare.gate.exists()
    subprocess.run(["sh", "-ec", bare.line_for_another], cwd=tmp_path, check=True)
    warden.must("share", str(bare.shared))
    assert bare.update(str(programs)) == 0
    assert bare.save()[0] == 1
    (bare.shared / OF_ANOTHER).write_bytes((bare.shared / GATE).read_bytes()[:-9999])
    before = bare.content()
    assert bare.update(str(programs)) != 0
    assert bare.content() == before
