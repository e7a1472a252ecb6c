"""A worker killed at random, again and again: the rows stay the same. To be run by hand, where Dask is installed::

    python python/tests/killed.py [KILLS]
"""

import collections
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

import pyarrow as pa
import tracewright
from test_engines import copies, rows


def main(kills):
    import dask
    import tracewright.dask
    from distributed import Client, LocalCluster

    # A worker that was killed with a unit is not held against that unit.
    dask.config.set({"distributed.scheduler.allowed-failures": kills})
    with tempfile.TemporaryDirectory() as folder:
        paths = copies(pathlib.Path(folder))
        expected = rows(pa.table(tracewright.open(paths).loops()))
        done = collections.Counter()
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        with cluster, Client(cluster) as client:
            while done["killed"] < kills:
                future = client.compute(tracewright.dask.table(paths, "loops"))
                time.sleep(random.uniform(0.05, 1.5))
                alive = [worker.process.pid for worker in cluster.workers.values() if worker.process]
                if not future.done() and alive:
                    os.kill(random.choice(alive), signal.SIGKILL)
                    done["killed"] += 1
                found = rows(pa.Table.from_pandas(future.result(timeout=600), preserve_index=False))
                done["equal" if found == expected else "different"] += 1
        print(dict(done))
        return 1 if done["different"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
