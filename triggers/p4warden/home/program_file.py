from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p4warden.home.account import Account

# e_machine of an ELF file (elf.h, gabi: ELF header).
_MACHINES = {3: "x86", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64", 21: "ppc64"}


def missing_part(path: str) -> str:
    """Return in words which part of a path does not exist, or leads nowhere as a link."""
    for part in (*reversed(Path(path).parents), Path(path)):
        if part.is_symlink() and not part.exists():
            return f"{part} is a link to {part.readlink()}, which does not exist"
        if not part.exists():
            return f"{part} does not exist"
    return f"the interpreter that the first line of {path} names does not exist"


def last_change(path: str) -> tuple[str, float]:
    """Return the file, or the folder that lacks it, and when that was changed last.

    The time is in seconds since the epoch; a change of rights or of a link counts, too.
    """
    place = Path(os.path.realpath(path))
    while not os.path.exists(place):  # noqa: PTH110 - where it may not look, pathlib raises
        place = place.parent
    return str(place), place.stat().st_ctime


def closed_folder(path: str, account: Account) -> str | None:
    """Return the first folder on the way to a path that an account may not enter, or None."""
    for way in (path, os.path.realpath(path)):
        for folder in reversed(Path(way).parents):
            with contextlib.suppress(OSError):
                if not account.may_enter(folder.stat()):
                    return str(folder)
    return None


def noexec_mount(path: str) -> str | None:
    """Return the mount point of a path if its file system is mounted noexec, else None."""
    if not os.statvfs(path).f_flag & os.ST_NOEXEC:
        return None
    return mount_point(path)


def mount_point(path: str) -> str:
    """Return the folder where the file system of a path is mounted."""
    place = Path(path).resolve()
    return str(next(folder for folder in (place, *place.parents) if folder.is_mount()))


def foreign_kind(path: str) -> str:
    """Return in words, to follow the path, why the kernel takes a file for no program."""
    kinds = machine(path), machine("/proc/self/exe")
    if kinds[0] is None:
        return "is no program" if Path(path).stat().st_size else "is empty"
    names = [_MACHINES.get(one or 0, f"machine type {one}") for one in kinds]
    return f"is a program for {names[0]}, but this host is {names[1]}"


def machine(path: str) -> int | None:
    """Return the processor that a program is for (`e_machine`), None if it is no ELF file."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if len(head) < 20 or head[:4] != b"\x7fELF":  # noqa: PLR2004 - the bytes up to e_machine
        return None
    number: int = struct.unpack(">H" if head[5] == 2 else "<H", head[18:20])[0]  # noqa: PLR2004
    return number
