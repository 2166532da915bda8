"""JSON read and written without `json`, whose imports cost as much as a start of Python.

`json` is Python code around the C functions of `_json`, and imports `re` for that. Here the C
functions are called with the arguments that `json` itself gives them (Lib/json/scanner.py and
encoder.py of CPython 3.10 to 3.14). Everything that they do not take at once goes to `json`: an
interpreter without them, a text with an error, in another encoding or with blanks before it, a
value that has no JSON. So results and errors are those of `json`.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    C = tuple[Callable[[str, int], tuple[Any, int]], Callable[[Any, int], tuple[str, ...]]]


class _Context:
    """The settings of a scanner, as `json.JSONDecoder` has them; `float` reads `NaN` too."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = parse_constant = float
    parse_int = int


def _c_functions() -> C | None:
    """Return the C scanner and encoder; None where this interpreter has other ones or none."""
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner  # noqa: PLC0415

        context: Any = _Context
        how: Any = (None, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        return make_scanner(context), make_encoder(*how)
    except (ImportError, TypeError, AttributeError):
        return None


_C = _c_functions()
_BLANKS = " \t\n\r"


def loads(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is no JSON.
    """
    if _C:
        try:
            whole = text if isinstance(text, str) else text.decode()
            value, end = _C[0](whole, 0)
            if not whole[end:].strip(_BLANKS):
                return value
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - most texts are right

    return json.loads(text)


def beginning(text: str) -> Any:
    """Return the JSON value that a text begins with, whatever stands behind it.

    Raises:
        ValueError: it begins with none.
    """
    if _C:
        try:
            return _C[0](text, 0)[0]
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - as above

    return json.JSONDecoder().raw_decode(text)[0]


def dumps(value: object) -> str:
    """Return a value as JSON in ASCII, on one line.

    Raises:
        TypeError, ValueError: it has none.
    """
    if _C:
        try:
            return "".join(_C[1](value, 0))
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - as above

    return json.dumps(value)
