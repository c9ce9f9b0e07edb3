"""What the tests of NS share: a world with one NS-VC, the way into each of its states, and how both
sides' views are looked at."""

from bss import Bss
from world import HEAD, S, ms, nsvc, right, same

NSEI, NSVCI, BSS, TLLI = 101, 102, "198.51.100.2", 0xC0000001
O_AND_M, EQUIPMENT, TRANSIT = 0x01, 0x02, 0x00
NSVC_BLOCKED, NSVC_UNKNOWN, INCOMPATIBLE, PROTOCOL, INVALID, MISSING = 3, 4, 0x0A, 0x0B, 0x0C, 0x0D
TEST_NS, ALIVE_NS, RESET_NS, BLOCK_NS = 30 * S, 3 * S, 1 * S, 3 * S  # the defaults
AGAIN_NS = S  # between questions on a dead NS-VC
RETRIES, ALIVE_RETRIES = 3, 10
START_NS = S // 10  # until we reset an NS-VC of the file: its neighbour's address is found meanwhile


def config(*more, nse="", nsvcs=None):
    nsvcs = nsvcs or nsvc(NSVCI, BSS)
    return HEAD + "\n".join(more) + f"""
nse {{
    nsei = {NSEI}, {nse} {nsvcs},
    bvc {{ bvci = 2, {ms("001010000000001", TLLI)} }},
}}
"""


def quiet_bss(world, nsvcs=((NSVCI, BSS),)):
    """It answers nothing by itself."""
    bss = Bss(world, NSEI, nsvcs, {2: 8000})
    bss.auto.clear()
    return bss


def state(world, nsvc_id=0):
    return world.lua(f"return require('sluice.core.network').nsvc[{nsvc_id}].state")


def fields_of(name):
    return {"ns_reset": {"cause": O_AND_M, "nsvci": NSVCI, "nsei": NSEI},
            "ns_reset_ack": {"nsvci": NSVCI, "nsei": NSEI},
            "ns_block": {"cause": O_AND_M, "nsvci": NSVCI}, "ns_block_ack": {"nsvci": NSVCI},
            "ns_status": {"cause": PROTOCOL, "pdu": b"\x77"}}.get(name, {})


def say(bss, name):
    if name == "data":
        bss.send(2, "bssgp_flow_control_bvc_ack", tag=1)  # data, and nobody's question
    else:
        bss.ns(name, **fields_of(name))


# ---- The way into each state, and the state's own timer ----


def into_dead(bss):
    del bss


def into_reset(bss):
    bss.expect("ns_reset", at=START_NS, cause=O_AND_M)


def into_unblocking(bss):
    into_reset(bss)
    say(bss, "ns_reset_ack")
    bss.expect("ns_unblock", at=bss.world.now_ns)


def into_blocked(bss):
    say(bss, "ns_reset")
    bss.expect("ns_reset_ack", at=bss.world.now_ns, nsvci=NSVCI, nsei=NSEI)


def into_unblocked(bss):
    into_blocked(bss)
    say(bss, "ns_unblock")
    bss.expect("ns_unblock_ack", at=bss.world.now_ns)


def into_blocking(bss):
    into_unblocked(bss)
    same(bss.world.ctl(f"nsvc {NSEI} {NSVCI} block")[0], True, "ctl nsvc block")
    bss.expect("ns_block", at=bss.world.now_ns, cause=O_AND_M, nsvci=NSVCI)


INTO = {"dead": into_dead, "reset": into_reset, "unblocking": into_unblocking,
        "blocked": into_blocked, "unblocked": into_unblocked, "blocking": into_blocking}

PDUS = ["ns_reset", "ns_reset_ack", "ns_block", "ns_block_ack", "ns_unblock", "ns_unblock_ack",
        "ns_status", "data"]


# ---- Looking ----


def came(bss):
    """What has come since the inbox was cleared; any BSSGP is one word."""
    return sorted("bssgp" if r.pdu.sdu else r.pdu.name for r in bss.inbox)


def series(start_ns, step_ns, n):
    return [start_ns + i * step_ns for i in range(n)]


def stays_up(world, bss):
    """Both sides hold it for unblocked, and nobody starts again."""
    same((state(world), bss.nsvcs[0].blocked), ("unblocked", False), "both sides' view")
    resets, now_ns = len(bss.times("ns_reset")), world.now_ns
    world.run(200 * S)
    same((state(world), len(bss.times("ns_reset"))), ("unblocked", resets), "200 s later")
    tests = {t_ns for t_ns in bss.times("ns_alive") if t_ns > now_ns}
    right(6 <= len(tests) <= 7, f"{len(tests)} tests in 200 s")


def picture(world):
    """All NS-VCs, cells and states, as text."""
    return world.lua(
        "local w, t = require 'sluice.core.network', {} for _, n in ipairs(w.nses) do for _, v in "
        "ipairs(n.nsvcs) do t[#t + 1] = v.nsvci .. v.endpoint .. v.state .. tostring(v.blocked) "
        "end "
        "for _, b in ipairs(n.bvc_list) do t[#t + 1] = b.bvci .. tostring(b.state) end end "
        "return table.concat(t, ';')")
