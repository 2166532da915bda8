"""Build folders of wheels for install.sh: p4warden from this source tree, and a fake
dependency.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
REQUIREMENT = "needed-by-p4warden"
_PACKAGE = ROOT / "triggers" / "p4warden"


def fill(folder: Path, version: str, gate: bytes, instead: dict[str, bytes] | None = None) -> None:
    """Write a wheel of p4warden with a given version and gate program, and one for its
    dependencies.

    The wheel for the dependencies contains only a reference to the packages installed for the
    tests. `instead` maps paths in p4warden's package to contents that replace the real files.
    """
    folder.mkdir(exist_ok=True)
    files = {
        f"p4warden/{file.relative_to(_PACKAGE)}": file.read_bytes()
        for file in sorted(_PACKAGE.rglob("*"))
        if file.is_file() and file.suffix != ".pyc"
    }
    files |= {f"p4warden/{name}": content for name, content in (instead or {}).items()}
    files["p4warden/__init__.py"] = f'"""A copy."""\n\n__version__ = "{version}"\n'.encode()
    files[f"p4warden-{version}.data/scripts/p4warden-gate"] = gate
    script = (ROOT / "deploy" / "install.sh").read_bytes()
    files[f"p4warden-{version}.data/data/share/p4warden/deploy/install.sh"] = script
    console = b"[console_scripts]\np4warden = p4warden.cli:main\n"
    _write(folder, "p4warden", version, files | {"entry_points.txt": console})
    site_packages = Path(click.__file__).parents[1]
    _write(folder, REQUIREMENT, "1", {f"{REQUIREMENT}.pth": f"{site_packages}\n".encode()})


def _write(folder: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    requirement = f"Requires-Dist: {REQUIREMENT}\n" if name != REQUIREMENT else ""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requirement}"
    entries = {
        **{
            f"{info}/{path}" if path == "entry_points.txt" else path: files[path] for path in files
        },
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*entries, f"{info}/RECORD"])
    entries[f"{info}/RECORD"] = record.encode()
    file = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        for path, content in entries.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            wheel.writestr(entry, content)
