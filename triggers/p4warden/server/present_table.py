# A process of its own, because P4Python may wait for a silent server far longer.

from __future__ import annotations

import subprocess
import sys

from p4warden.core.errors import P4WardenError
from p4warden.server.connection import Address, connected
from p4warden.server.table_form import read_form

WITHIN_S = 2


def main() -> int:
    """Print the triggers table of the server in the environment."""
    try:
        with connected(Address(), WITHIN_S) as p4:
            sys.stdout.buffer.write(read_form(p4).encode())
    except P4WardenError:
        return 1
    return 0


def read_in_time() -> str | None:
    """Return the table of the server in P4PORT; None if it is not to be had within `WITHIN_S`."""
    try:
        process = subprocess.run(
            [sys.executable, "-I", "-m", "p4warden.server.present_table"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if process.returncode else process.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
