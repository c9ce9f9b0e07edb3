#!/usr/bin/python3
"""Real time over net_tap, in a network namespace. See real.py."""

import network
import real
from harness import main

real.cases(network.tap, sums="by the device")
main()
