"""Pytest fixtures for the tests of the sandbox server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from P4 import P4

from support.servers import ClientFactory, Server
from support.triggers import Install, Script
from support.variant_world import VariantServers


@pytest.fixture
def admin(server: Server, connect: ClientFactory) -> P4:
    """Fixture: the test server's super user."""
    return connect(server, server.super_user)


@pytest.fixture
def world(
    connect: ClientFactory, install: Install, script: Script, tmp_path: Path
) -> Iterator[VariantServers]:
    """Fixture: starts sandboxes with variants that the test chooses, with clients and triggers."""
    world = VariantServers(connect, install, script, tmp_path)
    yield world
    world.stop()
