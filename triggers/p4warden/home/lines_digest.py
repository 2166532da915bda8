"""Store the digest of the server's present p4warden trigger lines in the home folder.

Each line contains the digest of its set of lines (`core.trigger_options`). If a trigger is called
by a line with another digest than the one in this file, its connection uses an outdated table, and
the gate records the account. While a deploy writes the table the file is absent; then nothing is
recorded.
"""

from __future__ import annotations

from p4warden.home import trusted_files

FILE_NAME = "lines_digest"


def keep(home: str, digest: str | None) -> None:
    """Store the digest of the server's present p4warden trigger lines; None removes the file."""
    if digest is None:
        trusted_files.remove(home, FILE_NAME)
    else:
        trusted_files.replace(home, FILE_NAME, digest.encode("ascii"))


def load(home: str) -> str | None:
    """Return the stored digest of the server's present trigger lines; None without one."""
    content = trusted_files.read_if_there(home, FILE_NAME)
    return None if content is None else content.decode("ascii", "replace")
