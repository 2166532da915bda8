"""Build p4warden: setup.cfg has the metadata, setup.py adds the programs written in Rust.

With cargo the wheel contains the Rust programs and is for one platform. Without cargo the wheel is
pure Python: triggers for forms start the Python worker themselves, and whatever needs a Rust
program, such as command rules and logs, is missing.
"""

from __future__ import annotations

import os
import platform
import shutil
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


def cargo_runs() -> bool:
    """Tell whether setup.py can build with cargo; rustup's cargo fails without a toolchain."""
    if not shutil.which("cargo"):
        return False
    answer = subprocess.run(["cargo", "--version"], capture_output=True, check=False)  # noqa: S607 - the one on PATH is meant
    return answer.returncode == 0


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


if cargo_runs():
    build_static()
    # debug=False, because an editable install would otherwise build slow debug programs.
    gate = RustBin(
        "p4warden-gate", path="triggers/gate/Cargo.toml", args=["--locked"], debug=False
    )
    log = RustBin(
        "p4warden-log", path="triggers/gate/log/Cargo.toml", args=["--locked"], debug=False
    )
    index = RustBin(
        "p4warden-index", path="triggers/gate/index/Cargo.toml", args=["--locked"], debug=False
    )
    setup(rust_extensions=[gate, log, index], cmdclass={"bdist_wheel": Wheel})
else:
    setup()
