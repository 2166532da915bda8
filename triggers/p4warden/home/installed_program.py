from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from p4warden.asking import gate_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from p4warden.core.errors import P4WardenError


class InstalledProgram(NamedTuple):
    name: str
    error: type[P4WardenError]

    def path(self) -> str:
        path = Path(sys.executable).with_name(self.name)
        if not path.is_file():
            raise self.error(
                f"{self.name} is not installed beside {sys.executable}; "
                f"{gate_program.install_again()}"
            )
        return str(path)

    def problems(self, lines: Iterable[bytes], progress: Callable[[int, int], None]) -> list[str]:
        """Return the lines on standard error that are not progress, without the program's name.

        `progress` is called with the number of bytes read and their total.
        """
        problems = []
        for line in lines:
            if line.startswith(b"{"):
                document = json.loads(line)
                progress(document["read_bytes"], document["of_bytes"])
            else:
                problems.append(self.text(line))
        return problems

    def text(self, error_output: bytes) -> str:
        lines = error_output.decode("utf-8", "replace").strip().split("\n")
        return "\n".join(line.removeprefix(f"{self.name}: ") for line in lines)
