#!/usr/bin/python3
"""Which frames get to the handlers of SAPI 1 (lua/sluice/llc/signalling.lua), with which numbers and key: of MSs of
the file and of strangers; a reload's key, a Reset, an MS that goes; and that without a handler all is as it was."""

import codec
from llc_ms import IMSI, IOV_UI, NULL, RESET, TLLI, XID, Osmocom, begin, config, put, u_frame, u_frames
from sapi1 import COUNTERS, KEYS, Phone, got, served
from world import World, case, main, right, same

STRANGER = 0x78000001
KEYED = f'cipher = "gea3", key = "{KEYS[3].hex()}",'
WITHOUT = "local s = require 'sluice.llc.signalling' return tostring(s.takes(string.char(1, 0xC0, 1)))"


@case("no handler: nothing is taken here, and all is as it was; the counters stay at 0")
def nobody_wants_them():
    for more in ("", KEYED):
        with World(config(more)) as world:
            bss, phone = begin(world), Phone(3 if more else 0)
            same(world.lua(WITHOUT), "false", "whether frames are taken")
            before = world.counted("ignored", "llc_bad")
            put(bss, phone.frame(b"\x08\x01"))
            put(bss, phone.frame(b"\x08\x01", clear=True)[:-1])
            bss.uplink_llc(2, STRANGER, Phone().frame(b"\x08\x01"))
            world.run(0)
            after = world.counted("ignored", "llc_bad")
            same(tuple(b - a for a, b in zip(before, after)), (3, 2 if more else 1), "ignored, bad")
            same((world.counted(*COUNTERS), u_frames(bss)), ((0, 0, 0), []), "counted, sent")


@case("UI frames of SAPI 1, of an MS and of strangers, get to the handler of their protocol, once; no others")
def dispatch():
    with World(config()) as world:
        bss, phone, stranger = begin(world), Phone(), Phone()
        served(world)
        put(bss, phone.frame(b"\x08\x03MS"))
        bss.uplink_llc(3, STRANGER, stranger.frame(b"\x1a\x41who"))
        world.run(0)
        same(got(world), [f"0803{b'MS'.hex()}:101:2:{TLLI}:0:clear", f"1a41{b'who'.hex()}:101:3:{STRANGER}:-:clear"],
             "messages")
        before = world.counted("ignored", "handled", "refused")
        put(bss, phone.frame(b"\x08\x03MS", 0))  # doubled
        put(bss, phone.frame(b"\x05\x01"))  # a protocol without a handler
        put(bss, phone.frame(b"\x08"))
        for sapi in (2, 7, 8):
            put(bss, codec.llc_ui(sapi, 0, b"\x08\x01\x02"))
        after = world.counted("ignored", "handled", "refused")
        same(tuple(b - a for a, b in zip(before, after)), (6, 0, 0), "ignored, handled, refused")
        put(bss, u_frame(1, XID))
        same((got(world), len(u_frames(bss))), ([], 1), "messages; answers to XID")
        same(world.counted("llc_bad", *COUNTERS), (0, 0, 0, 1), "bad, and signalling's")
        world.lua("T.outcome = 'refused' return ''")
        put(bss, phone.frame(b"\x0a\x41"))
        same((world.counted("refused")[0] - after[2], len(got(world))), (1, 1), "the handler's outcome")
        same(world.counts()["in"]["llc_ui"], 5, "UI frames taken")


@case("a stranger's frame without a link is left to roaming")
def left_to_roaming():
    with World(config()) as world:
        bss = begin(world)
        served(world, "s.strangers(function(nse, bvc, tlli) T.asked = nse.nsei .. ' ' .. bvc.bvci .. ' ' .. tlli end);")
        before = world.counted("ignored")
        bss.uplink_llc(3, STRANGER, Phone().frame(b"\x08\x01"))
        world.run(0)
        same((got(world), world.lua("return T.asked")), ([], f"101 3 {STRANGER}"), "messages, asked")
        same(world.counted("ignored")[0] - before[0], 1, "ignored")


@case("an MS with a key in the file: enciphered both ways; a reload's key is in force from the next frame on")
def keyed_ms():
    text = config(KEYED)
    with World(text) as world:
        bss, phone = begin(world), Phone(3)
        served(world)
        put(bss, phone.frame(b"\x0a\x41one"))
        put(bss, phone.frame(b"\x0a\x41two", clear=True))
        put(bss, phone.frame(b"\x08\x08", clear=True))
        same([m.split(":")[0] + m[-1] for m in got(world)], [f"0a41{b'one'.hex()}E", "0808r"], "messages")
        same(world.counted(*COUNTERS), (0, 1, 0), "counted")
        world.lua("T.s.send(0, '\\x0a\\x42down') return ''")
        world.run(0)
        same([phone.read(r.pdu.sdu["llc"], 0) for r in bss.dl], [(True, b"\x0a\x42down")], "down")
        bss.dl.clear()
        other = KEYS[3][::-1]
        same(world.reload(text.replace(KEYS[3].hex(), other.hex()))[0], True, "reload")
        put(bss, phone.frame(b"\x0a\x41old", 3))
        phone.cipher = Osmocom(3, other)
        put(bss, phone.frame(b"\x0a\x41new", 4))
        world.lua("T.s.send(0, '\\x0a\\x42down') return ''")
        world.run(0)
        same([m.split(":")[0] for m in got(world)], [f"0a41{b'new'.hex()}"], "the new key's")
        same([phone.read(r.pdu.sdu["llc"], 1) for r in bss.dl], [(True, b"\x0a\x42down")], "down, N(U) 1")
        same(world.counted(*COUNTERS), (1, 1, 0), "counted")


@case("a Reset by XID begins N(U) and OC at 0 under its IOV-UI, both ways, as for user data")
def reset():
    with World(config(KEYED + "iov_ui = 0x11223344,")) as world:
        bss, phone = begin(world), Phone(3)
        served(world)
        for n in range(5):
            world.lua("T.s.send(0, '\\x0a\\x42x') return ''")
        world.run(0)
        same(len(bss.dl), 5, "sent before")
        bss.dl.clear()
        put(bss, phone.frame(b"\x0a\x41one"))  # heard: the Reset is due
        frames = u_frames(bss)
        same([(f.sapi, RESET in f.parameters, f.number(IOV_UI)) for f in frames], [(1, True, 0x11223344)], "Reset")
        put(bss, u_frame(1, XID, response=True))
        phone.iov_ui, phone.number = 0x11223344, 0
        put(bss, phone.frame(b"\x0a\x41two"))
        world.lua("T.s.send(0, '\\x0a\\x42y') return ''")
        world.run(0)
        same([m.split(":")[0] for m in got(world)], [f"0a41{b'one'.hex()}", f"0a41{b'two'.hex()}"], "messages")
        down = [phone.read(r.pdu.sdu["llc"], 0) for r in bss.dl]
        same(down, [(True, b"\x0a\x42y")], "down")


@case("the first signalling behind a Reset: its IOV-UI is in force, whether the MS has answered or not")
def first_behind_a_reset():
    for answers in (True, False):
        with World(config(KEYED + "iov_ui = 0x11223344,")) as world:
            bss, phone = begin(world), Phone(3, 0x11223344)
            served(world)
            put(bss, u_frame(1, NULL))  # heard
            same([f.number(IOV_UI) for f in u_frames(bss)], [0x11223344], "Reset")
            if answers:
                put(bss, u_frame(1, XID, response=True))
            put(bss, phone.frame(b"\x0a\x41one"))
            same([m.split(":")[0] for m in got(world)], [f"0a41{b'one'.hex()}"], "messages")


@case("an MS that is removed, and another with its id: the second begins anew")
def removed():
    text = config()
    with World(text) as world:
        bss, phone = begin(world), Phone()
        served(world)
        put(bss, phone.frame(b"\x08\x01"))
        same(len(got(world)), 1, "the first")
        same(world.reload(text.replace(IMSI, IMSI[:-1] + "9"))[0], True, "reload")
        same(world.lua("return T.state(T.s.of(0))"), "0 0/0 0/0 0", "numbers of the second")
        put(bss, Phone().frame(b"\x08\x01"))
        same(len(got(world)), 1, "the second")


@case("an MS that attaches: its link as a stranger is its link")
def kept():
    with World(config()) as world:
        bss, phone = begin(world), Phone()
        served(world)
        bss.uplink_llc(2, STRANGER, phone.frame(b"\x08\x16"))
        world.run(0)
        world.lua("T.s.keep(0, T.last) return ''")
        put(bss, phone.frame(b"\x08\x16", 0))
        put(bss, phone.frame(b"\x08\x03"))
        same([m.split(":")[0] for m in got(world)], ["0816", "0803"], "messages")
        same(world.counted(*COUNTERS), (0, 0, 1), "counted")


@case("a message moves the MS to the cell where it came, a doubled or bad one does not")
def cells():
    with World(config(KEYED)) as world:
        bss, phone = begin(world), Phone(3)
        served(world)
        where = "return (require('dp').ms_cell(0))"
        put(bss, phone.frame(b"\x0a\x41"))
        home = world.lua(where)
        put(bss, phone.frame(b"\x0a\x41", 0), bvci=3)
        put(bss, phone.frame(b"\x0a\x41\x01", 2, clear=True), bvci=3)
        put(bss, phone.frame(b"\x0a\x41", 2)[:-1] + b"x", bvci=3)
        world.run(0)
        same((world.lua(where), world.counts()["what"]["claims_paged"]), (home, 0), "where it is; paged")
    with World(config()) as world:
        bss, phone = begin(world), Phone()
        served(world)
        put(bss, phone.frame(b"\x0a\x41"))
        home = world.lua(where)
        put(bss, phone.frame(b"\x0a\x41", 0), bvci=3)
        same(world.lua(where), home, "behind a doubled one")
        put(bss, phone.frame(b"\x0a\x41"), bvci=3)
        right(world.lua(where) != home, "it has moved")


main()
