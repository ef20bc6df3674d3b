"""A Connect session, in a process of its own: a process has a classic session or a Connect one, not both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.limits import PATIENCE
from tests.spark.data import expected, subscriptions, texts

SCRIPT = """
import json, sys
from pyspark.sql import Observation, SparkSession
from watchword.spark import build, match, update

folder, subscriptions, events = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
spark = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.createDataFrame(list(subscriptions.items()), "id string, subscription string")
build(rows, folder, shards=2)
frame = spark.createDataFrame([tuple(event) for event in events], "n int, text string")
counts = Observation("counts")
answers = {"kind": type(frame).__module__}
for mode in ("replicated", "partitioned"):
    hits = frame.transform(match, folder, mode=mode, carry=["n"])
    answers[mode] = sorted(hits.toArrow().to_pylist(), key=lambda row: (row["n"], row["subscription"]))
build(rows, folder + "-routed", shards=3, shard_by="atoms")
hits = match(frame, folder + "-routed", mode="partitioned", carry=["n"])
answers["routed"] = sorted(hits.toArrow().to_pylist(), key=lambda row: (row["n"], row["subscription"]))
observed = match(frame, folder, metrics=counts, explain=True).collect()
answers["counts"] = [counts.get[name] for name in ("events", "pairs", "errors", "version")]
update(folder, spark.createDataFrame([("s0", None)], "id string, subscription string"))
answers["after"] = match(frame, folder).where("subscription = 's0'").count()
print("ANSWERS" + json.dumps(answers))
spark.stop()
"""


def test_connect(tmp_path: Path) -> None:
    subscribed, events = subscriptions(20), list(enumerate(texts(100)))
    arguments = [str(tmp_path / "index"), json.dumps(subscribed), json.dumps(events)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ANSWERS")]
    assert lines, done.stderr[-3000:]
    answers = json.loads(lines[0].removeprefix("ANSWERS"))
    wanted = expected(subscribed, events)
    assert "connect" in answers["kind"]
    for mode in ("replicated", "partitioned", "routed"):
        assert [(row["n"], row["subscription"]) for row in answers[mode]] == wanted
    assert answers["counts"] == [len(events), len(wanted), 0, 1]
    assert answers["after"] == 0
