#!/usr/bin/python3
"""What MSs that download feel where the radio carries less than the BSS offers: an MS has three or two of the cell's four
slots, 8 % of them for control blocks, and R as osmo-pcu says it, all slots for the cell and for each MS. One that downloads
alone pings as well, each second; beside several pings another one. Twenty minutes, of which the first is for learning
(nse.cell_rate)."""

from harness import case, main, right
from one_cell import applications

OSMO_PCU = ("flow.measured=false", "flow.interval=5 s", "radio.down_control=8%", "ms.n201_u=1520 octets",
            "run.duration=1200 s")
# As config/osmopcu.lua.
LEARNED = ("gb.cell_delay=300 ms", "class[*].lifetime=23 s", "class[*].bss_lifetime_least=13 s", "class[*].refuse_late=false",
           "nse.cell_rate=as measured")
TAIL_DROP = ("class[*].aqm.name=tail-drop", "queue.overflow=tail", "gb.cell_delay=as offered", "gb.ms_delay=as offered",
             "gb.pfc_delay=as offered")


def run_of(slots, sets, neighbours=0, own=1, ecn=False):
    return applications(neighbours, own, ecn=ecn, sets=(*OSMO_PCU, f"radio.down_slots={slots}", *sets))


def figures(*what, **more):
    of = run_of(*what, **more)
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


@case("2 to 16 that download, and one that pings: 97 % of tail drop's goodput, and a ping takes no longer")
def others():
    for n in 2, 4, 8, 16:
        got, ping_ms = figures(3, LEARNED, n, 0)
        tail, tail_ms = figures(3, TAIL_DROP, n, 0)
        right(got >= 0.97 * tail and ping_ms <= tail_ms, f"{n}: {got} of {tail} bit/s, {ping_ms} of {tail_ms} ms")


@case("24 to 39 that download, and one that pings: its p95 is within 0.3 s of that beside one download")
def crowds():
    _, one_ms = figures(4, LEARNED, 1, 0)
    for n in 24, 30, 39:
        _, ping_ms = figures(4, LEARNED, n, 0)
        right(ping_ms <= one_ms + 300, f"{n}: {ping_ms} ms, beside one {one_ms} ms")


def of_sixteen(*part):
    """(time-outs, segments sent again, bit/s) of both kinds of hosts."""
    runs = [run_of(3, (*LEARNED, *part), 16, 0, ecn=ecn)["ftp"] for ecn in (True, False)]
    return (sum(of["tcp"]["timeouts"] for of in runs), sum(of["tcp"]["retransmitted_segments"] for of in runs),
            sum(of["goodput_bit_per_s"] for of in runs))


@case("16 that download have three quarters of the time-outs that they have with 6 s of the lifetime in the SGSN")
def time_outs():
    longer, shorter = (of_sixteen("class[*].window=none", *part)[0] for part in ((), ("class[*].bss_lifetime_least=17 s",)))
    right(longer <= 0.75 * shorter, f"{longer} of {shorter}")


@case("with recommended's window they send a fifth again of what they do without, for 98 % of the goodput")
def windows():
    (timeouts, again, got), (other_timeouts, other_again, other) = of_sixteen(), of_sixteen("class[*].window=none")
    right(again <= 0.2 * other_again and got >= 0.98 * other and timeouts <= 1.25 * other_timeouts,
          f"sent again {again} of {other_again}, {got} of {other} bit/s, time-outs {timeouts} of {other_timeouts}")


if __name__ == "__main__":
    main()
