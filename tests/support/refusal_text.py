import re

_ID = re.compile(r"^( *p4warden: rule=.*) id=[0-9a-z]{8}$", re.MULTILINE)


def without_id(text: str) -> str:
    """Return a refusal, or a text with some, without the id in the last line, which is a hash."""
    return _ID.sub(r"\1", text)
