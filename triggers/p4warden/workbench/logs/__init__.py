"""p4d's logs in an SQLite database, and reports on it.

`p4warden-log` fills the tables (`schema.sql`). Reports are SQL files under `questions/`; options
such as `--user` restrict the tables that the SQL sees (`scope_restriction.py`).

SQLite comes with Python, and its format is public and stable, so that `p4warden-log` can write the
pages itself. That was faster than inserting the rows with Python's sqlite3 or DuckDB. DuckDB ran
the reports eight times as fast, but is a dependency of 68 MB.
"""
