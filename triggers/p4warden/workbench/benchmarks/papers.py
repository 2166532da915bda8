"""What the papers ran, in three sizes, and what the Performance Lab measured in its two series."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """Numbers of one run.

    The paper's: RIM's (10 submits of 10,000 files, files of 6.4 KB), and the Performance Lab's
    (70,000 files in directories of 70; the series of depots and of path lengths, of whose ends
    and measured members these are).
    """

    submits: int
    files_of_submit: int
    directories: int
    files_of_directory: int
    file_bytes: int
    products: int  # directories, in all depots together: a power of two
    depots: tuple[int, ...]  # powers of two
    browses: int
    path_lengths: tuple[int, ...]

    @property
    def tree_files(self) -> int:
        return self.directories * self.files_of_directory


SIZES = {
    "small": Size(3, 40, 20, 10, 640, 16, (1, 4, 16), 4, (64, 128)),
    "medium": Size(10, 1_000, 100, 70, 6_400, 1_024, (1, 8, 512), 32, (64, 96, 128)),
    "paper": Size(
        10, 10_000, 1_000, 70, 6_400, 16_384, (1, 8, 4_096, 8_192), 128, (64, 80, 96, 112, 128)
    ),
}
# By benchmark and command; of submits that of p4d's commit alone. Other numbers are not known.
MEASURED = {
    ("depots", "dirs -C, 1"): ".189 s",
    ("depots", "fstat, 1"): ".162 s",
    ("depots", "dirs -C, 8"): ".024 s",
    ("depots", "fstat, 8"): ".021 s",
    ("depots", "dirs -C, 4096"): "1.12 s",
    ("depots", "fstat, 4096"): ".585 s",
    ("path-lengths", "submit, 64"): "3305 ms",
    ("path-lengths", "submit, 80"): "3513 ms",
    ("path-lengths", "submit, 96"): "3764 ms",
    ("path-lengths", "submit, 112"): "3947 ms",
    ("path-lengths", "submit, 128"): "4152 ms",
}
