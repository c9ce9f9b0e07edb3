"""What a test BSS (bss.py) consists of: its view of an NS-VC and of a cell, and what happens to
PDUs on their way."""

import codec
from world import NS_PORT


class NsVc:
    def __init__(self, nsvci, address, port=NS_PORT):
        self.nsvci, self.address, self.port = nsvci, address, port
        self.blocked = True

    def __repr__(self):
        return f"NS-VC {self.nsvci} {self.address}"


class Cell:
    """Its flow control values are in bit/s and octets; `up`: reset and acknowledged."""

    def __init__(self, bvci, r, ci=None):
        self.bvci, self.ci = bvci, codec.cell(ci or 0x100 + bvci)
        self.up, self.tag = False, 0
        self.r, self.bmax = r, max(r // 8 * 10, 5000)
        self.r_default, self.bmax_default = r, self.bmax


class Impairment:
    """Of the PDUs of that name in that direction, the nth to the (nth + times - 1)th."""

    def __init__(self, direction, name, what, nth, times, ns):
        self.direction, self.name, self.what, self.ns = direction, name, what, ns
        self.first, self.beyond, self.seen = nth, nth + times, 0

    def hits(self, direction, name):
        if (direction, name) != (self.direction, self.name):
            return False
        self.seen += 1
        return self.first <= self.seen < self.beyond
