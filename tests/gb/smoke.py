#!/usr/bin/python3
"""The test world itself: a configuration that needs no procedures (ns = "manual") carries an N-PDU
each way; time stops where it has to; the test's own codec and oracle can tell right from wrong."""

from fractions import Fraction

import codec
import frames
import replay
from bss import Bss
from world import HEAD, MS, S, Failure, World, case, main, ms, npdu, nsvc, right, same

BSS, TLLI = "198.51.100.2", 0xC0000001
MANUAL = HEAD + f"""
nse {{
    nsei = 101, ns = "manual", {nsvc(101, BSS)},
    bvc {{ bvci = 2, rate = "8 kbit/s", bucket = "2 kB", {ms("001010000000001", TLLI)} }},
}}
"""


def manual(world):
    bss = Bss(world, 101, [(101, BSS)], {2: 8000})
    bss.nsvcs[0].blocked = False
    return bss


def sent_down(bss):
    """The N-PDUs of all DL-UNITDATAs, put together; each in order and whole."""
    parts, npdus = [], []
    for record in bss.dl:
        sapi, _, info = codec.read_llc_ui(record.pdu.sdu["llc"])
        same((sapi, info[0] & 0x2F), (3, 0x25), "SAPI and SNDCP")
        parts.append(info[4 if info[0] & 0x40 else 3:])
        if not info[0] & 0x10:
            npdus.append(b"".join(parts))
            parts = []
    same(parts, [], "segments of an unfinished N-PDU")
    return npdus


@case("one N-PDU goes down and one comes up, unchanged")
def both_ways():
    with World(MANUAL) as world:
        bss = manual(world)
        down, up = npdu("10.0.0.1", 1000), npdu("203.0.113.9", 900, source="10.0.0.1")
        world.down(world.teid(TLLI), down)
        bss.uplink(2, TLLI, up)
        world.run(10 * S)
        same(sent_down(bss), [down], "N-PDUs down")
        same([packet for _, _, packet in world.npdus_up()], [up], "N-PDUs up")
        same([teid for _, teid, _ in world.npdus_up()], [0x1000], "TEID at the GGSN")


@case("the operator's blocks and resets, which nobody would answer, are refused, and an N-PDU passes as before")
def nobody_answers():
    with World(MANUAL) as world:
        bss = manual(world)
        for words in "nsvc 101 101 block", "nsvc 101 101 unblock", "nsvc 101 101 reset", "bvc 101 2 reset", \
                "bvc 101 0 reset":
            good, text = world.ctl(words)
            right(not good and 'ns = "manual"' in text, f"{words}: {text}")
        down = npdu("10.0.0.1", 1000)
        world.down(world.teid(TLLI), down)
        world.run(10 * S)
        same(sent_down(bss), [down], "N-PDUs down")


@case("with two workers an N-PDU passes each way whatever queue its frames come to")
def two_workers():
    for first, second in (0, 1), (1, 0), (1, 1):
        with World(MANUAL, workers=2) as world:
            bss = manual(world)
            world.worker = first
            world.down(world.teid(TLLI), npdu("10.0.0.1", 100))
            world.worker = second
            bss.uplink(2, TLLI, npdu("203.0.113.9", 900, source="10.0.0.1"))
            bss.ns("ns_alive")
            world.run(S)
            same((len(sent_down(bss)), len(world.npdus_up())), (1, 1), "N-PDUs down and up")
            same(bss.times("ns_alive_ack"), [0], "NS-ALIVE-ACK")


@case("same commands, same octets at the same instants")
def repeatable():
    def played():
        with World(MANUAL) as world:
            bss = manual(world)
            teid = world.teid(TLLI)
            for number in range(50):
                world.at(number * 10 * MS, world.down, teid, npdu("10.0.0.1", 900, number))
                world.at(number * 33 * MS, bss.ns, "ns_alive")
            world.run(20 * S)
            return [(f.time_ns, f.octets) for f in world.frames], world.counts(), world.stats()
    same(played() == played(), True, "both runs alike")


@case("an NS-ALIVE is answered at its instant, and time stands where it should")
def instants():
    with World(MANUAL) as world:
        bss = manual(world)
        world.run(1234567890)
        bss.ns("ns_alive")
        bss.expect("ns_alive_ack", at=1234567890)
        world.at(2 * S, bss.ns, "ns_alive")
        bss.expect("ns_alive_ack", at=2 * S)
        same(bss.times("ns_alive_ack"), [1234567890, 2 * S], "answers")


@case("a world in which a timer of control failed fails at its end")
def faults_are_seen():
    try:
        with World(MANUAL) as world:
            world.lua("require('sluice.core.timers').after(1, function() error('on purpose') end) "
                      "return 0")
            world.run(S)
    except Failure as why:
        right("on purpose" in str(why), why)
    else:
        raise AssertionError("it did not fail")


@case("the cell's rate holds to an octet, by the exact replay of 8.2.3.2")
def rates():
    with World(MANUAL) as world:
        bss = manual(world)
        teid = world.teid(TLLI)
        for number in range(60):
            world.down(teid, npdu("10.0.0.1", 500, number))
        world.run(60 * S)
        pdus = [(r.time_ns, len(r.pdu.sdu["llc"])) for r in bss.dl]
        oracle = replay.Replay()
        oracle.cell(0, 2, 2000, 8000, 2000, 10**9)
        for t_ns, octets in pdus:
            oracle.pdu(t_ns, 2, TLLI, octets)
        same(oracle.violations, [], "violations")
        limited = [pdu for pdu in pdus if pdu[0] > 0]
        least, most = replay.deviation(limited, 8000)
        right(-600 < least <= most < 600, f"{float(least)} to {float(most)} octets from R t / 8")
        right(abs(replay.rate(limited) / 8000 - 1) < Fraction(1, 200), "rate within 0.5 %")


@case("the replay sees a PDU that is an octet too early, and none that is not")
def oracle_can_fail():
    def violations(t_ns):
        oracle = replay.Replay()
        oracle.cell(0, 2, 1000, 8000, 1000, 8000)
        for octets in 600, 400:
            oracle.pdu(0, 2, TLLI, octets)
        oracle.pdu(t_ns, 2, TLLI, 500)
        return len(oracle.violations)
    same((violations(500 * MS), violations(500 * MS - 1)), (0, 2), "violations at the bound")


@case("the replay lets a PDU beyond Bmax pass an empty bucket only")
def oracle_empty():
    oracle = replay.Replay()
    oracle.cell(0, 2, 100, 8000, 10**6, 10**9)
    oracle.pdu(0, 2, TLLI, 500)
    oracle.pdu(500 * MS, 2, TLLI, 500)
    same(oracle.violations, [], "violations")
    oracle.pdu(1000 * MS - 1, 2, TLLI, 500)
    same(len(oracle.violations), 1, "violations")


@case("every PDU of the test's codec is read as it was built")
def codec_round():
    samples = {codec.RAW: b"\1\2\3", codec.IMSI: "001010000000001", codec.FLOWS: [
        {"pfi": 8, "bmax": 10, "r": 20, "full": 30}, {"pfi": 9, "bmax": 1, "r": 2, "full": 3}]}

    def sample(field, coding):
        if coding in samples:
            return samples[coding]
        sizes = {"cell": 8, "rai": 6, "lac": 5, "qos": 3, "qos_ie": 3}
        if field in sizes:
            return bytes(range(sizes[field]))
        if field in ("ip4", "ip6"):
            return [("192.0.2.1" if field == "ip4" else "2001:db8::1", 23000, 1, 2)]
        return 1
    for name, (_, fields) in codec.ALL.items():
        values = {field: sample(field, coding) for field, _, coding, _, _ in fields}
        pdu = codec.parse_one("bssgp" if name in codec.BSSGP else "ns", codec.build(name, **values))
        same((pdu.name, pdu.fields), (name, values), name)


@case("the test's codec has no PDU with an element missing, twice, unknown or cut")
def codec_strict():
    good = codec.build("bssgp_flow_control_bvc", tag=1, bmax=100, r=80, bmax_default=50,
                       r_default=40)
    # typed from the digest's example
    same(good.hex(), "261e81010582006403820050018200321c820028", "FLOW-CONTROL-BVC")
    codec.parse_bssgp(good)
    for broken in (good[:-1], good[:-4], good + good[-4:], good + b"\x99\x80",
                   b"\x26" + good[4:] + good[1:4], b"\x99", b""):
        try:
            codec.parse_bssgp(broken)
        except frames.Broken:
            continue
        raise AssertionError(f"{broken.hex()} was read")


@case("what this network answers to ARP and neighbour solicitation")
def neighbours():
    asked = bytes.fromhex("ffffffffffff02534c000002" "0806" "0001080006040001" "02534c000002"
                          "c6336401" "000000000000" "c6336402")
    reply = frames.answer_arp(asked)
    same(reply[:42].hex(), "02534c000002" "0257c6336402" "0806" "0001080006040002"
         "0257c6336402" "c6336402" "02534c000002" "c6336401", "ARP reply")
    same(frames.answer_arp(reply), None, "an answer to a reply")
    ours, theirs = "20010db8000100000000000000000001", "20010db8000100000000000000000002"
    asked = bytes.fromhex("3333ff000002" "02534c000002" "86dd" "6000000000203aff" + ours
                          + "ff0200000000000000000001ff000002" "8700" "cfd0" "00000000" + theirs
                          + "0101" "02534c000002")
    reply = frames.answer_solicitation(asked)
    same(reply.hex(), "02534c000002" "025700000002" "86dd" "6000000000203aff" + theirs + ours
         + "8800" "8a17" "60000000" + theirs + "0201" "025700000002", "neighbour advertisement")
    same(frames.answer_solicitation(reply), None, "an answer to an advertisement")


main()
