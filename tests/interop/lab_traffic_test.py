#!/usr/bin/python3
"""What `./run lab` measures does not depend on when it began, nor on who spoke first, an MS or the network."""

import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.path.insert(0, str(HERE))

import lab_traffic  # noqa: E402
from harness import case, main, right, same  # noqa: E402

BLOCK_MS, PARTS = 20, 4  # of a radio block


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
