"""Judge a trigger line that a user-chosen name broke apart (see `worker.arguments`).

A broken line is not a failure of p4warden, so it is judged: enforced rules refuse the event,
others observe it. Of the values chosen by users only the certain ones are known, and no rate
counts the event.
"""

from p4warden.core.records import Finding

LOG_NAME = "(tampered line)"
"""The one user name under which the log lists all tampered events; the real name could differ each
time."""

SUMMARY = "a name breaks the trigger line apart"
ADVICE = "Use a name without it. Such a word among the arguments of a command has the same effect."
FINDING = Finding(
    "",
    "There",
    "is a quotation mark, a control character or a word such as --args= in the name of your "
    "user, client or program",
    None,
    None,
    (ADVICE,),
)
