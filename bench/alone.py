"""Measure a program: wall time (s), processor time (s), peak memory (MB) of its largest process.

`python -S -E bench/alone.py PROGRAM [WORD...]`. Child processes that the program waits for count.
The memory of a process before it executes another program counts towards that program's peak, so
this one imports very little.
"""

import os
import sys
import time


def main() -> None:
    """Run the program named on the command line; print its times and peak memory."""
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - no shell is wanted
    _, status, usage = os.wait4(child, 0)
    wall_s = time.perf_counter() - started
    if status:
        sys.exit(f"{sys.argv[1]} failed")
    print(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


if __name__ == "__main__":
    main()
