#!/usr/bin/python3
"""`./run test` while every processor is held four times over: no test may need one for itself.

    busy.py [WORD]...      those whose name or suite holds a word, as for ./run test

A fourth of what holds the processors also writes through a few MiB of memory, so that caches are
cold. It ends with the line of `./run test`, and with its exit status.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMES = 4
SPIN = "while True: pass"
WRITE = "b = bytearray(1 << 23)\nwhile True:\n    b[::64] = bytes(len(b) // 64)"


def hold():
    """As many processes as hold every processor so many times."""
    processors = len(os.sched_getaffinity(0))
    return [subprocess.Popen([sys.executable, "-c", WRITE if i % TIMES == 0 else SPIN])
            for i in range(TIMES * processors)]


def main():
    holders = hold()
    try:
        print(f"{len(holders)} processes hold {len(holders) // TIMES} processors", flush=True)
        return subprocess.run([ROOT / "run", "test", *sys.argv[1:]], check=False).returncode
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


sys.exit(main())
