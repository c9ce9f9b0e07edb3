#!/usr/bin/python3
"""sluice gi on captures that the test composes: each figure by typed times and numbers, each kind of link
and file, and file. gi_bad.py has what cannot be read, gi_users.py the tunnels; gi_oracles.py compares with the lab, tshark and tcptrace."""

import csv
import heapq
import io
import json
import struct
import subprocess

from gi_capture import (ACK, ETHERNET, FIN, HOST, IPV4_LINK, NULL, RST, SACK_PERMITTED, SLL, SLL2, SYN, USER, Talk, gtp, merged,
                        mss, on_link, pcap, pcapng, scale, tagged, timestamps, udp)
from gi_report import begun, figures, flow_of, frames_of_some, has, read, saved, table
from harness import case, main, new_folder, program, right, same, sluice


# --- Set-up ---------------------------------------------------------------------------------------


@case("set-up: delay from the first SYN to the first ACK, split at the monitor")
def setup():
    has(flow_of(Talk().setup(5, 0.04, 0.61).frames), outcome="optimal", begin_s=5.0, setup_s=0.65, rtt_internet_setup_s=0.04,
        rtt_gprs_setup_s=0.61, background=False, syns=1, syn_acks=1, user=USER, user_port=40000, host=HOST, host_port=80)


@case("set-up: 3 s and more are no round trip, nor is one after a repetition")
def setup_long():
    has(flow_of(Talk().setup(5, 0.04, 3.0).frames), setup_s=3.04, rtt_internet_setup_s=0.04, rtt_gprs_setup_s=None)
    talk = Talk().add(0, "up", SYN, 0).add(3, "up", SYN, 0).add(3.1, "down", SYN | ACK, 0, 1).ack(3.9, 1)
    has(flow_of(talk.frames), outcome="repeated", setup_s=3.9, rtt_internet_setup_s=None, rtt_gprs_setup_s=None, syns=2)


@case("set-up: one that is complete at the time 0 is complete")
def setup_at_none():
    talk = Talk().setup(0, 0, 0)
    has(flow_of(talk.frames), outcome="optimal", setup_s=0, syns=1, syn_acks=1)
    frames = [*talk.frames, *((time + 130, packet) for time, packet in Talk().data(0, 1).frames)]
    same(len(read(pcap(frames))["flows"]), 1, "flows, as none that is open ends after two minutes")


@case("set-up: a SYN-ACK that comes again with another number; the first ACK says which of the two it is")
def answered_anew():
    def fine(talk, **wanted):
        report = read(pcap(talk.frames))
        has(report["flows"][0], down_lost_gprs=1, down_resent_packets=1, down_unseen=0, **wanted)
        same((len(report["flows"]), report["counts"]["far_segments"], report["counts"]["unseen"]), (1, 0, 0), "flows, far, unseen")

    def transfer(talk, number):
        for time, seq in ((6, 1), (6.1, 1001), (6.2, 2001), (8, 1)):
            talk.data(time, number + seq)
        return talk.ack(8.6, number + 3001)
    for anew in (10**9, 3 * 10**9, 10000, -10000 & 0xFFFFFFFF):
        for number in (0, anew):
            talk = Talk().add(0, "up", SYN, 0).add(1, "down", SYN | ACK, 0, 1).add(3, "up", SYN, 0).add(3.1, "down", SYN | ACK, anew, 1)
            fine(transfer(talk.ack(4, number + 1), number), outcome="repeated")
        talk = Talk().setup(0, 0.1, 0.4).add(3.1, "down", SYN | ACK, anew, 1)
        fine(transfer(talk, 0), outcome="repeated")
        talk = Talk().add(0, "up", SYN, 0).add(1, "down", SYN | ACK, 0, 1).data(1.1, 1).add(3.1, "down", SYN | ACK, anew, 1)
        fine(talk.data(5, 1001).data(7, 1).ack(8, 2001), outcome="repeated")  # data of the first answer has passed
        # The host still has the connection before: it answers with an ACK of that, and gets a reset.
        talk = Talk().add(0, "up", SYN, 0).add(1, "down", ACK, anew, 10**9).add(2, "up", RST, 10**9).add(3, "up", SYN, 0)
        fine(transfer(talk.add(4, "down", SYN | ACK, 0, 1).ack(5, 1), 0), outcome="repeated")
        talk = Talk().add(0, "up", SYN, 0).add(1, "down", ACK, anew, 10**9).add(2, "up", RST, 10**9).add(3, "up", SYN, 0)
        fine(transfer(talk.add(4, "down", SYN | ACK, 0, 1).ack(5, 1), 0).data(75, 3001).ack(76, 4001), outcome="repeated")
    # A SYN-ACK that what follows it has overtaken; one behind what has passed of a flow without a SYN.
    late = Talk().add(0, "up", SYN, 0).add(1, "down", FIN | ACK, 1, 1).add(1.01, "down", SYN | ACK, 0, 1).ack(2, 2)
    strange = Talk().add(1, "down", ACK, 10**6, 1).add(1.5, "down", SYN | ACK, 0, 1).ack(2, 10**6)
    for talk in (late, strange):
        same(read(pcap(talk.frames))["counts"]["unseen"], 0, "what the user has got and has not passed")


def leaves():
    """One flow a leaf, each of another user."""
    def talk():
        user = (f"10.0.1.{len(talks) + 1}", 40000)
        return Talk(user=user)
    talks = []
    add = lambda name, one: talks.append((name, one))  # noqa: E731
    add("optimal", talk().setup())
    add("SYN repeated", talk().add(0, "up", SYN, 0).add(3, "up", SYN, 0).add(3.1, "down", SYN | ACK, 0, 1).ack(4, 1))
    add("SYN-ACK repeated", talk().add(0, "up", SYN, 0).add(1, "down", SYN | ACK, 0, 1).add(4, "down", SYN | ACK, 0, 1).ack(5, 1))
    add("both repeated", talk().add(0, "up", SYN, 0).add(1, "down", SYN | ACK, 0, 1).add(3, "up", SYN, 0)
        .add(3.2, "down", SYN | ACK, 0, 1).ack(4, 1))
    add("1 SYN", talk().add(0, "up", SYN, 0))
    add("1+ SYN", talk().add(0, "up", SYN, 0).add(3, "up", SYN, 0).add(9, "up", SYN, 0))
    add("refused", talk().add(0, "up", SYN, 0).add(0.1, "down", RST | ACK, 0, 1))
    add("RST of the user", talk().add(0, "up", SYN, 0).add(0.1, "down", SYN | ACK, 0, 1).add(8, "up", RST, 1))
    add("given up", talk().add(0, "up", SYN, 0).add(0.1, "down", SYN | ACK, 0, 1).add(3.1, "down", SYN | ACK, 0, 1))
    return talks


@case("the tree of set-ups: each leaf, its share, its mean delay")
def tree():
    talks = leaves()
    report = read(pcap(merged(*(talk for _, talk in talks))))
    for row, flows, mean in (("all", 9, None), ("optimal", 1, 0.64), ("optimal: no background", 1, 0.64),
                             ("optimal: background", 0, None), ("slight problem", 3, (4 + 5 + 4) / 3),
                             ("slight problem: SYN repeated", 1, 4.0), ("slight problem: SYN-ACK repeated", 1, 5.0),
                             ("slight problem: both repeated", 1, 4.0), ("no response", 3, None),
                             ("no response: 1 SYN", 1, None), ("no response: 1+ SYN", 1, None),
                             ("no response: refused by RST", 1, None), ("serious problem", 2, None),
                             ("serious problem: RST of the user", 1, None), ("serious problem: given up", 1, None)):
        found = table(report, "tree", row)
        same(found["flows"], flows, row)
        right(abs(found["share"] - flows / 9) < 1e-6, f"{row}: {found}")
        if mean is None and row != "all":
            same(found["mean_setup_s"], None, row)
        elif mean:
            right(abs(found["mean_setup_s"] - mean) < 1e-6, f"{row}: {found}")
    same(table(report, "flows", "opened by users")["flows"], 9, "opened by users")


@case("background: another packet of the user less than 5 s before the SYN, or during the set-up; not this flow's own")
def background():
    other = udp(("10.0.0.1", 53), (HOST, 53), bytes(20))
    for times, wanted in (((), False), ((4.9,), False), ((5.1,), True), ((10.3,), True), ((10.7,), False)):
        frames = sorted([*Talk().setup(10).frames, *((time, other) for time in times)])
        has(flow_of(frames), background=wanted)
    down = udp((HOST, 53), ("10.0.0.1", 53), bytes(20))
    has(flow_of([(6, down), *Talk().setup(10).frames]), background=True)
    foreign = udp((HOST, 53), ("10.0.0.2", 53), bytes(20))
    has(flow_of([(9, foreign), *Talk().setup(10).frames]), background=False)
    twice = Talk().add(0, "up", SYN, 0).add(3, "up", SYN, 0).add(3.1, "down", SYN | ACK, 0, 1).ack(3.9, 1)
    has(flow_of(twice.frames), background=False)


@case("peak and off-peak hours, in the zone that is asked for")
def hours():
    talks = [Talk(user=(f"10.0.0.{hour + 1}", 9)).setup(3600 * hour + 1800, gprs=0.5 + hour / 100) for hour in range(24)]
    frames = merged(*talks)
    for options, peak in (((), (10, 11)), (("--zone", "+02:00"), (8, 9)), (("--zone", "-03:30"), (13, 14))):
        report = read(pcap(frames), options=options)
        row = table(report, "rtt_gprs", "peak, 10 to 12 h")
        same(row["flows"], 2, "flows at the peak")
        wanted = 0.5 + sum(peak) / 200
        right(abs(row["mean_rtt_gprs_setup_s"] - wanted) < 1e-6, f"{options}: {row}, right is {wanted}")
        same(table(report, "rtt_gprs", "off-peak, 3 to 7 h")["flows"], 4, "flows off the peak")


# --- Loss -----------------------------------------------------------------------------------------

LOSSES = ("down_lost_internet", "down_lost_gprs", "down_spurious", "down_unneeded", "down_go_back", "down_reordered",
          "down_undecided", "down_resent_packets")


def loses(talk, **wanted):
    flow = flow_of(talk.frames)
    same({name: flow[name] for name in LOSSES}, {**dict.fromkeys(LOSSES, 0), **{f"down_{k}": v for k, v in wanted.items()}},
         "losses")
    return flow


@case("loss: octets that passed and are asked for again were lost on the GPRS side")
def lost_gprs():
    talk = begun().data(1, 1).data(1.01, 1001).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(3.5, 3001)
    has(loses(talk, lost_gprs=1, resent_packets=1), bottleneck="gprs")


@case("loss: octets that never passed and come after a round trip were lost on the Internet side")
def lost_internet():
    talk = begun().data(1, 1).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(3.5, 3001)
    has(loses(talk, lost_internet=1), bottleneck="internet", down_sent_packets=4)


@case("loss: octets that come late, but sooner than the sender can have known, are reordered")
def reordered():
    loses(begun().data(1, 1).data(1.02, 2001, identification=5).data(1.05, 1001, identification=4).ack(1.6, 3001), reordered=1)


@case("loss: lost again, both are counted")
def lost_twice():
    talk = begun().data(1, 1).data(1.1, 1001).ack(1.7, 1).data(4, 1).data(10, 1).ack(10.5, 2001)
    loses(talk, lost_gprs=2, resent_packets=2)


@case("spurious: the ACK comes sooner than a round trip")
def spurious_time():
    talk = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).data(5, 1001).ack(5.1, 2001)
    loses(talk, spurious=1, resent_packets=1)


@case("spurious: the ACK echoes a timestamp from before the repetition")
def spurious_eifel():
    def options(value, echo):
        return {"options": timestamps(value, echo)}
    talk = begun(options=timestamps(1, 0)).data(1, 1, **options(100, 1)).ack(1.5, 1001, **options(7, 100))
    talk.data(2, 1001, **options(200, 7)).data(5, 1001, **options(500, 7)).ack(6, 2001, **options(9, 200))
    loses(talk, spurious=1, resent_packets=1)
    talk = begun(options=timestamps(1, 0)).data(1, 1, **options(100, 1)).ack(1.5, 1001, **options(7, 100))
    talk.data(2, 1001, **options(200, 7)).data(5, 1001, **options(500, 7)).ack(6, 2001, **options(9, 500))
    loses(talk, lost_gprs=1, resent_packets=1)
    # A stack that echoes 0 says nothing.
    talk = begun(options=timestamps(1, 0)).data(1, 1, **options(100, 1)).ack(1.5, 1001, **options(7, 0))
    talk.data(2, 1001, **options(200, 7)).data(5, 1001, **options(500, 7)).ack(6, 2001, **options(9, 0))
    loses(talk, lost_gprs=1, resent_packets=1)


@case("spurious: the receiver reports a duplicate (DSACK); once for each repetition")
def spurious_dsack():
    talk = begun().data(1, 1).data(1.01, 1001).data(4, 1).ack(5, 2001).ack(5.3, 2001, blocks=[(1, 1001)])
    loses(talk, spurious=1, resent_packets=1)
    # The ACK came sooner than a round trip, so that DSACK says nothing new; the second repetition was needed.
    talk = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).data(5, 1001).ack(5.1, 2001).data(5.2, 2001) \
        .data(9, 2001).ack(9.6, 3001).ack(9.8, 3001, blocks=[(1001, 2001)])
    loses(talk, spurious=1, lost_gprs=1, resent_packets=2)
    loses(talk.ack(9.9, 3001, blocks=[(2001, 3001)]), spurious=2, resent_packets=2)


@case("spurious: duplicate ACKs for what was not missing are of segments that came twice")
def spurious_duplicates():
    talk = begun().data(1, 1).data(1.1, 1001).data(4, 1).data(4.1, 1001).ack(4.9, 2001).data(5, 2001).ack(5.5, 2001) \
        .ack(5.6, 2001).ack(6, 3001)
    loses(talk, spurious=2, resent_packets=2)


@case("spurious: DSACK names a repetition before the ACK that covers it; one of SYN or FIN is none of data")
def spurious_named():
    talk = begun().data(1, 1).data(1.01, 1001).data(4, 1001).ack(4.3, 1, blocks=[(1001, 2001)]) \
        .ack(4.6, 1, blocks=[(1001, 2001), (1001, 2001)]).data(5, 1).ack(5.6, 2001)
    loses(talk, spurious=1, lost_gprs=1, resent_packets=2)
    talk = Talk().add(0, "up", SYN, 0).add(0.1, "down", SYN | ACK, 0, 1).add(3.1, "down", SYN | ACK, 0, 1).ack(4.2, 1) \
        .ack(4.9, 1).data(5, 1).data(8, 1).ack(9, 1001)
    loses(talk, lost_gprs=1, resent_packets=1)


@case("spurious: a duplicate ACK with nothing outstanding; with SACK in use, one without a block; none of a keep-alive")
def spurious_alone():
    talk = begun().data(1, 1).data(4, 1).ack(4.6, 1001)
    loses(talk, lost_gprs=1, resent_packets=1)
    loses(talk.data(60, 1000, octets=0).ack(60.5, 1001), lost_gprs=1, resent_packets=1)
    loses(talk.ack(61, 1001), spurious=1, resent_packets=1)
    talk = begun().data(1, 1).data(1.01, 1001).ack(1.6, 1, blocks=[(1001, 2001)]).data(2, 1).ack(2.6, 2001).data(3, 2001) \
        .data(3.01, 3001).ack(3.2, 2001).data(3.9, 4001)
    loses(talk, spurious=1, resent_packets=1)


@case("spurious: a duplicate ACK while something is outstanding, none of which turns out to be missing")
def spurious_between():
    talk = begun().data(1, 1).data(4, 1).ack(4.6, 1001).data(5, 1001).data(5.01, 2001).ack(5.3, 1001).ack(5.6, 2001)
    loses(talk, spurious=1, resent_packets=1)


@case("spurious: a SYN-ACK that was lost explains no duplicate ACK once data is acknowledged")
def lost_syn_ack():
    talk = Talk().add(0, "up", SYN, 0)
    for time, clock in ((0.04, 10), (3.04, 310)):
        talk.add(time, "down", SYN | ACK, 0, 1, options=timestamps(clock, 1))
    talk.add(3.9, "up", ACK, 1, 1, options=timestamps(400, 310))  # of the second
    talk.data(5, 1).ack(5.8, 1001)
    for i in range(3):
        talk.data(10 + i / 100, 1001 + 1000 * i)
    for i in range(3):  # two of them for what is behind the hole
        talk.ack(11 + i / 100, 1001)
    loses(talk.data(12, 1001).ack(13.5, 4001), spurious=1, resent_packets=1)


@case("two holes: duplicate ACKs for what came behind both are of nothing that came twice")
def two_holes():
    talk = begun()
    for i in range(5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    talk.ack(1.6, 1).ack(1.7, 1).ack(1.8, 1).data(2, 1).ack(2.6, 2001).data(2.7, 2001).ack(3.3, 5001)
    # Three came behind the first hole, of which the second ACK covers two.
    loses(talk, lost_gprs=2, resent_packets=2)
    talk = begun()
    for i in range(4):
        talk.data(1 + i / 100, 1 + 1000 * i)
    talk.ack(1.6, 1).ack(1.7, 1).ack(1.8, 1).data(2, 1).ack(2.6, 2001).data(2.7, 2001).ack(3.3, 4001)
    loses(talk, lost_gprs=1, spurious=1, resent_packets=2)


@case("a needless repetition that has no duplicate ACK before the connection is closed was lost itself")
def silent():
    def closed(talk):
        return talk.add(20, "up", FIN | ACK, 1, 2001).add(20.1, "down", FIN | ACK, 2001, 2).ack(20.7, 2002, seq=2)
    talk = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).data(5, 1001).ack(5.1, 2001)
    loses(talk, spurious=1, resent_packets=1)
    loses(closed(talk), lost_gprs=1, resent_packets=1)
    talk = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).data(5, 1001).ack(5.1, 2001).ack(5.6, 2001)
    loses(closed(talk), spurious=1, resent_packets=1)


@case("--losses: every verdict as a row, with what it takes the place of")
def losses_file():
    talk = begun().data(1, 1).data(1.01, 1001).data(1.03, 3001).data(2, 2001).data(4, 1).ack(4.6, 4001).ack(5, 4001)
    talk.add(6, "up", ACK, 1, 4001, 50).add(9, "up", ACK, 1, 4001, 50).add(9.5, "down", ACK, 4001, 51)
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(talk.frames))
    same(sluice("gi", folder / "x.pcap", "--losses", folder / "l.csv").returncode, 0, "exit status")
    rows = list(csv.DictReader((folder / "l.csv").open()))
    ends = {"user": USER, "user_port": "40000", "host": HOST, "host_port": "80"}
    wanted = [("down", "2.000000000", 7001, "internet", ""), ("down", "4.600000000", 5001, "gprs", ""),
              ("down", "5.000000000", 9001, "spurious", "gprs"), ("up", "9.500000000", 1001, "internet", "")]
    same(rows, [ends | dict(zip(("direction", "time_s", "sequence", "verdict", "instead"), map(str, row))) for row in wanted],
         "rows")


@case("unneeded: sent again after its ACK or SACK had passed")
def unneeded():
    loses(begun().data(1, 1).ack(1.5, 1001).data(4, 1).ack(4.5, 1001), unneeded=1, resent_packets=1)
    talk = begun().data(1, 1).data(1.01, 1001).ack(1.6, 1, blocks=[(1001, 2001)]).data(4, 1).data(4.01, 1001).ack(4.6, 2001)
    loses(talk, lost_gprs=1, unneeded=1, resent_packets=2)


@case("go-back-N: of a row that one ACK covers, the first was missing")
def go_back():
    talk = begun()
    for i in range(5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    for i in range(4):
        talk.ack(1.6 + i / 100, 1)
    for i in range(4):
        talk.data(6 + i / 100, 1 + 1000 * i)
    loses(talk.ack(7, 5001), lost_gprs=1, go_back=3, resent_packets=4)
    # One of the duplicate ACKs is of the fifth, which was sent once: two others had come.
    del talk.frames[-9]
    loses(talk, lost_gprs=2, go_back=2, resent_packets=4)


@case("of a row that one ACK covers all were lost, if no duplicate ACK said that one of them had come")
def row_lost():
    talk = begun()
    for time in (1, 6):
        for i in range(3):
            talk.data(time + i / 100, 1 + 1000 * i)
    loses(talk.ack(7, 3001), lost_gprs=3, resent_packets=3)


@case("go-back-N with SACK: of those that one ACK covers, what SACK had said to be there came to no use")
def go_back_sack():
    talk = begun()
    for time in (1, 3):
        for i in range(3):
            talk.data(time + i / 100, 1 + 1000 * i)
    talk.ack(3.2, 1, blocks=[(2001, 3001)]).ack(3.7, 3001)
    loses(talk, lost_gprs=2, go_back=1, resent_packets=3)


@case("a delayed ACK of two that were sent again covers two losses")
def delayed_ack():
    talk = begun().data(1, 1).data(1.01, 1001).data(6, 1).data(6.01, 1001).ack(7, 2001)
    loses(talk, lost_gprs=2, resent_packets=2)


@case("SACK says what was missing: each repetition of that is a loss, whatever one ACK covers")
def sack_missing():
    talk = begun()
    for i in range(5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    talk.ack(1.6, 1, blocks=[(4001, 5001)])
    for i in range(4):
        talk.data(2 + i / 100, 1 + 1000 * i)
    loses(talk.ack(3, 5001), lost_gprs=4, resent_packets=4)


@case("a repetition that is never acknowledged is undecided")
def undecided():
    loses(begun().data(1, 1).data(4, 1), undecided=1, resent_packets=1)


@case("a keep-alive is no repetition")
def keepalive():
    talk = begun().data(1, 1).ack(1.5, 1001).data(60, 1000, octets=0).ack(60.5, 1001).data(120, 1000, octets=1)
    has(flow_of(talk.ack(120.5, 1001).frames), down_resent_packets=0, down_unneeded=0)


@case("a probe of one octet beyond a window of 0 is neither loss nor repetition, taken or not; with an open window it is data")
def window_probe():
    talk = begun().data(1, 1).ack(1.5, 1001, window=0)
    for time in (5, 10, 20):
        talk.data(time, 1001, octets=1).ack(time + 0.5, 1001, window=0)
    opened = talk.ack(30, 1001).frames[:]
    talk.data(31, 1001).ack(31.5, 2001)
    has(loses(talk), down_data_octets=2000, down_unseen=0, rtt_gprs_samples=3)
    talk.frames = opened[:-1]
    talk.data(40, 1001, octets=1).ack(40.5, 1002).data(41, 1002).ack(41.5, 2002)
    has(loses(talk), down_data_octets=2000, down_unseen=0)
    talk.frames = opened
    talk.data(31, 1001, octets=1).data(35, 1001, octets=1).ack(35.5, 1002)
    has(loses(talk, lost_gprs=1, resent_packets=1), down_data_octets=1002)


@case("numbers wrap around 2^32")
def wraps():
    talk = Talk(own=0xFFFFFFF0, other=0xFFFFFE00).setup(0, 0.1, 0.4)
    talk.data(1, 1).data(1.01, 1001).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(3.5, 3001)
    has(loses(talk, lost_gprs=1, resent_packets=1), rtt_gprs_samples=2)


@case("losses up are split as those down")
def losses_up():
    talk = begun()
    for time, seq in ((1, 1), (1.01, 101), (1.02, 301), (2, 201), (3, 101)):
        talk.add(time, "up", ACK, seq, 1, 100)
    talk.add(3.2, "down", ACK, 1, 401)
    has(flow_of(talk.frames), up_lost_gprs=1, up_lost_internet=1, up_resent_packets=1, down_lost_gprs=0)


# --- Round trips, rates ---------------------------------------------------------------------------


@case("throughput: what had passed with a repetition counts, though a later ACK is for what passed before it")
def throughput_again():
    talk = begun().data(1, 1).data(1.01, 1001).data(4, 1).ack(4.6, 1001).ack(5.6, 2001)
    has(flow_of(talk.frames), throughput_bit_per_s=8 * (2 * 1040 - 1040))


@case("throughput: the last ACK fills a hole, and what filled it passed after all else that it covers")
def throughput_hole():
    talk = begun().data(1, 1).ack(1.6, 1001).data(2, 1001).data(2.01, 2001).ack(2.6, 1001).data(5, 1001)
    has(loses(talk.ack(5.6, 3001), lost_gprs=1, resent_packets=1), throughput_bit_per_s=2 * 1040 * 8 // 4,
        goodput_bit_per_s=2 * 1000 * 8 // 4, share=1)
    talk = begun().data(1, 1).ack(1.6, 1001).data(2, 1001).data(2.01, 2001).ack(2.6, 1001).data(5, 1001).data(8, 1001)
    has(loses(talk.ack(9.6, 3001), lost_gprs=2, resent_packets=2), throughput_bit_per_s=2 * 1040 * 8 // 8,
        goodput_bit_per_s=2 * 1000 * 8 // 8, share=1)
    talk = begun().data(1, 1).ack(1.6, 1001).data(2, 2001).ack(2.6, 1001).data(5, 1001).ack(5.6, 3001)
    has(loses(talk, lost_internet=1), throughput_bit_per_s=2 * 1040 * 8 // 4, goodput_bit_per_s=2 * 1000 * 8 // 4, share=1)


@case("goodput: a FIN that is acknowledged with data is none, whether it came with them, behind them or again")
def goodput_fin():
    fin = [(3, FIN | ACK, 2001, 1000)], [(3, ACK, 2001, 1000), (3.1, FIN | ACK, 3001, 0)]
    for sent in (*fin, [(3, ACK, 2001, 1000), (5, FIN | ACK, 2001, 1000)], *(one + [(5, FIN | ACK, 2001, 1000)] for one in fin)):
        talk = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).ack(2.5, 2001)
        for time, flags, number, octets in sent:
            talk.add(time, "down", flags, number, 1, octets)
        talk.ack(6.5, 3002).add(6.6, "up", FIN | ACK, 1, 3002).add(6.7, "down", ACK, 3002, 2)
        has(flow_of(talk.frames), goodput_bit_per_s=2000 * 8 // 5)


@case("throughput: all that the first ACK covers arrived before the time begins")
def throughput_first():
    for covers in (1, 2, 3, 10):
        talk = begun()
        for i in range(covers):
            talk.data(1 + i / 1000, 1 + 1000 * i)
        talk.ack(2, 1 + 1000 * covers)
        for i in range(covers, covers + 20):
            talk.data(2.01 + i - covers, 1 + 1000 * i).ack(3 + i - covers, 1001 + 1000 * i)
        has(flow_of(talk.frames), throughput_bit_per_s=1040 * 8, goodput_bit_per_s=1000 * 8, share=1)
    # The first of three was lost; what passed behind them is its repetition, which is taken off again as one packet with
    # data, and one more.
    talk = begun().data(1, 1).data(1.01, 1001).data(1.02, 2001).data(5, 1).ack(6, 3001).data(6.1, 3001).ack(7, 4001)
    has(loses(talk, lost_gprs=1, resent_packets=1), throughput_bit_per_s=(2 * 1040 - 1040) * 8, goodput_bit_per_s=1000 * 8)


@case("throughput: a loss that is taken back when the mean packet has grown takes nothing off")
def throughput_taken_back():
    talk = begun().data(1, 1).data(4, 1).ack(4.6, 1001).data(5, 1001).ack(5.6, 2001).ack(6, 2001).data(7, 2001).ack(7.6, 3001)
    has(loses(talk, spurious=1, resent_packets=1), throughput_bit_per_s=3 * 1040 * 8 // 3)


@case("round trips: none of what came before something late that was before it, also if that had not passed before")
def rtts_late():
    talk = begun().data(1, 1).data(1.01, 2001).ack(1.6, 1001).data(3, 1001).ack(3.5, 3001).data(4, 3001).ack(4.6, 4001)
    has(flow_of(talk.frames), rtt_gprs_samples=3, rtt_gprs_most_s=0.6)
    talk = begun().data(1, 1).data(1.01, 2001).ack(1.6, 1001).data(3, 1001).ack(3.4, 2001).ack(3.6, 3001)
    has(flow_of(talk.frames), rtt_gprs_samples=3, rtt_gprs_most_s=0.6)
    # Something else came late since then.
    talk = begun().data(1, 1).data(1.01, 2001).data(1.02, 3001).ack(1.6, 1001).data(3, 1001).data(3.1, 3001).ack(3.5, 3001)
    has(flow_of(talk.frames), rtt_gprs_samples=2, rtt_gprs_most_s=0.6)


@case("round trips: something late holds nothing up an hour later, when its time modulo 2^32 us looks newer")
def rtts_long_after():
    talk = begun().data(1, 1001).data(2, 1).ack(2.5, 2001)
    for i in range(75):
        talk.data(10 + 60 * i, 2001 + 100 * i, 100).ack(10.5 + 60 * i, 2101 + 100 * i)
    has(flow_of(talk.frames), rtt_gprs_samples=1 + 75, down_lost_internet=1, rtt_gprs_most_s=0.5)
    # Nothing is outstanding when it comes.
    talk = begun().data(1, 1).ack(1.5, 1001).data(3, 1).data(3 + 2200, 1001).ack(3 + 2200.5, 2001)
    has(flow_of(talk.frames), rtt_gprs_samples=3, down_unneeded=1)


@case("round trips: of what comes more than half of 2^32 us after something that was sent again, both are known")
def rtts_half():
    for wait in (2000, 2400):
        talk = begun().data(1, 1).data(4, 1).data(4 + wait, 1001).ack(4.6 + wait, 2001)
        has(flow_of(talk.frames), rtt_gprs_samples=2, rtt_gprs_karn_samples=2, rtt_gprs_most_s=0.6, down_lost_gprs=1)


@case("round trips on the GPRS side: ACKs of segments that were sent once, as Karn has it; of the sending that came")
def rtts():
    talk = begun().data(1, 1).ack(1.7, 1001).data(2, 1001).data(2, 2001).ack(3.1, 3001).data(4, 3001).data(7, 3001) \
        .ack(9, 4001)
    # The SYN-ACK's, 0.4 s, is one.
    has(flow_of(talk.frames), rtt_gprs_karn_samples=3, rtt_gprs_karn_least_s=0.4, rtt_gprs_karn_most_s=1.1,
        rtt_gprs_karn_mean_s=(0.4 + 0.7 + 1.1) / 3, rtt_internet_samples=1, rtt_internet_mean_s=0.1)
    # Nothing came twice, so the last one came.
    has(flow_of(talk.frames), rtt_gprs_samples=4, rtt_gprs_most_s=2, rtt_gprs_mean_s=(0.4 + 0.7 + 1.1 + 2) / 4)


def downloads(flows, rate=30000, window=8, octets=1460, lost=()):
    """Flows, each (user port, segments, start), of one user over a channel of that rate, first in, first out:
    a segment passes here, waits, and its ACK passes here 50 ms after its last bit. Segments of `lost` are
    sent once more 2 s later, and only then is the ACK of all."""
    talks = {port: Talk(user=(USER, port)).setup(start - 1, 0.1, 0.4) for port, _, start in flows}
    totals = {port: segments for port, segments, _ in flows}
    busy, events = 0.0, []

    def send(time, port, number):
        nonlocal busy
        talks[port].data(time, 1 + octets * number, octets)
        busy = max(busy, time) + (octets + 40) * 8 / rate
        heapq.heappush(events, (busy + 0.05, "arrives", port, number))

    arrived, sent = {port: set() for port in talks}, dict.fromkeys(talks, 0)
    for port, _, start in flows:
        heapq.heappush(events, (start, "begins", port, 0))
    pending = set(lost)
    while events:
        time, what, port, number = heapq.heappop(events)
        if what == "again":
            send(time, port, number)
            continue
        if what == "arrives" and number in pending:
            pending.discard(number)
            heapq.heappush(events, (time + 2, "again", port, number))
            continue
        if what == "arrives":
            arrived[port].add(number)
            edge = next(i for i in range(totals[port] + 1) if i not in arrived[port])
            talks[port].ack(time, 1 + octets * edge)
        else:
            edge = 0
        while sent[port] < min(totals[port], edge + window):
            sent[port] += 1
            send(time + 0.0001 * (sent[port] - edge), port, sent[port] - 1)
    return list(talks.values())


def download(segments, **more):
    return downloads([(40000, segments, 1.0)], **more)[0]


def near(found, wanted, what):
    """Of a rate in bit/s; the capture's times are exact."""
    right(found is not None and abs(found - wanted) <= 2, f"{what}: {found}, right is {wanted}")


@case("channel rate: IP octets between the first and the last ACK of a full channel")
def rate():
    flow = flow_of(download(100).frames)
    has(flow, channel_periods=1, bottleneck="none")
    near(flow["channel_rate_bit_per_s"], 30000, "rate")
    # Behind each ACK there are three segments, 4380 octets, or four.
    has(flow_of(download(100, window=4).frames), channel_periods=0, channel_rate_bit_per_s=None)
    has(flow_of(download(100, window=5).frames), channel_periods=1)
    has(flow_of(download(13).frames), channel_periods=0)  # less than 16 kB


@case("channel rate: other traffic of the user counts, and a loss ends the period")
def rate_parallel():
    for flow in read(pcap(merged(*downloads([(40000, 100, 1.0), (40001, 200, 1.2)]))))["flows"]:
        near(flow["channel_rate_bit_per_s"], 30000, "rate beside another flow")
        has(flow, channel_periods=1, alone=False)
    flow = flow_of(download(100, lost=(50,)).frames)
    has(flow, channel_periods=2, down_lost_gprs=1)
    near(flow["channel_rate_bit_per_s"], 30000, "rate before and after a loss")
    for lost, periods in ((False, 1), (True, 0)):  # none begins until all is acknowledged that was under way at a loss
        talk = begun()
        for i in range(40):
            talk.data(1 + i / 100, 1 + 1000 * i)
        if lost:
            talk.ack(2, 1).data(2.5, 1)
        for i in range(40):
            talk.ack(3.2 + i / 20, 1001 + 1000 * i)
        has(flow_of(talk.frames), channel_periods=periods)


@case("channel rate: a pause of the host, in which less than 4500 octets are under way, is of no period")
def rate_pause():
    talk = begun()
    for start in (0, 40):
        for i in range(start, start + 40):
            talk.data(1 + start / 9 + i % 40 / 100, 1 + 1000 * i)
        for i in range(start, start + 40):
            talk.ack(1.6 + start / 9 + i % 40 / 20, 1001 + 1000 * i)
    flow = flow_of(talk.frames)
    has(flow, channel_periods=2)
    near(flow["channel_rate_bit_per_s"], 1040 * 8 * 20, "rate")


@case("channel rate: a user that is silent for more than 3 s was out of reach, and the period has ended before")
def rate_silence():
    for silent, wanted in ((2.9, 75 * 1040 * 8 / (3.75 + 2.9)), (3, 1040 * 8 * 20)):  # between ACKs that come each 0.05 s
        talk = begun()
        for i in range(80):
            talk.data(1 + i / 100, 1 + 1000 * i)
        for i in range(80):
            talk.ack(3 + i / 20 + silent * (i >= 40), 1001 + 1000 * i)
        flow = flow_of(talk.frames)
        has(flow, channel_periods=1)  # all that is left was under way then
        near(flow["channel_rate_bit_per_s"], wanted, f"rate, silent for {silent} s")


@case("throughput: from the ACK of the first data to that of the last; of single flows and with other traffic")
def throughput():
    report = read(pcap(download(101).frames))
    has(report["flows"][0], share=1, alone=True, single_exchange=True)
    near(report["flows"][0]["throughput_bit_per_s"], 30000, "throughput")
    near(report["flows"][0]["goodput_bit_per_s"], 29200, "goodput")
    row = table(report, "single", "loss below 1 %")
    has(row, flows=1)
    near(row["mean_throughput_bit_per_s"], 30000, "mean")
    same(table(read(pcap(download(60).frames)), "single", "all")["flows"], 0, "flows of less than 100 kB")
    report = read(pcap(merged(*downloads([(40000, 100, 1.0), (40001, 100, 1.01)]))))
    same([table(report, "parallel", row)["flows"] for row in ("all", "1/3 to 2/3 background")], [2, 2], "flows")
    near(table(report, "parallel", "all")["mean_throughput_bit_per_s"], 30000, "throughput of both")


def headers_only(frames, octets):
    """A pcap file in which each segment down behind the set-up has so much data more, of which the file has nothing."""
    longer = [(time, packet if packet[12:16] == bytes((10, 0, 0, 1)) or time < 1 else
               packet[:2] + struct.pack(">H", len(packet) + octets) + packet[4:10] + bytes(2) + packet[12:]) for time, packet in frames]
    out, at = bytearray(pcap(longer)), 24
    for _, packet in longer:
        struct.pack_into("<I", out, at + 12, *struct.unpack(">H", packet[2:4]))
        at += 16 + len(packet)
    return bytes(out)


@case("more than 2^32 octets in a flow: its throughput, share and rate of the channel")
def long():
    talk, octets, segments = begun(), 65000, 68000
    for i in range(segments):
        talk.data(1 + i / 100, 1 + octets * i, 0)
        if i % 100 == 99:
            talk.ack(1.005 + i / 100, 1 + octets * (i - 50))
    flow = read(headers_only(talk.frames, octets))["flows"][0]
    has(flow, down_data_octets=octets * segments, share=1, alone=True)
    for name, wanted in (("throughput", octets + 40), ("channel_rate", octets + 40), ("goodput", octets)):
        near(flow[f"{name}_bit_per_s"], wanted * 100 * 8, name)


@case("more than 2^31 octets to the user between two ACKs of a flow: its throughput and share")
def long_between():
    octets, segments = 65000, 35000
    flow, other = begun(), Talk(user=(USER, 40001)).setup(0.01, 0.1, 0.4)
    flow.data(1, 1, 0).ack(2, 1 + octets).data(2.5 + segments / 100, 1 + octets, 0).ack(3 + segments / 100, 1 + 2 * octets)
    for i in range(segments):
        other.data(2.001 + i / 100, 1 + octets * i, 0)
        if i % 100 == 99:
            other.ack(2.005 + i / 100, 1 + octets * (i + 1))
    found = read(headers_only(merged(flow, other), octets))["flows"]
    flow = next(one for one in found if one["user_port"] == 40000)
    near(flow["throughput_bit_per_s"], (segments + 1) * (octets + 40) * 8 / (1 + segments / 100), "throughput")
    right(abs(flow["share"] - 1 / (segments + 1)) < 2e-6, flow["share"])


@case("what the ends use: clusters by window, SACK, MSS and timestamps, each with mean, deviation and count")
def clusters():
    def one(number, rate, octets=1460, **more):
        talk = Talk(user=(f"10.0.0.{number}", 40000)).setup(0, 0.1, 0.4, **more)
        for i in range(1, 80):
            talk.data(i, 1 + octets * (i - 1), octets).ack(i + 0.9 * octets * 8 / rate, 1 + octets * i)
        return talk.frames
    frames = one(1, 40000, options=mss(1460) + SACK_PERMITTED) + one(2, 20000, options=mss(1460) + SACK_PERMITTED) \
        + one(3, 40000, octets=512, options=mss(512))
    report = read(pcap(sorted(frames)))
    row = table(report, "clusters", "window medium, SACK, MSS high")
    has(row, flows=2)
    near(row["mean_goodput_bit_per_s"], 1460 * 8, "mean")
    right(row["deviation_goodput_bit_per_s"] < 2, row)
    has(table(report, "clusters", "window medium, no SACK, MSS low"), flows=1)
    near(table(report, "clusters", "MSS low")["mean_goodput_bit_per_s"], 512 * 8, "mean of small segments")
    has(table(report, "clusters", "all"), flows=3)
    mean = (2 * 1460 + 512) * 8 / 3
    deviation = ((2 * (1460 * 8 - mean) ** 2 + (512 * 8 - mean) ** 2) / 2) ** 0.5
    near(table(report, "clusters", "all")["deviation_goodput_bit_per_s"], deviation, "deviation")
    has(table(report, "options", "SACK"), flows=2)
    scaled = Talk().setup(0, 0.1, 0.4, options=mss(1460) + scale(2), window=5000).ack(1, 1, window=6000)
    has(flow_of(scaled.frames), window=16384 << 2)


# --- Captures -------------------------------------------------------------------------------------


@case("every link, order of octets and kind of file gives the same")
def links():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    for link in (ETHERNET, SLL, SLL2, IPV4_LINK, NULL):
        same(figures(read(pcap(frames, link))), wanted, f"link {link}")
    same(figures(read(pcap(frames, order=">"))), wanted, "the other order")
    same(figures(read(pcap(frames, ns=False))), wanted, "microseconds")
    same(figures(read(pcapng(frames))), wanted, "pcapng")
    for tags in ((0x8100,), (0x88A8, 0x8100)):
        report = read(pcap([(time, tagged(packet, *tags)) for time, packet in frames], ETHERNET, raw=True))
        same(figures(report), wanted, f"tags {tags}")


@case("GTP-U: the packets in it, with sequence numbers and extension headers; other messages are counted")
def tunnels():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    for more in ({}, {"sequence": 7}, {"sequence": 7, "extension": bytes((1, 1, 2, 0))}):
        report = read(pcap([(time, gtp(packet, 77, **more)) for time, packet in frames], ETHERNET))
        same(figures(report), wanted, str(more))
        same(report["counts"]["tunnelled"], len(frames), "tunnelled")
        same(report["counts"]["tunnel_changes"], 0, "tunnel_changes")
    moved = [(time, gtp(packet, 77 if time < 1.5 else 78)) for time, packet in frames]
    same(read(pcap(moved))["counts"]["tunnel_changes"], 1, "tunnel_changes")
    echo = udp(("192.0.2.1", 2152), ("192.0.2.2", 2152), struct.pack(">BBHI", 0x32, 1, 4, 0) + bytes(4))
    same(read(pcap([(0, echo)]))["counts"]["gtp_other"], 1, "gtp_other")


@case("IPv6, with extension headers, inside and outside a tunnel")
def ipv6():
    talk = Talk(user=("2001:db8::1", 40000), host=("2001:db8:1::9", 80)).setup(0, 0.1, 0.4).data(1, 1).ack(1.5, 1001)
    wanted = figures(read(pcap(talk.frames)))
    has(wanted[0], user="2001:db8::1", setup_s=0.5, rtt_gprs_samples=2, down_data_octets=1000, mss=1060)
    same(figures(read(pcap(talk.frames, ETHERNET))), wanted, "Ethernet")
    padded = [(time, on_link(ETHERNET, packet) + bytes(6)) for time, packet in talk.frames]
    same(figures(read(pcap(padded, ETHERNET, raw=True))), wanted, "padding behind the packet")
    same(figures(read(pcap([(time, gtp(packet, 1)) for time, packet in talk.frames]))), wanted, "GTP-U")
    hop = [(time, packet[:4] + struct.pack(">HB", len(packet) - 32, 0) + packet[7:40] + bytes((6, 0, 1, 4, 0, 0, 0, 0))
            + packet[40:]) for time, packet in talk.frames]
    found = figures(read(pcap(hop)))
    same({**found[0], "up_octets": 0, "down_octets": 0, "mss": 0},
         {**wanted[0], "up_octets": 0, "down_octets": 0, "mss": 0}, "hop-by-hop options")


@case("standard input; several files one after the other; a flow goes on in the next")
def files():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    done = subprocess.run([program(), "gi", "-", "--json", "-"], input=pcap(frames), capture_output=True, check=False)
    same((done.returncode, figures(json.loads(done.stdout))), (0, wanted), "standard input")
    report = read(pcap(frames[:5]), pcapng(frames[5:]))
    same(figures(report), wanted, "two files")
    same([file["frames"] for file in report["files"]], [5, len(frames) - 5], "frames of the files")
    text = sluice("gi", saved(pcap(frames))).stdout
    right("Table III" in text and f"{len(frames)} frames" in text, text)


@case("flows: another between the same ends; one with no beginning; one from the Internet; the --mobiles")
def flows():
    again = [(time + 100, packet) for time, packet in Talk(own=77777).setup().frames]
    same(len(read(pcap(Talk().setup().frames + again))["flows"]), 2, "flows")
    middle = frames_of_some()[3:]
    report = read(pcap(middle))
    has(report["flows"][0], outcome="no-syn", user=USER, setup_s=None, sack=None, down_lost_gprs=1)
    same(table(report, "tree", "all")["flows"], 0, "flows in the tree")
    frames = Talk(user=(HOST, 80), host=(USER, 40000)).setup().frames
    has(read(pcap(frames))["flows"][0], outcome="optimal", user=HOST)
    for prefix in ("10.0.0.0/8", "10.0.0.1", "10.0.0.1/32", "0.0.0.0/3"):
        has(flow_of(frames, options=("--mobiles", prefix)), outcome="from-internet", user=USER)
    report = read(pcap(frames), options=("--mobiles", "10.0.0.2/31"))
    same((report["flows"], report["counts"]["elsewhere"]), ([], len(frames)), "none of the mobiles")


@case("flows end when they are idle, when there are too many, and live no longer in memory")
def memory():
    def many(n):
        return pcap(merged(*(Talk(user=(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}", 9)).setup(i * 2).add(i * 2 + 1, "up", RST, 1)
                             for i in range(n))))
    few, more = (read(many(n))["memory"] for n in (2000, 6000))
    same(few, more, "memory")
    right(few["flows_most"] < 50, few)
    report = read(pcap(merged(*(Talk(user=(f"10.0.0.{i}", 9)).setup(i * 2) for i in range(1, 11)))), options=("--flows", "4"))
    same((len(report["flows"]), report["counts"]["flows_early"], report["memory"]["flows_most"]), (10, 6, 4), "early")
    frames = [*begun().frames, *((time + 100, packet) for time, packet in Talk().data(1, 1).frames)]
    same([len(read(pcap(frames), options=("--idle", idle))["flows"]) for idle in ("99", "200")], [2, 1], "idle")
    # Closed, and silent for a minute, to 10 ms; what comes in between has just made it look for such flows.
    frames = [*Talk().setup(5).add(10, "up", RST, 1).frames, (69.95, udp(("10.0.0.2", 53), (HOST, 53), bytes(9)))]
    same([len(read(pcap(frames + Talk().data(at, 1).frames))["flows"]) for at in (69.99, 70.01)], [1, 2], "a minute")


@case("less than 1000 octets of memory a flow, if ten thousand live at once with eight segments in flight each")
def octets_a_flow():
    frames = []
    for i in range(10000):
        talk = Talk(user=(f"10.7.{i >> 8}.{i & 255}", 40000), host=(HOST, 80)).setup(i / 10000)
        for k in range(8):
            talk.data(2 + k + i / 10000, 1 + 10 * k, 10)
        frames += talk.frames
    found = read(pcap(sorted(frames, key=lambda frame: frame[0])))["memory"]
    same(found["flows_most"], 10000, "flows at once")
    right(found["octets_a_flow"] < 1000, found)


@case("--columns says what each is; the CSV has all of them")
def columns():
    listed = [line.split(": ")[0] for line in sluice("gi", "--columns").stdout.splitlines()]
    done = sluice("gi", saved(pcap(frames_of_some())), "--csv", "-")
    same(next(csv.reader(io.StringIO(done.stdout))), listed, "columns")
    same(list(read(pcap(frames_of_some()))["flows"][0]), listed, "keys of JSON")


main()
