#!/usr/bin/python3
"""Tests tests/selection.py on trees as Meson would leave them: which targets words need, in which trees."""

import json
import pathlib
import subprocess
import sys
import tempfile

import selection

HERE = pathlib.Path(__file__).resolve().parent

# name of a test: (its suites, the targets that it needs); the last word of its command is a program or a file
TESTS = {
    "dataplane/sched/bucket": ([], ["tests/dataplane/sched_bucket_test"]),
    "dataplane/sched/bucket_random": ([], ["tests/dataplane/sched_bucket_random_test"]),
    "dataplane/sched/s7_order": ([], ["tests/dataplane/sched_s7_order_test"]),
    "dataplane/sched/s7_order_seed_7": ([], ["tests/dataplane/sched_s7_order_test"]),
    "dataplane/path/threads": (["threads"], ["tests/dataplane/path_threads_test"]),
    "e2e/ecn_more": (["e2e"], ["sluice"]),
    "gb/ecn": (["gb"], ["tests/control/gb_world"]),
    "e2e/ecn": (["e2e"], ["tests/lab/report_world", "sluice"]),
    "gb/fuzz": (["gb"], ["tests/control/gb_world", "sluice"]),
}
FUZZ = ["tests/fuzz/llc_fuzz", "tests/fuzz/path_fuzz"]
BUCKET, RANDOM = "tests/dataplane/sched_bucket_test", "tests/dataplane/sched_bucket_random_test"
THREADS, ECN = "tests/dataplane/path_threads_test", "sluice tests/lab/report_world"
GB_FUZZ = "sluice tests/control/gb_world"

# words: the lines behind the first
PLANS = {
    "sched_bucket_test": [f"release {BUCKET}", f"asan {BUCKET}"],
    "sched_bucket": [f"release {RANDOM} {BUCKET}", f"asan {RANDOM} {BUCKET}"],
    "sched/bucket": [f"release {RANDOM} {BUCKET}", f"asan {RANDOM} {BUCKET}"],
    "tests/dataplane/sched/bucket_random_test.c": [f"release {RANDOM}", f"asan {RANDOM}"],
    "tests/dataplane/sched/bucket_test.c": [f"release {BUCKET}", f"asan {BUCKET}"],
    "dataplane/sched/bucket.h": [f"release {BUCKET}", f"asan {BUCKET}"],
    "tests/dataplane/sched/s7_order_test.c --release": ["release tests/dataplane/sched_s7_order_test"],
    "./tests/e2e/ecn.py": [f"release {ECN}", f"asan {ECN}"],
    "--release sched_bucket_test": [f"release {BUCKET}"],
    "sched_bucket_test e2e/ecn --release": [f"release sluice {BUCKET} tests/lab/report_world"],
    "ecn --release": ["release sluice tests/control/gb_world tests/lab/report_world"],
    "./tests/e2e/ecn_more.py --release": ["release sluice"],
    "s7_order": ["release tests/dataplane/sched_s7_order_test", "asan tests/dataplane/sched_s7_order_test"],
    "threads": [f"release {THREADS}", f"asan {THREADS}", f"tsan {THREADS}"],
    "threads --release": [f"release {THREADS}"],
    "llc_fuzz": ["fuzz tests/fuzz/llc_fuzz"],
    "tests/fuzz/llc_fuzz.c": ["fuzz tests/fuzz/llc_fuzz"],
    "fuzz": [f"release {GB_FUZZ}", f"asan {GB_FUZZ}", f"fuzz {' '.join(FUZZ)}"],
    "fuzz --release": [f"release {GB_FUZZ}"],
    "prefixes": ["release sluice"],
    "tests/lint/hot_symbols.py": ["release sluice"],
    "--deep threads": [f"release {THREADS}", f"asan {THREADS}", f"tsan {THREADS}"],
    "format": [],
    "tests/runner_test.py": [],
}

# words: the first line, what needs packages
NEEDS = {
    "--release sched_bucket_test": "release",
    "sched_bucket_test": "asan release",
    "threads": "asan release threads tsan",
    "tests/e2e/ecn.py --release": "e2e release",
    "ecn --release": "e2e gb release",
    "llc_fuzz": "fuzz",
    "format": "lint",
    "tests/runner_test.py": "lint",
}

# The same with a trees.txt
ROWS = """# a comment
dataplane/sched/bucket_random   release
dataplane/sched/bucket          release asan
dataplane/sched/*               release
gb/nothing                      asan
*                               asan
"""
PLANS_BY_ROWS = {
    "sched_bucket": [f"release {RANDOM} {BUCKET}", f"asan {BUCKET}"],
    "sched_bucket --deep": [f"release {RANDOM} {BUCKET}", f"asan {RANDOM} {BUCKET}"],
    "tests/e2e/ecn.py": [f"asan {ECN}"],
    "tests/e2e/ecn.py --release": [f"release {ECN}"],
    "threads": [f"asan {THREADS}", f"tsan {THREADS}"],
    "": [f"release {RANDOM} {BUCKET} tests/dataplane/sched_s7_order_test sluice bench/aqm_bench",
         f"asan sluice tests/control/gb_world {THREADS} {BUCKET} tests/lab/report_world", f"tsan {THREADS}",
         f"fuzz {' '.join(FUZZ)}"],
}

# words: what the complaint says
COMPLAINTS = {
    "plan shced_buket": "no test is named 'shced_buket'; near it: dataplane/sched/bucket",
    "plan sched_bucket ecm": "no test is named 'ecm'; near it: e2e/ecn_more, gb/ecn, e2e/ecn",
    "plan path_fuz --release": "no test is named 'path_fuz'",
    "plan llc": "no test is named 'llc'; near it: llc_fuzz",
    "target sched": "'sched' names several tests, say which: dataplane/sched/bucket, ",
    "target e2e/ecn": "e2e/ecn is a Python program, which starts sluice and tests/lab/report_world",
    "target bukket": "no test is named 'bukket'; near it: dataplane/sched/bucket",
}

TARGETS = {
    "sched_bucket": BUCKET,
    "dataplane/sched/bucket": BUCKET,
    "tests/dataplane/sched/bucket_test.c": BUCKET,
    "sched_bucket_test": BUCKET,
    "bucket_random": RANDOM,
    "s7_order_seed": "tests/dataplane/sched_s7_order_test",
    "sluice": "sluice-dpdk",
    "gb_world": "tests/control/gb_world",
}


def tree_make(root, tree, tests, targets):
    build = root / "build" / tree
    info = build / "meson-info"
    info.mkdir(parents=True)
    (info / "intro-targets.json").write_text(json.dumps(
        [{"id": f"{target}@id", "filename": [str(build / target)]} for target in targets]))
    (info / "intro-tests.json").write_text(json.dumps(
        [{"name": name, "suite": [f"sluice:{suite}" for suite in suites] or ["sluice"], "env": {}, "workdir": None,
          "cmd": ([str(build / needs[0])] if needs[0].endswith("_test")
                  else ["/usr/bin/python3", str(root / "tests" / f"{name}.py")]),
          "depends": [f"{need}@id" for need in needs]} for name, (suites, needs) in tests.items()]))


def select(root, *words):
    return subprocess.run([sys.executable, "-B", HERE / "selection.py", "--root", root, *words],
                          capture_output=True, text=True, check=False)


def judge(root):
    """(case, whether it holds, what came) of each."""
    for words, wanted in PLANS.items():
        done = select(root, "plan", *words.split())
        yield words, done.returncode == 0 and done.stdout.splitlines()[1:] == wanted, done
    for words, wanted in NEEDS.items():
        done = select(root, "plan", *words.split())
        yield f"{words} needs", done.returncode == 0 and done.stdout.splitlines()[0] == wanted, done
    for words, wanted in TARGETS.items():
        done = select(root, "target", words)
        yield f"debug {words}", done.returncode == 0 and done.stdout.strip() == wanted, done
    for words, wanted in COMPLAINTS.items():
        done = select(root, *words.split())
        yield f"{words} is refused", done.returncode == 1 and wanted in done.stderr and not done.stdout, done


def judge_rows(root):
    """The same with trees.txt; one of its rows is stale."""
    (root / selection.TREES).parent.mkdir()
    (root / selection.TREES).write_text(ROWS)
    for words, wanted in PLANS_BY_ROWS.items():
        done = select(root, "plan", *words.split())
        yield f"{words or 'all'}, by rows", done.returncode == 0 and done.stdout.splitlines()[1:] == wanted, done
    stale = selection.stale_rows(root)
    yield "a stale row is found", len(stale) == 1 and "'gb/nothing'" in stale[0], stale


def main():
    print(f"1..{len(PLANS) + len(NEEDS) + len(TARGETS) + len(COMPLAINTS) + len(PLANS_BY_ROWS) + 1}")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        targets = ["sluice-dpdk", "bench/aqm_bench", *dict.fromkeys(need for _, needs in TESTS.values() for need in needs)]
        for tree in ("release", "asan", "tsan", "debug"):
            tree_make(root, tree, TESTS, targets)
        tree_make(root, "fuzz", {}, FUZZ)
        for number, (name, holds, done) in enumerate([*judge(root), *judge_rows(root)], 1):
            print(f"{'ok' if holds else 'not ok'} {number} - selection: {name}")
            if not holds:
                said = done if isinstance(done, list) else (done.stdout + done.stderr).splitlines()
                print("\n".join(f"# {line}" for line in said))
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
