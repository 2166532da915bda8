"""Build p4warden: setup.cfg has the metadata, setup.py adds the programs written in Rust.

The wheel is for one platform.
"""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools_rust import RustBin

MUSL = f"{platform.machine()}-unknown-linux-musl"
GLIBC = f"{platform.machine()}-unknown-linux-gnu"


class Wheel(bdist_wheel):
    """A wheel with Rust programs and no extension module, so tagged py3-none-<platform>."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the wheel's tag for any Python 3 on this platform: (python, abi, platform)."""
        return "py3", "none", super().get_tag()[2]


def target() -> str:
    """Return cargo's build target: static musl if Rust has it installed, else static glibc."""
    process = subprocess.run(
        ["rustc", "--print", "sysroot"],  # noqa: S607 - the toolchain on PATH is meant
        capture_output=True,
        text=True,
        check=True,
    )
    installed = Path(process.stdout.strip(), "lib", "rustlib", MUSL)
    return MUSL if installed.is_dir() else GLIBC


def build_static() -> None:
    """Set the environment variables that make cargo link the Rust programs statically.

    Variables that are set already stay unchanged. The flags need an explicit target; otherwise
    they would apply to proc macros, which then fail.
    """
    os.environ.setdefault("CARGO_BUILD_TARGET", target())
    os.environ.setdefault("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static")


def program(name: str, crate: str) -> RustBin:
    """Return a Rust program to build, optimized in an editable install as well."""
    return RustBin(name, path=f"{crate}/Cargo.toml", args=["--locked"], debug=False)


build_static()
setup(
    rust_extensions=[
        program("p4warden-gate", "triggers/gate"),
        program("p4warden-log", "triggers/gate/log"),
        program("p4warden-index", "triggers/gate/index"),
    ],
    cmdclass={"bdist_wheel": Wheel},
)
