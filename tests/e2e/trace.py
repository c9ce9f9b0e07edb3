#!/usr/bin/python3
"""`sluice ctl trace` in real time, over taps with Linux's sockets: what it says of each packet is what the
sockets sent and got of it, down and up. All of an N-PDU's time is explained: it passes only while something
holds the N-PDU."""

import json
import signal
import struct
import time

import network
import pcap
import real
from checksums import checksum
from harness import WAIT_S, case, check_sound, main, right, same
from instance import Instance, client
from network import GTPU_PORT

# The MSs of 32 kbit/s, with a bucket of two LLC PDUs, under CoDel: of seven N-PDUs of 1400 octets that come
# at once the third or fourth has waited for too long. What is ECN-capable is marked, what is not is dropped.
MS = 'imsi = "001010000000000", count = 2, tlli = 0xC0000000,'
RATE, BUCKET, N201_U = 32000, 1060, 500
CLASS = """
class {
    name = "background", lifetime = "100 s",
    aqm { name = "codel", target = "1 ms", interval = "10 ms", ecn = true },
}
"""
OCTETS = 1400
CE, ECT, NOT_ECT = 3, 2, 0
IMSI = real.FOUR.imsi
REPORT = "/sluice/trace"


def world(*sets):
    config = real.CONFIG.replace(
        MS, MS + f'rate = "{RATE} bit/s", bucket = "{BUCKET} octets", n201_u = "{N201_U} octets",'
    ).replace('gb { device', 'gb { ms_delay = "0 s", device') + CLASS
    return real.World(network.tap, *sets, config=config)


def traced():
    return json.loads(client("ctl", "trace", "--json"))


def with_ecn(packet, ecn):
    header = packet[:1] + bytes([ecn]) + packet[2:10] + b"\0\0" + packet[12:20]
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + packet[20:]


def stages(packet, name):
    return [stage for stage in packet["stages"] if stage["stage"] == name]


def only(packet, name):
    found = stages(packet, name)
    same(len(found), 1, f"stages '{name}' of {json.dumps(packet)}")
    return found[0]


def explained(packet):
    """Its stages are in order, and time passes in a hold alone; up, behind a segment: the next one, or the
    port, is waited for."""
    for before, stage in zip(packet["stages"], packet["stages"][1:]):
        same(stage["since_ns"], stage["time_ns"] - before["time_ns"], "the time since the stage before")
        right(stage["since_ns"] == 0 or before["stage"] == ("held" if packet["way"] == "down" else "sndcp"),
              f"{stage['since_ns']} ns are not explained before {stage} in {json.dumps(packet)}")


def is_what_came(packet, npdu):
    """The segments that it tells of are those that Linux got."""
    told = [(one["segment"], one["offset"], one["octets"], one["nu"], one["sapi"], one["npdu_number"],
             one["lifetime_ms"] // 10) for one in stages(packet, "segment")]
    offsets = [sum(len(pdu.data) for pdu in npdu.pdus[:i]) for i in range(len(npdu.pdus))]
    same(told, [(pdu.segment, offset, len(pdu.data), pdu.nu, pdu.sapi, pdu.npdu, pdu.lifetime_cs)
                for pdu, offset in zip(npdu.pdus, offsets)], "segments")
    same([one["last"] for one in stages(packet, "segment")], [not pdu.more for pdu in npdu.pdus], "the last")
    same(only(packet, "sent")["octets"], len(npdu.octets), "octets of it")


@case("down: each N-PDU as Linux sent it and got it, held by its MS's bucket, marked or dropped by the AQM")
def down():
    run = world()
    ms = real.FOUR
    run.host.ping(network.GN4, 100)  # so that each knows the other's address
    run.host.ping(network.GB4, 100)
    packets = [with_ecn(run.packet(ms, OCTETS), NOT_ECT if i % 2 else ECT) for i in range(10)]
    right("next 10 packets" in client("ctl", "trace", "on", "--ms", IMSI, "--packets", "10"), "trace on")
    run.program.process.send_signal(signal.SIGSTOP)  # so that it finds them all at once
    for packet in packets:
        run.ggsn(ms).sendto(real.g_pdu(run.teid(ms), packet), (ms.gn, GTPU_PORT))
    run.program.process.send_signal(signal.SIGCONT)
    pdus, deadline = [], time.monotonic() + 2 * WAIT_S
    while (seen := traced())["on"]:  # until the last of them has ended, by itself
        right(time.monotonic() < deadline, f"the trace does not end: {json.dumps(seen)}")
        if len(stages_of_all(seen, "sent")) > len(pcap.npdus_of(pdus)):
            pdus += next_npdu(run, ms, len(pdus))
    pdus += [pdu for _ in range(len(stages_of_all(seen, "sent")) - len(pcap.npdus_of(pdus)))
             for pdu in next_npdu(run, ms, len(pdus))]
    arrived = pcap.npdus_of(pdus)
    same((seen["wanted"], seen["packets"], seen["going"], seen["lost"]), (10, 10, 0, 0), "the whole")
    same([one["packet"] for one in seen["traced"]], list(range(1, 11)), "numbers")
    came = iter(arrived)
    for packet, one in zip(packets, seen["traced"]):
        explained(one)
        first = only(one, "received")
        same((first["imsi"], first["nsei"], first["bvci"], first["class"], first["slot"], first["nsapi"],
              first["teid"], first["octets"], first["ect"], one["way"]),
             (IMSI, 1, ms.bvci, "background", 0, 5, run.teid(ms), OCTETS, packet[1] != NOT_ECT, "down"),
             "what came")
        same((only(one, "enqueue")["aqm"], only(one, "enqueue")["verdict"]), ("codel", "not asked"),
             "CoDel at enqueue")
        verdict = only(one, "dequeue")["verdict"]
        if one["ended"] == "dropped":
            same((verdict, only(one, "dropped")["reason"], packet[1]), ("drop", "aqm_out", NOT_ECT), "a drop")
            continue
        npdu = next(came)
        is_what_came(one, npdu)
        same(verdict, "mark" if npdu.octets[1] == CE else "pass", "CoDel at dequeue")
        same(npdu.octets, with_ecn(packet, CE if verdict == "mark" else packet[1]), "the N-PDU")
    same(next(came, None), None, "an N-PDU that no trace tells of")
    ends = {(one["ended"], only(one, "dequeue")["verdict"]) for one in seen["traced"]}
    same(ends, {("sent", "pass"), ("sent", "mark"), ("dropped", "drop")}, "ways to end")
    bucket(seen["traced"])
    text_says(seen)
    check_sound(run.program.finish())


def stages_of_all(seen, name):
    return [stage for packet in seen["traced"] for stage in stages(packet, name)]


def next_npdu(run, ms, before):
    """The PDUs of one N-PDU more; those of a marked one, too."""
    return [pdu._replace(number=before + i + 1) for i, pdu in enumerate(real.read_pdus(run, ms, 1))]


def bucket(packets):
    """S1: the MS's bucket passes no more than Bmax and what leaks; and its holds say so."""
    segments = [one for packet in packets for one in stages(packet, "segment")]
    octets = sum(one["llc_octets"] for one in segments)
    took_ns = segments[-1]["time_ns"] - segments[0]["time_ns"]
    right(took_ns >= (octets - BUCKET) * 8e9 / RATE, f"{octets} octets went in {took_ns} ns")
    holds = [one for packet in packets for one in stages(packet, "held") if one["by"] == "ms"]
    right(holds, "the bucket of the MS held nothing")
    for one in holds:
        same((one["rate_bit_per_s"], one["bucket_octets"]), (RATE, BUCKET), "R and Bmax")
        right(one["level_octets"] + one["octets"] >= BUCKET, f"it conforms: {one}")
    # With one MS in the cell nothing but its bucket and its queue delays it.
    same({one["by"] for packet in packets for one in stages(packet, "held")} - {"turn", "port"},
         {"ms", "queue"}, "holders")


def text_says(seen):
    text = client("ctl", "trace")
    right(f"ended: 10 of 10 packets of MS {IMSI} traced, 0 still on their way; 0 records lost" in text, text)
    for part in (f"N-PDU 1, down: MS {IMSI}, cell 1-2, background (packet flow 0)", "codel: mark",
                 "codel: drop", "by the bucket of its MS", "by N-PDUs ahead of it in its queue", "marked CE",
                 "aqm_out: the AQM dropped the N-PDU at dequeue", "the port has all of it"):
        right(part in text, f"'{part}' is not in:\n{text}")
    one = stages_of_all(seen, "sent")[0]["time_ns"]
    right(f"{one // 10**9}.{one % 10**9:09} " in text, f"{one} ns is not in:\n{text}")


@case("up: frame, FCS and segment of each, and its G-PDU; a wrong FCS and a lost segment by their reasons")
def up():
    run = world()
    ms = real.FOUR
    run.host.ping(network.GN4, 100)
    run.host.ping(network.GB4, 100)
    client("ctl", "trace", "on", "--cell", "1-2")
    good = run.packet(ms, 700)
    real.sent_up(run, ms, [good], 496)
    bad = real.llc_ui(run.nu, next(iter(real.segments(good, 9, 1000))))
    run.bss(ms).sendto(real.ul_unitdata(ms, bad[:-1] + bytes([bad[-1] ^ 1])), (ms.gb, network.NS_PORT))
    # of three segments the second is missing; the FCS of the one before was wrong, so its N(U) is free
    first, _, third = real.segments(run.packet(ms, 1200), 10, 496)
    for info in first, third:
        run.bss(ms).sendto(real.ul_unitdata(ms, real.llc_ui(run.nu, info)), (ms.gb, network.NS_PORT))
        run.nu += 1
    real.sent_up(run, ms, [good], 1500)  # then the ones before have been there
    client("ctl", "trace", "off")
    seen = traced()
    same((seen["on"], seen["packets"], seen["going"], seen["nsei"], seen["bvci"]), (0, 5, 0, 1, 2), "the whole")
    one, wrong, begun, last, again = seen["traced"]
    for packet in seen["traced"]:
        explained(packet)
        same((packet["way"], stages(packet, "frame")[0]["imsi"]), ("up", IMSI), "whose it is")
    same([stage["stage"] for stage in one["stages"]],
         ["frame", "llc", "sndcp", "frame", "llc", "sndcp", "sent"], "an N-PDU of two segments")
    same([(stage["segment"], stage["octets"], stage["more"], stage["nsapi"], stage["npdu_number"])
          for stage in stages(one, "sndcp")], [(0, 496, 1, 5, 0), (1, 204, 0, 5, 0)], "its segments")
    same([(stage["nu"], stage["sapi"], stage["enciphered"], stage["nsvci"], stage["llc_octets"])
          for stage in stages(one, "frame")], [(0, 3, 0, 1, 506), (1, 3, 0, 1, 213)], "its frames")
    same(only(one, "sent")["octets"], 700, "octets of it")
    same([stage["stage"] for stage in wrong["stages"]], ["frame", "dropped"], "a wrong FCS")
    same(only(wrong, "dropped")["reason"], "llc_fcs", "a wrong FCS")
    for packet in begun, last:
        same(only(packet, "dropped")["reason"], "segment_order", f"a lost segment: {json.dumps(packet)}")
    same(again["ended"], "sent", "the last")
    right("FCS is good" in (text := client("ctl", "trace")) and "segment_order: " in text, text)
    check_sound(run.program.finish())


@case("what is no MS, no cell, no number or no word of it: a word about that, and its exit status")
def words():
    view = Instance()
    on = ["ctl", "trace", "on"]
    for line, status, said in (
            (["ctl", "trace"], 1, "nothing has been traced; begin with: sluice ctl trace on"),
            (on + ["--ms", "1"], 1, "--ms 1: there is no such MS; sluice stats --mss"),
            (on + ["--cell", "7-99"], 1, "--cell 7-99: there is no such cell; sluice stats"),
            (on + ["--cell", "70000-20"], 1, "there is no such cell"),
            (on + ["--ms", "x"], 2, "--ms: found x, allowed an IMSI, 1 to 15 digits"),
            (on + ["--ms", "1" * 16], 2, "allowed an IMSI"),
            (on + ["--cell", "7"], 2, "--cell: found 7, allowed NSEI-BVCI"),
            (on + ["--packets", "0"], 2, "allowed a whole number, 1 to 256"),
            (on + ["--packets", "257"], 2, "allowed a whole number, 1 to 256"),
            (on + ["--ms", "1", "--cell", "7-20"], 2, "allowed one of them"),
            (on + ["x"], 2, "allowed on, off or nothing"),
            (["ctl", "trace", "x"], 2, "found 'x', allowed on, off or nothing"),
            (["ctl", "trace", "off", "--ms", "1"], 2, "are for: trace on"),
            (["ctl", "trace", "off", "--json"], 2, "--json is for: trace"),
            (on + ["--run", "other"], 2, "called 'other'")):
        right(said in client(*line, status=status), f"{line}: it says something else")
    right("next 16 packets" in client("ctl", "--run", "view", *on[1:]), "--run before")
    right("trace on" in client("ctl", "--help") and "trace on" in client("ctl", "help"), "the helps")
    view.finish()


@case("whatever the socket is told of a trace, there is an answer and the run goes on")
def hostile():
    view = Instance()
    for parameters in ("_on", "_on,", "_on,x", "_on,-1", "_on,0", "_on,257", "_on,99999999999999999999", "_on,1,",
                       "_on,1,ms", "_on,1,ms,", "_on,1,ms,%s%n", "_on,1,ms," + "1" * 400, "_on,1,cell",
                       "_on,1,cell,7", "_on,1,cell,7,", "_on,1,cell,7,99", "_on,1,cell,7,20,1", "_on,1,x",
                       "_records", "_records,", "_records,x", "_records,-1"):
        (answer,) = view.ask(REPORT + parameters).values()
        right("error" in answer or parameters == "_on,1,", f"{parameters}: {answer}")
    for parameters in ("_records,0", "_records,4294967295", "_off", "_off,x", "", ",x"):
        (answer,) = view.ask(REPORT + parameters).values()
        right("error" not in answer, f"{parameters}: {answer}")
    for _ in range(50):  # on over and over
        (answer,) = view.ask(REPORT + "_on,256,cell,7,20").values()
        same(answer, {"packets": 256}, "on")
    same(view.ask(REPORT)[REPORT]["wanted"], 256, "afterwards")
    check_sound(view.finish())


main()
