"""Captures of Gb for the tests of `sluice audit`, written from the formats by the tests' own codec: a
good one of one SGSN and one BSS, to put faults into, and files of any link type and snap length.

How to
    talk = good()                             [Said], in the order of time
    write(path, talk)                         as Ethernet and IPv4
    audit(path, "--tolerance", "0")           the report, parsed
    found(report)                             {(rule, who, frame)}
    shown("what", talk, ("nu_gap", "SGSN", index))     exactly these findings, tolerance 0
    index = place(talk, "bssgp_bvc_reset")    the first PDU of that name
Frames count from 1: the frame of talk[i] is i + 1.
"""

import json
import pathlib
import struct
import subprocess
import sys
from collections import namedtuple

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "gb"))

import codec
import frames
from harness import new_folder, program, right, same

SGSN, BSS = ("198.51.100.1", 23000), ("198.51.100.2", 23001)
CELL, TLLI, OTHER_TLLI = 2, 0xC0000001, 0xC0000002
folder = new_folder()
START_NS = 1_700_000_000 * 10**9
S, MS = 10**9, 10**6
ETHERNET, RAW, NULL, SLL, SLL2 = 1, 101, 0, 113, 276

Said = namedtuple("Said", "time_ns down datagram")


def down(time_ns, datagram):
    return Said(time_ns, True, datagram)


def up(time_ns, datagram):
    return Said(time_ns, False, datagram)


def on_cell(name, **values):
    return codec.unitdata(CELL, codec.build(name, **values))


def signalling(name, **values):
    return codec.unitdata(0, codec.build(name, **values))


def llc(nu, octets, sapi=3, enciphered=False):
    """A UI frame of so many octets, its FCS right."""
    frame = codec.llc_ui(sapi, nu, bytes(octets - 6), command=True)
    if enciphered:  # anything may stand behind the header
        frame = frame[:2] + bytes([frame[2] | 2]) + b"\x5a" * (octets - 3)
    return frame


def dl(llc_pdu, tlli=TLLI, lifetime=1000, **more):
    return on_cell("bssgp_dl_unitdata", v_tlli=tlli, qos=b"\0\0\x20", lifetime=lifetime, llc=llc_pdu, **more)


def ul(llc_pdu, tlli=TLLI, bvci=CELL):
    return codec.unitdata(bvci, codec.build("bssgp_ul_unitdata", v_tlli=tlli, qos=b"\0\0\4",
                                            cell=codec.cell(7), llc=llc_pdu))


def flow_bvc(tag, bmax=40, r=80, bmax_default=40, r_default=80, **more):
    """In units of 100: by default 4000 octets and 8000 bit/s, 1000 octets/s, for the cell and for an MS."""
    return on_cell("bssgp_flow_control_bvc", tag=tag, bmax=bmax, r=r, bmax_default=bmax_default,
                   r_default=r_default, **more)


def bring_up(at_ns=0, features=0):
    """NS with RESET, both BVCs, the first flow control: 14 datagrams, 1 ms apart."""
    reset = dict(nsvci=102, nsei=101)
    pairs = [
        (codec.build("ns_reset", cause=1, **reset), codec.build("ns_reset_ack", **reset)),
        (codec.build("ns_alive"), codec.build("ns_alive_ack")),
        (codec.build("ns_unblock"), codec.build("ns_unblock_ack")),
        (signalling("bssgp_bvc_reset", bvci=0, cause=8, features=features),
         signalling("bssgp_bvc_reset_ack", bvci=0, features=features)),
        (signalling("bssgp_bvc_reset", bvci=CELL, cause=8, cell=codec.cell(7)),
         signalling("bssgp_bvc_reset_ack", bvci=CELL)),
        (signalling("bssgp_bvc_unblock", bvci=CELL), signalling("bssgp_bvc_unblock_ack", bvci=CELL)),
        (flow_bvc(1), on_cell("bssgp_flow_control_bvc_ack", tag=1)),
    ]
    talk = []
    for number, (asked, answer) in enumerate(pairs):
        talk += [up(at_ns + (2 * number) * MS, asked), down(at_ns + (2 * number + 1) * MS, answer)]
    return talk


def good(seconds=10):
    """Brought up, then 500 octets each 0.5 s, exactly R; each second FLOW-CONTROL-BVC with its answer, and
    an LLC PDU of the MS."""
    talk = bring_up()
    for n in range(2 * seconds):
        at_ns = S // 2 + n * (S // 2)
        talk.append(down(at_ns, dl(llc(n, 500))))
        if n % 2:
            tag = 2 + n // 2
            talk += [up(at_ns + 10 * MS, flow_bvc(tag)),
                     down(at_ns + 11 * MS, on_cell("bssgp_flow_control_bvc_ack", tag=tag)),
                     up(at_ns + 20 * MS, ul(codec.llc_ui(3, n // 2, bytes(40))))]
    return talk


def nu_talk(*numbers, sapi=3):
    """Brought up, then UI frames with these N(U)s, one a second."""
    return bring_up() + [down((1 + n) * S, dl(llc(nu, 100, sapi))) for n, nu in enumerate(numbers)]


def sorted_by_time(talk):
    return sorted(talk, key=lambda said: said.time_ns)


def name_of(said):
    return codec.name_of(said.datagram)


def place(talk, name, after_s=0.0, which=0):
    """The index of the first (or a later) PDU of that name, from that second on."""
    found_at = [i for i, said in enumerate(talk)
                if name_of(said) == name and said.time_ns >= after_s * S]
    return found_at[which]


# ---- Files ----


def ends_of(said, sgsn=SGSN, bss=BSS):
    return (sgsn, bss) if said.down else (bss, sgsn)


def frame_of(said, sgsn=SGSN, bss=BSS):
    (source, port), (destination, destination_port) = ends_of(said, sgsn, bss)
    return frames.frame_of(frames.Datagram(source, port, destination, destination_port, said.datagram),
                           frames.mac_of(source), frames.mac_of(destination))


def packets_of(talk):
    return [(said.time_ns, frame_of(said)) for said in talk]


def pcap(octets_of_frames, link=ETHERNET, snap=65535, in_ns=True):
    """A capture of [(time_ns, octets)]."""
    magic, unit = (0xA1B23C4D, 1) if in_ns else (0xA1B2C3D4, 1000)
    out = [struct.pack("<IHHiIII", magic, 2, 4, 0, 0, snap, link)]
    for time_ns, octets in octets_of_frames:
        stamp = START_NS + time_ns
        cut = octets[:snap]
        out.append(struct.pack("<IIII", stamp // S, stamp % S // unit, len(cut), len(octets)) + cut)
    return b"".join(out)


def write(path, talk, **more):
    path.write_bytes(pcap([(said.time_ns, frame_of(said)) for said in talk], **more))
    return path


# ---- The auditor ----


def run_audit(*words):
    return subprocess.run([program(), "audit", *map(str, words)], capture_output=True, timeout=60)


def audit(*words):
    done = run_audit("--json", *words)
    right(done.stdout, f"audit {words}: exit {done.returncode}: {done.stderr.decode()}")
    report = json.loads(done.stdout)
    same(done.returncode, 0 if report["nsvcs"] else 1, f"audit {words}: exit status: {done.stderr.decode()}")
    return report


def listed(report):
    return sorted((one["rule"], one["who"], one["frame"]) for one in report["findings"])


def found(report):
    return set(listed(report))


def audited(talk, *words, **how):
    return audit("--tolerance", "0", *words, write(folder / "x.pcap", talk, **how))


def shown(what, talk, *wanted):
    """Exactly these findings, each (rule, who, index in the talk)."""
    same(listed(audited(talk)), sorted((rule, who, index + 1) for rule, who, index in wanted), what)


def changed(talk, index, datagram=None, time_ns=None):
    said = talk[index]
    talk[index] = said._replace(datagram=datagram or said.datagram,
                                time_ns=said.time_ns if time_ns is None else time_ns)
    return talk


def without(talk, *indexes):
    return [said for i, said in enumerate(talk) if i not in indexes]


def with_more(talk, *said):
    """The talk with more of it, and where the first of these is."""
    talk = sorted_by_time([*talk, *said])
    return talk, talk.index(said[0])
