"""The configurables that the sandbox server knows: defaults, highest values, current values.

(Perforce API source support/debug.cc and msgs/msgconfig.cc for names, defaults and limits; P4
Server Administration Guide, "Secure by default", for the values that 2026.1 starts with.)
`server.allowfetch` and `server.allowpush` are only stored and have no effect.
"""

from __future__ import annotations

from typing import NamedTuple

from p4warden_sandbox.whole_numbers import is_whole_number


class Configurable(NamedTuple):
    """A configurable's default, highest value, and default on a secure-by-default server."""

    default: int
    maximum: int
    secure: int


CONFIGURABLES = {
    "dm.info.hide": Configurable(0, 1, 1),
    "dm.password.minlength": Configurable(8, 1024, 8),
    "dm.user.hideinvalid": Configurable(0, 1, 1),
    "dm.user.noautocreate": Configurable(0, 2, 2),
    "dm.user.resetpassword": Configurable(0, 1, 1),
    "dm.user.setinitialpasswd": Configurable(1, 1, 0),
    "run.users.authorize": Configurable(0, 1, 1),
    "security": Configurable(0, 6, 4),
    "server.allowfetch": Configurable(0, 3, 0),
    "server.allowpush": Configurable(0, 3, 0),
    "track": Configurable(0, 5, 0),
    "triggers.io": Configurable(0, 1, 0),
}


class Configurables:
    """The current values of the configurables of one sandbox server.

    `is_secure` is true for a server that is secure by default, as new ones are from 2026.1 on.
    """

    def __init__(self, *, is_secure: bool = False) -> None:
        self.is_secure = is_secure
        self._values: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        """Return the value of a configurable: the one set, or else this server's default.

        Raises:
            KeyError: the sandbox has no such configurable.
        """
        configurable = CONFIGURABLES[name]
        return self._values.get(
            name, configurable.secure if self.is_secure else configurable.default
        )

    @property
    def set_values(self) -> dict[str, int]:
        """The values of the configurables that `p4 configure set` has set, by name."""
        return dict(self._values)

    def set(self, name: str, text: str) -> bool:
        """Set a configurable to a number given as text; return whether the number is valid.

        An invalid one changes nothing.

        Raises:
            KeyError: the sandbox has no such configurable.
        """
        highest = CONFIGURABLES[name].maximum
        is_good = is_whole_number(text) and int(text) <= highest
        if is_good:
            self._values[name] = int(text)
        return is_good

    def unset(self, name: str) -> None:
        """Restore the default of a sandbox configurable, as `p4 configure unset` does."""
        self._values.pop(name, None)
