#!/usr/bin/python3
"""The IP sub-network service (TS 48.016 7.4b) over a network that loses, doubles and delays each
of its PDUs; restarts of the BSS; strangers, and PDUs of random contents."""

import itertools
import random

from bss import NsVc
from harms import harms
from ns_world import series
from sns_bss import (A, B, C, CONFIG, NSEI, PROV_NS, RETRIES, SIX, SnsBss, configured, end,
                     expected, octets, picture, sized, sns_state)
from world import MS, NS_PORT, S, World, case, main, nsvc, right, same

TWO = [end(A), end(B, 2, 3, 2300)]

# ---- A network that loses, doubles and delays; restarts ----

PDUS = [("up", "sns_size"), ("down", "sns_size_ack"), ("up", "sns_config"),
        ("down", "sns_config_ack"), ("down", "sns_config"), ("up", "sns_config_ack"),
        ("down", "ns_alive"), ("up", "ns_alive_ack")]
HARM = harms("lost twice", 2, 3100 * MS)


def harmed(way, name, harm):
    with World(CONFIG) as world:
        bss = SnsBss(world, TWO, {2: 8000})
        HARM[harm](bss, way, name)
        bss.up()
        world.run(100 * S)
        same((picture(world), sns_state(world)), (expected(TWO), "configured"), "100 s later")
        right(bss.is_up(), "the BSS is not up any more")


for harm_name in HARM:
    for way_name, pdu_name in PDUS:
        case(f"{pdu_name} {way_name} is {harm_name}: it comes up and stays up",
             way_name, pdu_name, harm_name)(harmed)


@case("a network that doubles all of its SNS PDUs a little later: it comes up and stays up")
def all_doubled():
    for later_ns in 0, 20 * MS, 300 * MS, 900 * MS:
        with World(CONFIG) as world:
            bss = SnsBss(world, TWO, {2: 8000})
            for way, name in PDUS[:6]:
                bss.duplicate(way, name, times=99, ns=later_ns)
            bss.up()
            world.run(100 * S)
            same((picture(world), sns_state(world)), (expected(TWO), "configured"), "100 s later")
            right(bss.is_up(), "the BSS is not up any more")


@case("a BSS that restarts with other endpoints, from one that it had, has these alone")
def restarts():
    with World(CONFIG) as world:
        bss = SnsBss(world, TWO, {2: 8000})
        bss.up()
        world.run(2 * S)
        other = [end(A), end(C, 3, 3)]
        second = SnsBss(world, other, {2: 8000})
        second.up()
        same(picture(world), expected(other), "NS-VCs")


def begun(world, at_state):
    """A BSS of two endpoints, and how far it has got 300 ms after its SNS-SIZE."""
    bss = sized(world, TWO)
    if at_state != "sized":
        bss.config()
        bss.expect("sns_config", at=world.now_ns)
    if at_state == "configured":
        bss.auto.add("ns_alive")
        bss.ns("sns_config_ack", nsei=NSEI)
    world.run(300 * MS)
    bss.inbox.clear()
    return bss


def begins_again(bss, ends):
    """It has restarted. All that it needs for that comes at once."""
    bss.ends = ends
    bss.listen(NsVc(9, C))
    bss.size()
    bss.expect("sns_size_ack", at=bss.world.now_ns, nsei=NSEI, cause=None)
    bss.config()
    bss.expect("sns_config_ack", at=bss.world.now_ns, nsei=NSEI, cause=None)
    bss.expect("sns_config", at=bss.world.now_ns, nsei=NSEI, end_flag=1)


def restart_within_a_second(at_state, ends):
    with World(CONFIG) as world:
        bss = begun(world, at_state)
        begins_again(bss, ends)
        bss.auto.add("ns_alive")
        bss.ns("sns_config_ack", nsei=NSEI)
        restarted_ns = world.now_ns
        world.run(S)
        right(bss.times("ns_alive")[-1] >= restarted_ns, "a test behind the restart")
        same((picture(world), sns_state(world)), (expected(ends), "configured"), "NS-VCs")
        world.run(100 * S)
        same((picture(world), sns_state(world)), (expected(ends), "configured"), "later")


for state_name in "sized", "configuring", "configured":
    for what, its_ends in ("the same endpoints", TWO), ("others", [end(A), end(C, 3, 3)]):
        case(f"a BSS that is {state_name} restarts within a second, with {what}: it is answered whole",
             state_name, its_ends)(restart_within_a_second)


@case("a second SNS-CONFIG that was a late one, not a restart's: without an answer all goes on")
def doubled_unanswered():
    with World(CONFIG) as world:
        bss = begun(world, "configured")
        begins_again(bss, TWO)
        start_ns = world.now_ns
        world.run((1 + RETRIES) * PROV_NS)
        same(bss.times("sns_config")[1:], series(start_ns, PROV_NS, 1 + RETRIES), "SNS-CONFIGs")
        world.run(100 * S)
        same((picture(world), sns_state(world)), (expected(TWO), "configured"), "NS-VCs")


@case("the same SNS-SIZE again: for a second the one before, doubled; later a restart")
def size_again():
    for later_ns, begins in (0, False), (S - 1, False), (S, True), (1500 * MS, True):
        with World(CONFIG) as world:
            bss = sized(world, TWO)
            size_ns = world.now_ns
            bss.config()
            bss.expect("sns_config", at=world.now_ns, end_flag=1)
            world.run_until(size_ns + later_ns)
            bss.size()
            bss.expect("sns_size_ack", at=world.now_ns, cause=None)
            same(sns_state(world), "sized" if begins else "configuring", f"{later_ns} ns later")


@case("an SNS-SIZE that nothing follows does not take down what is up")
def size_alone():
    with World(CONFIG) as world:
        bss = configured(world, TWO)
        bss.size()
        bss.expect("sns_size_ack", at=world.now_ns, cause=None)
        same(picture(world), expected(TWO), "NS-VCs")
        world.run((1 + RETRIES) * PROV_NS)
        same((picture(world), sns_state(world)), (expected(TWO), "configured"), "NS-VCs")


# ---- Strangers ----


@case("nobody else's SNS PDU changes anything while an NS-VC is alive, and none is answered")
def strangers():
    with World(CONFIG) as world:
        configured(world, TWO)
        for name, fields in (
                ("sns_size", {"reset_flag": 1, "nsvcs": 1, "ip4_endpoints": 1}),
                ("sns_config", {"end_flag": 1, "ip4": [end(C)]}), ("sns_config_ack", {"cause": 1}),
                ("sns_add", {"transaction": 1, "ip4": [end(C)]}), ("sns_ack", {"transaction": 1}),
                ("sns_delete", {"transaction": 1, "ip4": [end(A)]}), ("sns_size_ack", {}),
                ("sns_changeweight", {"transaction": 1, "ip4": [end(A, 9, 9)]})):
            for nsei in NSEI, NSEI + 1:
                world.gb(C, octets(name, nsei=nsei, **fields))
        world.run(20 * S)
        same((picture(world), world.strangers), (expected(TWO), []), "NS-VCs, answers")


@case("nobody else's SNS-SIZE interrupts one that has begun, though it is answered")
def stranger_between():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        size = octets("sns_size", nsei=NSEI, reset_flag=1, nsvcs=1, ip4_endpoints=1)
        world.gb(C, size)
        world.run(S)
        bss.config()
        bss.expect("sns_config", at=world.now_ns)
        world.gb(C, size)
        world.run(S)
        others = {(C, NS_PORT): ("dead", 0, 0)}
        same(picture(world), expected(TWO, "dead") | others, "NS-VCs")
        ack = octets("sns_size_ack", nsei=NSEI)
        same([(d.destination, d.payload) for d in world.strangers], [(C, ack)] * 2, "answers")
        bss.auto.add("ns_alive")
        bss.ns("sns_config_ack", nsei=NSEI)
        world.run(S)
        same(picture(world), expected(TWO), "NS-VCs")


OTHERS = [(f"198.51.100.{n}", 1024 + n) for n in range(100, 200)]
SIZE = octets("sns_size", nsei=NSEI, reset_flag=1, nsvcs=1, ip4_endpoints=1)


def size_from(world, peer):
    world.gb(peer[0], SIZE, peer[1])


def repeat(world, every_ns, attack):
    attack()
    world.at(world.now_ns + every_ns, repeat, world, every_ns, attack)


@case("an SNS-SIZE a second, from anybody, keeps no BSS from coming up; they leave nothing")
def sizes_of_strangers():
    for peers in OTHERS[:1], OTHERS:
        with World(CONFIG) as world:
            bss, places = SnsBss(world, TWO, {2: 8000}), itertools.cycle(peers)
            repeat(world, S, lambda: size_from(world, next(places)))
            world.run(100 * S)
            bss.up()
            same(picture(world), expected(TWO), "NS-VCs")
            world.run(100 * S)
            same((picture(world), sns_state(world)), (expected(TWO), "configured"), "later")
            right(bss.is_up(), "the BSS is not up any more")


@case("one who says all that a BSS says, and answers no test, keeps no BSS from coming up")
def blind():
    pdus = [SIZE, octets("sns_config", nsei=NSEI, end_flag=1, ip4=[end(C)]),
            octets("sns_config_ack", nsei=NSEI)]
    for said in pdus[:2], pdus:
        with World(CONFIG) as world:
            bss, steps = SnsBss(world, TWO, {2: 8000}), itertools.cycle(said)
            repeat(world, 700 * MS, lambda: world.gb(C, next(steps)))
            world.run(4 * S)
            same(list(picture(world)), [(C, NS_PORT)], "NS-VCs")
            bss.up()
            world.run(100 * S)
            same((picture(world), sns_state(world)), (expected(TWO), "configured"), "NS-VCs")


@case("strangers do not keep it from being lost, when none of its NS-VCs answers")
def lost_among_strangers():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        bss.config()
        bss.expect("sns_config", at=world.now_ns)
        bss.ns("sns_config_ack", nsei=NSEI)
        world.run(0)
        repeat(world, S, lambda: size_from(world, OTHERS[0]))
        world.run(30 * S)
        same(sns_state(world), "configured", "until then")
        world.run(4 * S)
        same((sns_state(world), set(picture(world)) - {OTHERS[0]}), ("none", set()), "what is left")


@case("more strangers than there is room, all at once: the last of them can go on")
def crowd():
    with World(CONFIG) as world:
        for peer in OTHERS:
            size_from(world, peer)
            world.run(MS)
        bss = sized(world, TWO)
        same(len(picture(world)), 16, "NS-VCs")
        bss.config()
        bss.expect("sns_config", at=world.now_ns)
        same(picture(world), expected(TWO, "dead"), "NS-VCs")


@case("who was there before the BSS came up is nobody afterwards: it may change nothing")
def late():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        bss.config()
        bss.expect("sns_config", at=world.now_ns)
        bss.auto.add("ns_alive")
        bss.ns("sns_config_ack", nsei=NSEI)
        world.gb(C, SIZE)
        world.run(S)
        up = expected(TWO) | {(C, NS_PORT): ("dead", 0, 0)}
        same(picture(world), up, "NS-VCs")
        for name, fields in (("sns_config", {"end_flag": 1, "ip4": [end(C)]}),
                             ("sns_delete", {"transaction": 1, "ip4": [TWO[1]]}),
                             ("sns_changeweight", {"transaction": 1, "ip4": [end(A, 9, 9)]}),
                             ("sns_config_ack", {"cause": 1})):
            world.gb(C, octets(name, nsei=NSEI, **fields))
            world.run(0)
            same((picture(world), sns_state(world)), (up, "configured"), name)
        world.run(12 * S)
        same(picture(world), expected(TWO), "NS-VCs")


@case("an SNS-SIZE in the name of a BSS's endpoint, for another NSE, does not keep the BSS away")
def another_name():
    other = f'nse {{ nsei = {NSEI + 1}, ns = "sns", bvc {{ bvci = 2 }} }}'
    with World(CONFIG + other) as world:
        world.gb(A, octets("sns_size", nsei=NSEI + 1, reset_flag=1, nsvcs=1, ip4_endpoints=1))
        world.run(S)
        same(picture(world, NSEI + 1), {(A, NS_PORT): ("dead", 0, 0)}, "the other NSE")
        configured(world, TWO)
        same(picture(world, NSEI + 1), {}, "the other NSE")


# ---- A reload ----

GIVEN = f'nse {{ nsei = 102, {nsvc(4, A)}, bvc {{ bvci = 2 }} }}'


@case("a reload gives the endpoint it comes up on to another NSE: nothing goes there any more")
def endpoint_given_away():
    ends = [end(A, 7, 7), end(B)]
    for acknowledges in False, True:
        with World(CONFIG) as world:
            bss = sized(world, ends)
            bss.config()
            bss.expect("sns_config", at=world.now_ns)
            bss.auto.add("ns_alive")
            good, text = world.reload(CONFIG + GIVEN)
            right(good, text)
            if acknowledges:
                bss.ns("sns_config_ack", nsei=NSEI, nsvc=bss.nsvcs[1])
            world.run(20 * S)
            same(bss.times("sns_config")[1:], [], "our SNS-CONFIG again")
            same(picture(world, 102), {(A, NS_PORT): ("dead", 1, 1)}, "the other NSE")
            same(picture(world), expected(ends[1:]) if acknowledges else {}, "NS-VCs")


@case("100 000 SNS PDUs of random contents: each has its outcome, and no fault of ours")
def random_pdus():
    rng = random.Random(1)
    print("# seed 1")
    names = [("sns_size", ("reset_flag", "nsvcs", "ip4_endpoints", "ip6_endpoints")),
             ("sns_config", ("end_flag", "ip4", "ip6")), ("sns_config_ack", ("cause",)),
             ("sns_add", ("transaction", "ip4", "ip6")), ("sns_size_ack", ("cause",)),
             ("sns_delete", ("transaction", "ip4", "ip6")), ("sns_ack", ("transaction", "cause")),
             ("sns_changeweight", ("transaction", "ip4", "ip6"))]

    def value(field):
        if field in ("ip4", "ip6"):
            pool = [A, B, C, "0.0.0.0", "198.51.100.1", "239.1.1.1"] if field == "ip4" else \
                [SIX, "::", "2001:db8:1::1", "2001:db8:1::3", "ff02::2"]
            return [(rng.choice(pool), rng.choice((0, 2300, NS_PORT)), rng.randrange(3),
                     rng.randrange(3)) for _ in range(rng.randrange(1, 6))]
        if field == "reset_flag":
            return rng.randrange(2)
        return rng.choice((0, 1, 1, 2, 3, 4, 17, 255))

    def pdu():
        name, fields = rng.choice(names)
        made = bytearray(octets(name, nsei=NSEI, **{
            field: value(field) for field in fields if field in ("reset_flag", "end_flag", "nsvcs",
                                                                 "transaction")
            or rng.random() < 0.7}))
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            made[rng.randrange(len(made))] = rng.randrange(256)
        return bytes(made[:rng.randrange(1, len(made) + 1)] if rng.random() < 0.1 else made)

    with World(CONFIG) as world:
        for _ in range(1000):
            peers = [rng.choice((A, B, SIX)) for _ in range(100)]
            world.put_all("gb", [world.gb_frame(peer, pdu()) for peer in peers])
            world.run(rng.choice((0, MS, S, 20 * S)))
        found = world.counts()
        outcomes = sum(found["what"][one] for one in ("handled", "refused", "ignored"))
        same((found["what"]["fault"], outcomes), (0, found["event"]["ns"]
             + found["event"]["stranger"] + found["event"]["unlisted"]), "faults, and outcomes")
        right(min(found["what"]["handled"], found["what"]["refused"]) > 100, dict(found["what"]))
        world.run(100 * S)
        world.strangers.clear()
        configured(world, [end(C)])


main()
