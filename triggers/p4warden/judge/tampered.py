"""A trigger line that a name of the user's own choice broke apart (see `worker.arguments`).

It is no failure of ours, so it is judged: rules that enforce refuse it, others observe it. Of the
user's choices only the certain ones are known of such an event, and no rate counts it.
"""

from p4warden.core.records import Finding

LOG_NAME = "(tampered line)"
"""The one name under which the log tells of all of them, for theirs can be another each time."""

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
