"""Statically linked programs to compare: the gate and an empty program, for each C library."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from p4warden.asking import gate_program

CRATE = Path(__file__).parents[1] / "triggers" / "gate"
STATIC = ["-C", "target-feature=+crt-static", "-C", "relocation-model=static"]


def gates_of_each_libc(program: str, folder: Path) -> dict[str, str]:
    """Return paths of gates by C library (gnu, musl), first the installed one, `program`.

    If Rust's musl target is installed, `program` counts as built for it, and one for gnu is built,
    of which a copy is in the folder.
    """
    if not target_folder("musl").is_dir():
        return {"gnu": program}
    build = ["cargo", "build", "--release", "--locked", "--offline", "--quiet"]
    options = {"CARGO_BUILD_TARGET": triple("gnu"), "RUSTFLAGS": " ".join(STATIC)}
    built = CRATE / "target" / "bench"
    done = subprocess.run(
        [*build, "--target-dir", str(built)], cwd=CRATE, env=os.environ | options, check=False
    )
    if done.returncode:
        print("no gate for glibc: it cannot be built here")
        return {"musl": program}
    gate = built / triple("gnu") / "release" / gate_program.NAME
    return {"musl": program, "gnu": as_installed(gate, folder / "gate-gnu")}


def as_installed(program: str | Path, copy: Path) -> str:
    """Copy a program in one piece, as the one file installs it.

    The kernel then keeps it in memory in large pieces (seen on ext4, Linux 6.18): a start takes a
    fifth less time than one of a program whose linker or installer wrote it bit by bit.
    """
    copy.write_bytes(Path(program).read_bytes())
    copy.chmod(0o755)
    return str(copy)


def empty(folder: Path, libc: str) -> str:
    """Compile a program that does nothing, statically linked."""
    program = folder / f"empty-{libc}"
    target = f"--target={triple(libc)}"
    options = ["--edition=2024", target, "-Cpanic=abort", "-Copt-level=3", *STATIC]
    source = str(Path(__file__).with_name("empty.rs"))
    subprocess.run(["rustc", *options, "-o", str(program), source], check=True)  # noqa: S607
    return as_installed(program, folder / f"installed-{program.name}")


def triple(libc: str) -> str:
    """Return Rust's target name for `gnu` or `musl` on this machine."""
    return f"{platform.machine()}-unknown-linux-{libc}"


def target_folder(libc: str) -> Path:
    """Return the folder where Rust's standard library for a C library would be installed."""
    process = subprocess.run(
        ["rustc", "--print", "sysroot"],  # noqa: S607 - the toolchain on PATH is meant
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(process.stdout.strip(), "lib", "rustlib", triple(libc))
