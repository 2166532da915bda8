from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """Numbers of one run.

    The paper's: RIM's (10 submits of 10,000 files, files of 6.4 KB), the Performance
    Lab's dataset reference01 (70,000 files in directories of 70; browse by 64 children, 1,024
    each), NetApp TR-4164 (64 children that sync 2,048 times; 10 integrate -n and 12 sync -n).
    """

    submits: int
    files_of_submit: int
    directories: int
    files_of_directory: int
    children: int
    browses_of_child: int
    syncs_of_child: int
    integrates: int
    previews: int
    file_bytes: int

    @property
    def tree_files(self) -> int:
        return self.directories * self.files_of_directory


SIZES = {
    "small": Size(3, 40, 20, 10, 4, 4, 2, 2, 2, 640),
    "medium": Size(10, 1_000, 100, 70, 16, 64, 8, 10, 12, 6_400),
    "paper": Size(10, 10_000, 1_000, 70, 64, 1_024, 32, 10, 12, 6_400),
}
