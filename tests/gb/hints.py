#!/usr/bin/python3
"""What the log says when a BSS and the file do not agree: who it is, what the file has, and what to
change; once in 10 s, however often it comes."""

import codec
from bvc_world import ns_up, signalling_up
from bvc_world import config as cells
from ns_world import BSS, NSEI, NSVCI, config, into_unblocked, quiet_bss
from world import HEAD, NS_PORT, S, World, case, main, nsvc, right, same

STRANGER = "198.51.100.9"


def often(world, what):
    """For 20 s: so two lines, at 0 and at 10 s."""
    for _ in range(199):
        what()
        world.run(S // 10)


def says(world, what, *words):
    often(world, what)
    found = world.log_lines(*words)
    same(len(found), 2, f"lines with {words}\n{world.log()[-2000:]}\nlines")
    right(all(" warn " in line for line in found), found)


def reset(nsei, nsvci=NSVCI):
    return codec.build("ns_reset", cause=1, nsvci=nsvci, nsei=nsei)


def size(nsei):
    return codec.build("sns_size", nsei=nsei, reset_flag=1, nsvcs=1, ip4_endpoints=1)


@case("a BSS on an address, or a port, that is not in the file: who, and what the file has")
def not_listed():
    for address, port in (STRANGER, NS_PORT), (BSS, 2300), ("2001:db8:1::9", NS_PORT):
        with World(config()) as world:
            says(world, lambda: world.gb(address, reset(NSEI), port), f"NS-RESET of NSE {NSEI}",
                 f"from {address} port {port}", f"has its NS-VCs at {BSS} port {NS_PORT};", "peer_port",
                 "dynamic = true")
            same(world.strangers, [d for d in world.strangers if d.destination == BSS], "answers")


@case("an NSEI that is not in the file: those that it has; many of them are one line, too")
def unknown_nsei():
    for name, octets in ("NS-RESET", reset), ("SNS-SIZE", size):
        with World(config()) as world:
            says(world, lambda: [world.gb(STRANGER, octets(nsei)) for nsei in (999, 1000)],
                 f"{name} of NSE 999 from {STRANGER} port", f"has NSE {NSEI}, not 999;")
            same(world.log_lines("NSE 1000"), [], "lines of another one")


@case("a BSS with another network service than the file says: the line names both")
def another_service():
    for octets, ns, wanted in (reset, "sns", "reset"), (reset, "alive", "reset"), (
            size, "reset", "sns"):
        nsvcs = "" if ns == "sns" else nsvc(NSVCI, BSS) + ","
        with World(HEAD + f'nse {{ nsei = {NSEI}, ns = "{ns}", {nsvcs} bvc {{ bvci = 2 }} }}') as world:
            says(world, lambda: world.gb(STRANGER, octets(NSEI)), f"of NSE {NSEI} from {STRANGER}",
                 f'its nse {{ }} has ns = "{ns}"; set ns = "{wanted}"')


def unit(bvci=2):
    return b"\0\0" + bvci.to_bytes(2) + codec.build("bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(2))


@case("a BSS that never says whose it is, where no NS-VC is: what it said, and where the file has such")
def unlisted():
    for ns in "alive", "manual":
        for octets, what in (codec.build("ns_alive"), "NS-ALIVE"), (unit(), "NS-UNITDATA"), (
                codec.build("ns_unblock"), "NS-UNBLOCK"):
            with World(config(nse=f'ns = "{ns}",') + f"""
nse {{ nsei = 7, {nsvc(1, "198.51.100.70")}, bvc {{ bvci = 2 }} }}""") as world:
                says(world, lambda: world.gb(STRANGER, octets, 2300), f"{what} from {STRANGER} port 2300",
                     f"the configuration has {BSS} port {NS_PORT} of NSE {NSEI} (ns = \"{ns}\");",
                     "correct peer")
                same(world.stats()["gb"]["drop_stranger"], 199, "drops")


@case("the same in a file whose NSEs all begin with NS-RESET: it says where all NS-VCs are")
def unlisted_of_any():
    with World(config() + f"""
nse {{ nsei = 7, {nsvc(1, "198.51.100.70")}, {nsvc(2, "198.51.100.71")}, bvc {{ bvci = 2 }} }}""") as world:
        listed = [f'{address} port {NS_PORT} of NSE {nsei} (ns = "reset")' for address, nsei in (
            (BSS, NSEI), ("198.51.100.70", 7), ("198.51.100.71", 7))]
        says(world, lambda: world.gb(STRANGER, codec.build("ns_alive")), f"NS-ALIVE from {STRANGER}",
             f"the configuration has {', '.join(listed)};")


@case("a flood from where no NS-VC is: a line in ten seconds, and an event in a second")
def unlisted_flood():
    with World(config(nse='ns = "alive",')) as world:
        for _ in range(200):
            for n in range(50):
                world.gb(f"198.51.100.{10 + n}", unit())
            world.run(S // 10)
        same(len(world.log_lines("NS-UNITDATA from")), 2, "lines")
        same(world.stats()["gb"]["drop_stranger"], 10000, "drops")
        same(world.counts()["event"]["unlisted"], 20, "events")


@case("the BSS on an NS-VC of the file has another network service, or dialect: the line names both")
def another_dialect():
    for ns, octets, what, wanted in ("alive", reset, "NS-RESET", "reset"), ("reset", size, "SNS-SIZE", "sns"):
        with World(config(nse=f'ns = "{ns}",')) as world:
            quiet_bss(world)
            says(world, lambda: world.gb(BSS, octets(NSEI)), f"NSE {NSEI}: the BSS at {BSS} port {NS_PORT} sends"
                 f" {what}", f'has ns = "{ns}"; set ns = "{wanted}", or change the BSS\'s dialect')


@case("a BSS whose SGSN is another refuses NS-RESET by NS-STATUS: a line says where to look; else the cause")
def refuses_reset():
    with World(config()) as world:
        bss = quiet_bss(world)
        for state, more in ("unblocked", False), ("reset", True):
            if more:
                world.run(40 * S)
            else:
                into_unblocked(bss)
            lines = len(world.log_lines("NS-STATUS of the BSS, incompatible_with_state"))
            often(world, lambda: bss.ns("ns_status", cause=0x0A, pdu=reset(NSEI)))
            found = world.log_lines(f"NS-VC {NSVCI} of NSE {NSEI} ({BSS}", "NS-STATUS of the BSS, incompatible")[lines:]
            same(([f"gb {{ }}, port {NS_PORT}, correct its remote" in line for line in found]), [more] * 2, state)


@case("an NS-RESET with other identities: the line says which to correct")
def other_identities():
    with World(config()) as world:
        bss = quiet_bss(world)
        into_unblocked(bss)
        says(world, lambda: bss.ns("ns_reset", cause=1, nsvci=7, nsei=NSEI),
             f"calls it NS-VC 7 of NSE {NSEI}; correct nsvci and nsei")


@case("an NS-RESET that came before its NS-VC was added, as at a start, is nobody's mistake")
def too_early():
    with World(config()) as world:
        quiet_bss(world)
        octets = "".join(f"\\{octet:03d}" for octet in reset(NSEI))
        same(world.lua("local nsvc = require('sluice.core.network').nsvc[0] return require("
                       f"'sluice.ns.service').stranger('{octets}', nsvc.address, nsvc.port)"), "ignored", "outcome")
        same(world.log_lines(" warn "), [], "lines")


@case("a BVC-RESET of a BVCI that is not in the file: those that it has, and the two ways to have it")
def unknown_bvci():
    with World(cells()) as world:
        bss = ns_up(world)
        signalling_up(bss)
        says(world, lambda: bss.send(0, "bssgp_bvc_reset", bvci=9, cause=8, cell=codec.cell(9)),
             "BVC-RESET of unknown BVCI 9; the configuration has 2, 3;", "bvc { bvci = 9 }",
             'cells = "any"')


main()
