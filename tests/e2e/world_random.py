#!/usr/bin/python3
"""Random worlds in the lab (worlds.py): what every host sent is delivered, lost for a reason or under
way, by the tables, by the captures and, at each step of the run, by the lab's own books; a BSS and
the SGSN find nothing wrong with each other; no bucket is passed that the BSS has set."""

import functools
import shutil

import books
import gb_judge
import tshark_json
from harness import (Skip, case, check_sound, differing, has_sanitizers, main, right, run, same,
                     written)
from worlds import World

NEHALEM = ["qemu-x86_64", "-cpu", "Nehalem"]
SEEDS = {"manual": (6, 13), "alive": (1, 12), "reset": (3, 5)}


@functools.cache
def world(seed, ns=None, workers=None, plain_gb=False):
    return World(seed, ns=ns, workers=workers, plain_gb=plain_gb)


@functools.cache
def result(*of_world):
    return run(world(*of_world).config(), "--pcap", "--no-page")


def conserves(ns, seed):
    done = result(seed, ns)
    check_sound(done.summary)
    sums = books.check_books(done, world(seed, ns).contexts)
    for direction in "down", "up":
        right(sums["delivered", direction][0] > 50, f"{direction}: {sums}")
    books.check_series(done)
    same(done.info["buffers_held_at_exit"], 0, "buffers_held_at_exit")
    # the GGSN sends to the worker whose tunnel it is
    same(done.summary["worker"]["ports"]["gn"]["strays_out_packets"], 0, "packets for another worker")


for ns_, seeds in SEEDS.items():
    for seed_ in seeds:
        case(f'ns = "{ns_}", world {seed_}: sound at each step; sent = delivered + lost + under way',
             ns_, seed_)(conserves)


def one_cell(duration_s, cell, applications):
    return f"""
run {{ name = "one-cell", clock = "virtual", duration = "{duration_s} s", seed = 1 }}
gn {{ address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ address = "198.51.100.1", mac = "02:53:4c:00:00:02" }}
nse {{
    nsei = 101, ns = "reset",
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" }},
    bvc {{ bvci = 2, {cell} }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", {applications} }}
"""


# An N-PDU of three LLC PDUs is given up when the next one comes; acknowledgements and the like are lost
# meanwhile in the other direction.
LOST_BOTH_WAYS = one_cell(60, """
    radio {
        slots = 8,
        plan { kind = "loss", imsi = "001010000000001", at = "5 s", every = "130 ms" },
        plan { kind = "up-loss", imsi = "001010000000001", at = "5 s", every = "20 ms" },
    },
    ms { imsi = "001010000000001", pdp { nsapi = 5, class = "background", address = "10.0.0.1" } },
""", """
    traffic { class = "background", rate = "60 kbit/s", size = "1500 octets" },
    traffic { class = "background", rate = "20 kbit/s", size = "60 octets", way = "up" },
""")


@case("what the radio loses in both directions has the reason of its own direction")
def own_reasons():
    done = run(written(LOST_BOTH_WAYS), "--no-page")
    check_sound(done.summary)
    found = {(row["direction"], row["reason"]) for row in books.table(done, "drops")
             if row["by"] == "class" and row["place"] == "bss"}
    same(found, {("down", "radio"), ("up", "up_radio")}, "directions and reasons")


# The MS is heard after 5 s for the first time; the SGSN then sends a Reset with the configuration's
# IOV-UI, while the BSS holds LLC PDUs of before.
PASSED = one_cell(20, """
    buffer { rate = "40 kbit/s" },
    flow { rate = "40 kbit/s" },
    ms {
        imsi = "001010000000001", cipher = "gea4", iov_ui = 77, key = "0123456789abcdef0011223344556677",
        pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
    },
""", """
    traffic { class = "background", rate = "80 kbit/s", size = "500 octets", stop = "10 s" },
    traffic { class = "background", rate = "1 kbit/s", size = "60 octets", way = "up", start = "5 s", stop = "10 s" },
""")


@case("a Reset passes LLC PDUs in a BSC buffer: the MS cannot read them, and nobody is at fault")
def passed():
    done = run(written(PASSED), "--no-page")
    check_sound(done.summary)
    found = {(row["direction"], row["place"], row["reason"]) for row in books.table(done, "drops")
             if row["by"] == "class"}
    right(("down", "ms", "deciphered") in found, f"lost: {found}")
    same({row["under_way_packets"] for row in books.table(done, "classes")}, {"0"}, "under way")


# Whatever waits in the SGSN and below has a lifetime or a sender that gives up. An MS keeps the
# beginning of an N-PDU until the next one comes.
# In worlds 2 and 22 a Reset passes LLC PDUs of enciphered MSs in both directions.
@case("long after the applications end nothing is under way but beginnings of N-PDUs in MSs")
def drained():
    for seed in 2, 4, 7, 14, 22:
        this = World(seed, stop_s=8, duration_s=90)
        done = run(this.config(), "--pcap", "--no-page")
        check_sound(done.summary)
        sums = books.check_books(done, this.contexts)
        right(sums["delivered", "down"][0] > 50, f"world {seed}: {sums}")
        right(sums["under_way", "down"][0] <= done.summary["from_gb"]["partial_npdus"],
              f"world {seed}: {sums}, {done.summary['from_gb']}")
        same(sums["under_way", "up"], (0, 0), f"world {seed}: under way, up")


# --- Determinism ----------------------------------------------------------------------------------


@case("same seed, same bytes, of tables, summary and captures; with three workers, too")
def twice():
    for of_world in (12, "alive", 1), (3, "reset", 3):
        again = run(world(*of_world).config(), "--pcap", "--no-page")
        same(set(differing(result(*of_world), again)), {"report.html"}, f"{of_world}: what differs")


@case("the same bytes with the other kernels of FCS and cipher, those of a Nehalem")
def kernels():
    if not shutil.which(NEHALEM[0]):
        raise Skip("qemu-x86_64 is not installed: apt-get install qemu-user")
    if has_sanitizers():
        raise Skip("the sanitizers' shadow memory does not fit under qemu-x86_64")
    there = run(world(12, "alive", 1).config(), "--pcap", "--no-page", before=NEHALEM)
    same(differing(result(12, "alive", 1), there), ["report.html"], "what differs")


@case("another seed of the run, other bytes of each capture")
def another_seed():
    other = run(world(12, "alive", 1).config(), "--pcap", "--no-page", "--seed", "7777")
    found = differing(result(12, "alive", 1), other)
    same([name for name in ("gi.pcap", "gn.pcap", "gb.pcap", "classes.csv") if name not in found], [],
         "the same in spite of it")


# --- Gb -------------------------------------------------------------------------------------------


@functools.cache
def gb_records(*of_world):
    return gb_judge.records(result(*of_world))


# A Gb that loses nothing, for what one side lost the other calls a fault; and that takes no time, so
# that a frame's stamp is the instant at which the SGSN let it go.
FLAWLESS = [(seed, ns, None, True) for ns in ("manual", "alive", "reset") for seed in (2, 8, 11)]


@case("every PDU of both sides is one that 48.016 and 48.018 allow, and no side answers with STATUS")
def no_status():
    for of_world in FLAWLESS:
        check_sound(result(*of_world).summary)
        for peer, records in gb_records(*of_world).items():
            said = set(gb_judge.names(records))
            same({name for name in said if name.endswith("_status")}, set(), f"{of_world}, {peer}")
            if of_world[1] == "reset":
                right({"ns_reset_ack", "ns_unblock_ack", "bssgp_bvc_reset_ack",
                       "bssgp_flow_control_bvc_ack"} <= said, f"{of_world}, {peer}: only {said}")


@case("flow control: no bucket lets go what 48.018 8.2.3.2 refuses under the BSS's own values")
def flow_control():
    pdus = 0
    for of_world in [one for one in FLAWLESS if one[1] != "manual"]:
        for peer, records in gb_records(*of_world).items():
            found = gb_judge.judge(records)
            same(found.violations[:3], [], f"{of_world}, {peer}: violations")
            pdus += len(found.pdus)
    right(pdus > 2000, f"only {pdus} LLC PDUs")


@case("the replay finds what passes buckets of half the size, and a rate of half")
def replay_can_fail():
    for replay_of in gb_judge.HalfBmax, gb_judge.HalfR:
        violations = sum(len(gb_judge.judge(records, replay_of).violations)
                         for of_world in FLAWLESS if of_world[1] != "manual"
                         for records in gb_records(*of_world).values())
        right(violations > 0, f"{replay_of.__name__} is conforming as well")


# TCP of losses; HTTP of contents that are none.
# A NULL of LLC, with which an MS answers a page, has no information field (TS 44.064 6.4.1).
NO_FAULT = ("segment", "D-SACK", "Connection reset", "header name", "No Information Field")


def worse(pcap_path):
    """Warnings and errors that blame an encoder."""
    return [item for item in tshark_json.complaints(str(pcap_path))
            if item["severity"] in ("Warning", "Error")
            and not any(text in item["text"] for text in NO_FAULT)]


@case("tshark decodes all three captures, and calls nothing malformed")
def tshark():
    for of_world in (2, "reset", None, True), (8, "alive", None, True):
        for name in "gi", "gn", "gb":
            same(worse(result(*of_world).out / f"{name}.pcap")[:3], [], f"{of_world}: {name}.pcap")


main()
