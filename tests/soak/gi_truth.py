#!/usr/bin/python3
"""sluice gi beside the lab's book of packets, as tests/e2e/gi_truth.py has it, with further seeds of each world.

    gi_truth.py [A..B]      seeds 1 to 10, if none are given; a table of all of them together
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEST = ROOT / "tests/e2e/gi_truth.py"

os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))
os.environ["GI_SEEDS"] = sys.argv[1] if len(sys.argv) > 1 else "1..10"
os.execv(sys.executable, [sys.executable, "-B", str(TEST)])
