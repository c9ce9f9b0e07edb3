"""What tshark, as an independent decoder, says about a Gb or a Gn capture.

gb_frames and gn_frames give one dict a frame, complaints gives every malformed or expert item.
A value that tshark does not show is None. Works with tshark 4.0 and 4.4; reads pcap, not pcapng.

Four things that tshark does differently from what one would think:
* A wrong LLC FCS is neither malformed nor an expert item, and stands in no field: it is only in the
  text of the tree. Look at fcs in gb_frames; complaints does not have it.
* An N-PDU that it cannot put together draws no complaint either: count the frames with inner.
* It reassembles SNDCP by (source, destination, N-PDU number) and so mixes the segments of two MSs,
  or of two NSAPIs. _apart takes care of that.
* It takes segment numbers as they are, not modulo 16: an N-PDU of more than 16 segments comes out
  wrong. (A packet of 1500 octets at N201-U 140 has 11.)
"""

import contextlib
import json
import os
import re
import struct
import subprocess
import tempfile

# Port 23000 is Gb by convention only, so tshark must be told; it verifies no checksum unless asked.
# SNDCP reassembly, the FCS and the inner IP need no option.
OPTIONS = ["-n", "-d", "udp.port==23000,gprs-ns",
           "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]

SEVERITIES = {0x100000: "Comment", 0x200000: "Chat", 0x400000: "Note", 0x600000: "Warning",
              0x800000: "Error"}

# sndcp.nsapi holds the whole first octet; sndcp.nsapib, like llcgprs.sapib, holds the value.
GB_FIELDS = {
    "ns_pdu_type": "nsip.pdu_type",
    "bvci": "nsip.bvci",
    "bssgp_pdu_type": "bssgp.pdu_type",
    "tlli": "gsm_a.rr.tlli",
    "lifetime_cs": "bssgp.delay_val",
    "imsi": "e212.imsi",
    "sapi": "llcgprs.sapib",
    "nu": "llcgprs.nu",
    "nsapi": "sndcp.nsapib",
    "npdu": "sndcp.npdu",
    "segment": "sndcp.segment",
    "first": "sndcp.f",
    "more": "sndcp.m",
}
GN_FIELDS = {"message": "gtp.message", "teid": "gtp.teid", "sequence": "gtp.seq_number"}
IP_FIELDS = ["ip.src", "ip.dst", "ip.len", "ip.proto", "ip.dsfield.ecn"]


def gb_frames(pcap):
    """number, time_ns, src, dst, the names of GB_FIELDS, fcs ('correct' or 'incorrect'), and inner:
    src, dst, len, proto, ecn of the IP packet, in the frame that has its last segment."""
    with _apart(pcap) as (copy, addresses):
        frames = _frames(copy, GB_FIELDS)
        fcs = fcs_verdicts(copy)
    for frame in frames:
        frame["src"], frame["dst"] = addresses[frame["number"]]
        frame["fcs"] = fcs.get(frame["number"])
    return frames


def gn_frames(pcap):
    """number, time_ns, src, dst, the names of GN_FIELDS, and inner as in gb_frames."""
    return _frames(pcap, GN_FIELDS)


def complaints(pcap):
    """number, severity and text of every item; an empty list is a clean capture. Inner TCP may draw
    items of severity Chat (a SYN) or Note (a retransmission), which blame nobody's encoder."""
    expert = ["_ws.expert.severity", "_ws.expert.message"]
    found = []
    with _apart(pcap) as (copy, _):
        for row in _rows(copy, ["frame.number"] + expert, "-Y", "_ws.malformed || _ws.expert"):
            items = list(zip(*(row.get(name, []) for name in expert)))
            for severity, text in items or [("0x800000", "malformed")]:
                found.append({"number": int(row["frame.number"][0]), "text": text,
                              "severity": SEVERITIES.get(int(severity, 0), severity)})
    return found


def tshark(pcap, *arguments):
    # A configuration directory that is not there keeps the user's own preferences out.
    environment = dict(os.environ, WIRESHARK_CONFIG_DIR="/nonexistent", LC_ALL="C.UTF-8")
    command = ["tshark", "-r", pcap, *OPTIONS, *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              encoding="utf-8", errors="replace", check=False)
    except FileNotFoundError:
        raise RuntimeError("tshark is not installed: apt-get install tshark") from None
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed ({done.returncode}): {done.stderr.strip()}")
    return done.stdout


def _rows(pcap, fields, *arguments):
    """One dict a frame: field -> all its values, outermost first."""
    names = [word for field in fields for word in ("-e", field)]
    text = tshark(pcap, "-T", "json", *names, *arguments)
    return [packet["_source"]["layers"] for packet in json.loads(text)]


def _number(text):
    return int(text == "True") if text in ("True", "False") else int(text, 0)


def _time_ns(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0")[:9])


def _first(row, field):
    return row.get(field, [None])[0]


def _inner(row):
    """The second IP header of the frame, if tshark got through the whole of it."""
    if any(len(row.get(field, [])) < 2 for field in IP_FIELDS):
        return None
    src, dst, length, proto, ecn = (row[field][1] for field in IP_FIELDS)
    return {"src": src, "dst": dst, "len": _number(length), "proto": _number(proto),
            "ecn": _number(ecn)}


def _frames(pcap, fields):
    frames = []
    wanted = ["frame.number", "frame.time_epoch", *IP_FIELDS, *fields.values()]
    for row in _rows(pcap, wanted):
        frame = {"number": int(_first(row, "frame.number")),
                 "time_ns": _time_ns(_first(row, "frame.time_epoch")),
                 "src": _first(row, "ip.src"), "dst": _first(row, "ip.dst")}
        for name, field in fields.items():
            value = _first(row, field)
            frame[name] = value if value is None or name == "imsi" else _number(value)
        frame["inner"] = _inner(row)
        frames.append(frame)
    return frames


def trees(pcap, protocol):
    """For each frame the text of the protocol's tree."""
    text = tshark(pcap, "-V", "-O", protocol)
    return re.split(r"^Frame \d+:.*\n", text, flags=re.MULTILINE)[1:]


def fcs_verdicts(pcap):
    """Frame number -> what the text of the LLC tree says of its FCS."""
    verdicts = {}
    for number, text in enumerate(trees(pcap, "llcgprs"), 1):
        if match := re.search(r"^ +FCS: 0x[0-9a-f]+ +\((\w+)", text, re.MULTILINE):
            verdicts[number] = match[1]
    return verdicts


@contextlib.contextmanager
def _apart(pcap):
    """Gives a capture in which each (TLLI, NSAPI) with segmented N-PDUs has outer addresses of its
    own, and the true addresses by frame number. It is the same file if nothing is segmented."""
    rows = _rows(pcap, ["frame.number", "ip.src", "ip.dst", "gsm_a.rr.tlli", "sndcp.nsapib",
                        "sndcp.f", "sndcp.m"])
    addresses, shifts, keys = {}, {}, {}
    for row in rows:
        number = int(row["frame.number"][0])
        addresses[number] = (_first(row, "ip.src"), _first(row, "ip.dst"))
        bits = [_first(row, "sndcp.f"), _first(row, "sndcp.m")]
        if None not in bits and [_number(bit) for bit in bits] != [1, 0]:
            key = (_first(row, "gsm_a.rr.tlli"), _first(row, "sndcp.nsapib"))
            shifts[number] = keys.setdefault(key, len(keys) + 1)
    if not shifts:
        yield pcap, addresses
        return
    with tempfile.NamedTemporaryFile(suffix=".pcap") as copy:
        copy.write(_shifted(pcap, shifts))
        copy.flush()
        yield copy.name, addresses


def _shifted(pcap, shifts):
    """Adds the shift of a frame to the low half of its IP source and takes it from that of its
    destination, modulo 65535: the sums under the IP and UDP checksums stay what they were, so a
    good checksum stays good and a bad one bad. Fragments are left alone."""
    with open(pcap, "rb") as file:
        octets = bytearray(file.read())
    order = "<" if octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, number = 24, 0
    while at + 16 <= len(octets):
        captured = struct.unpack_from(order + "I", octets, at + 8)[0]
        at, number = at + 16, number + 1
        if number in shifts and not struct.unpack_from(">H", octets, at + 20)[0] & 0x3fff:
            for offset, sign in ((28, 1), (32, -1)):
                half = struct.unpack_from(">H", octets, at + offset)[0]
                struct.pack_into(">H", octets, at + offset, (half + sign * shifts[number]) % 65535)
        at += captured
    return octets
