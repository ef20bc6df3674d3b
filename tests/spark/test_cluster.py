"""A real standalone cluster on this machine: a master, two workers, and a driver, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.cluster import cluster
from tests.limits import PATIENCE
from tests.spark.data import expected, subscriptions, texts

SCRIPT = """
import json, os, sys
from pathlib import Path
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from benchmarks.cluster import mapped
from watchword.spark import build, match, resolve, update

master, folder, subscriptions, events = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
builder = SparkSession.builder.master(master).appName("cluster-test")
for name, value in {
    "spark.ui.enabled": "false", "spark.executor.memory": "512m", "spark.driver.memory": "512m",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0", "spark.cores.max": "2",
    "spark.locality.wait": "0s",
}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
rows = spark.createDataFrame(list(subscriptions.items()), "id string, subscription string")
# Bulk that events never match, so that a copy of the index is worth measuring.
words = F.concat_ws(" ", *[F.concat(F.lit(f"w{n}x"), F.col("id") % (150_000 + n)) for n in range(3)])
bulk = spark.range(150_000).select(F.concat(F.lit("bulk"), "id").alias("id"), words.alias("subscription"))
build(rows.unionAll(bulk), folder, shards=2)
frame = spark.createDataFrame([tuple(event) for event in events], "n int, text string").repartition(4)
# Texts that touch the index all over.
sweep = spark.range(0, 150_000, 1, 4).select(F.lit(-1).alias("n"), words.alias("text"))
answers = {"bytes": resolve(folder).bytes}
for mode in ("partitioned", "replicated"):
    hits = match(frame, folder, mode=mode, carry=["n"]).collect()
    answers[mode] = sorted((row["n"], row["subscription"]) for row in hits)
answers["swept"] = [match(sweep, folder, carry=[]).count() for _ in range(2)]
answers["mapped"] = mapped(Path(folder).resolve())
homes = spark.range(8).repartition(8).mapInArrow(
    lambda batches: (pa.RecordBatch.from_pydict({"home": [os.getcwd()]}) for _ in batches), "home string")
answers["executors"] = homes.distinct().count()
answers["version"] = update(folder, spark.createDataFrame([("s0", None)], rows.schema))
answers["after"] = match(frame, folder).where("subscription = 's0'").count()
print("ANSWERS" + json.dumps(answers))
spark.stop()
"""


def test_a_cluster_finds_the_same_with_one_copy_of_the_index(tmp_path: Path) -> None:
    subscribed, events = subscriptions(30), list(enumerate(texts(200)))
    with cluster(tmp_path, patience=PATIENCE) as master:
        command = [sys.executable, "-c", SCRIPT, master, str(tmp_path / "index")]
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        done = subprocess.run(
            [*command, json.dumps(subscribed), json.dumps(events)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("ANSWERS")]
    assert lines, done.stderr[-4000:]
    answers = json.loads(lines[0].removeprefix("ANSWERS"))
    wanted = [list(pair) for pair in expected(subscribed, events)]
    assert answers["partitioned"] == wanted
    assert answers["replicated"] == wanted
    assert answers["executors"] == 2
    assert answers["version"] == 2 and answers["after"] == 0
    holders = [row for row in answers["mapped"] if row["rss"] > answers["bytes"] / 4]
    assert len(holders) >= 2, "a worker of each executor has the index open"
    held, once = sum(row["pss"] for row in answers["mapped"]), max(row["rss"] for row in holders)
    print({"index": answers["bytes"], "held": held, "processes": answers["mapped"]})
    assert held < 1.25 * once, "the machine holds one copy, whatever the number of processes"
    assert sum(row["rss"] for row in holders) > 1.6 * once, "and each process has it in view"
