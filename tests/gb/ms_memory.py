#!/usr/bin/python3
"""What is left behind of all that goes on with MSs: nothing of one that is removed, little of ten
thousand at once, no memory after a thousand rounds."""

import codec
from ms_world import (ADDRESS2, LOST, ORDERED, T3313, TLLI, TLLI2, config, discarded, place, resume,
                      status, suspended)
from harness import case, main, right, same
from world import S, npdu


@case("an MS that is removed leaves nothing behind, neither timers nor pages")
@place()
def forgotten(p):
    p.a.auto.discard("bssgp_flush_ll")
    suspended(p)
    p.up(3)
    status(p.a, LOST, bvci=3)
    p.world.run(S)
    suspended(p)
    right(*p.world.reload(config(where=None)))
    p.idle()
    p.a.inbox.clear()
    p.a.none("bssgp_flush_ll", 100 * S)
    p.a.none("bssgp_paging_ps")


def all_of(p, cause):
    """A RADIO-STATUS for each of ten thousand and twenty."""
    for number in range(10020):
        p.a.send(2, "bssgp_radio_status", radio_cause=cause, tlli=TLLI + number)
        if number % 100 == 99:
            p.world.run(0)
    p.world.run(0)


@case("ten thousand MSs that are sent to other cells are waited for at a time; one more goes on")
@place(count=10020)
def most(p):
    all_of(p, ORDERED)
    same((p.lua("return require('sluice.ms.paging').count()"), p.world.counts()["what"]["pages"]),
         ("10000", 0), "MSs that are waited for, pages")
    p.world.down(p.world.teid(TLLI + 10019), npdu("10.0.39.36"))
    p.world.run(T3313)
    same([record.pdu.sdu["v_tlli"] for record in p.a.dl], [TLLI + 10019], "DL-UNITDATA")
    p.idle()


@case("ten thousand MSs that are lost are not paged, but for the one for which something waits")
@place(count=10020)
def most_lost(p):
    all_of(p, LOST)
    p.a.none("bssgp_paging_ps", 60 * S)
    p.idle()
    p.world.down(p.world.teid(TLLI + 10019), npdu("10.0.39.36"))
    p.a.expect("bssgp_paging_ps", within=0, tmsi=TLLI + 10019)
    p.world.down(p.world.teid(TLLI2), npdu(ADDRESS2))
    p.world.run(0)
    same([record.pdu.sdu["v_tlli"] for record in p.b.dl], [TLLI2], "DL-UNITDATA of another NSE's")


# Lua's table of strings doubles when it is full, and only halves when three quarters are free, so its size
# depends on how many strings there were at once; after many at once it depends on those that live.
COLLECT = ('local many = {} for i = 1, 50000 do many[i] = "a string " .. i end many = nil '
           "for _ = 1, 8 do collectgarbage() end return 0")


@case("after a thousand rounds of everything control takes no more memory")
@place()
def memory(p):
    def rounds(n):
        for _ in range(n):
            resume(p.a, suspended(p))
            status(p.a, LOST)
            p.up(3)
            p.up(2)
            discarded(p.a, 100)
            p.a.uplink_llc(2, 0xC0FFEE00, codec.llc_ui(1, 0, b"\x08\x08"))
        p.world.run(100 * S)
        p.a.inbox.clear()
        p.a.received.clear()
        p.a.sent.clear()
        p.world.frames.clear()
        p.idle()
        p.lua(COLLECT)
        return p.world.lua_octets()
    rounds(50)
    before = rounds(50)
    after = rounds(300)
    right(after < before + 4096, f"Lua had {before} octets, then {after}")


main()
