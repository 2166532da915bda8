from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden_sandbox.configurables import CONFIGURABLES, TEXTS
from p4warden_sandbox.settings import DepotSeed, Settings, UserSeed
from p4warden_sandbox.trigger_variables import ServerFacts
from p4warden_sandbox.variants import choice_from_words
from p4warden_sandbox.version_sets import like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from p4warden_sandbox.p4d.command_line import CommandLine
    from p4warden_sandbox.p4d.root_folder import Setup

LIKE = "P4WARDEN_SANDBOX_LIKE"
VARIANTS = "P4WARDEN_SANDBOX_VARIANTS"
DEFECTS = "P4WARDEN_SANDBOX_DEFECTS"
_DEPOT = DepotSeed("depot")
# Of a server that `p4 init` creates (inferred from the default stream `main` and `//stream/` in
# Perforce API source client/serverhelper.cc).
_INITIAL_STREAMS = DepotSeed("stream", "stream")


def settings_of(line: CommandLine, setup: Setup, environment: Mapping[str, str]) -> Settings:
    """Return settings like a new p4d's: it has one depot, and no users or files.

    After `p4d -x...` with `-u` it has that user, and a stream depot too. Raises P4WardenError for
    an environment that is not valid.
    """
    settings = _settings(environment)
    variants = {"license": "none", **settings.variants}
    has_user = bool(setup.user)
    if has_user and variants.get("security") == "by-default":
        # P4Python's own tests set no passwords on the server that `p4 init` creates.
        variants["security"] = "0"
    return settings._replace(
        case_sensitive=settings.case_sensitive and not line.case_insensitive,
        unicode=setup.unicode,
        super_user="",
        users=(UserSeed(setup.user),) if has_user else (),
        groups=(),
        depots=(_DEPOT, _INITIAL_STREAMS) if has_user else (_DEPOT,),
        streams=(),
        files=(),
        variants=variants,
        configurables={
            name: value
            for name, value in {**setup.configurables, **dict(line.configurables)}.items()
            if name in CONFIGURABLES or name in TEXTS
        },
        log=line.log,
    )


def version_text(environment: Mapping[str, str]) -> str:
    """Return the text of p4d's -V; raise P4WardenError for an environment that is not valid."""
    facts = ServerFacts("", "", _settings(environment).server_version)
    return (
        "The p4warden sandbox in the shape of p4d, for tests; it is not Perforce's server.\n"
        f"Rev. {facts.version_text}."
    )


def _settings(environment: Mapping[str, str]) -> Settings:
    release = environment.get(LIKE)
    settings = like(release) if release else Settings()
    words = environment.get(VARIANTS, "").split()
    return settings._replace(
        variants={**settings.variants, **choice_from_words(words)},
        defects=tuple(environment.get(DEFECTS, "").split()),
    ).settled()
