"""Ctrl-C while Spark starts and while it works."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the block has ended: PySpark forgets a JVM that is half started, and it would stay for ever."""
    if not _in_main_thread():
        yield
        return
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """After the block, Ctrl-C cancels Spark's jobs and raises KeyboardInterrupt.

    The handler that PySpark leaves talks to the JVM in the middle of a call to it, which fails.
    A handler that the program had set itself is put back.
    """
    before = signal.getsignal(signal.SIGINT)
    yield
    if _in_main_thread():
        signal.signal(signal.SIGINT, _cancel if before is signal.default_int_handler else before)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _cancel(_number: int, _frame: FrameType | None) -> None:
    from pyspark import SparkContext

    if context := SparkContext._active_spark_context:
        # A thread has a connection of its own to the JVM, whatever this one is waiting for.
        threading.Thread(target=_cancel_jobs, args=(context,), daemon=True).start()
    raise KeyboardInterrupt


def _cancel_jobs(context: SparkContext) -> None:
    from py4j.protocol import Py4JError

    # The JVM may end before it answers, and its jobs with it.
    with suppress(Py4JError, OSError):
        context.cancelAllJobs()
