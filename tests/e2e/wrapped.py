#!/usr/bin/python3
"""What captures are wrapped in: links, tunnels, one in another. sluice gi finds the same flow in each as in the
plain packets, sluice audit the same findings in Gb over a line of Frame Relay and over GRE; a wrapping that is not
read is counted by its name and is nobody's traffic. The wrappings are written from their formats alone, and tshark
agrees that they are what they are called."""

import ipaddress
import json
import struct
import subprocess

import audit_capture as gb
from gi_capture import ETHERNET, HOST, RAW, SLL, USER, gtp, ip, pcap, tagged, udp
from gi_report import FATES, figures, frames_of_some
from harness import case, main, new_folder, right, same, sluice

PPP, PPP_SERIAL, HDLC, PPPOE, RELAY, RELAY_DIR, WLAN, RADIOTAP, MPLS, ATM = 9, 50, 104, 51, 107, 206, 105, 127, 219, 100
OUTER = ("192.0.2.1", "192.0.2.2")
SIX = ("2001:db8::1", "2001:db8::2")


def kind(packet):
    return 0x86DD if packet[0] >> 4 == 6 else 0x0800


def ether(packet, type_=None):
    return bytes.fromhex("020000000001020000000002") + struct.pack(">H", type_ or kind(packet)) + packet


def snap(packet):
    return b"\xaa\xaa\3\0\0\0" + struct.pack(">H", kind(packet)) + packet


def llc(packet):
    body = snap(packet)
    return ether(body, len(body) if len(body) <= 1500 else 1500)


def wlan(payload, control=b"\x08\x02", more=b""):
    """A data frame from an access point."""
    return control + bytes(22) + more + payload


def radiotap(frame, fields=b"", present=0):
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), present) + fields + frame


def ppp(packet, head=b"\xff\3"):
    return head + (b"\0\x57" if packet[0] >> 4 == 6 else b"\0\x21") + packet


def pppoe(packet):
    body = ppp(packet, b"")
    return struct.pack(">BBHH", 0x11, 0, 7, len(body)) + body


def mpls(payload, *labels):
    return b"".join(struct.pack(">I", label << 12 | (i + 1 == len(labels)) << 8 | 64)
                    for i, label in enumerate(labels)) + payload


def relay(packet, dlci=300):
    return bytes([dlci >> 4 << 2, (dlci & 15) << 4 | 1]) + packet


def gre(payload, protocol, flags=0, more=b""):
    return ip(*OUTER, 47, struct.pack(">HH", flags, protocol) + more + payload)


def vxlan(frame, port=4789):
    return udp((OUTER[0], 50000), (OUTER[1], port), b"\x08\0\0\0\0\0\x05\0" + frame)


def geneve(frame, options=b""):
    return udp((OUTER[0], 50000), (OUTER[1], 6081),
               struct.pack(">BBHI", len(options) // 4, 0, 0x6558, 5 << 8) + options + frame)


def gtp_0(packet):
    head = struct.pack(">BBHHH", 0x1E, 255, len(packet), 1, 77) + b"\xff\xff\xff\xff" + b"\x62\x42\x02\x10\0\0\0\x50"
    return udp((OUTER[0], 3386), (OUTER[1], 3386), head + packet)


# Name: (link, frame of a packet, the counts of the footer that it has).
WRAPPINGS = {
    "LLC and SNAP": (ETHERNET, llc, {"in_llc"}),
    "VLAN and LLC": (ETHERNET, lambda p: tagged(p, 0x8100)[:16] + struct.pack(">H", len(snap(p))) + snap(p), {"in_llc"}),
    "LLC in SLL": (SLL, lambda p: bytes(14) + b"\0\4" + snap(p), {"in_llc"}),
    "ATM": (ATM, snap, set()),
    "PPP": (PPP, ppp, set()),
    "PPP, short": (PPP, lambda p: b"\x21" + p, set()),
    "PPP on a serial line": (PPP_SERIAL, ppp, {"in_ppp"}),
    "Cisco's HDLC": (HDLC, lambda p: b"\x0f\0" + struct.pack(">H", kind(p)) + p, {"in_hdlc"}),
    "Cisco's on PPP's link": (PPP_SERIAL, lambda p: b"\x8f\0" + struct.pack(">H", kind(p)) + p, {"in_hdlc"}),
    "PPPoE alone": (PPPOE, pppoe, {"in_pppoe"}),
    "PPPoE": (ETHERNET, lambda p: ether(pppoe(p), 0x8864), {"in_pppoe"}),
    "PPPoE in two VLANs": (ETHERNET, lambda p: tagged(p, 0x88A8, 0x8100)[:20] + b"\x88\x64" + pppoe(p), {"in_pppoe"}),
    "Frame Relay, NLPID": (RELAY, lambda p: relay(b"\3\xcc" + p), {"in_frame_relay"}),
    "Frame Relay, SNAP": (RELAY, lambda p: relay(b"\3\0\x80\0\0\0\x08\0" + p), {"in_frame_relay"}),
    "Frame Relay, Cisco's": (RELAY, lambda p: relay(b"\x08\0" + p), {"in_frame_relay"}),
    "MPLS": (ETHERNET, lambda p: ether(mpls(p, 17, 18, 19), 0x8847), {"in_mpls"}),
    "MPLS, no link": (MPLS, lambda p: mpls(p, 17), {"in_mpls"}),
    "Ethernet in MPLS": (ETHERNET, lambda p: ether(mpls(bytes(4) + ether(p), 17), 0x8847), {"in_mpls"}),
    "802.11": (WLAN, lambda p: wlan(snap(p)), {"in_wlan"}),
    "802.11, QoS": (WLAN, lambda p: wlan(snap(p), b"\x88\x02", bytes(2)), {"in_wlan"}),
    "802.11, four addresses": (WLAN, lambda p: wlan(snap(p), b"\x88\x03", bytes(8)), {"in_wlan"}),
    "radiotap": (RADIOTAP, lambda p: radiotap(wlan(snap(p))), {"in_wlan"}),
    "radiotap, padded": (RADIOTAP, lambda p: radiotap(wlan(bytes(2) + snap(p), b"\x88\x02", bytes(2)),
                                                      bytes(8) + b"\x20", 3), {"in_wlan"}),
    "radiotap, more words": (RADIOTAP, lambda p: radiotap(wlan(bytes(2) + snap(p), b"\x88\x02", bytes(2)), struct.pack("<I", 0)
                                                          + bytes(4) + bytes(8) + b"\x20", 0x80000003), {"in_wlan"}),
    "GRE": (RAW, lambda p: gre(p, kind(p)), {"in_gre"}),
    "GRE with sum, key and number": (RAW, lambda p: gre(p, kind(p), 0xB000, bytes(12)), {"in_gre"}),
    "PPTP": (RAW, lambda p: gre(ppp(p), 0x880B, 0x3081, struct.pack(">HHII", len(p) + 4, 9, 1, 2)), {"in_gre"}),
    "Ethernet in GRE": (RAW, lambda p: gre(ether(p), 0x6558), {"in_gre"}),
    "MPLS in GRE": (RAW, lambda p: gre(mpls(p, 17), 0x8847), {"in_gre", "in_mpls"}),
    "ERSPAN I": (RAW, lambda p: gre(ether(p), 0x88BE), {"in_gre", "in_erspan"}),
    "ERSPAN II": (RAW, lambda p: gre(bytes.fromhex("1001000000000000") + ether(p), 0x88BE, 0x1000, bytes(4)),
                  {"in_gre", "in_erspan"}),
    "ERSPAN III": (RAW, lambda p: gre(bytes.fromhex("200100000000000000000000") + ether(p), 0x22EB, 0x1000, bytes(4)),
                   {"in_gre", "in_erspan"}),
    "IP in IP": (RAW, lambda p: ip(*OUTER, 4, p), {"in_ip"}),
    "IPv4 in IPv6": (RAW, lambda p: ip(*SIX, 4, p), {"in_ip"}),
    "EtherIP": (RAW, lambda p: ip(*OUTER, 97, b"\x30\0" + ether(p)), set()),
    "MPLS in IP": (RAW, lambda p: ip(*OUTER, 137, mpls(p, 17)), {"in_mpls"}),
    "VXLAN": (RAW, lambda p: vxlan(ether(p)), {"in_vxlan"}),
    "VXLAN, old port": (RAW, lambda p: vxlan(ether(p), 8472), {"in_vxlan"}),
    "Geneve": (RAW, lambda p: geneve(ether(p), bytes.fromhex("0102000100000000")), {"in_geneve"}),
    "all at once": (ETHERNET, lambda p: ether(mpls(gre(vxlan(ether(ip(*OUTER, 4, p))), 0x0800, 0x2000, bytes(4)), 17),
                                              0x8847), {"in_mpls", "in_gre", "in_vxlan", "in_ip"}),
    "GTP in GRE": (RAW, lambda p: gre(gtp(p, 9), 0x0800), {"in_gre"}),
    "GTP version 0": (RAW, gtp_0, set()),
}
# What tshark does not know, or not by itself: a link type, a port.
NOT_TSHARKS = {"VXLAN, old port", "MPLS, no link"}
# What labels stand for is agreed by those who give them: tshark has to be told.
TOLD = {"Ethernet in MPLS": ("-d", "mpls.label==17,pwethcw")}


def written(link, packets):
    path = new_folder() / "x.pcap"
    path.write_bytes(pcap(packets, link, raw=True))
    return path


def report_of(link, packets):
    path = written(link, packets)
    done = sluice("gi", path, "--json", path.with_suffix(".json"))
    return json.loads(path.with_suffix(".json").read_text()), done


def wrappings_of(report):
    return {name: n for name, n in report["packets"].items() if n and name.startswith(("in_", "unread_"))}


@case("the same flow in each wrapping, by its name and by tshark")
def each():
    plain = frames_of_some()
    wanted = figures(report_of(RAW, plain)[0])
    right(len(wanted) == 1 and wanted[0]["down_octets"], f"plain: {wanted}")
    for name, (link, wrap, counts) in WRAPPINGS.items():
        wrapped = [(time_s, wrap(packet)) for time_s, packet in plain]
        report, done = report_of(link, wrapped)
        same((done.returncode, done.stderr), (0, ""), name)
        same(figures(report), wanted, name)
        same(wrappings_of(report), {count: len(plain) for count in counts}, f"{name}: counted")
        if name in NOT_TSHARKS:
            continue
        shown = subprocess.run(["tshark", "-n", *TOLD.get(name, ()), "-r", written(link, wrapped), "-T", "fields", "-e", "ip.dst",
                                "-e", "tcp.seq_raw"], capture_output=True, text=True, check=True).stdout.splitlines()
        same([(line.split("\t")[0].split(",")[-1], line.split("\t")[1]) for line in shown],
             [(str(ipaddress.ip_address(packet[16:20])), str(struct.unpack_from(">I", packet, 24)[0])) for _, packet in plain],
             f"{name}: by tshark")


@case("cut at each octet, wrapped frames have one fate each, and never more than the plain ones")
def cut():
    time_s, packet = frames_of_some()[3]
    for name, (link, wrap, _) in WRAPPINGS.items():
        frame = wrap(packet)
        path = new_folder() / "x.pcap"
        octets = bytearray(pcap([], link, raw=True))
        for n in range(len(frame) + 1):
            octets += struct.pack("<IIII", n, 0, n, len(frame)) + frame[:n]
        path.write_bytes(octets)
        sluice("gi", path, "--json", path.with_suffix(".json"))
        counts = json.loads(path.with_suffix(".json").read_text())["counts"]
        fates = {fate: counts[fate] for fate in FATES if counts[fate]}
        same(sum(fates.values()), len(frame) + 1, f"{name}: {fates}")
        right(fates.get("cut", 0) >= len(frame) - len(packet) + 20, f"{name}: {fates}")
        same(set(fates) - {"cut", "segments", "odd", "link_other", "other_protocols", "copies", "tcp_checksum"}, set(), name)



def deep(packet):
    for _ in range(40):
        packet = ip(*OUTER, 4, packet)
    return packet


# Name: (link, frame of a packet).
UNREAD = {
    "unread_esp": (RAW, lambda p: ip(*OUTER, 50, bytes(40))),
    "unread_ah": (RAW, lambda p: ip(*OUTER, 51, bytes([4, 4, 0, 0]) + bytes(20) + p)),
    "unread_l2tp": (RAW, lambda p: udp((OUTER[0], 1701), (OUTER[1], 1701), b"\0\2\0\1\0\1" + ppp(p))),
    "unread_teredo": (RAW, lambda p: udp((OUTER[0], 50000), (OUTER[1], 3544), ip(*SIX, 59, b""))),
    "unread_gre": (RAW, lambda p: gre(p, 0x1234)),
    "unread_ppp_compressed": (PPP, lambda p: b"\xff\3\0\xfd" + bytes(30)),
    "unread_frame_relay_address": (RELAY, lambda p: bytes([0, 0, 0, 1]) + p),
    "unread_wlan_encrypted": (WLAN, lambda p: wlan(bytes(40), b"\x08\x42")),
    "unread_wlan_aggregate": (WLAN, lambda p: wlan(bytes(14) + snap(p), b"\x88\x02", b"\x80\0")),
    "unread_macsec": (ETHERNET, lambda p: ether(bytes(40), 0x88E5)),
    "unread_deep": (RAW, deep),
}


@case("what is not read is counted by its name, is nobody's traffic, and ends with status 1 and a word on stderr")
def unread():
    for name, (link, wrap) in UNREAD.items():
        packets = [(time_s, wrap(packet)) for time_s, packet in frames_of_some()]
        report, done = report_of(link, packets)
        found = wrappings_of(report)
        same(found.pop(name, 0), len(packets), f"{name}: {report['packets']}")
        same(set(found) - {"in_ip", "in_gre"}, set(), name)
        same((report["counts"]["wrapped"], report["counts"]["other_protocols"], report["flows"]), (len(packets), 0, []), name)
        right(done.returncode == 1 and done.stderr, f"{name}: status {done.returncode}, {done.stderr!r}")
        text = report["texts"]["packets"][name]
        right(text in done.stdout, f"{name}: {text!r} is not in {done.stdout}")


@case("what only looks like a tunnel stays what it is: UDP to such a port, background of its user")
def only_like():
    some = [udp((USER, 40000), (HOST, 4789), b"no tunnel"), udp((USER, 40000), (HOST, 6081), b"\xff" * 20),
            udp((USER, 40000), (HOST, 1701), b"x"), udp((USER, 40000), (HOST, 4500), b"\xff"),
            udp((USER, 40000), (HOST, 3386), b"\xff" * 30)]
    report, _ = report_of(RAW, [(i, packet) for i, packet in enumerate(some)])
    same((report["counts"]["other_protocols"], wrappings_of(report)), (len(some), {}), "as UDP")


# --- Gb -------------------------------------------------------------------------------------------


def findings(link, packets):
    path = gb.folder / "x.pcap"
    path.write_bytes(gb.pcap(packets, link))
    return gb.audit(path)


@case("Gb on a line of Frame Relay, with and without directions, over GRE with a key, in VXLAN and MPLS: the same findings")
def gb_wrapped():
    talk = gb.good()
    at = gb.place(talk, "bssgp_dl_unitdata", 3)
    gb.changed(talk, at, talk[at].datagram[:-1] + b"\xff")
    wanted = {("fcs_down", "SGSN", at + 1)}

    def over_gre(said):
        ends = OUTER if said.down else OUTER[::-1]
        return ip(*ends, 47, struct.pack(">HHI", 0x2000, 0x6559, 7) + relay(said.datagram))

    kinds = {
        "a line with directions": (RELAY_DIR, lambda said: bytes([not said.down]) + relay(said.datagram)),
        "a line without": (RELAY, lambda said: relay(said.datagram)),
        "GRE with a key": (RAW, over_gre),
        "VXLAN": (RAW, lambda said: vxlan(gb.frame_of(said))),
        "MPLS": (ETHERNET, lambda said: ether(mpls(gb.frame_of(said)[14:], 17), 0x8847)),
    }
    for name, (link, wrap) in kinds.items():
        report = findings(link, [(said.time_ns, wrap(said)) for said in talk])
        same(gb.found(report), wanted, name)
        same(report["bvcs"][-1]["pdus_down"], 20, f"{name}: LLC PDUs")
        counts = report["input"]
        if name == "a line without":
            right(counts["line_no_direction"] > 0, "PDUs that both may send have no direction")
            same(counts["datagrams"] + counts["line_no_direction"], len(talk), f"{name}: PDUs")
        else:
            same((counts["datagrams"], counts["line_no_direction"]), (len(talk), 0), f"{name}: PDUs")
            same(len(report["nsvcs"]), 1, f"{name}: NS-VCs")
            right("GRE" not in name and "line" not in name or "DLCI 300" in str(report["nsvcs"]), f"{name}: {report['nsvcs']}")


@case("gi says of Gb on a line that it has no IP; audit says of IP on a line that it has no Gb")
def not_ours():
    talk = [(said.time_ns / 1e9, relay(said.datagram)) for said in gb.good()]
    report, done = report_of(RELAY, talk)
    same((done.returncode, report["counts"]["link_other"]), (1, len(talk)), "gi")
    packets = [(round(time_s * 1e9), relay(b"\3\xcc" + packet)) for time_s, packet in frames_of_some()]
    report = findings(RELAY, packets)
    same((report["input"]["not_udp"], report["nsvcs"]), (len(packets), []), "audit")


main()
