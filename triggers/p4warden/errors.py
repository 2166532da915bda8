"""The errors that reach an administrator as one line; everything else is a defect of ours."""


class P4WardenError(Exception):
    """An expected failure. Its text is one line: what is wrong and what to do."""
