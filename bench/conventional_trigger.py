"""A conventional rate-limiting trigger in Python, whose speed is compared with `p4warden-gate`.

It reads a YAML policy, checks it by a schema, imports P4Python and stores rates in SQLite.
"""

import sqlite3
import sys
import time

import jsonschema
import P4  # noqa: F401 - imported for its time, as in conventional triggers
import yaml

SCHEMA = {
    "type": "object",
    "required": ["allow", "per_s", "burst"],
    "properties": {name: {"type": "integer"} for name in ("allow", "per_s", "burst")},
}


def main(policy_file: str, database: str, user: str) -> int:
    """Return 0 to allow one command of a user, 1 to refuse it."""
    with open(policy_file, encoding="utf-8") as file:  # noqa: PTH123 - as one finds it
        policy = yaml.safe_load(file)
    jsonschema.validate(policy, SCHEMA)
    now = time.time()
    with sqlite3.connect(database, timeout=5, isolation_level="IMMEDIATE") as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS rates (user TEXT PRIMARY KEY, tat REAL)")
        row = connection.execute("SELECT tat FROM rates WHERE user = ?", (user,)).fetchone()
        interval = policy["per_s"] / policy["allow"]
        tat = max(row[0] if row else now, now)
        if tat - (policy["burst"] - 1) * interval > now:
            return 1
        connection.execute("REPLACE INTO rates VALUES (?, ?)", (user, tat + interval))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
