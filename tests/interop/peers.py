#!/usr/bin/python3
"""Captures of osmo-pcu, osmo-sgsn, osmo-ggsn and sgsnemu decode whole, layer by layer, and each
layer encodes to the octets it was read from. The reading is done by peers.lua through `sluice lua`;
here stands what has to be found. README.md says how the captures were made and what is in them."""

import collections
import functools
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import case, main, right, same, sluice  # noqa: E402

# Frames that our own stand-in broke on purpose, so that the peer answers STATUS: layer and fault.
BROKEN = {
    "pcu": [("llc_ui", "RESERVED"),  # 1606 zeros as an LLC PDU
            ("bssgp", "TRUNCATED"),  # a DL-UNITDATA that ends in its lifetime
            ("bssgp", "TYPE")],  # type 0x60
    "sgsn": [("bssgp", "MISSING_IE")],  # a FLOW-CONTROL-BVC with nothing but its tag
}
# osmo-pcu writes the length of an LLC PDU of 9 octets in two octets; we write one.
DIFFERS = {"pcu": ["bssgp_ul_unitdata"]}

# How many PDUs of each type; counted from the captures by tshark, too.
PDUS = {
    "pcu": {
        "ether": 85, "ipv4": 85, "udp": 85,
        "ns_reset": 2, "ns_reset_ack": 2, "ns_block": 1, "ns_block_ack": 1, "ns_unblock": 3,
        "ns_unblock_ack": 3, "ns_status": 2, "ns_alive": 6, "ns_alive_ack": 6, "ns_unitdata": 59,
        "bssgp_dl_unitdata": 8, "bssgp_ul_unitdata": 1, "bssgp_paging_ps": 1, "bssgp_paging_cs": 1,
        "bssgp_suspend": 1, "bssgp_suspend_ack": 1, "bssgp_bvc_reset": 9,
        "bssgp_bvc_reset_ack": 9, "bssgp_bvc_unblock": 5, "bssgp_bvc_unblock_ack": 5,
        "bssgp_flow_control_bvc": 5, "bssgp_flow_control_bvc_ack": 5, "bssgp_flush_ll": 1,
        "bssgp_llc_discarded": 1, "bssgp_status": 4, "llc_ui": 8, "sndcp_unitdata": 7,
        "gmm_detach_request_up": 1,
    },
    "pcu_sns": {
        "ether": 22, "ipv4": 22, "udp": 22,
        "sns_size": 1, "sns_size_ack": 1, "sns_config": 2, "sns_config_ack": 2, "sns_add": 1,
        "sns_changeweight": 1, "sns_delete": 1, "sns_ack": 3, "ns_alive": 1, "ns_alive_ack": 1,
        "ns_unitdata": 8, "bssgp_bvc_reset": 2, "bssgp_bvc_reset_ack": 2, "bssgp_bvc_unblock": 1,
        "bssgp_bvc_unblock_ack": 1, "bssgp_flow_control_bvc": 1, "bssgp_flow_control_bvc_ack": 1,
    },
    "sgsn": {
        "ether": 60, "ipv4": 65, "udp": 61,
        "ns_reset": 1, "ns_reset_ack": 1, "ns_block": 1, "ns_block_ack": 1, "ns_unblock": 2,
        "ns_unblock_ack": 2, "ns_alive": 5, "ns_alive_ack": 5, "ns_unitdata": 37,
        "bssgp_dl_unitdata": 8, "bssgp_ul_unitdata": 7, "bssgp_paging_ps": 1,
        "bssgp_radio_status": 1, "bssgp_suspend": 1, "bssgp_suspend_ack": 1, "bssgp_resume": 1,
        "bssgp_resume_ack": 1, "bssgp_bvc_block": 1, "bssgp_bvc_block_ack": 1,
        "bssgp_bvc_reset": 2, "bssgp_bvc_reset_ack": 2, "bssgp_bvc_unblock": 2,
        "bssgp_bvc_unblock_ack": 2, "bssgp_flow_control_bvc": 1, "bssgp_flow_control_bvc_ack": 1,
        "bssgp_flow_control_ms": 1, "bssgp_llc_discarded": 1, "bssgp_status": 1, "llc_ui": 14,
        "llc_u": 1, "llc_xid": 1, "sndcp_unitdata": 7, "gtpu": 5, "icmp_echo": 4,
        "gmm_attach_request": 1, "gmm_identity_request": 1, "gmm_identity_response": 1,
        "gmm_attach_accept": 1, "gmm_attach_complete": 1, "sm_activate_request": 1,
        "sm_activate_accept": 1,
    },
    "ggsn": {
        "ether": 20, "ipv4": 37, "udp": 20, "gtpu": 20, "icmp_echo": 17, "gtpu_echo_response": 1,
        "gtpu_error_indication": 1,
    },
}

# All values that a field has in a capture, where our configuration of the peers decides them.
VALUES = {
    "pcu": {
        "ns_reset.nsei": {101}, "ns_reset.ns_vci": {102}, "ns_status.cause": {3, 11},
        "bssgp_bvc_reset.bvci": {0, 103}, "bssgp_bvc_reset.cell.mcc": {262},
        "bssgp_bvc_reset.cell.mnc": {42}, "bssgp_bvc_reset.cell.lac": {0x1234},
        "bssgp_bvc_reset.cell.rac": {0x56}, "bssgp_bvc_reset.cell.ci": {0x789A},
        # One PDCH at CS-2: 30 octets every 20 ms, and 10 s of that.
        "bssgp_flow_control_bvc.r_bit_per_s": {12000},
        "bssgp_flow_control_bvc.bmax_octets": {15000},
        "bssgp_flow_control_bvc.r_default_bit_per_s": {12000},
        "bssgp_flow_control_bvc.bmax_default_octets": {15000},
        "bssgp_suspend.tlli": {0xC0000002}, "bssgp_suspend.routeing_area.lac": {0x1234},
        "bssgp_ul_unitdata.tlli": {0xC0000002}, "bssgp_ul_unitdata.cell.ci": {0x789A},
        "bssgp_llc_discarded.tlli": {0xC0000003}, "bssgp_llc_discarded.frames": {5},
        "bssgp_llc_discarded.octets": {5 * (3 + 4 + 28 + 3)},  # LLC, SNDCP, an empty ping, FCS
        "bssgp_status.cause": {0x05, 0x25, 0x21, 0x27},
    },
    "pcu_sns": {
        "sns_size.nsei": {101}, "sns_size.reset_flag": {"true"}, "sns_size.ip4_endpoints": {1},
        "sns_config.ip4_endpoints.address": {0x7F000001, 0x7F000002},
        "sns_config.ip4_endpoints.udp_port": {23000, 23001},
        "sns_ack.transaction": {1, 2, 3}, "sns_ack.cause": {0x12},
    },
    "sgsn": {
        "bssgp_suspend_ack.routeing_area.mnc": {42},
        "bssgp_dl_unitdata.lifetime_ms": {10000}, "bssgp_dl_unitdata.imsi": {"262420123456789"},
        "bssgp_paging_ps.imsi": {"262420123456789"}, "bssgp_paging_ps.bvci": {103},
        "llc_ui.sapi": {1, 3}, "llc_xid.n201_u_octets": {500}, "llc_xid.n201_i_octets": {1503},
        "sndcp_unitdata.nsapi": {5}, "sndcp_unitdata.npdu_number": {0, 1, 2},
        "sndcp_unitdata.segment": {0, 1}, "gtpu.type": {255},
        "gmm_attach_request.identity.imsi": {"262420123456789"}, "gmm_attach_accept.area.lac": {0x1234},
        "gmm_attach_accept.result": {1}, "gmm_identity_request.type": {2},
        "sm_activate_request.nsapi": {5}, "sm_activate_request.ti": {0}, "sm_activate_accept.ti": {8},
    },
    "ggsn": {
        "gtpu.type": {1, 2, 26, 255}, "gtpu_error_indication.teid": {0x00BAD0AD},
        "gtpu_error_indication.ipv4_address": {0x7F000002}, "icmp_echo.sequence": {0, 1, 2, 3},
        "udp.source_port": {2152},
    },
}


@functools.cache
def facts(name):
    """The lines of peers.lua, as [(frame, what, words...)]."""
    done = sluice("lua", HERE / "peers.lua", HERE / "captures" / f"{name}.pcap")
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def of_kind(name, kind):
    return [fact for fact in facts(name) if fact[1] == kind]


def decodes(name):
    """Layer, fault and octets of each frame that does not."""
    broken = list(BROKEN.get(name, []))
    wrong = []
    for frame, _, layer, text, octets in of_kind(name, "fault"):
        if broken and broken[0][0] == layer and f": {broken[0][1]} at octet " in text:
            broken.pop(0)
        else:
            wrong.append(f"frame {frame}, {layer}: {text}\n  {octets}")
    right(not wrong, "\n".join(wrong))
    same(broken, [], "frames broken on purpose that were taken")


def encodes(name):
    found = of_kind(name, "differs")
    right([fact[2] for fact in found] == DIFFERS.get(name, []),
          "\n".join(f"frame {frame}, {layer} was\n  {was}\nand becomes\n  {becomes}"
                    for frame, _, layer, becomes, was in found) or "none differs")


def counts(name):
    same(dict(sorted(collections.Counter(fact[2] for fact in of_kind(name, "pdu")).items())),
         dict(sorted(PDUS[name].items())), "PDUs by type")


def values(name):
    found = collections.defaultdict(set)
    for _, _, field, value in of_kind(name, "field"):
        found[field].add(value)
    for field, wanted in VALUES[name].items():
        same(sorted(found[field]), sorted(map(str, wanted)), field)


def checksums(name):
    """The loopback device leaves UDP's to a device that is not there; inner ones are finished."""
    found = collections.Counter(fact[2] for fact in of_kind(name, "checksum"))
    inner = PDUS[name]["udp"] - PDUS[name]["ether"]
    same(found, collections.Counter(unfinished=PDUS[name]["ether"], right=inner), "UDP checksums")


def quotes(name, count):
    """A STATUS holds the PDU that it is about, which came just before."""
    sent = {fact[2]: int(fact[0]) for fact in reversed(of_kind(name, "bssgp"))}
    found = of_kind(name, "status")
    same(len(found), count, "PDUs quoted")
    for frame, _, octets in found:
        same(sent.get(octets), int(frame) - 1, f"frame {frame}: the frame that it quotes")


@case("sgsn: the N-PDUs of Gb, put together, are the T-PDUs of Gn")
def through_sgsn():
    npdus, tpdus = ([fact[2] for fact in of_kind("sgsn", kind)] for kind in ("npdu", "tpdu"))
    same(len(npdus), 5, "N-PDUs")
    same(sorted(npdus), sorted(tpdus), "N-PDUs and T-PDUs")


for one in PDUS:
    case(f"{one}: every frame decodes whole, but for those broken on purpose", one)(decodes)
    case(f"{one}: every layer encodes to the octets it was read from, but for those named",
         one)(encodes)
    case(f"{one}: as many PDUs of each type as there are", one)(counts)
    case(f"{one}: the fields that our configuration decides have its values", one)(values)
    case(f"{one}: UDP checksums are right, or unfinished", one)(checksums)
for one, quoted in ("pcu", 4), ("sgsn", 1):
    case(f"{one}: a STATUS quotes the PDU before it", one, quoted)(quotes)

main()
