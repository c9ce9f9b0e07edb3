#!/usr/bin/python3
"""ECN from end to end: a cell of 40 kbit/s is offered 64 by packets that say ECT(0), and 64 by
packets that do not, each in a class of its own with COBALT. The first are marked and the second
dropped (RFC 3168); a mark is a CE in the inner header, with a right checksum and nothing else
changed. tshark sees as many."""

import collections
import functools

import pcap
import tshark_json
from harness import case, check_sound, main, new_folder, right, run, same

CONFIG = """
run { name = "ecn", duration = "60 s", seed = 5 }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }
queue { ms_packets = 20000, ms_octets = "20000 kB", packets = 20000, octets = "20000 kB",
    cell_packets = 20000, cell_octets = "20000 kB" }
class { name = "streaming", weight = 10, lifetime = "unlimited",
    aqm { name = "cobalt", rtt = "500 ms", overfull = 0, ecn = true } }
class { name = "background", weight = 10, lifetime = "unlimited",
    aqm { name = "cobalt", rtt = "500 ms", overfull = 0, ecn = true } }
nse { nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" },
    bvc { bvci = 2, rate = "40 kbit/s", bucket = "4 kB",
        ms { imsi = "262420000000001", tlli = 0xC0000001, n201_u = "1520 octets",
            pdp { nsapi = 5, sapi = 3, class = "streaming", address = "10.0.0.1" } },
        ms { imsi = "262420000000002", tlli = 0xC0000002, n201_u = "1520 octets",
            pdp { nsapi = 5, sapi = 3, class = "background", address = "10.0.1.1" } },
    },
}
lab { ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "streaming", rate = "32 kbit/s", size = "500 octets", ecn = true },
    traffic { class = "background", rate = "32 kbit/s", size = "500 octets" },
}
"""

MARKED, PLAIN = "10.0.0.1", "10.0.1.1"
ECT_0, CE = 2, 3

Found = collections.namedtuple("Found", "done entered left")


@functools.cache
def found():
    path = new_folder() / "ecn.lua"
    path.write_text(CONFIG)
    done = run(path, "--pcap")
    check_sound(done.summary)
    entered = {(p.dst, p.ip_id): p.octets
               for p in map(pcap.gn_packet, pcap.frames_of(done.out / "gn.pcap"))}
    pdus = [pcap.gb_pdu(frame) for frame in pcap.frames_of(done.out / "gb.pcap")]
    return Found(done, entered, pcap.npdus_of(pdus))


def ecn_of(octets):
    return octets[1] & 3


def of_class(name):
    return found().done.summary["classes"][name]


def aqm_drops(name):
    return of_class(name)["drops"].get("aqm_out", {"packets": 0})["packets"]


@case("marks are CE on packets that said ECT, as many as the summary counts")
def marked():
    ce = [npdu for npdu in found().left if ecn_of(npdu.octets) == CE]
    right(len(ce) >= 20, f"{len(ce)} packets with CE, at least 20 were to be expected")
    same({npdu.dst for npdu in ce}, {MARKED}, "destinations of packets with CE")
    same(of_class("streaming")["marks"], len(ce), "marks of the class in the summary")
    same(of_class("background")["marks"], 0, "marks of the class that does not say ECT")


@case("a packet that cannot be marked is dropped, one that can is not")
def dropped():
    same(aqm_drops("streaming"), 0, "AQM drops of the class that says ECT")
    right(aqm_drops("background") >= 20, f"{aqm_drops('background')} AQM drops, wanted 20 or more")


@case("a mark changes the two bits and the checksum, which is right, and nothing else")
def only_the_mark():
    for npdu in found().left:
        was, now = found().entered[npdu.dst, npdu.ip_id], npdu.octets
        same(pcap.ones_complement_sum(now[:20]), 0xFFFF, "sum of the inner header")
        if ecn_of(now) != CE:
            same(now, was, "a packet that was not marked")
            continue
        same(ecn_of(was), ECT_0, "ECN of a marked packet as it came")
        same(now[:1] + now[2:10] + now[12:], was[:1] + was[2:10] + was[12:], "the rest of it")
        same(now[1] & 0xFC, was[1] & 0xFC, "its DSCP")


@case("tshark finds as many packets with CE, and no fault")
def tshark():
    gb = str(found().done.out / "gb.pcap")
    same(tshark_json.complaints(gb), [], "tshark's complaints")
    seen = [frame["inner"] for frame in tshark_json.gb_frames(gb) if frame["inner"]]
    same(sum(packet["ecn"] == CE for packet in seen), of_class("streaming")["marks"],
         "packets with CE")


main()
