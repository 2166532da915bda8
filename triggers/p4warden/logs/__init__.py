"""Loading of p4d's logs into a database, and reports on this database.

The logs are read by the program `p4warden-log`; the database has SQLite tables (`schema.sql`).
Reports are SQL files under `questions/`; the options of a report restrict the tables that the SQL
sees (`narrowing.py`). Months of logs can be exported as Parquet files (`parquet_*.py`, which need
an extra). Imports `core`.

SQLite is used because it comes with Python, many tools read its files, and its format is public
and stable: `p4warden-log` writes the pages itself, in order, which takes 0.8 s of processor time
for 100 MB of log, reading included. Without the reading, Python's sqlite3 took 2.5 s for the same
rows, and DuckDB 2.1 s. DuckDB runs reports eight times as fast, but is a dependency of 68 MB, and
on 1 GB of log SQLite runs every report within 8 s on one busy core.
"""
