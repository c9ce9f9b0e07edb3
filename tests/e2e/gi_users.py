#!/usr/bin/python3
"""sluice gi --users teid: in a capture at Gn a user is a pair of tunnels. Users with one address in two
networks stay apart, with their ports, hosts and times the same; a user stays one when a tunnel changes."""

import random

from gi_capture import HOST, RST, USER, Talk, gtp, pcap, udp
from gi_report import figures, has, read, saved
from harness import blocks_of, case, main, right, same, sluice

TEID = ("--users", "teid")
WHERE = ("teid_up", "teid_down", "begin_s", "hour")


def in_tunnels(talk, up, down):
    """The talk's frames, in the user's two tunnels."""
    packed = bytes(int(part) for part in talk.ends[0][0].split("."))
    return [(time, gtp(packet, up, down=False) if packet[12:16] == packed else gtp(packet, down)) for time, packet in talk.frames]


def in_order(*rows):
    return sorted((frame for row in rows for frame in row), key=lambda frame: frame[0])


def download(begin, losses=(), gprs=0.5, own=1000, other=5000, segments=12, **more):
    """A set-up and segments one by one; some are sent again 3 s later."""
    talk = Talk(own=own, other=other, **more).setup(begin, 0.1, gprs)
    at = begin + 1
    for i in range(segments):
        talk.data(at, 1 + 1000 * i)
        if i in losses:
            at += 3
            talk.data(at, 1 + 1000 * i)
        at += gprs
        talk.ack(at, 1001 + 1000 * i)
    return talk


def without_place(report):
    return sorted(([(k, v) for k, v in flow.items() if k not in WHERE] for flow in report["flows"]), key=str)


@case("two users of one address, their ports and hosts the same, at one time: each flow as it is alone")
def apart():
    one, other = download(1, (3,)), download(1.05, (2, 5, 7), 0.7, own=700000, other=90000000)
    alone = [read(pcap(in_tunnels(one, 11, 21)), options=TEID), read(pcap(in_tunnels(other, 12, 22)), options=TEID)]
    both = read(pcap(in_order(in_tunnels(one, 11, 21), in_tunnels(other, 12, 22))), options=TEID)
    same(without_place(both), sorted((without_place(a)[0] for a in alone), key=str), "flows")
    same(sorted((flow["teid_up"], flow["teid_down"], flow["down_lost_gprs"]) for flow in both["flows"]), [(11, 21, 1), (12, 22, 3)], "tunnels")
    same(both["counts"]["tunnel_changes"], 0, "tunnel_changes")
    mixed = read(pcap(in_order(in_tunnels(one, 11, 21), in_tunnels(other, 12, 22))))
    right(mixed["counts"]["tunnel_changes"] > 5, f"by address, users are mixed, and that is said: {mixed['counts']}")


@case("a hundred users of three addresses, in any order: as each is alone")
def many():
    random_ = random.Random(7)
    talks = []
    for i in range(100):
        talk = download(random_.uniform(0, 20), random_.sample(range(12), random_.randrange(4)), random_.uniform(0.3, 0.9),
                        random_.getrandbits(32), random_.getrandbits(32), user=(f"10.0.0.{i % 3 + 1}", 40000 + i % 5))
        talks.append(in_tunnels(talk, 1000 + i, 2000 + i))
    both = read(pcap(in_order(*talks)), options=TEID)
    alone = [without_place(read(pcap(talk), options=TEID))[0] for talk in talks[:20]]
    found = without_place(both)
    same(len(found), 100, "flows")
    same([flow for flow in alone if flow not in found], [], "flows that are not as they are alone")
    same([flow for flow in both["flows"] if flow["teid_up"] + 1000 != flow["teid_down"]], [], "tunnels of two users in one flow")


@case("background and throughput are of the user alone, not of its namesake")
def background():
    noise = [(t / 10, gtp(udp((HOST, 53), (USER, 53), bytes(400)), 22)) for t in range(80, 400)]
    namesake = in_tunnels(download(2, own=9, other=9), 12, 22)
    own = in_tunnels(download(30), 11, 21)
    flow = next(flow for flow in read(pcap(in_order(noise, namesake, own)), options=TEID)["flows"] if flow["teid_up"] == 11)
    has(flow, background=False, alone=True, share=1)
    flow = [flow for flow in read(pcap(in_order(noise, namesake, own)))["flows"] if flow["begin_s"] == 30][0]
    has(flow, background=True, alone=False)
    own_noise = [(t / 10, gtp(udp((HOST, 53), (USER, 53), bytes(400)), 21)) for t in range(320, 360)]
    first = in_tunnels(download(2), 11, 21)
    second = in_tunnels(download(34, own=5, other=7, user=(USER, 40001)), 11, 21)
    flow = [flow for flow in read(pcap(in_order(own_noise, first, second)), options=TEID)["flows"] if flow["user_port"] == 40001][0]
    has(flow, background=True, alone=False)


@case("a tunnel changes in the middle of a flow: one flow, one user, and a note; either way, and both")
def moved():
    whole = in_tunnels(download(1, (3,)), 11, 21)
    wanted = without_place(read(pcap(whole), options=TEID))
    later = in_tunnels(download(1, (3,)), 12, 22)
    later_up = in_tunnels(download(1, (3,)), 12, 21)
    for other, changes in ((later, 1), (later_up, 0)):
        report = read(pcap(whole[:14] + other[14:]), options=TEID)
        same((without_place(report), report["counts"]["tunnel_changes"]), (wanted, changes), "flows, changes")


@case("a capture that begins in the middle: the two tunnels of a flow are found to be of one user")
def middle():
    frames = in_tunnels(download(1, (8,)), 11, 21)
    for begin in range(3, 8):
        report = read(pcap(frames[begin:]), options=TEID)
        has(report["flows"][0], outcome="no-syn", teid_up=11, teid_down=21, down_lost_gprs=1)
        same(len(report["flows"]), 1, "flows")


@case("a TEID is given to another address: another user; tunnels of two SGSNs may have one number")
def given_again():
    first = in_tunnels(download(1), 11, 21)
    second = in_tunnels(download(60, own=3, other=4, user=("10.0.0.9", 40000)), 11, 21)
    report = read(pcap(first + second), options=TEID)
    same(sorted((flow["user"], flow["outcome"], flow["down_packets"]) for flow in report["flows"]),
         [(USER, "optimal", 13), ("10.0.0.9", "optimal", 13)], "flows")
    same([flow["alone"] for flow in report["flows"]], [True, True], "alone")
    # Two networks whose nodes give the same numbers.
    one, other = download(1, (3,)), download(1.05, (2, 5), own=700000, other=90000000)
    elsewhere = [(time, packet[:10] + bytes(2) + packet[12:16] + bytes((198, 18, 0, packet[19])) + packet[20:])
                 for time, packet in in_tunnels(other, 11, 21)]
    report = read(pcap(in_order(in_tunnels(one, 11, 21), elsewhere)), options=TEID)
    same(sorted((flow["outcome"], flow["down_lost_gprs"]) for flow in report["flows"]), [("optimal", 1), ("optimal", 2)], "two networks")
    # The tunnel up of one has the number of the tunnel down of the other; their ends are others.
    crossed = in_order(in_tunnels(download(1), 5, 6), in_tunnels(download(1.01, own=77, other=78), 6, 5))
    same([flow["outcome"] for flow in read(pcap(crossed), options=TEID)["flows"]], ["optimal", "optimal"], "crossed numbers")


@case("IPv6: a user has more than one address of its prefix in one tunnel")
def prefix():
    addresses = [(f"2001:db8:0:7::{i}", 40000) for i in (1, 2)]
    host = ("2001:db8:ffff::9", 80)
    talk = Talk(user=addresses[0], host=host).setup(1)
    frames = [(time, gtp(packet, 11, down=False) if packet[8:24].endswith(b"\1") else gtp(packet, 21)) for time, packet in talk.frames]
    names = [(5 + i / 10, gtp(udp(addresses[i % 2], host, bytes(9)), 11, down=False)) for i in range(10)]
    report = read(pcap(frames + names), options=TEID)
    same((report["counts"]["tunnel_unknown"], report["counts"]["other_protocols"]), (0, 10), "unknown, others")
    foreign = [(7, gtp(udp(("2001:db8:0:8::1", 1), host, bytes(9)), 11, down=False))]
    same(read(pcap(frames + foreign), options=TEID)["counts"]["tunnel_unknown"], 1, "of another prefix")


def set_ups(n, apart_s):
    """Each of another user in tunnels of its own, which it resets."""
    frames = []
    for i in range(n):
        talk = Talk(user=(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}", 9)).setup(i * apart_s, 0.0001, 0.0001)
        frames.append(in_tunnels(talk.add(i * apart_s + 0.001, "up", RST, 1), 10000 + i, 100000 + i))
    return in_order(*frames)


@case("memory: tunnels that are silent are forgotten, and no more are kept than --flows allows")
def memory():
    few, more = (read(pcap(set_ups(n, 1)), options=(*TEID, "--idle", "20"))["memory"] for n in (600, 1800))
    same(few, more, "memory")
    late = (9000, udp((USER, 1), (HOST, 1), b""))
    few, more = (read(pcap([late, *set_ups(n, 1)]), options=(*TEID, "--idle", "20"))["memory"] for n in (600, 1800))
    same(few, more, "memory behind a step of the clock")
    few, more = (read(pcap(set_ups(n, 0.002)), options=(*TEID, "--flows", "50"))["memory"] for n in (600, 4000))
    same(few["octets_most"], more["octets_most"], "memory with --flows")


@case("64 users of one address have flows between the same ends: each as it is alone; of more the one ends that was silent longest")
def alike():
    talks = [in_tunnels(download(1 + i / 100, (i % 5,), own=i * 10**7, other=i * 10**7), 1000 + i, 2000 + i) for i in range(65)]
    report = read(pcap(in_order(*talks[:64])), options=TEID)
    same((len(report["flows"]), report["counts"]["flows_alike"]), (64, 0), "64 users")
    same({(flow["outcome"], flow["down_lost_gprs"]) for flow in report["flows"]}, {("optimal", 1)}, "their flows")
    report = read(pcap(in_order(*talks[:64], [(30 + time, packet) for time, packet in talks[64]])), options=TEID)
    early = report["flows"][0]
    same((early["teid_up"], len(report["flows"]), report["counts"]["flows_alike"]), (1000, 65, 1), "65 users")


def one_each(n):
    """SYNs between the same ends, each in a tunnel of its own."""
    return [(i / 1000, gtp(packet, 1 + i, down=False)) for i in range(n) for _, packet in Talk(own=i * 3000000).setup().frames[:1]]


@case("tunnels without end between the same two ends: four times as many are four times the work, not sixteen times")
def hostile():
    few, more = (blocks_of("gi", saved(pcap(one_each(n))), *TEID) for n in (10000, 40000))
    right(more < 5 * few, f"{few} blocks, {more}")


@case("a user whose packet makes room for another address keeps its own packets: it has background")
def held():
    noise = udp((USER, 5000), (HOST, 53), b"")
    others = [(2 + i / 1000, udp((f"10.0.1.{i}", 5000), (HOST, 53), b"")) for i in range(33)]
    frames = [(0, noise), *others, (3.5, udp((USER, 5000), ("192.0.2.77", 53), b"")), *Talk().setup(4.5).frames]
    report = read(pcap(frames), options=("--flows", "1"))
    has(report["flows"][0], background=True)
    right(report["counts"]["users_early"] > 0, "no room was made")


@case("a user and a namesake that comes 1024 users later, which is in its chain of the table, stay apart")
def chained():
    talk = Talk(user=("10.0.9.9", 40000), own=5, other=6).setup(-1)
    for i in range(30):
        talk.data(40 * i, 1 + 1000 * i).ack(40 * i + 1, 1001 + 1000 * i)
    long = [(time + 1, packet) for time, packet in in_tunnels(talk, 11, 21)]
    others = [(time + 2, packet) for time, packet in set_ups(1023, 1)]
    late = in_tunnels(download(1122, user=("10.0.9.9", 40001), own=7, other=8), 12, 22)
    flows = read(pcap(in_order(long, others, late)), options=TEID)["flows"]
    has(next(flow for flow in flows if flow["teid_up"] == 12), background=False, alone=True)


@case("packets without a tunnel are users by their address; --users address is the default; others are refused")
def default():
    frames = download(1, (3,)).frames
    same(figures(read(pcap(frames), options=TEID)), figures(read(pcap(frames))), "flows without tunnels")
    same(figures(read(pcap(frames), options=("--users", "address"))), figures(read(pcap(frames))), "--users address")
    for options in (("--users", "imsi"), ("--users", "")):
        same(sluice("gi", saved(pcap(frames)), *options).returncode, 2, f"exit status of {options}")


main()
