#!/usr/bin/python3
"""The IP sub-network service (TS 48.016 6, 7.4b): how it comes up, what is refused and by which
cause (10.3.2), changes while it runs, timers to the ns, and how it ends."""

from ns_world import series
from sns_bss import (A, ALIVE_NS, ALIVE_RETRIES, B, BAD_IP4, BAD_IP6, BAD_NSVCS, BAD_WEIGHTS, C,
                     CONFIG, INCOMPATIBLE, MISSING, NEIGHBOUR_NS, NSEI, OURS4, OURS6, PROTOCOL,
                     PROV_NS, RETRIES, SEMANTIC, SIX, TEST_NS, UNKNOWN_ADDRESS, UNKNOWN_ENDPOINT,
                     SnsBss, configured, end, expected, octets, picture, silent, sized, sns_state)
from world import HEAD, MS, NS_PORT, S, World, case, main, nsvc, same

TWO = [end(A), end(B, 2, 3, 2300)]
ALL = [*TWO, end(SIX, 0, 1)]

# ---- How it comes up ----


@case("SIZE, CONFIG of the BSS in two PDUs, ours, then each endpoint is an NS-VC once it answers")
def comes_up():
    with World(CONFIG) as world:
        bss = silent(world, ALL)
        bss.size()
        bss.expect("sns_size_ack", at=NEIGHBOUR_NS, nsei=NSEI, cause=None)
        same(picture(world), {(A, NS_PORT): ("dead", 0, 0)}, "NS-VCs")
        bss.ns("sns_config", nsei=NSEI, end_flag=0, ip4=TWO)
        bss.expect("sns_config_ack", at=world.now_ns, nsei=NSEI, cause=None)
        bss.none("sns_config", MS)
        bss.ns("sns_config", nsei=NSEI, end_flag=1, ip6=[end(SIX, 0, 1)])
        bss.expect("sns_config_ack", at=world.now_ns, nsei=NSEI, cause=None)
        bss.expect("sns_config", at=world.now_ns, end_flag=1, nsei=NSEI, ip4=[OURS4], ip6=[OURS6])
        same(picture(world), expected(ALL, "dead"), "NS-VCs")
        bss.ns("sns_config_ack", nsei=NSEI)
        for one in bss.nsvcs:
            wait_ns = 0 if one.nsvci > 1 else NEIGHBOUR_NS
            bss.expect("ns_alive", at=world.now_ns + wait_ns, nsvc=one)
            bss.ns("ns_alive_ack", nsvc=one)
        world.run(0)
        same((picture(world), sns_state(world)), (expected(ALL), "configured"), "NS-VCs")


@case("the NS-VC of SNS-SIZE goes when its endpoint is none of SNS-CONFIG's")
def first_one_goes():
    with World(CONFIG) as world:
        bss = silent(world, [end(C), *TWO])
        bss.size()
        bss.expect("sns_size_ack", within=S)
        bss.config(ip4=TWO)
        bss.expect("sns_config", within=0)
        bss.ns("sns_config_ack", nsei=NSEI)
        world.run(0)
        same(picture(world), expected(TWO, "dead"), "NS-VCs")


@case("a cell and signalling come up over it, whatever the order of endpoints")
def carries():
    for ends in TWO, [end(A, 0, 1), end(B, 1, 0)], [end(SIX), end(A)]:
        with World(CONFIG) as world:
            bss = SnsBss(world, ends, {2: 8000})
            bss.up()
            bss.flow(2, tag=77)
            bss.expect("bssgp_flow_control_bvc_ack", within=0, tag=77)


@case("our SNS-CONFIG goes where that of the BSS came from, though SNS-SIZE came from elsewhere")
def two_endpoints():
    with World(CONFIG) as world:
        bss = configured(world, TWO)
        world.run(S)
        for size, config in bss.nsvcs, bss.nsvcs[::-1]:
            bss.size(nsvc=size)
            bss.expect("sns_size_ack", at=world.now_ns, nsvc=size, cause=None)
            bss.config(nsvc=config)
            bss.expect("sns_config_ack", at=world.now_ns, nsvc=config, cause=None)
            bss.expect("sns_config", at=world.now_ns, nsvc=config, ip4=[OURS4])
            bss.ns("sns_config_ack", nsei=NSEI, nsvc=config)
            world.run(2 * S)
        same(picture(world), expected(TWO), "NS-VCs")


# ---- What is refused ----

SIZES = [({"ip4_endpoints": 0}, BAD_IP4), ({"ip4_endpoints": None}, BAD_IP4),
         ({"ip4_endpoints": 3, "nsvcs": 2}, BAD_NSVCS), ({"nsvcs": 0}, BAD_NSVCS),
         ({"ip4_endpoints": 17, "nsvcs": 17}, BAD_NSVCS),
         ({"ip4_endpoints": 65535, "nsvcs": 65535}, BAD_NSVCS),
         ({"ip4_endpoints": 1, "ip6_endpoints": 2, "nsvcs": 2}, BAD_NSVCS)]


@case("an SNS-SIZE whose numbers cannot be is refused by its cause, and leaves nothing")
def sizes_refused():
    for size, cause in SIZES:
        with World(CONFIG) as world:
            bss = silent(world, TWO)
            bss.size(**size)
            bss.expect("sns_size_ack", within=S, nsei=NSEI, cause=cause)
            world.run(10 * S)
            same((picture(world), sns_state(world)), ({}, "none"), f"what is left of {size}")


@case("without an IPv6 address of ours, one of its endpoints alone is no NS-VC")
def no_ipv6():
    config = CONFIG.replace('address6 = "2001:db8:1::1",', "")
    with World(config) as world:
        bss = silent(world, [end(A), end(SIX)])
        bss.size(ip4_endpoints=None)
        bss.expect("sns_size_ack", within=S, cause=BAD_IP6)
        bss.size()
        bss.expect("sns_size_ack", within=S, cause=None)
        bss.config()
        bss.expect("sns_config", within=0, ip4=[OURS4], ip6=None)
        same(picture(world), expected([end(A)], "dead"), "NS-VCs")


CONFIGS = [({"ip4": None}, BAD_WEIGHTS), ({"ip4": [end(A, 0, 1), end(B, 0, 1)]}, BAD_WEIGHTS),
           ({"ip4": [end(A, 1, 0)]}, BAD_WEIGHTS), ({"ip4": [end(A), end(B), end(C)]}, BAD_IP4),
           ({"ip6": [end(SIX)]}, BAD_IP6), ({"ip4": [end("0.0.0.0")]}, BAD_IP4),
           ({"ip4": [end("224.0.0.1")]}, BAD_IP4), ({"ip4": [end("255.255.255.255")]}, BAD_IP4),
           ({"ip4": [end("127.0.0.1")]}, BAD_IP4), ({"ip4": [end("198.51.100.1")]}, BAD_IP4),
           ({"ip4": [end(A, port=0)]}, BAD_IP4), ({"ip4": [end("198.51.100.40")]}, BAD_IP4)]
CONFIGS6 = [({"ip6": [end(address)]}, BAD_IP6) for address in (
    "::", "::1", "ff02::1", "::ffff:198.51.100.9", "2001:db8:1::1")]


def another_nse(world):
    """NSE 102 has 198.51.100.40."""
    same(picture(world, 102), {("198.51.100.40", NS_PORT): ("reset", 1, 1)}, "the other NSE")


@case("an SNS-CONFIG that cannot be is refused by its cause; then a right one is taken")
def configs_refused():
    other = f'nse {{ nsei = 102, {nsvc(4, "198.51.100.40")}, bvc {{ bvci = 2 }} }}'
    for ends, wrong in (TWO, CONFIGS), ([end(A), end(SIX)], CONFIGS6):
        with World(CONFIG + other) as world:
            bss = sized(world, ends)
            for fields, cause in wrong:
                bss.config(**fields)
                bss.expect("sns_config_ack", at=world.now_ns, nsei=NSEI, cause=cause)
                same((list(picture(world)), sns_state(world)), ([(A, NS_PORT)], "sized"), fields)
                another_nse(world)
            bss.none("sns_config")
            bss.config()
            bss.expect("sns_config_ack", at=world.now_ns, cause=None)
            bss.expect("sns_config", at=world.now_ns)
            another_nse(world)


@case("an address that all stations of Gb's link have, or none, is refused; elsewhere it may be a host's")
def of_the_link():
    with World(CONFIG.replace("gb { device", "gb { prefix = 27, device")) as world:
        bss = sized(world, TWO)
        for address in "198.51.100.31", "198.51.100.0":
            bss.config(ip4=[end(address)])
            bss.expect("sns_config_ack", at=world.now_ns, nsei=NSEI, cause=BAD_IP4)
        bss.config(ip4=[end("198.51.100.255"), end(A)])
        bss.expect("sns_config_ack", at=world.now_ns, cause=None)


@case("SNS PDUs in a wrong state, of another NSE, or where there is no SNS change nothing")
def wrong_place():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        for name in "sns_add", "sns_delete", "sns_changeweight":
            bss.ns(name, nsei=NSEI, transaction=1, ip4=TWO[:1])
            bss.expect("ns_status", at=world.now_ns, cause=INCOMPATIBLE)
        bss.config(nsei=NSEI + 1)
        bss.expect("ns_status", at=world.now_ns, cause=SEMANTIC)
        for name, fields in ("sns_ack", {"transaction": 1}), ("sns_config_ack", {}), (
                "sns_size_ack", {}):
            bss.ns(name, nsei=NSEI, **fields)
        world.run(0)
        same((bss.inbox, sns_state(world)), ([], "none"), "answers to answers")
    with World(HEAD + f"nse {{ nsei = {NSEI}, {nsvc(1, A)}, bvc {{ bvci = 2 }} }}") as world:
        bss = silent(world, [end(A)])
        bss.size()
        bss.expect("ns_status", at=0, cause=PROTOCOL)


@case("NS-RESET, NS-BLOCK and NS-UNBLOCK have no place beside it")
def no_reset():
    with World(CONFIG) as world:
        bss = configured(world, TWO)
        for name, fields in ("ns_reset", {"cause": 1, "nsvci": 1, "nsei": NSEI}), (
                "ns_block", {"cause": 1, "nsvci": 1}), ("ns_unblock", {}):
            bss.ns(name, **fields)
            bss.expect("ns_status", at=world.now_ns, cause=INCOMPATIBLE)
        same(picture(world), expected(TWO), "NS-VCs")


# ---- Changes while it runs ----


def change(bss, name, transaction=5, **fields):
    """The cause of the answer, and the endpoints that it names."""
    bss.ns(name, nsei=NSEI, transaction=transaction, **fields)
    answer = bss.expect("sns_ack", at=bss.world.now_ns, nsei=NSEI, transaction=transaction)
    return answer["cause"], answer["ip4"]


@case("SNS-ADD makes an NS-VC, SNS-CHANGEWEIGHT changes it, SNS-DELETE takes it away")
def changes():
    with World(CONFIG) as world:
        bss = configured(world, TWO, ip4_endpoints=4, nsvcs=4)
        bss.listen(bss.nsvcs[0].__class__(9, C))
        same(change(bss, "sns_add", 1, ip4=[end(C, 4, 5)]), (None, None), "SNS-ADD")
        world.run(S)
        same(picture(world), expected([*TWO, end(C, 4, 5)]), "NS-VCs")
        same(change(bss, "sns_changeweight", 2, ip4=[end(C, 0, 9), end(A, 3, 0)]), (None, None),
             "SNS-CHANGEWEIGHT")
        same(picture(world), expected([end(A, 3, 0), TWO[1], end(C, 0, 9)]), "NS-VCs")
        same(change(bss, "sns_delete", 3, ip4=[TWO[1]]), (None, [TWO[1]]), "SNS-DELETE")
        same(picture(world), expected([end(A, 3, 0), end(C, 0, 9)]), "NS-VCs")


@case("SNS-DELETE of an address takes all its endpoints")
def delete_address():
    three = [end(A), end(B), end(B, port=2300)]
    with World(CONFIG) as world:
        bss = configured(world, three)
        pdu = octets("sns_delete", nsei=NSEI, transaction=7)
        for address, cause in ("c6336409", UNKNOWN_ADDRESS), ("c6336403", None):
            bss.datagram(bss.nsvcs[0], pdu + bytes.fromhex("0b01" + address))
            bss.expect("sns_ack", at=world.now_ns, transaction=7, cause=cause, ip4=None, ip6=None)
        same(picture(world), expected(three[:1]), "NS-VCs")


@case("changes that cannot be are refused whole, by cause and endpoint")
def changes_refused():
    wrong = [("sns_add", {"ip4": [end(A)]}, PROTOCOL, [end(A)]),
             ("sns_add", {"ip4": [end(C), end("198.51.100.5")]}, BAD_IP4, None),
             ("sns_add", {"ip4": [end("224.0.0.1")]}, BAD_IP4, [end("224.0.0.1")]),
             ("sns_add", {"ip6": [end(SIX)]}, BAD_IP6, None), ("sns_add", {}, MISSING, None),
             ("sns_delete", {"ip4": [end(A), end(C)]}, UNKNOWN_ENDPOINT, [end(C)]),
             ("sns_delete", {"ip4": TWO}, BAD_WEIGHTS, None), ("sns_delete", {}, MISSING, None),
             ("sns_changeweight", {"ip4": [end(C)]}, UNKNOWN_ENDPOINT, [end(C)]),
             ("sns_changeweight", {"ip4": [end(A, 0, 1), end(B, 0, 1, 2300)]}, BAD_WEIGHTS, None)]
    with World(CONFIG) as world:
        bss = configured(world, TWO, ip4_endpoints=3, nsvcs=3)
        for transaction, (name, fields, cause, ends) in enumerate(wrong):
            same(change(bss, name, transaction, **fields), (cause, ends), f"{name} {fields}")
            same(picture(world), expected(TWO), "NS-VCs")


@case("while it runs, an SNS-CONFIG is acknowledged if it says what it said before")
def config_repeated():
    with World(CONFIG) as world:
        bss = configured(world, TWO, ip4_endpoints=3, nsvcs=3)
        for ends, cause in ((TWO, None), (TWO[:1], None), ([*TWO, end(C)], INCOMPATIBLE),
                            ([end(A, 2, 1)], INCOMPATIBLE), ([end(A, 1, 2)], INCOMPATIBLE)):
            bss.config(ip4=ends)
            bss.expect("sns_config_ack", at=world.now_ns, cause=cause)
        same((picture(world), bss.times("sns_config")[1:]), (expected(TWO), []), "NS-VCs, answers")


@case("while it runs, an SNS-SIZE that begins nothing anew holds if what is there fits into it")
def size_alone():
    for ends in TWO[:1], TWO:
        with World(CONFIG) as world:
            bss = configured(world, ends)
            for size, cause in (({"ip4_endpoints": len(ends) - 1, "ip6_endpoints": 1}, BAD_IP4),
                                ({"ip4_endpoints": 3, "nsvcs": 3}, None)):
                bss.size(reset_flag=0, **size)
                bss.expect("sns_size_ack", at=world.now_ns, nsei=NSEI, cause=cause)
            same(picture(world), expected(ends), "NS-VCs")
            same(change(bss, "sns_add", 1, ip4=[end(C)])[0], None, "cause of an SNS-ADD that fits now")


@case("a change that comes twice has the same answer twice, and is carried out once")
def change_repeated():
    with World(CONFIG) as world:
        bss = configured(world, TWO, ip4_endpoints=3, nsvcs=3)
        for _ in range(3):
            same(change(bss, "sns_delete", 9, ip4=[TWO[1]]), (None, [TWO[1]]), "SNS-DELETE")
        for _ in range(2):
            same(change(bss, "sns_delete", 10, ip4=[TWO[1]]), (UNKNOWN_ENDPOINT, [TWO[1]]),
                 "SNS-DELETE")
        same(picture(world), expected(TWO[:1]), "NS-VCs")


@case("SNS-ACK to an SNS-DELETE names what was deleted: what the PDU named, of either family")
def delete_is_named():
    with World(CONFIG) as world:
        bss = configured(world, [*ALL, end(SIX, 1, 1, 2300)])
        bss.ns("sns_delete", nsei=NSEI, transaction=3, ip4=[TWO[1]], ip6=[end(SIX, 0, 1)])
        bss.expect("sns_ack", at=world.now_ns, transaction=3, cause=None, ip4=[TWO[1]],
                   ip6=[end(SIX, 0, 1)])


# ---- Timers, and the end of it ----


@case("our SNS-CONFIG comes again each Tsns-prov, 3 times, then all is lost")
def our_config_unanswered():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        start_ns = world.now_ns
        bss.config()
        world.run((1 + RETRIES) * PROV_NS - 1)
        same((bss.times("sns_config"), sns_state(world)),
             (series(start_ns, PROV_NS, 1 + RETRIES), "configuring"), "SNS-CONFIGs")
        world.run(1)
        same((picture(world), sns_state(world)), ({}, "none"), "what is left")


@case("a BSS that does not go on, or refuses our SNS-CONFIG, leaves nothing")
def abandoned():
    with World(CONFIG) as world:
        bss = sized(world, TWO)
        world.run((1 + RETRIES) * PROV_NS)
        same((picture(world), sns_state(world)), ({}, "none"), "what is left")
        bss.size()
        bss.expect("sns_size_ack", within=S)
        bss.config()
        bss.expect("sns_config", within=0)
        bss.ns("sns_config_ack", nsei=NSEI, cause=BAD_IP4)
        world.run(0)
        same((picture(world), sns_state(world)), ({}, "none"), "what is left")


@case("one NS-VC without answers is dead alone; without any the BSS has to begin anew, and can")
def dies():
    with World(CONFIG) as world:
        bss = configured(world, TWO)
        bss.auto.clear()
        world.run(TEST_NS)
        for _ in range(ALIVE_RETRIES + 1):
            world.run(ALIVE_NS - MS)
            bss.ns("ns_alive_ack", nsvc=bss.nsvcs[1])
            world.run(MS)
        same({a[0]: p[0] for a, p in picture(world).items()}, {A: "dead", B: "unblocked"}, "NS-VCs")
        world.run(TEST_NS + (1 + ALIVE_RETRIES) * ALIVE_NS)
        same((picture(world), sns_state(world)), ({}, "none"), "what is left")
        configured(world, [end(C)])


@case("it is lost with the last of its NS-VCs only, one that is still being tested is none")
def dies_with_the_last():
    with World(CONFIG) as world:
        bss = configured(world, [end(A)], ip4_endpoints=2, nsvcs=2)
        bss.auto.clear()
        world.run(TEST_NS)
        same(change(bss, "sns_add", ip4=[end(B)]), (None, None), "SNS-ADD")
        dies_ns = world.now_ns + NEIGHBOUR_NS + (1 + ALIVE_RETRIES) * ALIVE_NS
        world.run_until(dies_ns - 1)
        same((picture(world), sns_state(world)), (expected([end(A), end(B)], "dead"), "configured"),
             "NS-VCs")
        world.run(1)
        same((picture(world), sns_state(world)), ({}, "none"), "what is left")


main()
