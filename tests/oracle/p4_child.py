"""Answer questions with the vendor's own code in a separate process, because it may crash or hang.

Reads one JSON object a line: `{"view": [lines], "paths": [paths]}` asks P4.Map which of the depot
paths the view maps; `{"through": [lines], "paths": [paths]}` where P4.Map maps each to, null for
nowhere; `{"rows": [[left, right]]}` how many rows the map of a view has; `{"client": form}` asks
P4Python how it parses a client form.
"""

import json
import sys
from typing import Any

from P4 import P4, Map, P4Exception


def answer(question: dict[str, Any]) -> Any:
    """Return the answer to one question; None if the vendor's code refuses the form."""
    if "view" in question:
        mapping = Map(question["view"])
        return [mapping.includes(path) for path in question["paths"]]
    if "through" in question:
        mapping = Map(question["through"])
        return [mapping.translate(path) for path in question["paths"]]
    if "rows" in question:
        mapping = Map()
        for left, right in question["rows"]:
            mapping.insert(left, right)
        return mapping.count()
    try:
        return P4().parse_client(question["client"]).get("View", [])
    except P4Exception:
        return None


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
