#!/usr/bin/python3
"""What an MS that downloads alone feels where its radio carries less than the BSS offers: three or two of the cell's four
slots, 8 % of them for control blocks, and R as osmo-pcu says it, all slots for the cell and for each MS. It pings as well,
each second. Twenty minutes,
of which the first is for learning (nse.cell_rate)."""

from harness import case, main, right
from one_cell import applications

OSMO_PCU = ("flow.measured=false", "flow.interval=5 s", "radio.down_control=8%", "ms.n201_u=1520 octets",
            "run.duration=1200 s")
LEARNED = "gb.cell_delay=300 ms", "nse.cell_rate=as measured"  # as config/osmopcu.lua
TAIL_DROP = ("class[*].aqm.name=tail-drop", "queue.overflow=tail", "gb.cell_delay=as offered", "gb.ms_delay=as offered",
             "gb.pfc_delay=as offered")


def figures(slots, sets, neighbours=0, own=1, ecn=False):
    of = applications(neighbours, own, ecn=ecn, sets=(*OSMO_PCU, f"radio.down_slots={slots}", *sets))
    return of["ftp"]["goodput_bit_per_s"], of["ping"]["round_trip_ms"]["p95"]


@case("alone with three or two of four slots: 97 % of tail drop's goodput, and the MS's own ping does not wait in the BSS")
def alone():
    for slots, ecn in (4, False), (3, False), (3, True), (2, False):
        got, ping_ms = figures(slots, LEARNED, ecn=ecn)
        tail, tail_ms = figures(slots, TAIL_DROP)
        what = f"{slots} slots, ecn {ecn}: {got} of {tail} bit/s, {ping_ms} ms"
        right(got >= 0.97 * tail, what)
        right(ping_ms < 700 + 800 / slots, what)  # a little more than an N-PDU on the air, and one that waits
        right(tail_ms > 5000, f"tail drop: {tail_ms} ms")  # the load is one that would wait


@case("two and four that download, and one that pings, are as without it")
def others():
    for n in 2, 4:
        got, ping_ms = figures(3, LEARNED, n, 0)
        tail, _ = figures(3, TAIL_DROP, n, 0)
        right(got >= 0.96 * tail and ping_ms < 400, f"{n}: {got} of {tail} bit/s, {ping_ms} ms")


if __name__ == "__main__":
    main()
