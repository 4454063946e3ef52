#!/usr/bin/env python3
"""Runs keyheat over a Spark cluster; the report is the one of `keyheat analyze` on one machine, to the byte.

    spark-submit --files /path/to/keyheat keyheat_spark.py --parts s3a://bucket/run-1 --report report.txt /logs/*.ndjson

keyheat plan shares the inputs out in splits, each Spark task gives some of them to keyheat sketch, and the
driver gives what comes of them to keyheat merge: once for all keys, and a second time for the exact counts of
those that matter. A task that is lost, or tried twice, counts once. See README.md beside this file.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter

from py4j.protocol import Py4JJavaError
from pyspark import AccumulatorParam, SparkConf, SparkContext, SparkFiles, TaskContext


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--keyheat", default="keyheat", help="the program: a path on every node, or the name of one that --files sends (default: keyheat)")
    p.add_argument("--parts", required=True, help="a folder that is not there yet, which driver and executors see: a path, hdfs:, s3a:, gs:")
    p.add_argument("--report", required=True, help="the file for the report, on the driver; spark-submit mixes its own lines into stdout")
    p.add_argument("--no-exact", action="store_true", help="one pass: keys have bounds")
    p.add_argument("--keep-going", action="store_true", help="report the other inputs when one cannot be read")
    p.add_argument("--splits", type=int, default=1, help="splits of a task (default: 1); more for very many small files")
    p.add_argument("--plan-arg", action="append", default=[], metavar="FLAG", help="for keyheat plan: --plan-arg=--since=2h (repeatable)")
    p.add_argument("--merge-arg", action="append", default=[], metavar="FLAG", help="for keyheat merge: --merge-arg=--format=json (repeatable)")
    p.add_argument("inputs", nargs="+", help="absolute paths that every node sees, or s3://: files, folders, globs")
    o = p.parse_args()
    for path in o.inputs:
        if not os.path.isabs(path) and not path.startswith("s3://"):
            p.error(f"{path}: must be an absolute path, executors work in other folders")
    return o


def program(name):
    """Gives the path of the program on this node, and makes sure that it may be run."""
    if os.sep in name:
        return name
    sent = SparkFiles.get(name)
    if not os.path.exists(sent):
        return name  # found in PATH
    if not os.access(sent, os.X_OK):
        os.chmod(sent, 0o755)
    return sent


class Failed(Exception):
    """A run of keyheat that failed, with what it said."""


def check(code, said, accepted=(0,)):
    if code not in accepted:
        raise Failed(said.strip() or f"keyheat: ended with {code}")


class Tally(AccumulatorParam):
    """Adds up numbers by name."""

    def zero(self, value):
        return Counter()

    def addInPlace(self, a, b):
        a.update(b)
        return a


def sketching(name, head, keys, keep_going, again, tasks, seconds):
    """Gives the function of a task: it makes the parts of its splits.

    RDD.pipe is not used: without a shell around it the error says neither split nor cause."""

    def task(splits):
        again.add(TaskContext.get().attemptNumber())
        executor, begin = os.uname().nodename + os.getcwd(), time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            command = [program(name), "sketch", "--plan", os.path.join(folder, "plan"), "--workers", "1", "--quiet"]
            with open(os.path.join(folder, "plan"), "w") as f:
                f.write("\n".join([head, *splits]) + "\n")
            if keys:
                with open(os.path.join(folder, "keys"), "w") as f:
                    f.write(keys)
                command += ["--count-keys", f.name]
            with open(os.path.join(folder, "stderr"), "w+") as stderr:
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as p:
                    for line in p.stdout:
                        yield line.rstrip("\n")
                stderr.seek(0)
                check(p.returncode, stderr.read(), (0, 3) if keep_going else (0,))
        tasks.add(Counter({executor: 1}))
        seconds.add(time.monotonic() - begin)

    return task


def size_of(split):
    """Gives the bytes of a split line: a chunk counts as one, a whole file by its size."""
    span, size = split.split(" ")[5:7]
    return 1 if "+" in span else int(size)


def one_pass(sc, o, head, splits, keys, folder):
    """Makes the parts of all splits, the largest files first: the longest single file bounds the time."""
    again, seconds, done = sc.accumulator(0), sc.accumulator(0.0), sc.accumulator(Counter(), Tally())
    begin = time.monotonic()
    splits = sorted(splits, key=size_of, reverse=True)
    tasks = max(1, (len(splits) + o.splits - 1) // o.splits)
    lines = sc.parallelize([splits[i::tasks] for i in range(tasks)], tasks).flatMap(lambda part: part)
    lines.mapPartitions(sketching(o.keyheat, head, keys, o.keep_going, again, done, seconds)).saveAsTextFile(folder)
    took = time.monotonic() - begin
    print(
        f"keyheat: {'second' if keys else 'first'} pass: {len(splits)} splits in {tasks} tasks, {again.value} of them tried again, {took:.1f} s;"
        f" {seconds.value:.1f} s of keyheat on {len(done.value)} executors, {min(done.value.values())} to {max(done.value.values())} tasks each",
        file=sys.stderr,
    )


def merge(sc, o, folders, args):
    """Gives what keyheat merge makes of the parts, and its exit code."""
    command = [program(o.keyheat), "merge", *args]
    if all("://" not in f for f in folders):
        p = subprocess.run(command + folders, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    else:  # what only Spark can read goes through the driver, a partition at a time
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with subprocess.Popen(command + ["-"], stdin=subprocess.PIPE, stdout=out, stderr=err) as p:
                for line in sc.textFile(",".join(folders)).toLocalIterator(prefetchPartitions=True):
                    p.stdin.write(line.encode() + b"\n")
            out.seek(0), err.seek(0)
            p.stdout, p.stderr = out.read(), err.read()
    return p.returncode, p.stdout, p.stderr.decode()


def run(sc, o):
    p = subprocess.run([program(o.keyheat), "plan", *o.plan_arg, *o.inputs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(p.returncode, p.stderr, (0, 3) if o.keep_going and p.stdout else (0,))
    head, *splits = p.stdout.splitlines()
    folders = [o.parts.rstrip("/") + "/first"]
    one_pass(sc, o, head, splits, "", folders[0])
    if not o.no_exact:
        code, keys, said = merge(sc, o, folders, ["--nominate"])
        check(code, said, (0, 4) + ((3,) if o.keep_going and keys else ()))
        folders.append(o.parts.rstrip("/") + "/second")
        one_pass(sc, o, head, splits, keys.decode(), folders[1])
    code, report, said = merge(sc, o, folders, o.merge_arg)
    if not report:
        raise Failed(said)
    with open(o.report, "wb") as f:
        f.write(report)
    sys.stderr.write(said)
    return code


def main():
    o = options()
    sc = SparkContext(conf=SparkConf().setAppName("keyheat").setIfMissing("spark.ui.showConsoleProgress", "true"))
    try:
        return run(sc, o)
    except Failed as e:
        print(e, file=sys.stderr)
    except Py4JJavaError as e:  # of a task: what keyheat said stands in the trace
        said = re.findall(r"keyheat: .*", str(e))
        print("\n".join(dict.fromkeys(said)) or e, file=sys.stderr)
    finally:
        sc.stop()
    return 3


if __name__ == "__main__":
    sys.exit(main())
