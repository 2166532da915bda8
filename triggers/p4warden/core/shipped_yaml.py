from __future__ import annotations

from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A tenth of the time of SafeLoader; a PyYAML built without libyaml lacks it."""


def load(text: str) -> Any:
    """Return the content of a data file; libyaml refuses surrogates, unlike SafeLoader."""
    return yaml.load(text, LOADER)  # noqa: S506 - both are safe
