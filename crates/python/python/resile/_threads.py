"""The default number of threads."""

from __future__ import annotations

import multiprocessing
import os

from ._errors import ArgumentError

MAX_THREADS = 1024
"""The largest number of threads."""

_IMPORTING_PROCESS = os.getpid()
"""The process that imported the module; a process created by `fork` has another identifier."""


def default_threads() -> int:
    """The number of threads of calls without the argument `threads`.

    It is `RESILE_THREADS` if that is set; 1 in a worker process (of `multiprocessing`, `concurrent.futures` or after
    `fork`); otherwise the number of processors that this process may use. No result depends on it. Raises `ArgumentError` if
    `RESILE_THREADS` is not a whole number from 1 to 1024.
    """
    requested = os.environ.get("RESILE_THREADS", "")
    if requested:
        if not (requested.isdecimal() and 1 <= int(requested) <= MAX_THREADS):
            message = f"the environment variable RESILE_THREADS is {requested!r}"
            remedy = f"set it to a whole number from 1 to {MAX_THREADS}, or remove it"
            raise ArgumentError("RESILE_THREADS", requested, message, remedy)
        return int(requested)
    if multiprocessing.parent_process() is not None or os.getpid() != _IMPORTING_PROCESS:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
