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
ADVICE = (
    "Take it out of that name. The name of a p4warden option, such as --args=, has the same "
    "effect in a name or an argument."
)
FINDING = Finding(
    "",
    "There",
    "is a quotation mark or control character in the name of your user, client or program",
    None,
    None,
    (ADVICE,),
)
