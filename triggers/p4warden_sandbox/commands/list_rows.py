# The tags are those of real servers; that there are no others is inferred.

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox import dates

if TYPE_CHECKING:
    from p4warden_sandbox.specs import Spec


def _dated(spec: Spec) -> dict[str, str]:
    return {name: dates.seconds(spec.get(name)) for name in ("Update", "Access")}


def shared_pairs(spec: Spec) -> dict[str, str]:
    """Return the tagged fields that rows of branches, clients and labels have in common."""
    return {
        **_dated(spec),
        "Owner": spec.get("Owner"),
        "Options": spec.get("Options"),
        "Description": spec.get("Description"),
    }


def client_pairs(spec: Spec) -> dict[str, str]:
    """Return a client's fields in the sandbox's tagged `p4 clients`, as values by tag."""
    optional = {name: spec.get(name) for name in ("Stream", "Type") if spec.get(name)}
    fields = ("SubmitOptions", "LineEnd", "Root", "Host")
    return {
        "client": spec.name,
        **shared_pairs(spec),
        **{name: spec.get(name) for name in fields},
        **optional,
    }


def depot_pairs(spec: Spec) -> dict[str, str]:
    """Return a depot's fields in the sandbox's tagged `p4 depots`, as values by tag."""
    optional = {"depth": spec.get("StreamDepth")} if spec.get("StreamDepth") else {}
    return {
        "name": spec.name,
        "time": dates.seconds(spec.get("Date")),
        "type": spec.get("Type"),
        **optional,
        "map": spec.get("Map"),
        "desc": spec.get("Description"),
    }


def stream_pairs(spec: Spec) -> dict[str, str]:
    """Return a stream's fields in the sandbox's tagged `p4 streams`, as values by tag."""
    words = spec.get("Options").split(" ")
    return {
        "Stream": spec.name,
        **_dated(spec),
        "Owner": spec.get("Owner"),
        "Name": spec.get("Name"),
        "Parent": spec.get("Parent"),
        "Type": spec.get("Type"),
        "desc": spec.get("Description"),
        "Options": spec.get("Options"),
        "changeFlowsToParent": str("toparent" in words).lower(),
        "changeFlowsFromParent": str("fromparent" in words).lower(),
    }


def user_pairs(spec: Spec) -> dict[str, str]:
    """Return a user's fields in the sandbox's tagged `p4 users`, as values by tag."""
    fields = ("Email", "FullName", "Type")
    return {"User": spec.name, **_dated(spec), **{name: spec.get(name) for name in fields}}
