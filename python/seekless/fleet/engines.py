"""The engines that answer queries: DuckDB in this process, or Apache Spark."""

from __future__ import annotations

import collections.abc
import contextlib
import typing

from seekless._needs import needed
from seekless.errors import Error, UsageError

__all__ = ["DuckDb", "Engine", "Spark", "engine_called"]

# With this limit and two threads, the process takes 630 MiB for 10^9 opens, including what Python and the tables need
# (script/bench fleet-long).
MEGABYTES_OF_A_THREAD = 250


class Engine(typing.Protocol):
    """Answers a query on Parquet files; `views` names them."""

    def query(self, sql: str, views: dict[str, list[str]]) -> typing.Any:
        """Returns an Arrow table with its rows in any order."""
        ...


@contextlib.contextmanager
def _told_in_a_line() -> collections.abc.Iterator[None]:
    duckdb = needed("duckdb", "fleet")
    try:
        yield
    except duckdb.Error as error:
        advice = "; --memory allows it more" if isinstance(error, duckdb.OutOfMemoryException) else ""
        raise Error(f"DuckDB: {str(error).partition(chr(10))[0]}{advice}") from error


class DuckDb:
    """memory: DuckDB's memory limit, in its syntax; by default 250 MB per thread. Larger data goes to the folder
    `temporary`. threads: by default the number of cores."""

    def __init__(self, *, memory: str | None = None, threads: int | None = None, temporary: str | None = None) -> None:
        with _told_in_a_line():
            self._connection = needed("duckdb", "fleet").connect()
            threads = threads or int(self._connection.execute("SELECT current_setting('threads')").fetchone()[0])
            settings: dict[str, object] = {"memory_limit": memory or f"{MEGABYTES_OF_A_THREAD * threads}MB",
                                           "threads": threads, "preserve_insertion_order": False}
            if temporary is not None:
                settings["temp_directory"] = temporary
            for name, value in settings.items():
                self._connection.execute(f"SET {name} = {value!r}".replace("False", "false"))

    def query(self, sql: str, views: dict[str, list[str]]) -> typing.Any:
        with _told_in_a_line():
            return self._answer(sql, views)

    def _answer(self, sql: str, views: dict[str, list[str]]) -> typing.Any:
        for name, files in views.items():
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
            self._connection.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet([{listed}])")
        answer = self._connection.sql(sql)
        return answer.to_arrow_table() if hasattr(answer, "to_arrow_table") else answer.fetch_arrow_table()


class Spark:
    """session: your own, for a cluster; by default a local session with `threads` threads."""

    def __init__(self, *, session: typing.Any = None, threads: int | None = None, memory: str = "2g") -> None:
        if session is None:
            session = (needed("pyspark.sql", "spark").SparkSession.builder.master(f"local[{threads or '*'}]")
                       .appName("seekless").config("spark.ui.enabled", "false")
                       .config("spark.ui.showConsoleProgress", "false")
                       .config("spark.driver.memory", memory).config("spark.sql.shuffle.partitions", "8")
                       .config("spark.sql.session.timeZone", "UTC").getOrCreate())
        self._session = session

    def query(self, sql: str, views: dict[str, list[str]]) -> typing.Any:
        for name, files in views.items():
            self._session.read.parquet(*files).createOrReplaceTempView(name)
        rows = self._session.sql(sql)
        if hasattr(rows, "toArrow"):
            return rows.toArrow()
        arrow = needed("pyarrow", "fleet")  # Spark 3 has no toArrow
        return arrow.Table.from_pylist([row.asDict() for row in rows.collect()]) if rows.columns else None


def engine_called(name: str, *, memory: str | None = None, threads: int | None = None) -> Engine:
    if name == "duckdb":
        return DuckDb(memory=memory, threads=threads)
    if name == "spark":
        return Spark(threads=threads)
    raise UsageError(f"engine: expected duckdb or spark, found {name!r}")
