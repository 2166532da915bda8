"""Submit empty files to a test server through a temporary client."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from P4 import P4


def submit_files(p4: P4, files: Iterable[str], *options: str) -> None:
    """Submit empty files, given as depot paths, through a temporary client workspace.

    `options` are arguments of `p4 client` for the new workspace, such as `-S STREAM`.
    """
    p4.client = "seed"
    with tempfile.TemporaryDirectory() as root:
        form = p4.fetch_client(*options)
        p4.save_client({**form, "Root": root, "Host": ""})
        paths = [Path(row["path"]) for row in p4.run("where", *files)]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        p4.run("add", *map(str, paths))
        p4.run("submit", "-d", "The files that were there from the start.")
        p4.run("client", "-d", "seed")
