"""Run the SQL queries of docs/sql in a local Spark session and check the rows: `make
test-spark`.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
SQL = TESTS.parent / "docs" / "sql"
PACKAGES = ("pyarrow", "pyspark")


def lacking() -> str:
    """Return one line on a missing requirement of Spark; empty if Spark can run on this
    machine.
    """
    for name in PACKAGES:
        if importlib.util.find_spec(name) is None:
            return f"Spark is not tried: no {name} (pip install {name})"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "Spark is not tried: no java (version 17 or later), which a Spark session needs"
    return ""


def main(folder: Path) -> None:
    """Export an incident's p4d log as Parquet, run each documented query on it, check the rows.

    Raises:
        AssertionError: a query returned wrong rows.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an optional tool

    from p4warden.workbench.logs import parquet_export  # noqa: PLC0415 - needs pyarrow
    from p4warden.workbench.logs.database_reports import open_database  # noqa: PLC0415
    from p4warden.workbench.logs.load_database import load  # noqa: PLC0415
    from support import portable_queries  # noqa: PLC0415

    log = portable_queries.CASES / "incident.log"
    assert load([], str(folder / "log.db"), lambda _read, _of: None, [f"main={log}"]) == []
    with open_database(str(folder / "log.db")) as database:
        parquet_export.export(database, str(folder / "parquet"))
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        for table in ("command", "table_use"):
            spark.read.parquet(str(folder / "parquet" / table)).createOrReplaceTempView(table)
        for query in sorted(SQL.glob("*.sql")):
            rows = [row.asDict() for row in spark.sql(query.read_text()).collect()]
            portable_queries.check(query.stem, rows)
            print(f"{query.name}: {len(rows)} rows, as they should be")
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))
    os.environ["TZ"] = "UTC0"
    shortage = lacking()
    if shortage:
        print(shortage)
    else:
        with tempfile.TemporaryDirectory(prefix="p4warden-spark-") as name:
            main(Path(name))
