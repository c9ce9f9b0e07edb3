#!/usr/bin/python3
"""What TCP sends again gets through. An AQM that drops the repetitions, or with ECN marks the data and drops the
repetitions, for they are not ECT (RFC 3168 6.1.5), leaves a hole at the receiver, and what passes behind the hole is for
nothing. Downloads of one MS in a cell of 48 kbit/s, each in a queue of its own, with the AQMs that act there: so many of
them that a window is two packets, or less, or more."""

from harness import case, main, right
from one_cell import CELL_BIT_PER_S, applications

# With parameters that make them act on shares of 3 to 12 kbit/s. If all drops are carried out, eight with ECN have 8 to 26
# kbit/s, of which the least has 230 to 700 bit/s. If every other one is, eight without ECN have 19 to 26 kbit/s under the
# first and the last.
# ttl-red-v1 drops at 3 s, whatever the share. With the lifetime of now, 13 s in Sluice for 6, the least of sixteen had 0.41
# to 0.76 of its share over eight runs: it keeps the lifetime of these figures.
ACT = {
    "ttl-red-v1": ("lifetime=23 s",), "ttl-red-v2": (),
    "codel": ("aqm.target=100 ms", "aqm.interval=2 s", "aqm.min_target_mtus=2"),
}


def of(aqm, parameters, downloads, ecn):
    sets = [f"aqm.name={aqm}", "aqm.ecn=true", *parameters]
    return applications(0, downloads, ecn=ecn, sets=tuple(f"class[background].{s}" for s in sets))["ftp"]


def none_stands(ecn):
    for aqm, parameters in ACT.items():
        for n in (4, 6, 8, 16):
            downloads = of(aqm, parameters, n, ecn)
            got, least = downloads["goodput_bit_per_s"], min(downloads["each_bit_per_s"])
            right(got > 0.85 * CELL_BIT_PER_S, f"{n} under {aqm}: {got} bit/s of {CELL_BIT_PER_S}")
            right(least > 0.5 * got / n, f"{n} under {aqm}: the least gets {least} bit/s of {got}")
            reduced = downloads["tcp"]["ecn_reductions" if ecn else "retransmitted_segments"]
            right(reduced > 0, f"{n} under {aqm}: no signal, so nothing was tested")


@case("downloads with ECN use the cell, and none of them stands, whatever the AQM")
def with_ecn():
    none_stands(True)


@case("and without ECN")
def without_ecn():
    none_stands(False)


if __name__ == "__main__":
    main()
