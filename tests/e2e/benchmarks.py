#!/usr/bin/python3
"""The shortest row of each benchmark, so that none stops working without a word: what it measures
here is nobody's figure."""

import pathlib
import subprocess
import sys

from harness import TIMEOUT_S, case, main, right, same

ROWS = {"cipher_bench": "^ipsec-mb/octets:72/", "gb_bench": "^flow_control_bvc/cells:1/",
        "gi_bench": "^packets/flows:100/snap:96",
        "radio_bench": "^saturated/cells:1/mss:4/", "sched_bench": "^sched/cobalt/ms:1000/pfcs:1/", "path_bench": "^mbuf_alloc_free/",
        "wire_bench": "^memcpy_590/"}
PROGRAMS = [pathlib.Path(path) for path in sys.argv[1:]]


@case("each benchmark has its row here")
def all_there():
    same(sorted(program.name for program in PROGRAMS), sorted(ROWS), "benchmarks")


for PROGRAM in PROGRAMS:
    @case(f"{PROGRAM.name} measures", PROGRAM)
    def measures(program):
        done = subprocess.run([program, f"--benchmark_filter={ROWS[program.name]}"], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
        same(done.returncode, 0, f"status; it says {done.stderr[-500:]}")
        right(ROWS[program.name][1:] in done.stdout, f"no such row in {done.stdout}")


main()
