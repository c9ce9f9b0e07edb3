#!/usr/bin/python3
"""NS (TS 48.016) over a network that loses, doubles and delays each of its PDUs; restarts of either
side, colliding resets, and the end of Lua. Both sides must end up with the same view, and keep it.
"""

import frames
from bss import ANSWERED, Bss
from harms import harms
from ns_world import (ALIVE_NS, ALIVE_RETRIES, BSS, EQUIPMENT, NSEI, NSVCI, START_NS, TEST_NS,
                      config, into_reset, quiet_bss, say, state, stays_up)
from world import GB, GB_MAC, MS, S, World, case, main, same

# ---- Loss, duplication, delay ----

BSS_BEGINS = [("up", "ns_reset"), ("down", "ns_reset_ack"), ("up", "ns_unblock"),
              ("down", "ns_unblock_ack"), ("down", "ns_alive"), ("up", "ns_alive_ack")]
WE_BEGIN = [("down", "ns_reset"), ("up", "ns_reset_ack"), ("down", "ns_unblock"),
            ("up", "ns_unblock_ack"), ("down", "ns_alive"), ("up", "ns_alive_ack")]
HARM = harms("lost twice", 2, 3100 * MS)


def bss_begins_harmed(way, name, harm):
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        HARM[harm](bss, way, name)
        bss.start()
        world.run(25 * S)
        stays_up(world, bss)


def we_begin_harmed(way, name, harm):
    """An NS-RESET that comes late takes the BSS down behind our back; it says so when data comes,
    our BVC-RESET, which is repeated 10 s later."""
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.strict = True
        HARM[harm](bss, way, name)
        world.run(TEST_NS + 25 * S)
        stays_up(world, bss)


for harm_name in HARM:
    for way_name, pdu_name in BSS_BEGINS:
        case(f"the BSS begins, {pdu_name} {way_name} is {harm_name}: it comes up and stays up",
             way_name, pdu_name, harm_name)(bss_begins_harmed)
    for way_name, pdu_name in WE_BEGIN:
        case(f"we begin, {pdu_name} {way_name} is {harm_name}: it comes up and stays up",
             way_name, pdu_name, harm_name)(we_begin_harmed)


# ---- Restarts and collisions ----


@case("a BSS that restarts comes up again, at whatever instant it does")
def bss_restarts():
    for delay_ns in (0, 1, 500 * MS, 3 * S, TEST_NS, TEST_NS + ALIVE_NS):
        with World(config()) as world:
            bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
            bss.start()
            world.run(5 * S)
            bss.auto.clear()  # it is off
            world.run(delay_ns)
            bss.auto.update(ANSWERED)
            bss.restart()
            world.run(20 * S)
            stays_up(world, bss)


@case("we restart, the BSS goes on with data: our reset brings it up, the data is not answered")
def we_restart():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.nsvcs[0].blocked = False
        world.run(MS)
        for _ in range(3):
            say(bss, "data")
        bss.expect("ns_reset", at=MS, cause=EQUIPMENT, nsvci=NSVCI, nsei=NSEI)
        same(bss.times("ns_reset"), [MS], "NS-RESETs")
        bss.expect("ns_unblock", at=MS)
        world.run(20 * S)
        stays_up(world, bss)
        bss.none("ns_status")


@case("resets collide: each takes the other's, both end unblocked")
def collision():
    for early_ns in (0, 1, 10 * MS):
        with World(config()) as world:
            bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
            bss.latency_ns = 20 * MS
            world.run(START_NS - early_ns)
            bss.start()
            world.run(25 * S)
            stays_up(world, bss)


@case("resets collide, and both wait for the other's NS-UNBLOCK: we send ours")
def collision_nobody_unblocks():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.auto.update(("ns_alive", "ns_unblock"))
        into_reset(bss)
        say(bss, "ns_reset")
        bss.expect("ns_reset_ack", at=START_NS)
        same(state(world), "blocked", "state")
        bss.expect("ns_unblock", within=TEST_NS)
        world.run(0)
        same(state(world), "unblocked", "state")


def unreachable(source, quoted):
    """ICMP: port unreachable, of a frame's IP packet (RFC 792)."""
    body = b"\3\3\0\0\0\0\0\0" + quoted[14:14 + 28]
    body = body[:2] + frames.checksum(body).to_bytes(2) + body[4:]
    return frames.ether(frames.mac_of(source), frames.mac(GB_MAC), 0x800,
                        frames.ip(source, GB, 1, body))


@case("the BSS's host says that nobody listens: the test begins at once, and again only when answered")
def port_unreachable():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.up()
        world.run(5 * S)
        bss.inbox.clear()
        sent = [f.octets for f in world.frames if f.side == "gb" and not f.to_us][-1]
        elsewhere = sent[:36] + (999).to_bytes(2) + sent[38:]  # to another UDP port
        before = world.stats()["gb"]
        world.put("gb", unreachable(BSS, elsewhere))
        bss.none("ns_alive", S)
        bss.auto.discard("ns_alive")
        for n in range(5):
            world.put("gb", unreachable("198.51.100.9" if n else BSS, sent))
            if n == 0:
                bss.expect("ns_alive", at=world.now_ns)
            world.run(20 * MS)
        bss.none("ns_alive", S)
        after = world.stats()["gb"]
        same((after["host_packets"] - before["host_packets"], after["drop_icmp"]), (6, 0),
             "frames for the host, drops")
        bss.ns("ns_alive_ack")
        world.run(0)
        world.put("gb", unreachable(BSS, sent))
        start_ns = world.now_ns
        bss.expect("ns_alive", at=start_ns)
        bss.expect("ns_reset", at=start_ns + (1 + ALIVE_RETRIES) * ALIVE_NS)


@case("before it has come up, too, the log has the ICMP error, a line in ten seconds; NS-RESET goes on as without it")
def port_unreachable_at_first():
    def resets(harm):
        with World(config()) as world:
            bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
            bss.auto.clear()
            world.run(S)
            sent = [f.octets for f in world.frames if f.side == "gb" and not f.to_us][-1]
            for _ in range(1500):
                if harm:
                    world.put("gb", unreachable(BSS, sent))
                world.run(10 * MS)
            lines = world.log_lines("ICMP says that nobody listens there; is the BSS running")
            same(len(lines), 2 if harm else 0, "lines")
            same((state(world), bss.times("ns_alive")), ("dead", []), "state, NS-ALIVEs")
            return bss.times("ns_reset")

    times = resets(True)
    same(times, resets(False), "NS-RESETs")
    same(len(times) > 3, True, f"more than three NS-RESETs: {times}")


@case("a flood of forged ICMP errors: a test in a second, a line in ten, and the NS-VC stays up")
def forged():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.up()
        world.run(5 * S)
        sent = [f.octets for f in world.frames if f.side == "gb" and not f.to_us][-1]
        tests = len(bss.times("ns_alive"))
        for _ in range(2000):
            world.put("gb", unreachable("198.51.100.9", sent))
            world.run(10 * MS)
        same((len(bss.times("ns_alive")) - tests, len(world.log_lines("ICMP says"))), (20, 2), "tests, lines")
        same((state(world), bss.times("ns_reset")), ("unblocked", []), "state, NS-RESETs")


@case("Lua ends: NS-ALIVE is still answered")
def without_lua():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.start()
        world.run(5 * S)
        world.kill_lua()
        world.run(100 * S)
        bss.ns("ns_alive")
        bss.expect("ns_alive_ack", at=world.now_ns)


main()
