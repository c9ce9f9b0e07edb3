#!/usr/bin/python3
"""Traffic does not depend on the procedures being alive: with their Lua killed it goes on at the
values set last, the NS-VC stays up, and what the BSS says is taken and given back."""

import replay
from bss import Bss
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, npdu, nsvc

PEER, TLLI = "198.51.100.2", 0xC0000001
RATE = 16000  # bit/s, of the cell
CONFIG = HEAD + f"""
nse {{ nsei = 101, {nsvc(101, PEER)}, bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=4)} }} }}
"""


def offer(world, teids, until_ns, number=0):
    """Twice what the cell takes."""
    for i, teid in enumerate(teids):
        world.down(teid, npdu(f"10.0.0.{i + 1}", 500, number))
    next_ns = world.now_ns + 500 * MS
    if next_ns < until_ns:
        world.at(next_ns, offer, world, teids, until_ns, number + 1)


def octets_between(bss, from_ns, to_ns):
    return sum(len(r.pdu.sdu["llc"]) for r in bss.dl if from_ns <= r.time_ns < to_ns)


@case("with Lua killed traffic goes on at the last values, NS stays up, nothing is lost")
def killed():
    with World(CONFIG) as world:
        bss = Bss(world, 101, [(101, PEER)], {2: RATE})
        bss.up()
        bss.flow(2, r=RATE // 100, bmax=20)
        offer(world, [world.teid(TLLI + i) for i in range(4)], world.now_ns + 60 * S)
        world.run(20 * S)
        killed_ns = world.now_ns
        world.kill_lua()
        bss.inbox.clear()
        for _ in range(10):
            bss.ns("ns_alive")
            bss.expect("ns_alive_ack", at=world.now_ns)
            bss.flow(2, r=1, bmax=1)  # nobody takes it over
            bss.send(0, "bssgp_bvc_reset", bvci=2, cause=8)
            bss.ns("ns_reset", cause=1, nsvci=101, nsei=101)
            world.run(3 * S)
        bss.none("bssgp_flow_control_bvc_ack")
        bss.none("bssgp_bvc_reset_ack")
        bss.none("ns_reset_ack")
        rate = octets_between(bss, killed_ns, killed_ns + 30 * S) * 8 / 30
        right(abs(rate - RATE) < RATE * 0.01, f"{rate} bit/s behind the kill, {RATE} before it")
        bss.uplink(2, TLLI, npdu("203.0.113.9", 200, source="10.0.0.1"))
        world.run(S)
        same(len(world.npdus_up()), 1, "N-PDUs up")
        same(replay.of(bss).violations, [], "violations")
        good, answer = world.ctl("log debug")
        same(good, False, "a request")
        right("Lua has ended" in answer, answer)
        right("Lua has ended" in world.log(), world.log())


@case("what was asked when Lua ended is answered, and so is who asks later")
def answered():
    with World(CONFIG) as world:
        world.lua("require('sluice.core.jobs').start = function() error('a test does it') end")
        for _ in range(2):
            good, answer = world.ctl("reload")
            same(good, False, "a request")
            right("Lua has ended" in answer, answer)


main()
