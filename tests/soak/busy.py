#!/usr/bin/python3
"""`./run test` while stress-ng holds every processor four times over: no test may need one for
itself.

    busy.py [WORD]...      those whose name or suite holds a word, as for ./run test

As many tests run at a time as processes hold the machine, so that the tests get half of it and end
within an hour or two; all is built before. A fourth of what holds the processors writes through
memory, so that caches are cold. It ends with the line of `./run test`, and with its exit status.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMES = 4
MOST = "12h"  # after which they end by themselves, if who started them has been killed


def hold(processors, times=TIMES, most=MOST):
    """As many processes as hold every processor so many times; each in a session of its own, for the
    kernel may share its time among sessions first."""
    kinds = [["--cpu", "1"]] * (times - 1) + [["--vm", "1", "--vm-bytes", "64m"]]
    return [subprocess.Popen(["stress-ng", "--quiet", "--timeout", most, *kind], start_new_session=True)
            for kind in kinds * processors]


def release(holders):
    """Ends them."""
    ended = sum(holder.poll() is not None for holder in holders)
    for holder in holders:
        holder.terminate()
        holder.wait()
    if ended:
        print(f"busy: {ended} of stress-ng ended before the tests did", file=sys.stderr)


def main():
    if not shutil.which("stress-ng"):
        sys.exit("busy: stress-ng is missing: ./run packages busy")
    processors = len(os.sched_getaffinity(0))
    built = subprocess.run([ROOT / "run", "test", "--build", *sys.argv[1:]], check=False)
    if built.returncode != 0:
        return built.returncode
    holders = hold(processors)
    try:
        print(f"{len(holders)} processes hold {processors} processors", flush=True)
        return subprocess.run([ROOT / "run", "test", "--at-once", str(len(holders)),
                               "--patience", str(2 * TIMES), *sys.argv[1:]], check=False).returncode
    finally:
        release(holders)


if __name__ == "__main__":
    sys.exit(main())
