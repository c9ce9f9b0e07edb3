#!/usr/bin/python3
"""Several NS-VCs of an NSE under load (TS 48.016 4.4): who carries what by weight; that one which
fails, comes back or changes its weight takes nothing else along, loses nothing, reorders no MS."""

from collections import defaultdict

import codec
from bss import Bss
from sns_bss import NSEI, SnsBss, end
from world import HEAD, MS, NS_PORT, S, World, case, main, ms, npdu, nsvc, right, same

A, B, C = ADDRESSES = ["198.51.100.2", "198.51.100.3", "198.51.100.4"]
TLLI, MSS = 0xC0000000, 256
WEIGHTS, LINKS = {A: 1, B: 2, C: 5}, {A: 8, B: 16, C: 40}  # of 64
TEST_NS, DEAD_NS = 30 * S, 33 * S
# The FLOW-CONTROL-BVC of the cell: 400 kbit/s, which the load below exceeds
FLOW = {"bmax": 1000, "r": 4000, "bmax_default": 500, "r_default": 4000}

QUEUES = """
class { name = "background", lifetime = "unlimited", aqm { name = "tail-drop" } }
queue { packets = 8192, octets = "8000 kB", cell_packets = 8192, cell_octets = "8000 kB" }
"""
CELL = f'bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=MSS)} }}'
RESET = HEAD + QUEUES + f"""
nse {{
    nsei = {NSEI}, {CELL},
    {", ".join(nsvc(n, a, weight=WEIGHTS[a]) for n, a in enumerate(ADDRESSES, 1))},
}}
"""
SNS = HEAD + QUEUES + f"""
nse {{ nsei = {NSEI}, ns = "sns", {CELL} }}
"""


def link(tlli):
    """One of 64, by the golden ratio."""
    return (tlli * 0x9E3779B9 & 0xFFFFFFFF) >> 26


class Load:
    """N-PDUs of 200 octets to all MSs in turn, numbered for each; some always wait for the cell."""

    def __init__(self, world, bss):
        self.world, self.bss = world, bss
        self.teid = {t.tlli: t.teid for t in world.tunnels()}
        self.sent = 0

    def round(self):
        world, number = self.world, self.sent // MSS
        frames = [world.down_frame(teid, npdu(address(tlli), 200, number))
                  for tlli, teid in self.teid.items()]
        world.put_all("gn", frames)
        self.sent += len(frames)

    def run(self, rounds, every_ns=S):
        for _ in range(rounds):
            self.round()
            self.world.run(every_ns)


def carried(records):
    """{address: links}"""
    found = defaultdict(set)
    for record in records:
        found[record.nsvc.address].add(link(record.pdu.sdu["v_tlli"]))
    return dict(found)


def address(tlli):
    return f"10.0.{(tlli - TLLI + 1) >> 8}.{(tlli - TLLI + 1) & 255}"


def numbers(records):
    """{TLLI: the numbers of its N-PDUs, as they came}; each N-PDU is one segment here."""
    found = defaultdict(list)
    for record in records:
        _, _, info = codec.read_llc_ui(record.pdu.sdu["llc"])
        same(info[0] & 0x50, 0x40, "one segment each")
        found[record.pdu.sdu["v_tlli"]].append(int.from_bytes(info[24:28]))
    return found


def all_in_order(records, load):
    found = numbers(records)
    same(len(found), MSS, "MSs that got something")
    wanted = list(range(load.sent // MSS))
    for tlli, came in found.items():
        same(came, wanted, f"N-PDUs of TLLI {tlli:#x}")


def in_order(records):
    for tlli, came in numbers(records).items():
        same(came, sorted(set(came)), f"N-PDUs of TLLI {tlli:#x}")


def up(world, bss):
    bss.up()
    bss.flow(2, **FLOW)
    world.run(S)
    return Load(world, bss)


def reset_world():
    world = World(RESET)
    bss = Bss(world, NSEI, [(n, a) for n, a in enumerate(ADDRESSES, 1)], {2: 400000})
    return world, bss


def spread(found):
    return {a: len(found.get(a, ())) for a in ADDRESSES}


def only_one_each(found):
    links = [each for one in found.values() for each in one]
    same(len(links), len(set(links)), "links, and different ones")


@case("links are shared out by weight, each MS stays on one NS-VC, nothing is lost or reordered")
def shares():
    world, bss = reset_world()
    with world:
        watch = Watch(world, bss)
        watch.load.run(6)
        same(spread(watch.drained()), LINKS, "links")
        all_in_order(watch.records, watch.load)


@case("ns = \"alive\": an NS-VC that has never answered carries nothing, beside two that have")
def never_answered():
    world = World(RESET.replace(f"nsei = {NSEI},", f'nsei = {NSEI}, ns = "alive",'))
    bss = Bss(world, NSEI, [(1, A), (2, B)], {2: 400000})
    silent = []
    world.attach(C, NS_PORT, silent.append)
    with world:
        for one in bss.nsvcs:
            one.blocked = False
        bss.follow = True
        world.run(S)
        bss.reset_bvc(0)
        world.run(S)
        bss.flow(2, **FLOW)
        load = Load(world, bss)
        load.run(6)
        world.run(60 * S)
        same(sorted(carried(bss.dl)), [A, B], "carriers")
        all_in_order(bss.dl, load)
        same({codec.parse(one.payload).name for one in silent}, {"ns_alive"}, "what the silent one got")


class Watch:
    """What each stretch of a run carried, and all of it."""

    def __init__(self, world, bss):
        self.world, self.bss, self.load, self.records = world, bss, up(world, bss), []

    def links(self):
        """{address: links} since the last look."""
        self.records += self.bss.dl
        found = carried(self.bss.dl)
        self.bss.dl = []
        only_one_each(found)
        return found

    def loaded(self, rounds, every_ns=S):
        self.load.run(rounds, every_ns)
        return self.links()

    def drained(self):
        self.world.run(60 * S)
        return self.links()


def others_stay(before, after, one):
    same(one.address in after, False, f"{one} carries something")
    for address, links in before.items():
        if address != one.address:
            same(links <= after[address], True, f"{address} keeps its links")


def blocked_under_load(stop, back):
    for victim in range(3):
        world, bss = reset_world()
        with world:
            watch, one = Watch(world, bss), bss.nsvcs[victim]
            first = watch.loaded(4)
            same(spread(first), LINKS, "links")
            stop(world, bss, one)
            watch.links()  # what was under way
            others_stay(first, watch.loaded(4), one)
            back(world, bss, one)
            watch.links()
            same(spread(watch.loaded(4)), LINKS, "links")
            watch.drained()
            all_in_order(watch.records, watch.load)


def block(_, bss, one):
    bss.ns("ns_block", nsvc=one, cause=1, nsvci=one.nsvci)
    bss.expect("ns_block_ack", within=0)
    one.blocked = True


def unblock(_, bss, one):
    bss.ns("ns_unblock", nsvc=one)
    bss.expect("ns_unblock_ack", within=0)
    one.blocked = False


def operator(word):
    def ask(world, _, one):
        same(world.ctl(f"nsvc {NSEI} {one.nsvci} {word}")[0], True, word)
        world.run(0)
        same(one.blocked, word == "block", f"{one} is blocked at the BSS")
    return ask


case("one that the BSS blocks and unblocks under load: the others keep theirs, nothing is lost",
     block, unblock)(blocked_under_load)
case("one that the operator blocks and unblocks under load: others keep theirs, nothing is lost",
     operator("block"), operator("unblock"))(blocked_under_load)


@case("one that stops answering loses what went to it and nothing else; it comes back by itself")
def dies_under_load():
    world, bss = reset_world()
    with world:
        watch, one = Watch(world, bss), bss.nsvcs[2]
        first = watch.loaded(4)
        listener = world.receivers.pop((one.address, one.port))
        watch.loaded((TEST_NS + DEAD_NS) // (2 * S), 2 * S)
        world.strangers.clear()
        others_stay(first, watch.loaded(4), one)
        right(all(d.payload[0] != 0 for d in world.strangers), "data on a dead NS-VC")
        world.attach(one.address, one.port, listener)
        world.run(TEST_NS + 15 * S)
        watch.links()
        same(spread(watch.loaded(4)), LINKS, "links")
        watch.drained()
        in_order(watch.records)
        on_others = [link for address in (A, B) for link in first[address]]
        lossless = numbers([r for r in watch.records if link(r.pdu.sdu["v_tlli"]) in on_others])
        same({tuple(came) for came in lossless.values()},
             {tuple(range(watch.load.sent // MSS))}, "N-PDUs of MSs on the others")


@case("all blocked: nothing goes, what comes meanwhile waits; with one back all of it goes, in order")
def none_left():
    world, bss = reset_world()
    with world:
        watch = Watch(world, bss)
        watch.loaded(2)
        watch.drained()
        for one in bss.nsvcs:
            block(world, bss, one)
        same(watch.loaded(2), {}, "links")
        carried = len(watch.records)
        same(world.stats()["worker"]["queued"], watch.load.sent - carried, "what waits")
        unblock(world, bss, bss.nsvcs[1])
        watch.loaded(2)
        watch.drained()
        same({r.nsvc.address for r in watch.records[carried:]}, {B}, "who carries")
        same((len(watch.records), world.stats()["background"]["drop_no_link"]), (watch.load.sent, 0),
             "carried, dropped")
        in_order(watch.records)


@case("answers go back the way the question came, though another carries most")
def answers_go_back():
    world, bss = reset_world()
    with world:
        up(world, bss)
        for one in bss.nsvcs * 3:
            tag = bss.flow(2, nsvc=one, **FLOW)
            bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=tag, nsvc=one)


@case("SNS: data goes by its weights, signalling by its own; SNS-CHANGEWEIGHT moves the rest only")
def sns_weights():
    with World(SNS) as world:
        bss = SnsBss(world, [end(A, 7, 0), end(B, 0, 3), end(C, 0, 1)], {2: 400000})
        watch = Watch(world, bss)
        first = watch.loaded(4)
        same(spread(first), {A: 0, B: 48, C: 16}, "links")
        link_of = ("return require 'sluice.core.gb'.link("
                   "require 'sluice.core.network'.nse_of_nsei[%d], %d).address")
        same({world.lua(link_of % (NSEI, selector)) for selector in range(200)}, {f"::ffff:{A}"},
             "who signals")
        for transaction, (weights, links) in enumerate([((0, 1), {A: 0, B: 32, C: 32}),
                                                        ((0, 3), {A: 0, B: 48, C: 16}),
                                                        ((0, 0), {A: 0, B: 0, C: 64})]):
            bss.ns("sns_changeweight", nsei=NSEI, transaction=transaction, ip4=[end(B, *weights)])
            bss.expect("sns_ack", within=0, cause=None)
            watch.links()
            now = watch.loaded(4)
            same(spread(now), links, "links")
        watch.drained()
        all_in_order(watch.records, watch.load)


def one_world():
    world = World(HEAD + f"nse {{ nsei = {NSEI}, {nsvc(1, A)}, bvc {{ bvci = 2 }} }}")
    return world, Bss(world, NSEI, [(1, A)], {2: 8000})


@case("data on an NS-VC that only we hold for blocked: NS-STATUS; Tns-block later our NS-UNBLOCK")
def blocked_here_alone():
    world, bss = one_world()
    with world:
        bss.up()
        bss.follow = False
        bss.ns("ns_reset", cause=1, nsvci=1, nsei=NSEI)  # as a network may double it
        bss.expect("ns_reset_ack", within=0)
        world.run(S)
        for _ in range(3):
            bss.flow(2, nsvc=bss.nsvcs[0])
        bss.expect("ns_status", at=world.now_ns, cause=3, nsvci=1)
        bss.expect("ns_unblock", at=world.now_ns + 3 * S)
        world.run(0)
        bss.flow(2, tag=99)
        bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=99)


@case("NS-STATUS says blocked, of an NS-VC that is not: it is here, too; Tns-block later NS-UNBLOCK")
def blocked_there_alone():
    world, bss = one_world()
    with world:
        bss.up()
        bss.auto.discard("ns_unblock")
        start_ns = world.now_ns
        bss.ns("ns_status", cause=3, nsvci=2)
        bss.ns("ns_status", cause=11, pdu=b"\x7f")
        bss.none("ns_unblock", S)
        bss.ns("ns_status", cause=3, nsvci=1)
        bss.flow(2, nsvc=bss.nsvcs[0])
        bss.expect("ns_status", at=world.now_ns, cause=3, nsvci=1)
        for t_ns in start_ns + 4 * S, start_ns + 7 * S:
            bss.expect("ns_unblock", at=t_ns)
        bss.ns("ns_unblock_ack")
        bss.none("ns_unblock", 10 * S)
        bss.flow(2, tag=99)
        bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=99)


@case("a STATUS that no NS-VC can carry counts as unsent, and not as sent")
def status_unsent():
    world, _ = one_world()
    with world:
        world.lua("require('sluice.core.gb').status(require('sluice.core.network').nses[1], 2, 'unknown_ms', 'x')")
        what = world.counts()["what"]
        same((what["status_sent"], what["unsent"]), (0, 1), "sent, unsent")


@case("what the operator has blocked stays so: NS-UNBLOCK gets NS-BLOCK, behind resets, too")
def barred():
    world, bss = one_world()
    with world:
        bss.up()
        bss.follow = False
        operator("block")(world, bss, bss.nsvcs[0])
        for _ in range(2):
            bss.inbox.clear()
            bss.ns("ns_unblock")
            bss.expect("ns_block", at=world.now_ns, cause=1, nsvci=1)
            bss.none("ns_unblock_ack", 100 * S)
            bss.ns("ns_reset", cause=1, nsvci=1, nsei=NSEI)
            bss.expect("ns_reset_ack", at=world.now_ns)
        same(world.ctl(f"nsvc {NSEI} 1 reset")[0], True, "reset")
        bss.expect("ns_reset", within=0)  # which the BSS acknowledges
        bss.none("ns_unblock", 100 * S)
        operator("unblock")(world, bss, bss.nsvcs[0])
        bss.flow(2, tag=99)
        bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=99)


@case("what the operator has blocked dies and is unblocked: it is reset meanwhile, and comes up")
def barred_and_dead():
    for unblocked_first in False, True:
        world, bss = one_world()
        with world:
            bss.up()
            operator("block")(world, bss, bss.nsvcs[0])
            bss.auto.clear()
            world.run(TEST_NS + DEAD_NS + 15 * S)
            resets = len(bss.times("ns_reset"))
            same(resets, 16, "NS-RESETs")
            if not unblocked_first:
                bss.auto |= {"ns_alive", "ns_reset"}
                world.run(TEST_NS)
                same(len(bss.times("ns_reset")), resets + 1, "NS-RESETs")
                bss.none("ns_unblock", 100 * S)
            same(world.ctl(f"nsvc {NSEI} 1 unblock")[0], True, "unblock")
            bss.auto |= {"ns_alive", "ns_reset", "ns_unblock"}
            world.run(TEST_NS)
            bss.flow(2, tag=99)
            bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=99)


@case("dynamic: those who never answer the test neither fill an NSE nor keep an NSVCI")
def dynamic_room():
    with World(HEAD + f"nse {{ nsei = {NSEI}, dynamic = true, bvc {{ bvci = 2 }} }}") as world:
        first = Bss(world, NSEI, [(1, A)], {2: 8000})
        first.up()
        for n in [1] * 3 + list(range(2, 40)):
            world.gb(f"198.51.100.{100 + n}", codec.build("ns_reset", cause=1, nsvci=n, nsei=NSEI))
            world.run(150 * MS)
        same(world.lua("return #require 'sluice.core.network'.nses[1].nsvcs"), "16", "NS-VCs")
        second = Bss(world, NSEI, [(39, B)], {})
        second.start()
        world.run(S)
        same([one.blocked for one in first.nsvcs + second.nsvcs], [False, False], "blocked")
        same(world.lua("return #require 'sluice.core.network'.nses[1].nsvcs"), "16", "NS-VCs")
        world.run(400 * S)
        same(world.lua("return #require 'sluice.core.network'.nses[1].nsvcs"), "2", "NS-VCs at the end")


@case("dynamic: six thousand strangers leave nothing behind, neither NS-VCs nor timers")
def dynamic_memory():
    with World(HEAD + f"nse {{ nsei = {NSEI}, dynamic = true, bvc {{ bvci = 2 }} }}") as world:
        def strangers(first, last):
            for n in range(first, last):
                world.gb(C, codec.build("ns_reset", cause=1, nsvci=n, nsei=NSEI), 1024 + n)
                if n % 4 == 3:
                    world.run(MS)
            world.lua("collectgarbage() return 0")
            return world.lua_octets()

        before = strangers(0, 2000)
        grown = strangers(2000, 6000) - before
        right(grown < 200000, f"Lua has grown by {grown} octets")
        same(world.lua("return #require 'sluice.core.network'.nses[1].nsvcs"), "16", "NS-VCs")


main()
