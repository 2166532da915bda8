"""Loading of Perforce servers' logs into an SQLite database, and reports on this database.

The program `p4warden-log` reads the logs and fills the tables (`schema.sql`). Reports are SQL
files under `questions/`; options such as `--user` restrict the tables that the SQL sees
(`scope_restriction.py`). A database can be exported as Parquet files (`parquet_*.py`; needs
pyarrow).

SQLite is used because it comes with Python, many tools read its files, and its format is public
and stable, so that `p4warden-log` can write the pages itself. In measurements this was faster than
inserting the rows with Python's sqlite3 or DuckDB. DuckDB ran the reports eight times as fast, but
is a dependency of 68 MB.
"""
