#!/usr/bin/python3
"""What a CREATE-BSS-PFC says, and whom for; profiles that a BSS grants or wants instead (TS 48.018
clause 8a, TS 24.008 clause 10.5.6.5)."""

from pfc_world import (CREATE, DELETE, DOWN, IMSI, INVALID_MANDATORY, MODIFY_ACK, NOT_IN_FEATURES,
                       ONE, OTHER, PROFILES, TLLI, UNKNOWN_MS, begin, came, config, context,
                       profile, say, states)
from world import World, case, main, same


@case("each context's PFI is a packet flow; a CREATE has the profile of its class and rate")
def profiles():
    contexts = "".join(context(5 + n, pfi, *row[:2]) for n, (pfi, row) in
                       enumerate(PROFILES.items()))
    with World(config(contexts)) as world:
        bss = begin(world)
        same(states(world), {pfi: "none" for pfi in PROFILES}, "states")
        for pfi in PROFILES:
            say(bss, "download_bss_pfc", pfi=pfi)
            pdu = bss.expect(CREATE, at=world.now_ns, on=2)
            same(pdu.fields, {"tlli": TLLI, "imsi": IMSI, "pfi": pfi, "pft": 0xE0,
                              "abqp": profile(pfi)}, "CREATE")


@case("what the file has of the MS is said: IMSI, capability, priority with T10; READY timer")
def options():
    more = 'ra_capability = "12d3c20400", priority = 0x2a,'
    for ready, pft in (("44 s", 0x16), ("3 s", 0x03), ("62 s", 0x1F), ("63 s", 0x22),
                       ("40 min", 0x47), ("none", 0xE0)):
        with World(config(context(5, 8, "background"), more, f'ready = "{ready}", ')) as world:
            bss = begin(world)
            say(bss, "download_bss_pfc")
            pdu = bss.expect(CREATE, at=world.now_ns)
            same(pdu.fields, {
                "tlli": TLLI, "imsi": IMSI, "pfi": 8, "pft": pft, "abqp": profile(8),
                "ra_capability": bytes.fromhex("12d3c20400"), "priority": 0x2A, "t10": 5}, ready)


@case("PFIs that the BSS knows by itself, that no context has, TLLIs that nobody has")
def unknown():
    with World(config(context(5, 8, "background") + context(6, 1, "signalling"))) as world:
        bss = begin(world)
        for pfi in (0, 1, 2, 3, 9, 127):
            say(bss, "download_bss_pfc", pfi=pfi)
        same((came(bss), states(world)), ([], {8: "none"}), "not answered")
        for name, more in (("download_bss_pfc", {}), ("modify_bss_pfc", {"abqp": profile(8)}),
                           ("delete_bss_pfc_req", {"cause": 6})):
            say(bss, name, tlli=OTHER, **more)
            status = bss.expect("bssgp_status", at=world.now_ns, on=2, cause=UNKNOWN_MS)
            same(status["pdu"], bss.sent[-1].pdu.sdu.octets, name)
        for name, more in (("create_bss_pfc_ack", {"abqp": profile(8)}),
                           ("create_bss_pfc_nack", {"cause": 10}), ("delete_bss_pfc_ack", {})):
            say(bss, name, tlli=OTHER, **more)
        same(came(bss), [], "answers about nobody")


@case("where the feature is not in force, each PDU gets STATUS, and nobody can ask for one")
def not_in_force():
    with World(ONE) as world:
        bss = begin(world, features=0)
        for name, more in DOWN.values():
            say(bss, name, **more)
            bss.expect("bssgp_status", at=world.now_ns, cause=NOT_IN_FEATURES)
        same(world.ctl(f"pfc {IMSI} create")[0], False, "asked for")
        same(came(bss), [], "nothing")


def changed(octets, **at):
    octets = bytearray(octets)
    for place, value in at.items():
        octets[int(place[1:]) - 3] = value
    return bytes(octets)


@case("MODIFY: a lower profile is taken, a higher one bounded, another class answered with ours")
def modify():
    ours = profile(10)  # 16 kbit/s, guaranteed, both ways
    with World(config(context(5, 10, "conversational", "16 kbit/s"))) as world:
        bss = begin(world)
        for asked, granted in (
                (ours, ours), (changed(ours, o9=0x0C), changed(ours, o9=0x0C)),
                (changed(ours, o9=0x40), ours), (changed(ours, o8=0x40, o12=0x40), ours),
                (changed(ours, o13=0x05), changed(ours, o13=0x05)),
                (changed(ours, o9=0, o13=0), ours), (changed(ours, o6=0x93), ours),
                (changed(ours, o9=0xFF, o13=0xFF), changed(ours, o9=0xFF, o13=0xFF)),
                (ours + b"\0\x10\0\0\0", ours)):
            say(bss, "modify_bss_pfc", pfi=10, abqp=asked)
            pdu = bss.expect(MODIFY_ACK, at=world.now_ns, on=2)
            same(pdu.fields, {"tlli": TLLI, "pfi": 10, "pft": 0xE0, "abqp": granted}, asked.hex())
        for broken in (ours[:3], ours[:10], changed(ours, o7=0xFF)):
            say(bss, "modify_bss_pfc", pfi=10, abqp=broken)
            bss.expect("bssgp_status", at=world.now_ns, cause=INVALID_MANDATORY)
        say(bss, "modify_bss_pfc", pfi=11, abqp=ours)
        bss.expect(DELETE, at=world.now_ns, pfi=11)
        same(came(bss), [], "besides")


@case("what is granted is kept and shown, whatever it is; a refusal with its cause")
def shown():
    with World(config(context(5, 9, "interactive-2", "64 kbit/s"))) as world:
        bss = begin(world)
        for granted, text in ((profile(9), "up down 64000 bit/s"),
                              (changed(profile(9), o9=0x20), "up down 32000 bit/s"),
                              (b"\1\2\3", "up"), (b"\xff" * 40, "up")):
            say(bss, "download_bss_pfc", pfi=9)
            say(bss, "create_bss_pfc_ack", pfi=9, abqp=granted)
            same(world.ctl(f"pfc {IMSI}"), (True, f"PFI 9: {text}"), granted.hex())
        say(bss, "download_bss_pfc", pfi=9)
        say(bss, "create_bss_pfc_nack", pfi=9, cause=0x0A)
        same(world.ctl(f"pfc {IMSI}"), (True, "PFI 9: refused, cause 0x0a"), "refused")


main()
