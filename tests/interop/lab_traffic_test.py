#!/usr/bin/python3
"""What `./run lab` measures does not depend on when it began, nor on who spoke first, an MS or the network."""

import pathlib
import socket
import sys
import time
from types import SimpleNamespace

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.path.insert(0, str(HERE))

import lab_traffic  # noqa: E402
from harness import case, main, right, same  # noqa: E402

BLOCK_MS, PARTS = 20, 4  # of a radio block
TCP, SOURCE = socket.IPPROTO_TCP, (192, 0, 2, 1)


@case("pings of each MS come at all places of a radio block alike, and once a second")
def places():
    for mss in 1, 2, 3:
        times_ms = [1000 * lab_traffic.due_s(number, mss) for number in range(20 * mss)]
        for ms in range(mss):
            own = times_ms[ms::mss]
            right(all(1000 <= after - before < 1000 + 2 * BLOCK_MS for before, after in zip(own, own[1:])), f"{mss} MSs: {own}")
            for some in own[:10], own[10:], own:
                found = [sum(int(at % BLOCK_MS * PARTS / BLOCK_MS) == part for at in some) for part in range(PARTS)]
                right(all(abs(one - len(some) / PARTS) <= 1.5 for one in found), f"MS {ms} of {mss}: {found} in the {PARTS} parts of a block")


@case("of a download each octet counts once, in whatever order segments come; pings and ACKs are none of it")
def once():
    def packet(protocol, sequence, octets, identification, to=1):
        ip = bytes((0x45, 0, 0, 0)) + identification.to_bytes(2) + bytes((0, 0, 64, protocol, 0, 0, *SOURCE, 10, 0, 0, to))
        tcp = bytes(4) + sequence.to_bytes(4) + bytes((0, 0, 0, 0, 0x80)) + bytes(19)  # with options
        return ip + (tcp if protocol == TCP else bytes(32)) + bytes(octets)

    wire = SimpleNamespace(had={})
    came = [(TCP, 0, 1448, 1), (TCP, 2896, 1448, 3), (TCP, 1448, 1448, 2), (TCP, 1448, 1448, 9), (TCP, 4344, 0, 4), (1, 0, 52, 5)]
    found = [lab_traffic.Wire.new_octets(wire, packet(*one)) for one in came]
    same(found, [1448, 1448, 1448, 0, 0, 0], "octets")
    again = [(TCP, 4000, 1448, 6), (TCP, 100, 200, 7), (TCP, 2 ** 32 - 500, 1000, 8), (TCP, 10000, 10, 9), (TCP, 5000, 6000, 9)]
    found = [lab_traffic.Wire.new_octets(wire, packet(*one)) for one in again]
    same(found, [1104, 0, 500, 10, 5542], "octets, in other segments")
    same(lab_traffic.Wire.new_octets(wire, packet(TCP, 0, 1448, 1, to=2)), 1448, "octets of another MS")


class Chain:
    """Notes who is pinged when; the first ping of each MS is lost."""

    def __init__(self):
        self.begin_s, self.pinged = time.monotonic(), []

    def pings(self, mss, _):
        self.pinged += [(ms, time.monotonic() - self.begin_s) for ms in mss]
        return sum(ms in mss for ms, _ in self.pinged) > 1

    @staticmethod
    def until(condition, _):
        while not condition():
            pass


@case("before the first ping nothing is said until OsmoPCU has released all TBFs; then the network speaks to each MS in order")
def silence():
    lab_traffic.REST_S, chain = 0.2, Chain()
    lab_traffic.begin_alike(chain, (0, 5))
    same([ms for ms, _ in chain.pinged], [0, 0, 5, 5], "who is pinged")
    right(chain.pinged[0][1] >= 0.2, f"the first ping after {chain.pinged[0][1]} s")


if __name__ == "__main__":
    main()
