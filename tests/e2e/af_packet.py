#!/usr/bin/python3
"""Real time over net_af_packet, on veth pairs into a network namespace. See real.py."""

import network
import real
from harness import main

real.cases(network.veth)
main()
