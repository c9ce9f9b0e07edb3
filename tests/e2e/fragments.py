#!/usr/bin/python3
"""The lab with packets larger than both MTUs, in fragments on Gn and on Gb, over IPv4 and IPv6, with
two workers, several NS-VCs, and DL-UNITDATA that says more than it has to. tshark joins and judges
what the captures hold."""

import collections
import functools

import pcap
import tshark_json
from harness import case, check_sound, differing, main, new_folder, right, run, same, same_rows

CONFIG = """
run { name = "fragments", duration = "10 s", workers = 2 }
gn { address = "192.0.2.1", address6 = "2001:db8::1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", address6 = "2001:db8:1::1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 3, peer = "198.51.100.3", peer_mac = "02:00:00:00:00:03", weight = 3 },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", count = 100, n201_u = "1520 octets",
            drx = 0x4201, priority = 3, ra_capability = "12d3c20400",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", pfi = 9 },
        },
    },
}
nse {
    nsei = 2, ns = "manual",
    nsvc { nsvci = 2, peer = "2001:db8:1::2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000101", count = 100, n201_u = "1520 octets", send_imsi = false,
            pdp { nsapi = 5, class = "background", address = "10.0.1.1" },
        },
    },
}
lab {
    ggsn = "GGSN", ggsn_mac = "02:00:00:00:00:04", gb_rate = "4 Mbit/s",
    traffic {
        class = "background", rate = "16 kbit/s",
        size = { "36 octets", "1444 octets", "1445 octets", "1464 octets", "1465 octets",
            "1500 octets" },
    },
}
"""
MTU = 1500
FAMILIES = "192.0.2.2", "2001:db8::2"


def config(ggsn):
    path = new_folder() / "x.lua"
    path.write_text(CONFIG.replace("GGSN", ggsn))
    return path


@functools.cache
def results(ggsn):
    return run(config(ggsn), "--pcap")


def fields(path, chosen, *names):
    """What tshark finds in the frames that a filter chooses: a list of texts for each."""
    text = tshark_json.tshark(path, "-Y", chosen, "-T", "fields",
                              *[word for name in names for word in ("-e", name)])
    return [line.split("\t") for line in text.splitlines()]


@case("GTP-U over IPv6: the same", FAMILIES[1])
@case("GTP-U over IPv4: sound, and no frame larger than the MTU", FAMILIES[0])
def sound(ggsn):
    done = results(ggsn)
    check_sound(done.summary)
    ports = done.summary["worker"]["ports"]
    right(ports["gn"]["joined_packets"] > 1000 and ports["gb"]["tx_fragmented"] > 1000,
          f"{ports['gn']['joined_packets']} joined, {ports['gb']['tx_fragmented']} in fragments")
    for name in "gn", "gb":
        frames = pcap.frames_of(done.out / f"{name}.pcap")
        same(max(len(frame.octets) for frame in frames), MTU + 14, f"the largest frame of {name}")


@case("the same, IPv6", FAMILIES[1])
@case("tshark joins all fragments and has no complaint, IPv4", FAMILIES[0])
def tshark(ggsn):
    done = results(ggsn)
    for name in "gn", "gb":
        same(tshark_json.complaints(str(done.out / f"{name}.pcap")), [], f"complaints about {name}")
    from_gb = done.summary["from_gb"]
    whole = fields(done.out / "gb.pcap", "bssgp.pdu_type == 0", "frame.number")
    same(len(whole), from_gb["frames"] - from_gb["fragments"], "DL-UNITDATA PDUs")


IPV4 = "bssgp.pdu_type == 0 && eth.type == 0x0800"
IPV6 = "bssgp.pdu_type == 0 && eth.type == 0x86dd"


def link_of(tlli):
    """Which of an NSE's 64 links an MS is on (TS 48.016 4.4.2): Knuth's multiplicative hash."""
    return int(tlli, 0) * 2654435769 % 2**32 * 64 // 2**32


@case("the NS-VCs of an NSE have its links by weight, each MS keeps to that of its link")
def weights():
    rows = fields(results(FAMILIES[0]).out / "gb.pcap", IPV4, "ip.dst", "gsm_a.rr.tlli")
    rows = [(addresses.split(",")[0], tlli) for addresses, tlli in rows]  # the outer one is first
    by_ms = collections.defaultdict(set)
    for address, tlli in rows:
        by_ms[tlli].add(address)
    same({len(addresses) for addresses in by_ms.values()}, {1}, "NS-VCs of an MS")
    links = {(link_of(tlli), address) for tlli, addresses in by_ms.items() for address in addresses}
    same(collections.Counter(address for _, address in links),
         {"198.51.100.2": 16, "198.51.100.3": 48}, "links of weights 1 and 3")


@case("DL-UNITDATA says what ms { } has it say, and no more of the others")
def options():
    path = results(FAMILIES[0]).out / "gb.pcap"
    rows = fields(path, IPV4, "e212.imsi", "gsm_a.rr.tlli", "gsm_a.gm.gmm.acc_cap_struct_len",
                  "gsm_a.gm.gmm.split_pg_cycle_code")
    same({(int(imsi) - 1010000000001, int(tlli, 0) - 0xC0000000, length, split)
          for imsi, tlli, length, split in rows},
         {(i, i, "0x16", "66") for i in range(100)}, "IMSI, TLLI, RA capability, DRX")
    without = fields(path, IPV6, "e212.imsi", "gsm_a.gm.gmm.acc_cap_struct_len")
    same({tuple(row) for row in without}, {("", "")}, "those without options")
    pfi = bytes.fromhex("288109")
    for frame in pcap.frames_of(path):
        first = frame.octets[12:14] == b"\x08\x00" and not frame.octets[20] & 0x1F \
            and not frame.octets[21]
        same(pfi in frame.octets[:120], first, f"frame {frame.number}: PFI 9 in it")


# At 1.4 s a small frame is on the line and another in the ring behind the port, which has room for
# one; all fragments of the next frame wait in the port, which has counted it. That hangs on each
# octet of the frames, so they are without the IMSI.
SLOW = """
run { name = "fragments", duration = "1400 ms" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02", tx_frames = 1 }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", count = 4, n201_u = "1520 octets", send_imsi = false,
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gb_rate = "20 kbit/s",
    traffic { class = "background", rate = "8 kbit/s", size = { "36 octets", "1500 octets" } },
}
"""


@case("a run that ends while fragments wait in the port is sound")
def fragments_wait():
    path = new_folder() / "x.lua"
    path.write_text(SLOW)
    summary = run(path).summary
    check_sound(summary)
    worker, from_gb = summary["worker"], summary["from_gb"]
    missing = worker["ports"]["gb"]["tx_packets"] - from_gb["frames"] + from_gb["fragments"]
    lines = summary["lines"]
    same((missing, lines["gb_frames_under_way"], lines["gb_frames_in_pieces"]), (3, 2, 1),
         "datagrams that have not come, frames on the line and behind the port, in the port")


@case("in VLANs: the same frames at the same times, each with its port's tag; IPv6", FAMILIES[1])
@case("in VLANs: the same frames at the same times, each with its port's tag; IPv4", FAMILIES[0])
def vlans(ggsn):
    fast = "--pcap", "--set", "lab.gb_rate=unlimited"  # for a tag takes its time on a line
    plain = run(config(ggsn), *fast)
    tagged = run(config(ggsn), *fast, "--set", "gn.vlan=100", "--set", "gb.vlan=4094")
    for summary in plain.summary, tagged.summary:
        check_sound(summary)
    for name, vlan in ("gn", 100), ("gb", 4094):
        with_tag = pcap.frames_of(tagged.out / f"{name}.pcap")
        same({frame.octets[12:16].hex() for frame in with_tag}, {f"8100{vlan:04x}"}, f"tags of {name}")
        same_rows([(frame.time_ns, frame.octets[:12] + frame.octets[16:]) for frame in with_tag],
                  [(frame.time_ns, frame.octets) for frame in pcap.frames_of(plain.out / f"{name}.pcap")],
                  f"frames of {name}")
        same(tshark_json.complaints(str(tagged.out / f"{name}.pcap")), [], f"complaints about {name}")
        same(set(map(tuple, fields(tagged.out / f"{name}.pcap", "vlan", "vlan.id"))), {(str(vlan),)}, "vlan.id")
        right(tagged.summary["worker"]["ports"][name]["tx_fragmented"] > 0 or name == "gn", "no fragments")
    same(tagged.summary["worker"]["ports"], plain.summary["worker"]["ports"], "counters of the ports")


@case("two workers: same seed, same bytes")
def one_seed():
    again = run(config(FAMILIES[0]), "--pcap")
    same(differing(results(FAMILIES[0]), again), [], "results that differ")


main()
