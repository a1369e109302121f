"""The default number of threads."""

from __future__ import annotations

import multiprocessing
import os

_IMPORTING_PROCESS = os.getpid()
"""The process that imported the module; a process created by `fork` has another identifier."""


def default_threads() -> int:
    """The number of threads of calls without the argument `threads`.

    It is `RESILE_THREADS` if that is set; 1 in a worker process (of `multiprocessing`, `concurrent.futures` or after
    `fork`); otherwise the number of processors that this process may use. No result depends on it.
    """
    requested = os.environ.get("RESILE_THREADS", "")
    if requested.isdecimal() and int(requested) > 0:
        return min(int(requested), 1024)
    if multiprocessing.parent_process() is not None or os.getpid() != _IMPORTING_PROCESS:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
