#!/usr/bin/python3
"""Every PDU of `require "wire"`, as tshark reads it: wire_samples.lua makes structs and their octets,
here they go into frames, and tshark has to find the same values and nothing to complain about.

FIELDS of wire_fields.py says for each field what tshark calls it and what it makes of its value; a
PDU or a field that is not there fails, so that none comes in unseen. Where tshark 4.0 is wrong or
blind, STOPS and COMPLAINTS name PDU and field, and OCTETS gives the octets that are right, written
from the standard. The order of the elements is that of wire_orders.py.
"""

import collections
import functools
import json
import pathlib
import re
import subprocess
import tempfile

import tshark_json
from harness import case, main, right, same, sluice
from wire_fields import COMPLAINTS, FIELDS, OCTETS, STOPS
from wire_frames import frame_of, write_pcap
from wire_orders import ORDERS, elements

SAMPLES = pathlib.Path(__file__).resolve().with_name("wire_samples.lua")
Sample = collections.namedtuple("Sample", "name octets pdu")

# --- The comparison -------------------------------------------------------------------------------


def mapping_of(name, field):
    beginnings = [key for key in FIELDS if (name == key or name.startswith(key + "_"))
                  and field in FIELDS[key]]
    right(beginnings, f"{name}.{field}: no word here of what tshark calls it; add it to FIELDS")
    return FIELDS[max(beginnings, key=len)][field]


def expected(sample):
    """{field of tshark: [values]}, and whether tshark stops before the end."""
    values, stop = collections.defaultdict(list), STOPS.get(sample.name, (None,))[0]
    for field, value in sample.pdu.items():
        if field == stop:
            return values, True
        for name, wanted in mapping_of(sample.name, field)(value, sample.pdu):
            values[name].append(wanted)
    return values, False


def normal(text):
    if text in ("True", "False"):
        return int(text == "True")
    try:
        # 4.4 shows an MCC as "010": decimal, whatever stands in front.
        return int(text, 10 if text.isdecimal() else 0)
    except ValueError:
        return text.replace(":", "").lower()


def normals(values):
    """Both sides alike; what is a number in either form becomes one."""
    return [normal(str(int(value)) if isinstance(value, bool) else str(value)) for value in values]


def samples():
    done = sluice("lua", SAMPLES)
    same((done.returncode, done.stderr), (0, ""), "wire_samples.lua: exit status and stderr")
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [Sample(name, bytes.fromhex(octets), json.loads(pdu)) for name, octets, pdu in rows]


# Two names of 4.0.17 have lost their typing errors by 4.4.
RESPELT = {
    "bssgp.unconfim_send_state_var": "bssgp.unconfirm_send_state_var",
    "bssgp.redir_indiction_reroute_reject_cause": "bssgp.redir_indication_reroute_reject_cause",
}


def spelling():
    """Old name -> the one that this tshark knows it by."""
    done = subprocess.run(["tshark", "-G", "fields"], capture_output=True, text=True, check=True)
    known = {line.split("\t")[2] for line in done.stdout.splitlines() if line.startswith("F\t")}
    return {old: new for old, new in RESPELT.items() if new in known}


def read_back(frames, names):
    """One dict a frame: field -> values."""
    respelt = spelling()
    words = [word for name in names for word in ("-e", respelt.get(name, name))]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        write_pcap(file.name, frames)
        command = ["tshark", "-n", "-r", file.name, "-d", "udp.port==23000,gprs-ns",
                   "-o", "ip.check_checksum:TRUE", "-o", "ip.defragment:FALSE",
                   "-o", "ipv6.defragment:FALSE",
                   "-o", "tcp.analyze_sequence_numbers:FALSE", "-T", "json", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        verdicts = tshark_json.fcs_verdicts(file.name)
    rows = [packet["_source"]["layers"] for packet in json.loads(done.stdout)]
    same(len(rows), len(frames), "frames that tshark read")
    for old, new in respelt.items():
        for row in rows:
            if new in row:
                row[old] = row.pop(new)
    return rows, verdicts


EXPERT = ["_ws.expert.message", "_ws.expert.severity"]
NOTE = 0x400000


def complaint_of(sample, row):
    """The first item that is worse than a note and not known as wrong for the fields there are."""
    field, known = COMPLAINTS.get(sample.name, (None, []))
    if field and field not in sample.pdu:
        known = []
    for text, severity in zip(*(row.get(name, []) for name in EXPERT)):
        if int(severity, 0) > NOTE and not any(re.fullmatch(one, text) for one in known):
            return text
    return None


def compare(sample, row, names):
    wanted, stops = expected(sample)
    for name in names:
        found = row.get(name, [])
        if stops:
            found = found[:len(wanted[name])]
        same(normals(found), normals(wanted[name]), f"{sample.name} {sample.pdu}: {name}")
    text = complaint_of(sample, row)
    right(text is None, f"{sample.name} {sample.pdu}: tshark says: {text}")
    if sample.name.startswith(("bssgp", "ns_", "sns_")):
        compare_elements(sample)


def hex_tags(tags):
    return " ".join("--" if tag is None else f"{tag:02x}" for tag in tags)


def compare_elements(sample):
    """Each element that is there in its place, and no other; those of OCTETS with their values."""
    name, pdu = sample.name, sample.pdu
    right(name in ORDERS, f"{name}: no word here of its elements' order; add it to ORDERS")
    if ORDERS[name] is None:
        return
    wanted, found = elements(name, sample.octets, pdu)
    same(hex_tags(tag for tag, _ in found), hex_tags(tag for _, tag in wanted),
         f"{name} {sample.octets.hex()}: tags (-- is an element without)")
    same(sorted(pdu), sorted(field for field, _ in wanted), f"{name}: fields with a word in ORDERS")
    values = {field: value for (field, _), (_, value) in zip(wanted, found)}
    for field in pdu:
        octets_of = OCTETS.get(f"{name}.{field}") or OCTETS.get(field)
        right(octets_of or not behind_stop(sample, field),
              f"{name}.{field}: tshark does not read it; add it to OCTETS")
        right(not octets_of or values[field] == octets_of(pdu[field], pdu),
              f"{name}.{field}: not in its place in {sample.octets.hex()}")


def behind_stop(sample, field):
    fields, stop = list(sample.pdu), STOPS.get(sample.name, (None,))[0]
    return stop in fields and fields.index(field) >= fields.index(stop)


ALL = samples()


@functools.cache
def judged():
    """All frames at once, for tshark takes long to start: for each sample what it read, and the FCS
    verdicts by frame. Asks for each field that any sample has."""
    names = {field for sample in ALL for field in expected(sample)[0]}
    return read_back([frame_of(sample.name, sample.octets) for sample in ALL], [*sorted(names), *EXPERT])


def pdu_case(name):
    rows, verdicts = judged()
    of_name = [(sample, row, verdicts.get(frame))
               for frame, (sample, row) in enumerate(zip(ALL, rows), 1) if sample.name == name]
    right(len(of_name) >= 8, f"{name}: {len(of_name)} samples")
    names = sorted({field for sample, _, _ in of_name for field in expected(sample)[0]})
    for sample, row, verdict in of_name:
        compare(sample, row, names)
        right(verdict == "correct" or not name.startswith("llc"),
              f"{name} {sample.pdu}: FCS is {verdict}")


for pdu_name in dict.fromkeys(sample.name for sample in ALL):
    case(f"{pdu_name}: the same values, no complaint", pdu_name)(pdu_case)

# --- The ABQP's texts -----------------------------------------------------------------------------
# tshark turns codes into texts with units; those are what the fields hold.

TEXTS = {"Maximum SDU size": "sdu_octets", "Transfer delay": "transfer_delay_ms",
         "Maximum bitrate for uplink": "mbr_up_bit_per_s",
         "Maximum bitrate for downlink": "mbr_down_bit_per_s",
         "Guaranteed bitrate for uplink": "gbr_up_bit_per_s",
         "Guaranteed bitrate for downlink": "gbr_down_bit_per_s"}
UNITS = {"octets": 1, "ms": 1, "kbps": 1000, "Mbps": 1000000}


def abqp_values(text):
    """Field -> value by the lines of one frame; an extended rate comes last and counts unless it
    says to use the other."""
    values = {}
    for line in text.splitlines():
        name, _, value = line.partition(" = ")[2].partition(": ") if " = " in line \
            else line.strip().partition(": ")
        field, words = TEXTS.get(name.removesuffix(" (extended)")), value.split()
        if field and len(words) > 1 and words[1] in UNITS:
            values[field] = int(words[0]) * UNITS[words[1]]
    return values


@case("abqp: rates, delay and SDU size in the texts of tshark")
def abqp_texts():
    of_name = [sample for sample in ALL if sample.name == "abqp"]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        write_pcap(file.name, [frame_of(sample.name, sample.octets) for sample in of_name])
        texts = tshark_json.trees(file.name, "bssgp")
    same(len(texts), len(of_name), "frames that tshark read")
    for sample, text in zip(of_name, texts):
        wanted = {field: sample.pdu[field] for field in TEXTS.values() if field in sample.pdu}
        same(abqp_values(text), wanted, f"{sample.pdu}")


main()
