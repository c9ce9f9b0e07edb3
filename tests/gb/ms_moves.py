#!/usr/bin/python3
"""Cell changes: FLUSH-LL (TS 48.018 8.1) inside an NSE and from one to another, and who is believed
to be an MS."""

import codec
from bss import Bss
from ms_world import (ADDRESS, B, C, IMSI, INR, LISTED, LOST, ORDERED, T3313, T5, TLLI, TLLI2,
                      config, flush_ack, flushed, page, place, resume, status, suspended)
from llc_ms import N200, RESET, T200_NS, XID, ctl, u_frames
from harness import case, main, right, same
from world import MS, S, World, npdu


# ---- Cell changes ------------------------------------------------------------------------------


@case("a cell update: FLUSH-LL with transfer, acknowledged once, and its octets counted")
@place()
def transfer(p):
    p.a.auto.discard("bssgp_flush_ll")
    p.flows()
    p.up(3)
    p.world.run(0)
    flushed(p.a, new_bvci=3)
    p.flows(3)
    for _ in range(2):
        flush_ack(p.a, 1, 1234, bvci=3)
    p.world.run(0)
    same(p.world.counts()["what"]["flush_transferred"], 1234, "octets transferred")
    p.a.none("bssgp_flush_ll", 60 * S)
    p.idle()


@case("a cell of another routeing area, or flush = delete: FLUSH-LL deletes")
@place()
def delete_area(p):
    p.a.auto.discard("bssgp_flush_ll")
    p.up(4)
    p.world.run(0)
    flushed(p.a)
    flush_ack(p.a, 0, 77)
    p.world.run(0)
    same(p.world.counts()["what"]["flush_deleted"], 77, "octets deleted")
    p.flows(4)
    p.idle()


@case("flush = delete")
@place(nse='flush = "delete",')
def delete_config(p):
    p.up(3)
    p.world.run(0)
    flushed(p.a)
    p.flows(3)
    p.idle()


@case("FLUSH-LL is repeated by T5 until it is answered, three times at most")
@place()
def repeated(p):
    p.a.auto.discard("bssgp_flush_ll")
    start = p.world.now_ns
    p.up(3)
    for turn in range(4):
        p.a.expect("bssgp_flush_ll", at=start + turn * T5, new_bvci=3)
    p.a.none("bssgp_flush_ll", 60 * S)
    same(p.world.counts()["what"]["timeouts"], 1, "timeouts")
    p.idle()
    p.flows(3)


for DIRECTION, NAME in (("down", "bssgp_flush_ll"), ("up", "bssgp_flush_ll_ack")):
    for WHAT, TITLE in ("lose", "lost"), ("duplicate", "duplicated"), ("delay", "delayed"):
        @case(f"a cell update with {NAME} {TITLE}", DIRECTION, NAME, WHAT)
        @place()
        def flush_impaired(p, direction, name, what):
            getattr(p.a, what)(direction, name, **({} if what == "lose" else {"ns": T5 + MS}))
            p.down(40)
            p.up(3)
            p.world.run(60 * S)
            same([number for _, number, _ in p.come()], list(range(40)), "N-PDUs")
            p.idle()
            same(len(p.a.times("bssgp_flush_ll")), 1 if (direction, what) == ("down", "lose") else 2
                 if (what, direction) != ("duplicate", "up") else 1, "FLUSH-LLs that came")
            same(p.world.counts()["what"]["timeouts"], 0, "timeouts")


@case("to and fro: only the last change counts, an answer to a former one ends nothing")
@place()
def to_and_fro(p):
    p.a.auto.discard("bssgp_flush_ll")
    start = p.world.now_ns
    p.up(3)
    p.world.run(S)
    p.up(2)
    p.world.run(S)
    flush_ack(p.a, 1, 10, bvci=3)
    p.world.run(13 * S)
    same([(r.pdu.sdu["bvci"], r.pdu.sdu["new_bvci"]) for r in p.a.received
          if r.pdu.sdu and r.pdu.sdu.name == "bssgp_flush_ll"], [(2, 3), (3, 2)], "until T5")
    p.a.inbox.clear()
    found = p.a.expect("bssgp_flush_ll", within=T5, tlli=TLLI)
    same((found["bvci"], found["new_bvci"], p.world.now_ns), (3, 2, start + S + T5), "the second's")
    flush_ack(p.a, 1, 10, bvci=2)
    p.a.none("bssgp_flush_ll", 60 * S)
    p.idle()


@case("an MS's own values do not hold in its new cell")
@place()
def own_values(p):
    p.a.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=1, ms_bmax=1, r=1)
    p.a.expect("bssgp_flow_control_ms_ack", within=0)
    p.up(3)
    p.flows(3)


@case("the old cell is reset: there is nothing left to flush")
@place()
def flush_reset(p):
    p.a.auto.discard("bssgp_flush_ll")
    p.up(3)
    p.world.run(0)
    flushed(p.a, new_bvci=3)
    p.a.reset_bvc(2)
    p.a.none("bssgp_flush_ll", 100 * S)
    p.idle()
    p.flows(3)


@case("held packets follow an MS that was lost to the cell where a frame of control's is heard")
@place()
def frame_moves(p):
    status(p.a, LOST)
    p.down(9)
    p.none(S)
    p.frame(3)
    p.all(3)
    p.idle()


@case("an MS that shows up in a cell that is being removed goes back to where it was")
@place()
def going(p):
    def lua(act):
        p.lua(f"local w = require('sluice.core.network') local b = w.nse[0].bvcs[3] {act} return 0")
    lua("w.going[b.id], w.bvc[b.id] = b, nil")
    p.up(3)
    p.world.run(0)
    p.a.none("bssgp_flush_ll")
    p.flows(2)
    lua("w.going[b.id], w.bvc[b.id] = nil, b")
    p.up(3)
    p.flows(3)


for HELD in ("suspended", "paged"):
    @case(f"a reload moves an MS that is {HELD}: held, and heard in the other cell", HELD)
    @place()
    def reload(p, held):
        if held == "paged":
            status(p.a, LOST)
        else:
            suspended(p)
        p.down(6)
        p.none(S)
        right(*p.world.reload(config(where=3)))
        p.none(S)
        p.up(3)
        p.all(3)
        p.idle()


@case("a suspended MS that a reload has moved: the reset of its new cell ends that, no other's")
@place()
def reset_moved(p):
    suspended(p)
    p.down(6)
    p.world.run(0)
    right(*p.world.reload(config(where=3)))
    p.a.reset_bvc(2)
    p.none(S)
    p.a.reset_bvc(3)
    p.all(3, aged=100)
    p.idle()


# ---- From one NSE to another -------------------------------------------------------------------


def goes_to(p, bss):
    """The MS, which has no key, is heard in a cell of that other NSE, and answers the page there. Both list the
    area, so one page is enough; at home none is needed."""
    p.up(2, bss)
    p.up(2, bss)
    if bss is not p.a:
        p.world.run(T3313)
    p.world.run(0)


def other_nse(p):
    status(p.a, ORDERED)
    p.down(12)
    p.none(S)
    p.up(2, p.b)
    p.world.run(0)
    flushed(p.a, new_bvci=2, nsei=102)
    p.all(bss=p.b)
    p.idle()
    p.up(2, p.b)
    p.up(3)
    p.up(3)
    p.world.run(0)
    found = p.b.expect("bssgp_flush_ll", tlli=TLLI)
    same((found["bvci"], found["new_bvci"], found["nsei"]), (2, 3, 101), "FLUSH-LL back")
    p.flows(3)


for WORKERS in (1, 2):
    case(f"to another NSE of the routeing area and back, transferred; {WORKERS} workers")(
        place(workers=WORKERS, nse=LISTED)(other_nse))


for WORKERS in (1, 2):
    @case(f"a Reset that waits for an MS goes before its user data in another NSE; {WORKERS} workers")
    @place(workers=WORKERS, nse=LISTED)
    def reset_goes_first(p):
        status(p.a, ORDERED)
        p.world.run(0)
        ctl(p.world, f"xid {IMSI} reset")
        p.down(3)
        p.none(S)
        p.up(2, p.b)
        p.world.run(0)
        are_u = [record.pdu.sdu["llc"][1] & 0xE0 == 0xE0 for record in p.b.dl]
        frames = u_frames(p.b)
        same(are_u[:len(frames)], [True] * len(frames), "U frames first")
        same({(frame.head, frozenset(frame.parameters)) for frame in frames},
             {((False, 1, True, XID), frozenset([RESET]))}, "what they are")
        p.all(bss=p.b)
        start = frames[-1].time_ns
        p.world.run(60 * S)
        same([frame.time_ns - start for frame in u_frames(p.b)], [T200_NS * n for n in range(1, N200 + 1)],
             "T200 begins anew")


@case("an MS whose new NSE's worker has no room for it stays where it is, counted and told")
@place(workers=2, nse=LISTED, sets=("room.worker_mss=1",))
def full(p):
    p.down(6)
    goes_to(p, p.b)
    same(p.world.counts()["what"].get("moves_refused"), 1, "moves_refused")
    right(f"MS {IMSI} stays in its cell: the worker of that cell is full" in p.world.log(),
          f"the log: {p.world.log()}")
    p.all()
    p.up(3)
    p.flows(3)
    p.idle()


@case("back from another NSE before FLUSH-LL was answered: it is not repeated")
@place(nse=LISTED)
def back(p):
    p.a.auto.discard("bssgp_flush_ll")
    goes_to(p, p.b)
    flushed(p.a, new_bvci=2, nsei=102)
    goes_to(p, p.a)
    flushed(p.b, new_bvci=2, nsei=101)
    p.a.none("bssgp_flush_ll", 60 * S)
    p.flows()
    p.idle()


@case("to another NSE without Inter-NSE re-routing: deleted")
@place(features=0, nse=LISTED)
def no_inr(p):
    goes_to(p, p.b)
    flushed(p.a)
    p.flows(2)
    same(p.lua("return require('dp').ms_of(0, %d)" % TLLI), "nil", "who has the TLLI in NSE 101")


def one_has_inr(p, fields):
    goes_to(p, p.b)
    flushed(p.a, **fields)
    p.flows(2)


case("to another NSE without Inter-NSE re-routing, which the old one has: transferred")(
    place({"new_bvci": 2, "nsei": 102}, b_features=0, nse=LISTED)(one_has_inr))
case("to another NSE that has Inter-NSE re-routing, from one without: deleted")(
    place({}, features=0, b_features=INR, nse=LISTED)(one_has_inr))


@case("a TLLI that two other NSEs know is nobody's name")
@place(third=True)
def two_of_one(p):
    third = Bss(p.world, 103, [(103, C)], {2: 80000})
    third.up()
    p.up(2, p.b)
    p.flows()
    same(p.lua("return require('dp').ms_of(1, %d)" % TLLI), "nil", "who has the TLLI in NSE 102")


CIPHERED = 'cipher = "gea3", key = "0123456789abcdef",'


@case("a BSS that names ever new areas and has its MS paged there fills no other NSE's memory")
@place(more=CIPHERED)
def many_areas(p):
    p.a.follow = False
    for number in range(200):
        area = codec.RAI[:3] + number.to_bytes(2) + b"\x01"
        p.a.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(5, area))
        p.frame(3)
        p.frame(2)
        p.world.run(0)
    same(p.lua("return require('sluice.bssgp.areas').count()"), "3", "areas that are remembered")
    p.b.inbox.clear()
    p.a.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(5, codec.RAI))
    p.a.flow(2)
    status(p.a, LOST)
    p.down()
    p.b.expect("bssgp_paging_ps", within=T3313, imsi=IMSI, rai=codec.RAI)


@case("what proves nothing moves nobody: other areas, damaged frames, strangers")
@place()
def claims(p):
    llc = codec.llc_ui(3, 0, b"\x65\0\0\0abc")
    p.b.uplink_llc(6, TLLI, llc)
    p.b.uplink_llc(2, TLLI, llc[:-1] + bytes([llc[-1] ^ 1]))
    p.b.uplink_llc(2, TLLI, b"")
    p.b.uplink_llc(2, 0xC0FFEE00, llc)
    p.a.uplink_llc(4, TLLI2, llc)
    p.world.run(0)
    p.idle()
    p.flows()
    for bss in (p.a, p.b):
        bss.none("bssgp_flush_ll")
        bss.none("bssgp_status")
        bss.none("bssgp_paging_ps")


@case("cells that have not said their area are in nobody's: no claim from one NSE to another")
def nowhere():
    with World(config(nse='ns = "manual",')) as world:
        other = Bss(world, 102, [(102, B)], {2: 8000})
        other.nsvcs[0].blocked = False
        other.uplink(2, TLLI, npdu("203.0.113.9", 60, source=ADDRESS))
        world.run(S)
        same(world.lua("return require('dp').ms_of(0, %d)" % TLLI), "0", "where it is")


KEY = 'cipher = "gea3", key = "0102030405060708", '


@case("a claim that nobody stands for costs an enciphered MS nothing, be it in a call or not")
@place(more=KEY, nse=LISTED)
def lie(p):
    p.b.uplink_llc(2, TLLI, codec.llc_ui(1, 0, b"\x08\x08"))
    p.world.run(0)
    p.down(7)
    p.world.run(2 * S)
    same(len(p.a.dl), 7, "DL-UNITDATA while it is paged")
    p.world.run(4 * T3313)
    p.idle()
    reference = suspended(p)
    p.b.uplink_llc(2, TLLI, codec.llc_ui(1, 0, b"\x08\x08"))
    p.down(7)
    p.world.run(100 * S)
    same(len(p.a.dl), 7, "DL-UNITDATA in a call that somebody else says has ended")
    resume(p.a, reference)
    p.world.run(2 * S)
    same(len(p.a.dl), 14, "DL-UNITDATA after the call")
    p.idle()


main()
