"""Tests of the sandbox's `p4 property`: named values stored on the server for applications."""

import pytest
from P4 import P4, P4Exception

from support.servers import ClientFactory, Server

NAME = "P4V.Performance.ServerRefresh"


def values(p4: P4, *options: str) -> list[str]:
    return [row["value"] for row in p4.run("property", "-l", *options)]


def test_a_property_is_set_changed_listed_and_deleted(admin: P4) -> None:
    assert admin.run("property", "-a", "-n", NAME, "-v", "60") == [f"Property {NAME} set."]
    (row,) = admin.run("property", "-l", "-n", NAME)
    assert (row["name"], row["value"], row["sequence"]) == (NAME, "60", "1")
    assert row["appliesToType"] == "everyone"

    admin.run("property", "-a", "-n", NAME, "-v", "30")
    assert values(admin) == ["30"]

    assert admin.run("property", "-d", "-n", NAME) == [f"Property {NAME} deleted."]
    assert admin.run("property", "-l") == []


def test_property_lists_values_by_sequence_user_and_group(
    admin: P4, server: Server, connect: ClientFactory
) -> None:
    admin.run("property", "-a", "-n", NAME, "-v", "all")
    admin.run("property", "-a", "-n", NAME, "-v", "first", "-s", "9")
    admin.run("property", "-a", "-n", NAME, "-v", "ann", "-u", "ann")
    admin.run("property", "-a", "-n", NAME, "-v", "farm", "-g", "build-farm")

    assert values(connect(server, "ann")) == ["first", "all", "ann"]
    assert values(connect(server, "build")) == ["first", "all", "farm"]
    assert sorted(values(admin, "-A")) == ["all", "ann", "farm", "first"]


@pytest.mark.state(protections="filled")
def test_only_administrators_can_set_properties(server: Server, connect: ClientFactory) -> None:
    with pytest.raises(P4Exception, match="You don't have permission"):
        connect(server).run("property", "-a", "-n", NAME, "-v", "60")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-a", "-n", NAME),
        ("-a", "-v", "1"),
        ("-d",),
        ("-n", NAME),
        ("-a", "-l", "-n", NAME, "-v", "1"),
        ("-a", "-n", NAME, "-v", "1", "-u", "ann", "-g", "build-farm"),
    ],
)
def test_invalid_combinations_of_property_options_are_refused_with_the_usage(
    admin: P4, arguments: tuple[str, ...]
) -> None:
    with pytest.raises(P4Exception, match="Usage: property"):
        admin.run("property", *arguments)
