"""Read and write JSON without importing the module `json`, as far as possible.

`json` is Python code around the C functions of `_json`; importing it and its `re` is slow. This
module calls the C functions with arguments that give the same results as those of `json`
(Lib/json/scanner.py and encoder.py of CPython 3.10 to 3.14). All other cases are left to `json`,
such as a text with an error or with leading blanks. So results and errors are those of `json`.
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Encoder = Callable[[Any, int], tuple[str, ...]]
    C = tuple[Callable[[str, int], tuple[Any, int]], Encoder, Encoder]


class _Context:
    """Settings for the C scanner of JSON, with the effect of those of `json.JSONDecoder`.

    `parse_constant` is `float`, which reads `NaN`, `Infinity` and `-Infinity` too.
    """

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float = parse_constant = float
    parse_int = int


def _c_functions() -> C | None:
    """Return CPython's C functions for JSON: the scanner, an ASCII encoder and a Unicode encoder.

    None if this interpreter lacks them or they have other parameters.
    """
    try:
        import _json  # noqa: PLC0415

        context: Any = _Context
        strings = (_json.encode_basestring_ascii, _json.encode_basestring)
        encoder_options: Any = [
            (None, None, s, None, ": ", ", ", False, False, True) for s in strings
        ]
        to_ascii, to_text = (_json.make_encoder(*options) for options in encoder_options)
        return _json.make_scanner(context), to_ascii, to_text
    except (ImportError, TypeError, AttributeError):
        return None


_C = _c_functions()
_BLANKS = " \t\n\r"


def loads(text: str | bytes) -> Any:
    """Parse a JSON text, as `json.loads`.

    Raises:
        ValueError: the text is not JSON.
    """
    if _C:
        try:
            content = text if isinstance(text, str) else text.decode()
            value, end = _C[0](content, 0)
            if not content[end:].strip(_BLANKS):
                return value
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - most texts are right

    return json.loads(text)


def beginning(text: str) -> Any:
    """Parse the JSON value at the beginning of a text; ignore the rest of the text.

    Raises:
        ValueError: the text does not begin with JSON.
    """
    if _C:
        try:
            return _C[0](text, 0)[0]
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - as above

    return json.JSONDecoder().raw_decode(text)[0]


def dumps(value: object, *, ensure_ascii: bool = True) -> str:
    """Return a value as JSON on one line, in ASCII or with characters beyond ASCII unescaped.

    Raises:
        TypeError, ValueError: the value has no JSON form.
    """
    if _C:
        try:
            encode = _C[1] if ensure_ascii else _C[2]
            return "".join(encode(value, 0))
        except Exception:  # noqa: BLE001, S110 - `json` says what is wrong
            pass
    import json  # noqa: PLC0415 - as above

    return json.dumps(value, ensure_ascii=ensure_ascii)
