from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """Numbers of one run.

    The paper's: RIM's (10 submits of 10,000 files, files of 6.4 KB), and the Performance Lab's
    dataset reference01 (70,000 files in directories of 70).
    """

    submits: int
    files_of_submit: int
    directories: int
    files_of_directory: int
    file_bytes: int

    @property
    def tree_files(self) -> int:
        return self.directories * self.files_of_directory


SIZES = {
    "small": Size(3, 40, 20, 10, 640),
    "medium": Size(10, 1_000, 100, 70, 6_400),
    "paper": Size(10, 10_000, 1_000, 70, 6_400),
}
