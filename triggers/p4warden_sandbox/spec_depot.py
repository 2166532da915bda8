# Sources: `p4 help depot`; P4 Server Administration Guide, "Spec depot" and "Control which specs
# are versioned". Inferred: that a form is stored without its `#` comments, that its revisions
# belong to no changelist, the depot path for a stream's form, and that a deleted form's file
# stays.

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from p4warden_sandbox.depot_paths import pattern
from p4warden_sandbox.revisions import Revision
from p4warden_sandbox.specdefs import DEPOT
from p4warden_sandbox.specs import format_form
from p4warden_sandbox.wire import to_bytes
from p4warden_sandbox.words import split_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Server
    from p4warden_sandbox.specs import Spec
    from p4warden_sandbox.store import Store

TYPE = "spec"
SUFFIX = ".p4s"


def find(store: Store) -> Spec | None:
    """Return the spec of the sandbox's only spec depot; None if it has none."""
    return next((depot for depot in store.all(DEPOT.name) if depot.get("Type") == TYPE), None)


def keep(server: Server, spec: Spec) -> None:
    """Store a saved form in the spec depot, if there is one and its SpecMap includes the form."""
    depot = find(server.store)
    if depot is None:
        return
    is_in_folder = server.settings.behaves("spec-depot-file", "folder")
    file = path(depot, spec, is_in_folder=is_in_folder)
    if not _wants(depot, file, case_sensitive=server.store.case_sensitive):
        return
    content = to_bytes(format_form(spec))
    server.files.append(Revision(file, 1, 0, "add", "text", int(time.time()), content))


def path(depot: Spec, spec: Spec, *, is_in_folder: bool) -> str:
    """Return a form's path in the spec depot, such as `//spec/client/ws.p4s`."""
    suffix = depot.get("Suffix") or SUFFIX
    form = spec.form.name
    if not spec.form.fields[0].is_list:
        return f"//{depot.name}/{form}/{spec.name.lstrip('/')}{suffix}"
    folder = f"{form}/" if is_in_folder else ""
    return f"//{depot.name}/{folder}{form}{suffix}"


def _wants(depot: Spec, file: str, *, case_sensitive: bool) -> bool:
    """The last matching line of the SpecMap decides; without lines all files are included."""
    lines = [split_words(line)[0] for line in depot.lines("SpecMap")] or [f"//{depot.name}/..."]
    matching = (
        line
        for line in reversed(lines)
        if pattern(line.removeprefix("-"), case_sensitive=case_sensitive).fullmatch(file)
    )
    return not next(matching, "-").startswith("-")
