"""Answer test questions with the vendor's own code, in a separate process.

The vendor's code may crash or hang. The program reads one JSON object per line and prints one JSON
answer per line. `{"view": [lines], "paths": [paths]}` asks for each depot path whether P4.Map maps
it; `{"through": [lines], "paths": [paths]}` to which path P4.Map translates each path, null if to
none; `{"rows": [[left, right]]}` how many rows P4.Map makes of these view lines; `{"client":
form}` which fields P4Python finds in a client form, null if it refuses the form.
"""

import json
import sys
from typing import Any

from P4 import P4, Map, P4Exception

# Made once: each new one reads its settings from files, which takes far longer than a form.
PARSER = P4()


def answer(question: dict[str, Any]) -> Any:
    """Return the answer of P4.Map or P4Python, called in this process, to one question."""
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
        return dict(PARSER.parse_client(question["client"]))
    except P4Exception:
        return None


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
