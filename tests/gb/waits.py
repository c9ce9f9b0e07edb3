#!/usr/bin/python3
"""Control waits for room in the ring of commands, a worker for nobody: while a PDU is being handled
that is worth more commands than the ring takes, the worker goes on, and what it tells is not lost."""

import codec
from world import HEAD, S, World, case, main, ms, npdu, nsvc, same

# NSEs: of 10 000 cells, of cells that a reload removes, of one with traffic; and smaller ones
MANY, FEW, BUSY, SMALL = 101, 102, 103, range(201, 221)
PEERS = {nsei: f"198.51.100.{nsei}" for nsei in (MANY, FEW, BUSY, *SMALL)}
CELLS, BVCI, TLLI = 10000, 2, 0xC0000001
PDUS = 30000  # the ring of events has places for 8191


def nse(nsei, cells, more=""):
    listed = ", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in cells)
    return f'nse {{ nsei = {nsei}, ns = "manual", {nsvc(nsei, PEERS[nsei])}, {more} {listed} }}\n'


def text(few):
    """NSE FEW has so many cells."""
    home = f'bvc {{ bvci = {BVCI}, {ms("001010000000001", TLLI, count=1000)} }},'
    return (HEAD + f"room {{ bvcs = {2 * CELLS} }}\n" + nse(MANY, range(2, 2 + CELLS)) +
            "".join(nse(nsei, range(2, 302)) for nsei in SMALL) +
            nse(FEW, range(2, 2 + few)) + nse(BUSY, (), home))


def from_bss(world, nsei, on, name, **fields):
    return world.gb_frame(PEERS[nsei], codec.unitdata(on, codec.build(name, **fields)))


def answers(world, nsei, name):
    """How many of those the BSS has got."""
    found = [codec.parse(d.payload).sdu for d in world.strangers if d.destination == PEERS[nsei]]
    return sum(pdu.name == name for pdu in found if pdu)


def downlink(world, teids, n, first=0):
    for i in range(n):
        world.down(teids[i % len(teids)], npdu("10.0.0.1", 100, first + i))


@case("a BVC-RESET of BVCI 0 over 10 000 cells, under load, while cells are removed")
def under_load():
    with World(text(2400), "gb.rx_frames=65536", "gb.tx_frames=65536") as world:
        teids = sorted(tunnel.teid for tunnel in world.tunnels())
        # an event each, and no command, so that control's long job gets its turn
        told = world.gb_frame(PEERS[BUSY], codec.build("ns_alive_ack"))
        resets = {nsei: from_bss(world, nsei, 0, "bssgp_bvc_reset", bvci=0, cause=8, features=0)
                  for nsei in (MANY, *SMALL)}
        frames = [resets[MANY]]
        for nsei in SMALL:
            frames += [told] * 300 + [resets[nsei]]
        frames += [told] * (PDUS - 300 * len(SMALL))
        downlink(world, teids, 400)
        world.config.write_text(text(10))
        world.ask("ctl", "reload")
        for i in range(0, len(frames), 10000):  # all at one instant
            world.put_all("gb", frames[i:i + 10000])
        done, answer = world.ctl_answer(60 * S)
        same((done, answer), (True, "2390 cells removed"), "the reload")
        world.run(60 * S)
        same([answers(world, nsei, "bssgp_bvc_reset_ack") for nsei in resets], [1] * len(resets),
             "answers to BVC-RESET")
        same(world.counts()["in"]["ns_alive_ack"], PDUS, "PDUs that came to control")
        same(answers(world, BUSY, "bssgp_dl_unitdata"), 400, "N-PDUs")
        same(world.stats()["gb"]["drop_control_full"], 0, "PDUs for which control had no room")
        downlink(world, teids, 400, 400)
        world.run(S)
        same(answers(world, BUSY, "bssgp_dl_unitdata"), 800, "N-PDUs")


main()
