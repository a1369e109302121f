"""How many threads work."""

from __future__ import annotations

import multiprocessing
import os

_PROCESS = os.getpid()


def default_threads() -> int:
    """Threads that work if a call does not say how many.

    `RESILE_THREADS` if it is set; 1 in a worker process (of `multiprocessing`, `concurrent.futures` or after `fork`); else
    the number of processors that this process may use. No result depends on it.
    """
    asked = os.environ.get("RESILE_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return min(int(asked), 1024)
    if multiprocessing.parent_process() is not None or os.getpid() != _PROCESS:
        return 1
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1
