"""The plan between `plan` and `apply`, as a file of the home folder."""

from __future__ import annotations

import json

from p4warden import home
from p4warden.errors import P4WardenError
from p4warden.merging import Plan

FILE_NAME = "deploy.plan.json"


def keep(home_folder: str, server: str, plan: Plan) -> None:
    """Keep a plan and the server it is for."""
    document = {"server": server, "plan": plan._asdict()}
    home.replace(home_folder, FILE_NAME, json.dumps(document, indent=1).encode())


def load(home_folder: str) -> tuple[str, Plan]:
    """Return the plan that was kept last and the server it is for.

    Raises:
        P4WardenError: there is none, or its file is none of ours.
    """
    try:
        document = json.loads(home.read(home_folder, FILE_NAME))
        return document["server"], Plan(**document["plan"])
    except home.HomeError as error:
        raise P4WardenError(f"{error}; run p4warden deploy plan first") from error
    except (ValueError, KeyError, TypeError) as error:
        raise P4WardenError(f"{FILE_NAME} cannot be read ({error}); plan again") from error


def forget(home_folder: str) -> None:
    """Drop the plan; it has been carried out."""
    home.remove(home_folder, FILE_NAME)
