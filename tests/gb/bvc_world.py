"""What the tests of BVCs share: a world of two NSEs that have a BVCI in common, the way into each
state of a cell and of the signalling BVC, and how both sides' views are looked at."""

import codec
from bss import Bss
from world import HEAD, MS, S, ms, npdu, nsvc, same

NSEI, OTHER_NSEI, BSS, OTHER_BSS = 101, 102, "198.51.100.2", "198.51.100.3"
TLLI = 0xC0000001  # in cell 2 of NSE 101; the next one in cell 3, the one after in cell 2 of 102
T2_NS, MOMENT_NS, PAUSE_NS = 10 * S, S, 30 * S

UNKNOWN_BVCI, O_AND_M, BLOCKED = 0x05, 0x08, 0x09
INVALID_MANDATORY, MISSING_MANDATORY, MISSING_CONDITIONAL = 0x21, 0x22, 0x23
UNEXPECTED_CONDITIONAL, CONDITIONAL_ERROR = 0x24, 0x25
WRONG_STATE, PROTOCOL, NOT_IN_FEATURES = 0x26, 0x27, 0x28


def config(*more, nse=""):
    def one_ms(number):
        return ms(f"00101000000000{number}", TLLI + number - 1, address=f"10.0.0.{number}",
                  ggsn_teid=0x1000 + number)
    return HEAD + "\n".join(more) + f"""
nse {{
    nsei = {NSEI}, {nse} {nsvc(1, BSS)},
    bvc {{ bvci = 2, {one_ms(1)} }}, bvc {{ bvci = 3, {one_ms(2)} }},
}}
nse {{
    nsei = {OTHER_NSEI}, {nsvc(2, OTHER_BSS)},
    bvc {{ bvci = 2, {one_ms(3)} }}, bvc {{ bvci = 7 }},
}}
"""


def ns_up(world, nsei=NSEI, nsvci=1, address=BSS, cells=(2, 3), **features):
    """A BSS whose NS-VC is unblocked, and which leaves all of BSSGP to the test."""
    bss = Bss(world, nsei, [(nsvci, address)], {bvci: 80000 for bvci in cells}, **features)
    bss.auto = {"ns_alive"}
    bss.ns("ns_reset", cause=1, nsvci=nsvci, nsei=nsei)
    bss.ns("ns_unblock")
    world.run(0)
    bss.nsvcs[0].blocked = False
    bss.inbox.clear()
    return bss


def fields_of(name, bvci):
    cell = None if bvci == 0 else codec.cell((0x100 + bvci) & 0xFFFF)
    return {"bssgp_bvc_reset": {"bvci": bvci, "cause": O_AND_M, "cell": cell},
            "bssgp_bvc_reset_ack": {"bvci": bvci, "cell": cell},
            "bssgp_bvc_block": {"bvci": bvci, "cause": O_AND_M},
            "bssgp_bvc_unblock": {"bvci": bvci}, "bssgp_bvc_block_ack": {"bvci": bvci},
            "bssgp_bvc_unblock_ack": {"bvci": bvci},
            "bssgp_status": {"cause": PROTOCOL, "pdu": b"\x77"}}[name]


def say(bss, name, bvci):
    """About a BVC, on signalling; FLOW-CONTROL-BVC on the cell's own."""
    if name == "bssgp_flow_control_bvc":
        bss.flow(bvci)
    else:
        bss.send(0, name, **fields_of(name, bvci))


def state(world, bvci, nsei=NSEI):
    nse = f"require('sluice.core.network').nse_of_nsei[{nsei}]"
    return world.lua(f"return {nse}.signalling.state" if bvci == 0 else
                     f"return {nse}.bvcs[{bvci}].state")


def picture(world, nsei):
    """All that is known of an NSE's NS-VCs and BVCs, as text."""
    return world.lua(
        f"local n, t = require('sluice.core.network').nse_of_nsei[{nsei}], {{}} "
        "for _, v in ipairs(n.nsvcs) do t[#t + 1] = v.endpoint .. v.state end "
        "for _, b in ipairs(n.bvc_list) do t[#t + 1] = b.bvci .. b.state .. "
        "(b.flow_control and b.flow_control.tag .. b.flow_control.r_bit_per_s or '-') end "
        "return n.signalling.state .. n.features .. ' ' .. table.concat(t, ' ')")


# ---- The way into each state ----


def signalling_up(bss):
    say(bss, "bssgp_bvc_reset", 0)
    bss.expect("bssgp_bvc_reset_ack", at=bss.world.now_ns, on=0, bvci=0)


def into_down(bss, bvci):
    if bvci:
        signalling_up(bss)


def into_resetting(bss, bvci):
    """What nobody resets we reset."""
    into_down(bss, bvci)
    bss.expect("bssgp_bvc_reset", at=bss.world.now_ns + (T2_NS if bvci else MOMENT_NS), bvci=bvci)


def into_up(bss, bvci):
    into_down(bss, bvci)
    if bvci == 0:
        signalling_up(bss)
    else:
        say(bss, "bssgp_bvc_reset", bvci)
        bss.expect("bssgp_bvc_reset_ack", at=bss.world.now_ns, on=0, bvci=bvci)


def into_blocked(bss, bvci):
    into_up(bss, bvci)
    say(bss, "bssgp_bvc_block", bvci)
    bss.expect("bssgp_bvc_block_ack", at=bss.world.now_ns, on=0, bvci=bvci)


INTO = {"down": into_down, "resetting": into_resetting, "up": into_up, "blocked": into_blocked}


# ---- Traffic ----


def send_down(world, number, octets=60):
    """An N-PDU to the MS of that number, from 1."""
    world.down(world.teid(TLLI + number - 1), npdu(f"10.0.0.{number}", octets))


def flows(world, bss, bvci, number):
    """An N-PDU passes each way, at once."""
    taken, up = len(bss.dl), len(world.npdus_up())
    send_down(world, number)
    bss.uplink(bvci, TLLI + number - 1, npdu("203.0.113.9", 60, source=f"10.0.0.{number}"))
    world.run(500 * MS + bss.latency_ns)
    same([(r.pdu.bvci, r.pdu.sdu["v_tlli"]) for r in bss.dl[taken:]],
         [(bvci, TLLI + number - 1)], "DL-UNITDATAs")
    same(len(world.npdus_up()) - up, 1, "N-PDUs up")

