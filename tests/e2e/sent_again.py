#!/usr/bin/python3
"""What TCP sends again gets through. With ECN a host's data is ECT, but not what it sends again (RFC 3168 6.1.5): an AQM
that marks the data and drops the repetitions leaves a hole at the receiver, and what passes behind the hole is for
nothing. Eight downloads of one MS in a cell of 48 kbit/s, each in a queue of its own, with the AQMs that act there."""

from harness import case, main, right
from one_cell import CELL_BIT_PER_S, applications

DOWNLOADS = 8
# With parameters that make them act on shares of 6 kbit/s. Without the mend the first two have 24 kbit/s, of which the
# least download has 400 bit/s.
ACT = {
    "ttl-red-v1": (), "ttl-red-v2": (), "codel": ("target=100 ms", "interval=2 s", "min_target_mtus=2"),
}


def of(aqm, parameters, ecn):
    sets = [f"aqm.name={aqm}", "aqm.ecn=true", *(f"aqm.{p}" for p in parameters)]
    return applications(0, DOWNLOADS, ecn=ecn, sets=tuple(f"class[background].{s}" for s in sets))["ftp"]


@case("eight downloads with ECN use the cell, and none of them stands, whatever the AQM")
def none_stands():
    for aqm, parameters in ACT.items():
        downloads = of(aqm, parameters, True)
        got, least = downloads["goodput_bit_per_s"], min(downloads["each_bit_per_s"])
        right(got > 0.85 * CELL_BIT_PER_S, f"{aqm}: {got} bit/s of {CELL_BIT_PER_S}")
        right(least > 0.5 * got / DOWNLOADS, f"{aqm}: the least of {DOWNLOADS} gets {least} bit/s of {got}")
        right(downloads["tcp"]["ecn_reductions"] > 0, f"{aqm}: nothing was marked, so nothing was tested")


if __name__ == "__main__":
    main()
