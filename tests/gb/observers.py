#!/usr/bin/python3
"""Who only looks on costs nobody a PDU: a fault of the capture, of the board or of a log line ends
that one, with one line in the log, and all procedures go on. Which lines `sluice ctl log` lets through."""

from bss import Bss
from harness import case, main, right, same
from world import HEAD, S, World, ms, nsvc

PEER, TLLI = "198.51.100.2", 0xC0000001
CONFIG = HEAD + f"""
nse {{ nsei = 101, {nsvc(101, PEER)}, bvc {{ bvci = 2, {ms("001010000000001", TLLI)} }} }}
"""


def procedures(world):
    """NS, BSSGP and flow control, each of which is answered."""
    bss = Bss(world, 101, [(101, PEER)], {2: 8000})
    bss.up()
    bss.flow(2, r=80)
    bss.expect("bssgp_flow_control_bvc_ack", at=world.now_ns)
    bss.ns("ns_reset", cause=1, nsvci=101, nsei=101)
    bss.expect("ns_reset_ack", at=world.now_ns)
    bss.up()


def ended(world, name):
    """One line says so, however often it would have failed."""
    same(world.log().count(f"error internal error, {name} is switched off: "), 1, f"lines\n{world.log()}\nlines")
    right("on purpose" in world.log(), world.log())


@case("a capture that fails ends, in either direction; each PDU is answered all the same")
def capture():
    with World(CONFIG) as world:
        world.lua("local h = require 'program' h.capture_open = function() return 'x' end "
                  "h.capture_pdu = function() error('on purpose') end return 0")
        same(world.ctl("capture on"), (True, "x"), "capture on")
        procedures(world)
        ended(world, "the capture")
        same(world.lua("return require('sluice.core.capture').running"), "false", "it runs")
        world.lua("require('program').capture_pdu = function() end return 0")
        same(world.ctl("capture on"), (True, "x"), "capture on once more")


@case("a board that fails ends; procedures and reloads go on")
def board():
    for what in "nse", "nsvc", "bvc", "ms", "gone_bvc":
        with World(CONFIG) as world:
            world.lua(f"require('board').{what} = function() error('on purpose') end return 0")
            procedures(world)
            same(world.reload(CONFIG.replace("bvci = 2,", "bvci = 3,"))[0], True, "a reload")
            world.run(10 * S)
            if what != "ms":
                ended(world, "the board")


@case("what is given to the log and is no text is a line all the same")
def log():
    with World(CONFIG) as world:
        for value in "nil", "{}", "print", "setmetatable({}, {__tostring = error})", "12":
            same(world.lua(f"require('log').error({value}) return 1"), "1", value)
        right("error a line that is a table" in world.log(), world.log())
        procedures(world)


@case("ctl log: lines of the level it is told and graver ones are written, and no others")
def level():
    levels = "error", "warn", "info", "debug"  # the gravest first
    with World(CONFIG) as world:
        for n, told in enumerate(levels):
            same(world.ctl(f"log {told}"), (True, f"log level {told}"), told)
            for said in levels:
                world.lua(f"require('log').{said}('{said} while {told}') return 0")
            same([line.split()[1:] for line in world.log_lines("while", told)
                  if line.endswith(f"while {told}")],
                 [[said, said, "while", told] for said in levels[:n + 1]], told)
        for wrong in ("log", "log fatal", "log Error", "log error2", "log 1"):
            same(world.ctl(wrong), (False, "unknown level; allowed: error, warn, info, debug"), wrong)


main()
