from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from p4warden.workbench.checkpoint.reading import Sources, read
from p4warden.workbench.checkpoint.small_tables import SmallTables
from p4warden.workbench.checkpoint.table_list import tables

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def small_tables_of(
    checkpoint: str, *journals: str, case_sensitive: bool | None = True
) -> Iterator[SmallTables]:
    """Context manager: yield all tables of the list, as a checkpoint and journals have them."""
    with contextlib.closing(SmallTables(tables(), case_sensitive=case_sensitive)) as small:
        read(Sources([checkpoint], journals), small, lambda _read, _of: None)
        yield small
