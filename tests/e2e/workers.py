#!/usr/bin/python3
"""Real time with two workers, an NSE each, that never sleep. Each port has two queues, over which the
kernel spreads what comes by its own hash: so packets come to the wrong worker, too. See real.py."""

import functools

import network
import real
from harness import main

real.cases(functools.partial(network.veth, queues=2), workers=2, idle="spin")
main()
