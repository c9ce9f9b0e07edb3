#!/usr/bin/python3
"""The shortest row of each benchmark, so that none stops working without a word: what it measures
here is nobody's figure. And rows that are long by themselves and have failed before."""

import os
import pathlib
import subprocess
import sys

from harness import TIMEOUT_S, case, main, right, same

ROWS = {"cipher_bench": "^ipsec-mb/octets:72/", "gb_bench": "^flow_control_bvc/cells:1/",
        "gi_bench": "^packets/flows:100/snap:96",
        "radio_bench": "^saturated/cells:1/mss:4/", "sched_bench": "^sched/cobalt/ms:1000/pfcs:1/", "path_bench": "^mbuf_alloc_free/",
        "window_bench": "^window_up_ack/flows:1/", "wire_bench": "^memcpy_590/"}
# 10 000 cells: each is told to go down before the BSC's first BVC-RESET is acknowledged.
LONG = {"gb_bench": "^bsc_restart/cells:10000/"}
PROGRAMS = [pathlib.Path(path) for path in sys.argv[1:]]


@case("each benchmark has its row here")
def all_there():
    same(sorted(program.name for program in PROGRAMS), sorted(ROWS), "benchmarks")


def run(program, row, before=()):
    return subprocess.run([*before, program, f"--benchmark_filter={row}"], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)


for PROGRAM in PROGRAMS:
    for ROW in (ROWS[PROGRAM.name], LONG.get(PROGRAM.name)):
        if not ROW:
            continue

        @case(f"{PROGRAM.name} measures {ROW[1:]}", PROGRAM, ROW)
        def measures(program, row):
            done = run(program, row)
            same(done.returncode, 0, f"status; it says {done.stdout} {done.stderr[-500:]}")
            right(row[1:] in done.stdout and "ERROR" not in done.stdout, f"no such row in {done.stdout}")


@case("a benchmark that cannot measure says why, and the program fails")
def fails():
    program = next(program for program in PROGRAMS if program.name == "gb_bench")
    one = str(min(os.sched_getaffinity(0)))
    done = run(program, "^flow_control_beside_traffic/ms:1000000/per_s:50000/", ("taskset", "-c", one))
    right("need a processor each" in done.stdout, f"no word about processors in {done.stdout} {done.stderr[-500:]}")
    same(done.returncode, 1, "status")


main()
