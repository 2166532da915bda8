"""What all tests share: no settings of the person who runs them, and servers to talk to."""

from support import isolation
from support.servers import connect, sandbox, server
from support.triggers import install, script

__all__ = ["connect", "install", "sandbox", "script", "server"]


def pytest_unconfigure() -> None:
    """Remove what the tests have written instead of the files in the home folder."""
    isolation.remove()
