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


@case("capture of user traffic: wrong words, and a run without it, are answered, and start nothing")
def user_capture():
    usage = "usage: capture [on|off], or capture user on [snap OCTETS] [file OCTETS], or capture user off"
    with World(CONFIG) as world:
        for words, wanted in (
                ("", usage), ("x", usage), ("off x", usage), ("on x", usage), ("on x 1", usage),
                ("on snap", "snap: found none, allowed 14 to 65535 octets"),
                ("on snap 13", "snap: found 13, allowed 14 to 65535 octets"),
                ("on snap 65536", "snap: found 65536, allowed 14 to 65535 octets"),
                ("on snap 14 snap 1e2", "snap: found 1e2, allowed 14 to 65535 octets"),
                ("on snap 99 file 9999", "file: found 9999, allowed 10000 to 1099511627776 octets"),
                ("on file 1099511627777", "file: found 1099511627777, allowed 10000 to 1099511627776 octets"),
                ("on file 99999999999999999999999", "file: found 99999999999999999999999, allowed 10000 to "
                 "1099511627776 octets"),
                ("on", "user traffic is captured in real time only; in virtual time: sluice run --pcap"),
                ("on snap 14 file 10000", "user traffic is captured in real time only; in virtual time: "
                 "sluice run --pcap")):
            same(world.ctl(f"capture user {words}"), (False, wanted), words)
        same(world.ctl("capture user off"), (True, "no capture of user traffic runs"), "off")
        same(world.ctl("capture x"), (False, usage), "capture x")
        same(world.ctl("capture"), (True, "signalling: off\nuser traffic: off"), "capture")
        world.lua("require('program').user_capture_on = function(...) words = {...} return true, 'x' end return 0")
        for words, wanted in (("on", "65535 1000000000"), ("on file 10000", "65535 10000"),
                              ("on snap 14 file 1099511627776", "14 1099511627776")):
            same(world.ctl(f"capture user {words}"), (True, "x"), words)
            same(world.lua("return words[1] .. ' ' .. words[2]"), wanted, f"{words}: octets of a frame, of the file")
        world.lua("local h = require 'program' h.user_capture_off = function() left = 3 end "
                  "h.user_capture = function() left = left and left - 1 return left ~= 0, 'y' end return 0")
        same(world.ctl("capture"), (True, "signalling: off\nuser traffic: on, y"), "capture while it runs")
        same(world.ctl("capture user off"), (True, "y"), "an end that takes some rounds")
        world.lua("local clock, late = require 'sluice.core.clock', 0 require('program').user_capture = function() "
                  "late = late + 10 clock.now_ns = clock.now_ns + late * 1000000000 return true, 'y' end return 0")
        same(world.ctl("capture user off", within=100 * S), (False, "not all is written yet: y"),
             "an end that does not come")


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
            same(world.ctl("log"), (True, f"log level {told}"), "which it is")
            same(world.reload(CONFIG), (True, "no changes"), "a reload, which leaves it")
            for said in levels:
                world.lua(f"require('log').{said}('{said} while {told}') return 0")
            same([line.split()[1:] for line in world.log_lines("while", told)
                  if line.endswith(f"while {told}")],
                 [[said, said, "while", told] for said in levels[:n + 1]], told)
        for wrong in ("log fatal", "log Error", "log error2", "log 1"):
            same(world.ctl(wrong), (False, "unknown level; allowed: error, warn, info, debug"), wrong)


main()
