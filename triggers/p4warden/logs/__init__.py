"""p4d's logs: read by `p4warden-log`, and as a reporting database of SQLite tables (`schema.sql`).

Questions to the database are files of SQL under `questions/`; the options of a report narrow the
tables that they see (`narrowing.py`). Parquet files take months of logs elsewhere (`parquet_*.py`,
which need an extra). Imports `core`.

SQLite, for Python brings it, its files are read by every tool, and its format is public and fixed:
`p4warden-log` writes the pages itself, in order, which takes 0.8 s of processor time for 100 MB of
log, reading included. Through Python's sqlite3 the same rows took 2.5 s, and DuckDB 2.1 s from
files of comma-separated values, without the reading; it asks eight times as fast (0.06 s instead
of 0.5 s for four questions over 100 MB of log), but is a dependency of 68 MB, and on 1 GB of log
SQLite answers every question of ours within 8 s on one busy core.
"""
