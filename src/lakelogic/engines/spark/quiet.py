"""Errors of Spark are told once, by us."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


class _Nothing(logging.Filter):
    """Lets nothing through."""

    def filter(self, record: logging.LogRecord) -> bool:
        return False


@contextmanager
def quiet_errors() -> Iterator[None]:
    """Inside, PySpark does not log errors that it raises too: with its stack of Java, and values of the data in it."""
    from pyspark.logger import PySparkLogger

    # One of our own for each time, so that runs side by side do not end each other's silence.
    nothing = _Nothing()
    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(nothing)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(nothing)
