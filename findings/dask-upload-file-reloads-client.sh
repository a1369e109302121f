#!/usr/bin/env bash
# Dask 2026.8.0: `Client.upload_file` on a LocalCluster replaces the module of that name in the client's own process.
#
# The documentation says that the file goes to the scheduler and the workers. The scheduler of a LocalCluster runs in the process of the
# client and loads the copy, too: a module that was imported there is reloaded from dask-scratch-space. A function taken
# from the module before is no longer that of the module, so that pickle refuses it, and `__file__` names a folder that is
# gone once the cluster is closed. Another executor of the same process (Ray, a process pool) then fails. Workers find
# the module without `upload_file` if PYTHONPATH names its folder before the cluster starts.
# Source: distributed 2026.8.0, distributed/client.py, `Client.upload_file`; distributed/diagnostics/plugin.py,
# `SchedulerUploadFile`.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check "dask[distributed]==2026.8.0"
cat > "$place/tasks.py" <<'PY'
def double(x):
    return 2 * x
PY
cat > "$place/main.py" <<'PY'
import pickle
from pathlib import Path

from distributed import Client, LocalCluster

import tasks

if __name__ == "__main__":
    function, file = tasks.double, tasks.__file__
    pickle.dumps(function)
    with LocalCluster(n_workers=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        client.upload_file(file)
    try:
        pickle.dumps(function)
        pickled = "pickled"
    except pickle.PicklingError:
        pickled = "refused"
    seen = [tasks.double is function, tasks.__file__ == file, Path(tasks.__file__).exists(), pickled]
    print("same function, same file, file exists, pickle:", *seen)
    raise SystemExit(seen != [False, False, False, "refused"])
PY
cd "$place" && "$place/env/bin/python" main.py
# Output seen: same function, same file, file exists, pickle: False False False refused
