"""Install p4warden from a clone: setup.cfg has the metadata, this adds the programs in Rust."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from setuptools import setup
from setuptools_rust import RustBin

sys.path.insert(0, str(Path(__file__).parent))
from one_file import programs


def program(name: str, crate: str) -> RustBin:
    """Return a Rust program to build, optimized in an editable install as well."""
    return RustBin(name, path=f"{crate}/Cargo.toml", args=["--locked"], debug=False)


# With an explicit target, without which the flags would apply to proc macros, which then fail.
os.environ.setdefault("CARGO_BUILD_TARGET", programs.target(platform.machine()))
os.environ.setdefault("RUSTFLAGS", " ".join(programs.flags(platform.machine())))
setup(
    rust_extensions=[
        program("p4warden-gate", "triggers/gate"),
        program("p4warden-log", "triggers/gate/log"),
        program("p4warden-index", "triggers/gate/index"),
    ],
)
