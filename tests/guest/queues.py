#!/usr/bin/python3
"""Within a guest: two workers, each with a queue of its own at both ports: the cases of tests/e2e/steering.py, on taps of
a kernel that has the rules that net_tap asks for, or on NICs, there with those of tests/e2e/workers.py as well.

    queues.py tap       net_tap
    queues.py MODULE    the kernel's driver through which DPDK reaches the NICs, such as vfio-pci
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/guest")]

import nics  # noqa: E402
import real  # noqa: E402
import steering  # noqa: E402
from harness import main  # noqa: E402

TAP, NICS = "net_tap", "NIC"

if sys.argv[1] == "tap":
    steering.cases(TAP, ("address", "peer"))
else:
    steering.DEVICES[NICS] = nics.devices
    steering.CONNECT[NICS] = nics.connect
    real.cases(nics.devices, workers=2, connect=nics.connect, sums=nics.sums())
    steering.cases(NICS, ("strays", "rss"))
main()
