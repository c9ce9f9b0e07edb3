"""The attacks: each is a function of the arena and a source of random numbers that gives the frames
which come again and again, as (side, [frame, ...]); and what it needs of the configuration.

From NSE 102, whose BSS is hostile: what its NS-VC may say. From strangers: what anybody on the network
may send, with any source address. Forged: in the honest BSS's name, from another Ethernet address.
"""

from collections import namedtuple

import codec
import frames as wire
from arena import (A4, B4, B6, CELLS, HOSTILE_MAC, HOSTILE_MSS, HOSTILE_TLLI, H4, KEYED_MSS, KEYED_TLLI, MSS,
                   TEID, TLLI, gb_frame, gn_frame)
from llc_ms import NULL, SABM, XID, parameter, u_frame
from world import GB, GB_MAC, GGSN, npdu

A_TURN = 16  # events of a BSS, of an NSE's phones, or of all strangers, until control has seen all that had come
# For each other turn, events that control handles before the honest one's: what a turn is in order, and
# between any two in order one of those that have had their turn and wait.
OTHERS_A_TURN = 2 * A_TURN
# What the path tells of MSs has no turns: so many moves of an NSE may be untaken; and once each of the
# honest one's MSs is heard for which control listens. While moves come without end, the honest one's own turn
# ends too: then comes one event more in order, and two for each of the four other turns.
MOVES = 256 + 1 + 2 * 4
# Cells that are reset meanwhile: those of a piece of a job, and one with an event.
CELLS_A_PIECE = 128

# turns: with how many others control has to do: the hostile BSS, its phones, the strangers, the honest BSS's phones; told: of MSs; met: the counters
# that show that the attack came to what it was meant for; config: arena.config's.
Attack = namedtuple("Attack", "name frames turns told met config")
ATTACKS = []
KINDS = 1200  # different frames of an attack
HOSTILE_GGSN = "192.0.2.66"
MANY_CELLS = 10000
MANUAL = {"nse": 'ns = "manual",', "cells": MANY_CELLS}


def attack(name, met, turns=1, told=0, **config):
    def register(function):
        ATTACKS.append(Attack(name, function, turns, told, met.split(), config))
        return function
    return register


def hostile(on, name, /, **fields):
    return gb_frame(H4, codec.unitdata(on, codec.build(name, **fields)))


def uplink(llc, tlli, bvci=2, ci=None):
    octets = codec.ul_unitdata(tlli, llc, ci or codec.cell(0x100 + bvci))
    return gb_frame(H4, codec.unitdata(bvci, octets))


def stranger(dice):
    return f"203.0.{dice.randrange(100, 120)}.{dice.randrange(1, 255)}"


# ---- Resets ------------------------------------------------------------------------------------


def reset(bvci):
    more = {"features": 0} if bvci == 0 else {"cell": codec.cell(bvci)}
    return hostile(0, "bssgp_bvc_reset", bvci=bvci, cause=8, **more)


@attack("resets of BVCI 0, of 10 000 cells", "gb.control_packets", **MANUAL)
def resets(_, __):
    return "gb", [reset(0)]


@attack("resets of BVCI 0 and of single cells behind them", "gb.control_packets", **MANUAL)
def resets_mixed(_, dice):
    return "gb", [reset(dice.choice((0, dice.randrange(10, 10 + MANY_CELLS))))
                  for _ in range(KINDS)]


@attack('cells = "any": a new cell with each reset', "gb.control_packets", nse='cells = "any",')
def any_cells(_, dice):
    return "gb", [reset(bvci) for bvci in dice.sample(range(10, 60000), KINDS)]


@attack("NS-RESET, of its own NS-VC and by strangers in every name", "gb.control_packets gb.drop_stranger", turns=2,
        nse="dynamic = true,")
def ns_resets(_, dice):
    def one():
        own, nsei, nsvci = dice.random() < 0.3, dice.choice((101, 102, 7)), dice.randrange(65536)
        octets = codec.build("ns_reset", cause=1, nsvci=102 if own else nsvci,
                             nsei=102 if own else nsei)
        return gb_frame(H4 if own else stranger(dice), octets)
    return "gb", [one() for _ in range(KINDS)]


@attack("SNS-SIZE, SNS-CONFIG and NS-STATUS by strangers", "gb.drop_stranger", turns=1)
def sns(_, dice):
    def one():
        ip4 = [(stranger(dice), 23000, 1, 1) for _ in range(20)]
        pdus = (("sns_size", {"nsei": 101, "reset_flag": 1, "nsvcs": 8, "ip4_endpoints": 8}),
                ("sns_config", {"nsei": 101, "end_flag": 1, "ip4": ip4}),
                ("ns_status", {"cause": 3, "nsvci": 101}))
        name, fields = dice.choice(pdus)
        return gb_frame(stranger(dice), codec.build(name, **fields))
    return "gb", [one() for _ in range(KINDS)]


# ---- What a BSS may say of its MSs -----------------------------------------------------------------


@attack("XIDs of 1400 octets, and SABM", "gb.control_packets")
def xids(_, dice):
    layer3 = parameter(11, bytes(1000)) + parameter(30, bytes(300))  # so that control's memory for events ends
    said = [(XID, layer3)] * 9 + [(SABM, b"")]
    return "gb", [uplink(u_frame(dice.choice((1, 3, 5)), *dice.choice(said)),
                         HOSTILE_TLLI + dice.randrange(HOSTILE_MSS)) for _ in range(KINDS)]


@attack("LLC frames with a wrong FCS", "up.drop_llc_fcs gb.drop_llc_fcs gb.control_packets")
def wrong_fcs(_, dice):
    def one():
        llc = dice.choice((codec.llc_ui(3, dice.randrange(512), b"\x65\0\0\0" + bytes(40)),
                           u_frame(1, NULL)))
        return uplink(llc[:-1] + bytes([llc[-1] ^ 1]),
                      dice.choice((TLLI, HOSTILE_TLLI)) + dice.randrange(MSS))
    return "gb", [one() for _ in range(KINDS)]


@attack("TLLIs that nobody has", "gb.control_packets")
def unknown_tllis(_, dice):
    return "gb", [uplink(codec.llc_ui(3, 0, b"\x65\0\0\0" + bytes(40)), dice.getrandbits(32))
                  for _ in range(KINDS)]


@attack("frames for control by phones of the honest BSS itself, in the names of others", "gb.control_packets")
def own_phones(_, dice):
    def one():
        tlli, bvci = 0xC0F00000 + dice.getrandbits(16), dice.choice(CELLS)
        llc = dice.choice((codec.llc_ui(1, 0, b"\x08\x01"), u_frame(1, NULL), codec.llc_ui(3, 0, bytes(40))))
        return gb_frame(A4, codec.unitdata(bvci, codec.ul_unitdata(tlli, llc, codec.cell(0x100 + bvci))))
    return "gb", [one() for _ in range(KINDS)]


@attack("uplink data of its MSs", "up.npdus", turns=0)
def data(_, dice):
    return "gb", [uplink(codec.llc_ui(3, i % 512, b"\x65\0" + (i % 4096).to_bytes(2) + bytes(40)),
                         HOSTILE_TLLI + dice.randrange(HOSTILE_MSS)) for i in range(KINDS)]


@attack("claims of the hostile BSS that the honest one's MSs are in its cell",
        "gb.control_packets up.npdus", told=MSS)
def claims(_, dice):
    """The honest BSS answers each page."""
    return "gb", [uplink(dice.choice((codec.llc_ui(3, i % 512, b"\x65\0\0\0" + bytes(40)),
                                      u_frame(1, NULL))), TLLI + dice.randrange(MSS))
                  for i in range(KINDS)]


@attack("claims of the honest one's MSs with a key, by random octets", "gb.control_packets")
def claims_of_keys(_, dice):
    def one():
        head = bytes([dice.choice((3, 5, 9, 11)), 0xC0 | dice.randrange(8), dice.randrange(64) << 2 | 3])
        return head + dice.randbytes(dice.randrange(3, 300))
    return "gb", [uplink(one(), KEYED_TLLI + dice.randrange(KEYED_MSS)) for _ in range(KINDS)]


@attack("uplink data of its MSs, from cell to cell", "up.npdus", turns=0, told=MOVES)
def hops(_, dice):
    return "gb", [uplink(codec.llc_ui(3, i % 512, b"\x65\0\0\0" + bytes(40)),
                         HOSTILE_TLLI + dice.randrange(HOSTILE_MSS), dice.choice((2, 3)))
                  for i in range(KINDS)]


@attack("malformed UL-UNITDATA and malformed PDUs of all kinds", "gb.control_packets gb.drop_bssgp", turns=2)
def malformed(_, dice):
    good = uplink(codec.llc_ui(3, 0, b"\x65\0\0\0abcd"), HOSTILE_TLLI)[42:]
    kinds = [good, codec.unitdata(0, codec.build("bssgp_bvc_reset", bvci=2, cause=8)),
             codec.unitdata(2, codec.build("bssgp_flow_control_bvc", tag=1, bmax=1, r=1)),
             codec.build("ns_reset", cause=1, nsvci=102, nsei=102)]

    def one():
        octets = bytearray(dice.choice(kinds))
        octets[dice.randrange(4 if octets[0] == 0 else 1, len(octets))] = dice.getrandbits(8)
        return gb_frame(H4, bytes(octets[:dice.randrange(5, len(octets) + 1)]))
    return "gb", [one() for _ in range(KINDS)]


@attack("all else that a BSS says: flow control, SUSPEND, RADIO-STATUS, LLC-DISCARDED", "gb.control_packets")
def signalling(_, dice):
    def one(i):
        tlli = HOSTILE_TLLI + dice.randrange(HOSTILE_MSS)
        on, name, fields = dice.choice((
            (2, "bssgp_flow_control_ms", {"tlli": tlli, "tag": i % 256, "ms_bmax": 9, "r": 9}),
            (2, "bssgp_flow_control_bvc", {"tag": i % 256, "bmax": 9, "r": 9, "bmax_default": 9,
                                           "r_default": 9}),
            (2, "bssgp_radio_status", {"tlli": tlli, "radio_cause": dice.randrange(4)}),
            (0, "bssgp_suspend", {"tlli": tlli, "rai": codec.RAI}),
            (0, "bssgp_llc_discarded", {"tlli": tlli, "frames": 1, "bvci": 2, "octets": 99}),
            (2, "bssgp_ra_capability_update", {"tlli": tlli, "tag": i % 256}),
            (0, "bssgp_bvc_block", {"bvci": 3, "cause": 8}), (0, "bssgp_bvc_unblock", {"bvci": 3})))
        return hostile(on, name, **fields)
    return "gb", [one(i) for i in range(KINDS)]


# ---- Fragments -----------------------------------------------------------------------------------


def halves(frame, dice, whose_mac=None):
    """The first of two fragments, so that it waits for the other."""
    first = wire.fragments_of(frame, dice.getrandbits(16), 64)[0]
    return first[:6] + whose_mac + first[12:] if whose_mac else first


@attack("fragments in the honest BSS's name, from another Ethernet address", "gb.drop_fragment_forged")
def forged_fragments(_, dice):
    return "gb", [halves(gb_frame(dice.choice((A4, B4, B6)), bytes(200)), dice, HOSTILE_MAC)
                  for _ in range(KINDS)]


@attack("fragments in the honest GGSN's name, from another Ethernet address", "gn.drop_fragment_forged")
def forged_fragments_gn(_, dice):
    return "gn", [halves(gn_frame(GGSN, bytes(200)), dice, HOSTILE_MAC) for _ in range(KINDS)]


@attack("fragments of strangers, and of the hostile BSS itself", "gb.drop_fragment_full")
def fragments(_, dice):
    return "gb", [halves(gb_frame(dice.choice((H4, stranger(dice))), bytes(200)), dice)
                  for _ in range(KINDS)]


@attack("fragments of strangers on Gn", "gn.drop_fragment_full")
def fragments_gn(_, dice):
    return "gn", [halves(gn_frame(stranger(dice), bytes(200)), dice) for _ in range(KINDS)]


# ---- Gn --------------------------------------------------------------------------------------------


def g_pdu(source, teid, octets):
    return gn_frame(source, b"\x30\xff" + len(octets).to_bytes(2) + teid.to_bytes(4) + octets)


@attack("G-PDUs of strangers to guessed TEIDs, and to right ones", "gn.drop_gn_source gn.drop_unknown_teid", turns=0)
def teids(arena, dice):
    right = [tunnel.teid for tunnel in arena.tunnels()]
    return "gn", [g_pdu(stranger(dice), dice.choice((dice.getrandbits(32), dice.choice(right),
                                                     dice.choice(right) ^ 1 << dice.randrange(32))),
                        npdu("10.0.0.1", 100, 0xFFFFFFFF)) for _ in range(KINDS)]


@attack("error indications of strangers, and of the GGSN about nothing", "gn.control_packets gn.drop_stranger")
def indications(_, dice):
    def one():
        ies = b"\x10" + dice.randrange(TEID, TEID + MSS).to_bytes(4) + b"\x85\0\4" \
            + wire.packed(GGSN)
        source = stranger(dice)
        if dice.random() < 0.5:
            source, ies = GGSN, b"\x10" + dice.getrandbits(16).to_bytes(4, "little") + ies[5:]
        return gn_frame(source, b"\x32\x1a" + (4 + len(ies)).to_bytes(2) + bytes(8) + ies)
    return "gn", [one() for _ in range(KINDS)]


@attack("GTP echo requests of strangers", "gn.host_packets", turns=0)
def gtp_echo(_, dice):
    return "gn", [gn_frame(stranger(dice), bytes.fromhex("320100040000000012340000"))
                  for _ in range(KINDS)]


def gtpc_garbage(source, dice):
    octets = b"\x32" + dice.randbytes(dice.randrange(0, 300)) if dice.random() < 0.5 else dice.randbytes(40)
    return gn_frame(source, octets, port=dice.choice((2123, dice.randrange(1, 65536))), to=2123)


@attack("GTP-C garbage of strangers, its port is open", "gn.drop_gtpc_stranger", gtpc=[HOSTILE_GGSN])
@attack("GTP-C garbage of strangers, its port is closed", "gn.drop_other_port", turns=0, gtpc=[])
def gtpc_strangers(_, dice):
    return "gn", [gtpc_garbage(stranger(dice), dice) for _ in range(KINDS)]


@attack("GTP-C garbage of a GGSN", "gn.control_packets gn.drop_control_full", gtpc=[HOSTILE_GGSN])
@attack("GTP-C garbage of a GGSN, with two workers", "gn.control_packets gn.drop_control_full", workers=2,
        gtpc=[HOSTILE_GGSN])
def gtpc_ggsn(_, dice):
    return "gn", [gtpc_garbage(HOSTILE_GGSN, dice) for _ in range(KINDS)]


@attack("downlink to the hostile BSS, which takes none of it", "background.drop_bvc_full", turns=0)
def downlink(arena, dice):
    teids = [tunnel.teid for tunnel in arena.tunnels() if tunnel.nse_id == 1]
    return "gn", [arena.down_frame(dice.choice(teids), npdu("10.1.0.0", 1200))
                  for _ in range(KINDS)]


# ---- Neighbours ------------------------------------------------------------------------------------


@attack("gratuitous ARP and advertisements for the honest BSS's addresses",
        "gb.host_packets gb.drop_arp gb.drop_icmp", turns=0)
def gratuitous(_, dice):
    def one():
        mac, address = b"\x02\x66" + dice.randbytes(4), dice.choice((A4, B4, B6))
        if address == B6:
            return wire.advertisement(B6, "ff02::1", B6, mac, bytes.fromhex("333300000001"), 0x20)
        return wire.arp(dice.choice((1, 2)), mac, address, bytes(6), address)
    return "gb", [one() for _ in range(KINDS)]


@attack("gratuitous ARP for the GGSN's address", "gn.host_packets", turns=0)
def gratuitous_gn(_, dice):
    return "gn", [wire.arp(dice.choice((1, 2)), b"\x02\x66" + dice.randbytes(4), GGSN, bytes(6), GGSN)
                  for _ in range(KINDS)]


@attack("ARP requests and neighbour solicitations of strangers", "gb.host_packets", turns=0)
def arp_requests(_, dice):
    def one():
        mac, host = b"\x02\x66" + dice.randbytes(4), dice.randrange(100, 250)
        if dice.random() < 0.5:
            return wire.arp(1, mac, f"198.51.100.{host}", bytes(6), GB)
        source = f"2001:db8:1::{host:x}"
        body = wire.icmp(source, "ff02::1:ff00:1", 135, 0,
                         bytes(4) + wire.packed("2001:db8:1::1") + b"\1\1" + mac)
        return wire.in_ether(body, mac, bytes.fromhex("3333ff000001"))
    return "gb", [one() for _ in range(KINDS)]


@attack("pings of strangers", "gb.host_packets", turns=0)
def pings(_, dice):
    return "gb", [wire.in_ether(wire.icmp(stranger(dice), GB, 8, 0, bytes(60)), HOSTILE_MAC,
                                wire.mac(GB_MAC)) for _ in range(KINDS)]


@attack("ICMP unreachable, forged, about datagrams to the honest BSS", "gb.host_packets")
def unreachable(_, dice):
    def one():
        peer = dice.choice((A4, B4))
        ours = wire.ip(GB, peer, wire.UDP,
                       wire.udp(wire.Datagram(GB, 23000, peer, 23000, bytes(8))))
        said = wire.icmp(dice.choice((peer, stranger(dice))), GB, 3, 3, bytes(4) + ours[:28])
        return wire.in_ether(said, HOSTILE_MAC, wire.mac(GB_MAC))
    return "gb", [one() for _ in range(KINDS)]


@attack("NS-ALIVE of the hostile BSS", "gb.host_packets", turns=0)
def alive(_, __):
    return "gb", [gb_frame(H4, codec.build("ns_alive"))]


@attack("noise: frames that are nothing", "gb.drop_not_ip", turns=0)
def noise(_, dice):
    return "gb", [wire.mac(GB_MAC) + dice.randbytes(dice.randrange(8, 200)) for _ in range(KINDS)]


@attack("all that comes to Gb at once", "gb.control_packets gb.host_packets", turns=4,
        nse='dynamic = true, cells = "any",')
@attack("all that comes to Gb at once, with two workers", "gb.control_packets gb.host_packets", turns=4, workers=2,
        nse='dynamic = true, cells = "any",')
def together(arena, dice):
    found = []
    for one in ATTACKS:
        if one.frames not in (together, claims, data, hops) and "gtpc" not in one.config \
                and "ns = " not in one.config.get("nse", ""):
            side, frames = one.frames(arena, dice)
            found += dice.sample(frames, 60) if side == "gb" and len(frames) > 60 else []
    dice.shuffle(found)
    return "gb", found
