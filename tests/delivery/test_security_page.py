"""The lines of SECURITY.md that verify a release, pasted into a shell."""

import re
import subprocess
from pathlib import Path

import pytest
from one_file import sums

ROOT = Path(__file__).parents[2]
NAME = "p4warden-0.1.0.pyz"


def lines() -> str:
    text = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Verify a release")[2]
    block = re.search(r"\n\n((?: {4}.+\n)+)", text)
    assert block is not None
    return block[1]


def new_key(file: Path) -> Path:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a test", "-f", str(file)]
    subprocess.run(command, check=True)
    return file


@pytest.fixture
def download(tmp_path: Path) -> Path:
    """Fixture: a folder with a signed release and the public key."""
    folder = tmp_path / "download"
    folder.mkdir()
    (folder / NAME).write_bytes(b"the file")
    key = new_key(tmp_path / "key")
    assert sums.sign(sums.write([folder / NAME]), str(key))
    (folder / "release-key.pub").write_bytes(key.with_suffix(".pub").read_bytes())
    return folder


def verified(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", lines()], cwd=folder, capture_output=True, text=True, check=False
    )


def test_an_unchanged_release_is_verified(download: Path) -> None:
    process = verified(download)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.splitlines()[-1] == f"{NAME}: OK"


@pytest.mark.parametrize("name", [NAME, "SHA256SUMS", "SHA256SUMS.sig"])
def test_a_changed_byte_is_found(download: Path, name: str) -> None:
    content = bytearray((download / name).read_bytes())
    content[len(content) // 2] ^= 1
    (download / name).write_bytes(content)
    process = verified(download)
    assert (process.returncode != 0, f"{NAME}: OK" in process.stdout) == (True, False)


@pytest.mark.parametrize("name", [NAME, "SHA256SUMS", "SHA256SUMS.sig", "release-key.pub"])
def test_a_missing_file_is_found(download: Path, name: str) -> None:
    (download / name).unlink()
    process = verified(download)
    assert (process.returncode != 0, f"{NAME}: OK" in process.stdout) == (True, False)


def test_the_signature_of_another_key_is_found(download: Path, tmp_path: Path) -> None:
    sums.sign(download / "SHA256SUMS", str(new_key(tmp_path / "another")))
    assert verified(download).returncode != 0


def test_a_signature_for_another_purpose_is_found(download: Path, tmp_path: Path) -> None:
    (download / "SHA256SUMS.sig").unlink()
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", str(tmp_path / "key")]
    subprocess.run([*command, str(download / "SHA256SUMS")], check=True)
    assert verified(download).returncode != 0


def test_without_a_key_an_old_signature_goes(download: Path) -> None:
    assert not sums.sign(download / "SHA256SUMS", "")
    assert not (download / "SHA256SUMS.sig").exists()


def test_a_file_that_is_no_key_stops_the_release(download: Path, tmp_path: Path) -> None:
    (tmp_path / "no key").write_text("")
    with pytest.raises(SystemExit, match="ssh-keygen cannot sign with "):
        sums.sign(download / "SHA256SUMS", str(tmp_path / "no key"))
