"""The digest of the trigger lines in the table, for the gate.

Each line contains the digest of its set of lines (`core.trigger_options`). A call of a line with
another digest than the one in this file comes from a connection that keeps an older table, and the
gate records its account. While a deploy writes the table the file is absent; then nothing is
recorded.
"""

from __future__ import annotations

from p4warden.home import trusted_files

FILE_NAME = "lines_digest"


def keep(home: str, digest: str | None) -> None:
    """Write the digest of the table's lines; None removes the file.

    Raises:
        HomeError: the file cannot be written or removed.
    """
    if digest is None:
        trusted_files.remove(home, FILE_NAME)
    else:
        trusted_files.replace(home, FILE_NAME, digest.encode("ascii"))


def kept(home: str) -> str | None:
    """Return the stored digest of the table's lines; None if the file does not exist.

    Raises:
        HomeError: the file is not trusted.
    """
    content = trusted_files.read_if_there(home, FILE_NAME)
    return None if content is None else content.decode("ascii", "replace")
