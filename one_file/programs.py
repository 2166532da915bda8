"""The programs in Rust, linked statically and without a path of the machine that builds them."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKSPACE = ROOT / "triggers" / "gate"
NAMES = ("p4warden-gate", "p4warden-index", "p4warden-log")
PROCESSORS = ("aarch64", "x86_64")


def build(processor: str) -> Path:
    """Build the programs for a processor; return their folder."""
    triple = target(processor)
    environment = {**os.environ, "RUSTFLAGS": " ".join(flags(processor))}
    command = ["cargo", "build", "--release", "--locked", "--workspace", "--bins"]
    command += ["--quiet", "--target", triple]
    if subprocess.run(command, cwd=WORKSPACE, env=environment, check=False).returncode:
        raise SystemExit(f"cargo cannot build for {triple}; rustup target add {triple} may help")
    return WORKSPACE / "target" / triple / "release"


def target(processor: str) -> str:
    """Return cargo's target: musl, or for this machine static glibc if Rust has no musl."""
    musl = f"{processor}-unknown-linux-musl"
    is_here = (sysroot() / "lib" / "rustlib" / musl).is_dir()
    can_do_without = processor == platform.machine()
    return f"{processor}-unknown-linux-gnu" if can_do_without and not is_here else musl


def flags(processor: str) -> list[str]:
    """Return rustc's options; for another processor than this machine's without a C compiler."""
    options = ["-Ctarget-feature=+crt-static", "-Crelocation-model=static"]
    if processor != platform.machine():
        options.append("-Clinker=rust-lld")
    places = {ROOT: "/p4warden", cargo_home(): "/cargo", sysroot(): "/rust"}
    return [*options, *(f"--remap-path-prefix={place}={name}" for place, name in places.items())]


def cargo_home() -> Path:
    """Return the folder in which cargo keeps the sources of crates."""
    return Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")


def sysroot() -> Path:
    """Return the folder of the Rust toolchain on PATH."""
    return Path(asked("rustc", "--print", "sysroot"))


def asked(*command: str) -> str:
    """Return what a command writes to standard output, without blanks around it."""
    process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=WORKSPACE)
    return process.stdout.strip()
