from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.commands.forms import FormCommand, full_options
from p4warden_sandbox.depot_paths import WILDCARD, depot_of
from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import INVALID_TYPE, NO_SUCH_DEPOT_2, NO_SUCH_DOMAIN, STREAM_DEPTH
from p4warden_sandbox.settings import ServerVersion
from p4warden_sandbox.specdefs import OLDER_STREAM, STREAM
from p4warden_sandbox.specs import Spec
from p4warden_sandbox.usage import Usage
from p4warden_sandbox.words import is_whole_number, split_words

if TYPE_CHECKING:
    from p4warden_sandbox.call import Call
    from p4warden_sandbox.commands.forms import FormRequest
    from p4warden_sandbox.form_fields import FormDefinition

_PARENT_VIEW = ServerVersion(2021, 1)
# `p4 help stream`, server release 2024.2.
PATH_TYPES = frozenset({"share", "isolate", "import", "import+", "import&", "exclude"})


def stream(call: Call) -> None:
    """Handle `p4 stream`: show, save or delete a stream."""
    StreamCommand(stream_form(call))(call)


def stream_form(call: Call) -> FormDefinition:
    """Return the form of the server's release; from 2021.1 on it has a ParentView field."""
    has_parent_view = call.server.settings.server_version >= _PARENT_VIEW
    return STREAM if has_parent_view else OLDER_STREAM


class StreamCommand(FormCommand):
    usage = Usage(
        "stream [ -d -f -i -o ] [ -P parent ] [ -t type ] stream",
        "dfioP:t:",
        refused_options="v",
        max_arguments=1,
    )

    def __init__(self, form: FormDefinition) -> None:
        self.form = form

    def shown_spec(self, request: FormRequest) -> Spec:
        return super().shown_spec(request).of(self.form)

    def propose(self, request: FormRequest) -> Spec:
        """A new stream shares all of its files (`p4 help stream`)."""
        _check_path(request.call, request.name)
        parent = request.options.values.get("P", "none")
        kind = request.options.values.get("t", "mainline" if parent == "none" else "development")
        spec = Spec(STREAM).having(
            Stream=request.name,
            Owner=request.owner,
            Name=request.name.rpartition("/")[2],
            Parent=parent,
            Type=kind,
            Description=f"Created by {request.owner}.\n",
            ParentView="inherit",
            Paths=["share ..."],
        )
        return spec.having(Options=full_options(spec))

    def check(self, request: FormRequest, new: Spec) -> Spec:
        """The texts of refusals are inferred."""
        _check_path(request.call, new.name)
        _check_parent(request.call, new)
        for line in new.lines("Paths"):
            kind = split_words(line)[0]
            if kind not in PATH_TYPES:
                raise CommandError(INVALID_TYPE, type="path type", arg=kind)
        return new.having(Options=full_options(new)).or_else(Owner=request.owner)


def _check_path(call: Call, path: str) -> None:
    depot = call.store.find("depot", depot_of(path) or "")
    if depot is None or depot.get("Type") != "stream":
        raise CommandError(NO_SUCH_DEPOT_2, depot=depot_of(path) or path)
    levels = path[2:].split("/")[1:]
    if len(levels) != _depth(depot) or not all(levels) or WILDCARD.search(path):
        raise CommandError(STREAM_DEPTH, stream=path)


def _depth(depot: Spec) -> int:
    """A StreamDepth is `2` or `//name/1/2`."""
    depth = depot.get("StreamDepth")
    return int(depth) if is_whole_number(depth) else depth.count("/") - 2


def _check_parent(call: Call, new: Spec) -> None:
    parent = new.get("Parent")
    is_mainline = new.get("Type") == "mainline"
    if is_mainline != (parent == "none"):
        raise CommandError(INVALID_TYPE, type="stream parent", arg=parent)
    if not is_mainline and call.store.find(STREAM.name, parent) is None:
        raise CommandError(NO_SUCH_DOMAIN, type="Stream", name=parent)
