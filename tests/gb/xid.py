#!/usr/bin/python3
"""XID that the SGSN begins (TS 44.064 clause 8.5.3): when, T200 and N200, answers lost, doubled,
wrong and late, commands of both sides at once; Reset, in the clear and not."""

import codec
from bss import Bss
from llc_ms import (BSS, IMSI, IOV_UI, N200, NULL, PROPOSAL, RESET, T200_NS, TLLI, WANTS, XID,
                    Osmocom, answer, ask, begin, config, ctl, down, named, parameter, proposals,
                    put, reassemble, u_frame, u_frames)
from world import S, World, case, main, npdu, right, same


def first_proposal(world):
    """Up, nothing proposed until the MS says something to control."""
    bss = begin(world)
    world.run(30 * S)
    same(proposals(bss), [], "before the MS is heard")
    put(bss, u_frame(1, NULL))
    same(proposals(bss), [(world.now_ns, PROPOSAL, 1520)], "our command")
    return bss


@case("what the configuration wants is proposed when control hears of the MS, and agreed once")
def we_propose():
    for said, size in ((b"", 1504), (named(n201_u=1520), 1504), (named(n201_u=1000), 1000),
                       (named(n201_u=140), 140)):
        with World(config(WANTS)) as world:
            bss = first_proposal(world)
            same(down(world, bss)[0][1], 500, "until it is agreed")
            answer(bss, 3, said)
            same(down(world, bss)[0][1], size, "agreed")
            put(bss, u_frame(1, NULL))
            world.run(60 * S)
            same((proposals(bss), world.counted("retries", "timeouts")), ([], (0, 0)), "after")


@case("data, a cell change and the end of a hold are signs of the MS, too")
def signs():
    for bvci in 2, 3:
        with World(config(WANTS)) as world:
            bss = begin(world)
            world.run(30 * S)
            same(proposals(bss), [], "before the MS is heard")
            bss.uplink(bvci, TLLI, npdu("203.0.113.9", 100, source="10.0.0.1"))
            world.run(0)
            same(proposals(bss), [(world.now_ns, PROPOSAL, 1520)], f"data in cell {bvci}")
            same(bss.received[-1].pdu.bvci, bvci, "where it is")
    with World(config(WANTS)) as world:
        bss = begin(world)
        bss.send(2, "bssgp_radio_status", tlli=TLLI, radio_cause=0)
        world.run(S)
        bss.uplink(2, TLLI, npdu("203.0.113.9", 100, source="10.0.0.1"))
        world.run(0)
        same(proposals(bss), [(world.now_ns, PROPOSAL, 1520)], "heard")


@case("nothing is proposed where nothing else than the default is wanted, or ns is manual")
def nothing_to_propose():
    with World(config()) as world:
        bss = begin(world)
        put(bss, u_frame(1, NULL))
        world.run(20 * S)
        same(proposals(bss), [], "proposals")
    with World(config(WANTS).replace("nsei = 101,", "nsei = 101, ns = \"manual\",")) as world:
        bss = Bss(world, 101, [(101, BSS)], {2: 800000})
        bss.nsvcs[0].blocked = False
        put(bss, u_frame(1, NULL))
        same(down(world, bss)[0][1], 1504, "at once")


@case("T200: the command again after 5, 10 and 15 s, given up after 20, and not begun again")
def t200():
    with World(config(WANTS)) as world:
        bss = first_proposal(world)
        start_ns = world.now_ns
        world.run(60 * S)
        same(proposals(bss), [(start_ns + n * T200_NS, PROPOSAL, 1520) for n in (1, 2, 3)], "again")
        same(world.counted("retries", "timeouts"), (N200, 1), "counted")
        answer(bss, 3, named(n201_u=1000))
        same(down(world, bss)[0][1], 500, "too late an answer")
        put(bss, u_frame(1, NULL))
        world.run(60 * S)
        same(proposals(bss), [], "begun again")


@case("up to three commands are lost, or their answers, and it is agreed all the same")
def losses():
    for lost in (1, 2, 3):
        with World(config(WANTS)) as world:
            bss = begin(world)
            bss.lose("down", "bssgp_dl_unitdata", nth=1, times=lost)
            put(bss, u_frame(1, NULL))
            world.run(lost * T200_NS)
            same(len(proposals(bss)), 1, "commands that came")
            answer(bss, 3, named(n201_u=800))
            same(down(world, bss)[0][1], 800, "agreed")
        with World(config(WANTS)) as world:
            bss = first_proposal(world)
            for n in range(lost):
                bss.lose("up", "bssgp_ul_unitdata", nth=1)
                answer(bss, 3, named(n201_u=800))
                world.run(T200_NS)
                same(len(proposals(bss)), 1, f"command {n + 2}")
            answer(bss, 3, named(n201_u=800))
            same(down(world, bss)[0][1], 800, "agreed")
            world.run(30 * S)
            same(proposals(bss), [], "commands")


@case("an answer that is doubled, wrong, without F or of another SAPI changes nothing")
def bad_answers():
    with World(config(WANTS)) as world:
        bss = first_proposal(world)
        before = world.counted("ignored")[0]
        for sapi, said, more in ((3, b"\x16\x05\xf1", {}), (3, named(n201_u=600), {"pf": False}),
                                 (5, named(n201_u=600), {}), (1, named(n201_u=600), {}),
                                 (3, parameter(5, b"\0\1"), {}), (3, b"\x16\x02", {}),
                                 (3, named(n201_u=700) + named(kd=0), {})):
            answer(bss, sapi, said, **more)
        same(world.counted("ignored")[0] - before, 7, "ignored")
        same((proposals(bss), down(world, bss)[0][1]), ([], 500), "nothing")
        answer(bss, 3, named(n201_u=900))
        answer(bss, 3, named(n201_u=600))
        same(down(world, bss)[0][1], 900, "the first answer")
        answer(bss, 3, named(n201_u=140))
        same(down(world, bss)[0][1], 900, "an answer without a command")


@case("commands of both sides at once: both are answered, and nobody gets more than both agreed to")
def collision():
    for theirs, said, size in ((1000, 1520, 1000), (1000, 900, 900), (1520, 1200, 1200)):
        with World(config(WANTS)) as world:
            bss = first_proposal(world)
            frame = ask(bss, 3, named(n201_u=theirs))
            same(frame.number(5), theirs, "our answer")
            answer(bss, 3, named(n201_u=said))
            right(down(world, bss)[0][1] <= min(theirs, said, 1504), "more than agreed")
            world.run(T200_NS)
            again = [n for _, _, n in proposals(bss)]
            # an answer that said more than we had agreed to by then
            same(again, [theirs] if said > theirs else [], "the command again")
            if again:
                answer(bss, 3)
            same(down(world, bss)[0][1], size, "agreed")
            world.run(60 * S)
            same(proposals(bss), [], "after")


@case("a phone whose responses say that they are commands: what equals our command ends the exchange")
def commands_for_responses():
    with World(config(WANTS)) as world:
        bss = first_proposal(world)
        same(ask(bss, 3, named(n201_u=1520)).number(5), 1520, "our answer")
        same(down(world, bss)[0][1], 1504, "agreed")
        world.run(60 * S)
        same((proposals(bss), world.counted("retries", "timeouts")), ([], (0, 0)), "after")
    with World(config(WANTS)) as world:  # another value is a command of its own
        bss = first_proposal(world)
        ask(bss, 3, named(n201_u=1000))
        world.run(T200_NS)
        same([n for _, _, n in proposals(bss)], [1000], "the command again")


@case("the MS comes first: what it has said is not proposed again")
def ms_first():
    with World(config(WANTS)) as world:
        bss = begin(world)
        same(ask(bss, 3, named(n201_u=1100)).number(5), 1100, "our answer")
        world.run(30 * S)
        same((proposals(bss), down(world, bss)[0][1]), ([], 1100), "then")


@case("sluice ctl xid: proposes again, on each SAPI in turn, and not while one waits")
def asked_for():
    context = 'pdp { nsapi = 6, sapi = 11, class = "streaming", address = "10.0.1.1" },'
    with World(config('n201_u = "700 octets", ' + context)) as world:
        bss = begin(world)
        for _ in range(2):
            same((ctl(world, f"xid {IMSI}"), ctl(world, f"xid {IMSI}")), (True, False), "asked")
            same([f.head[1:] for f in u_frames(bss)], [(3, True, XID)], "first")
            answer(bss, 3, named(n201_u=600))
            same([f.head[1:] for f in u_frames(bss)], [(11, True, XID)], "second")
            answer(bss, 11)
            same(u_frames(bss), [], "third")
        same(down(world, bss)[0][1], 600, "agreed")
        for wrong in ("xid", "xid 001019999999999", f"xid {IMSI} rset"):
            same(ctl(world, wrong), False, wrong)
        same(u_frames(bss), [], "of no MS")


# --- Reset ----------------------------------------------------------------------------------------


CIPHER = f'cipher = "gea3", key = "{Osmocom.KEY.hex()}", '


def enciphered_up(osmocom, nu, iov_ui, octets=100, number=0):
    info = next(codec.sndcp(5, number, npdu("203.0.113.9", octets, number, source="10.0.0.1"), 400))
    frame = codec.llc_ui(3, nu, info)
    frame = frame[:2] + bytes([frame[2] | 2]) + frame[3:-3]
    return osmocom(frame + codec.fcs(frame), iov_ui, 0)


def carries(world, bss, osmocom, iov_ui, nu):
    """One N-PDU each way under that IOV-UI, with numbers from nu on."""
    before = len(world.npdus_up())
    packet = npdu("10.0.0.1", 300, nu)
    world.down(world.teid(TLLI), packet)
    put(bss, enciphered_up(osmocom, nu, iov_ui, number=nu))
    world.run(S)
    found = reassemble(bss, packet, lambda llc: osmocom(llc, iov_ui, 1))
    same(([n for n, _ in found], len(world.npdus_up()) - before), ([nu], 1), "N-PDUs")


@case("an enciphered MS begins with IOV-UI 0; the one of the file comes with a Reset on SAPI 1")
def iov_of_the_file():
    osmocom = Osmocom()
    with World(config(CIPHER + 'iov_ui = 0x89abcdef, n201_u = "1520 octets",')) as world:
        bss = begin(world)
        for nu in range(2):
            packet = npdu("10.0.0.1", 300, nu)
            world.down(world.teid(TLLI), packet)
            world.run(S)
            found = reassemble(bss, packet, lambda llc: osmocom(llc, 0, 1))
            same([n for n, _ in found], [nu], "down before the MS is heard")
        put(bss, enciphered_up(osmocom, 0, 0))
        same(len(world.npdus_up()), 1, "N-PDUs up")
        frames = u_frames(bss)
        same([(f.head, f.parameters) for f in frames],
             [((False, 1, True, XID), {RESET: b"", IOV_UI: bytes.fromhex("89abcdef")})], "ours")
        answer(bss, 1)
        same([f.head for f in u_frames(bss)], [PROPOSAL], "then N201-U")
        answer(bss, 3)
        for nu in range(3):
            carries(world, bss, osmocom, 0x89ABCDEF, nu)


@case("each Reset of ours, and each one again, has an IOV-UI of its own, in force as it goes")
def fresh_iov():
    osmocom = Osmocom()
    with World(config(CIPHER)) as world:
        bss = begin(world)
        carries(world, bss, osmocom, 0, 0)
        ctl(world, f"xid {IMSI} reset")
        seen = [0]
        for n in range(N200 + 1):
            frame, = u_frames(bss)
            same((frame.head, set(frame.parameters)), ((False, 1, True, XID), {RESET, IOV_UI}), "")
            seen.append(frame.number(IOV_UI))
            carries(world, bss, osmocom, seen[-1], 0)
            if n < N200:
                answer(bss, 1, parameter(IOV_UI, bytes(4)))  # of another command
                world.run(T200_NS - S)
        answer(bss, 1, parameter(IOV_UI, seen[-1].to_bytes(4)))
        same(proposals(bss), [(world.now_ns, PROPOSAL, 500)], "then N201-U")
        answer(bss, 3)
        same(len(set(seen)), len(seen), "different ones")
        carries(world, bss, osmocom, seen[-1], 1)


@case("a Reset in the name of the MS, which only an SGSN sends, is not answered and changes nothing")
def reset_of_ms():
    osmocom = Osmocom()
    for cipher, iov_ui in (("", None), (CIPHER, 0), (CIPHER + "iov_ui = 0x89abcdef,", 0x89ABCDEF)):
        with World(config(cipher + 'n201_u = "1520 octets",')) as world:
            bss = begin(world)
            put(bss, u_frame(1, NULL))
            if iov_ui:
                answer(bss, 1)
            answer(bss, 3, named(n201_u=1000))
            u_frames(bss)
            for nu in range(0, 8, 2):
                for sapi, more in ((1, b""), (1, parameter(IOV_UI, bytes(4))), (3, named(n201_u=300)), (11, b"")):
                    put(bss, u_frame(sapi, XID, parameter(RESET) + more))
                world.run(100 * S)
                same(u_frames(bss), [], "our answer")
                if cipher:
                    carries(world, bss, osmocom, iov_ui, nu)
                    carries(world, bss, osmocom, iov_ui, nu + 1)
                else:
                    same(down(world, bss), [(nu, 1000), (nu + 1, 507)], "N(U), N201-U")


@case("a reload that changes n201_u or iov_ui under the same key goes on with the IOV-UI in force")
def reload_keeps_iov():
    osmocom = Osmocom()
    with World(config(CIPHER + 'iov_ui = 0x89abcdef,')) as world:
        bss = begin(world)
        put(bss, u_frame(1, NULL))
        same(u_frames(bss)[0].number(IOV_UI), 0x89ABCDEF, "ours")
        answer(bss, 1)
        carries(world, bss, osmocom, 0x89ABCDEF, 0)
        for nu, more in enumerate(('iov_ui = 0x89abcdef, n201_u = "1520 octets",',
                                   'iov_ui = 0x12345678, n201_u = "1520 octets",'), 1):
            right(world.reload(config(CIPHER + more), 10 * S)[0], world.log())
            put(bss, u_frame(1, NULL))
            same([f.head for f in u_frames(bss)], [PROPOSAL], "no Reset")
            answer(bss, 3)
            carries(world, bss, osmocom, 0x89ABCDEF, nu)


@case("a reload while a Reset of ours, which was lost, waits for its answer: it comes again, N201-U behind it")
def reload_amid_reset():
    osmocom = Osmocom()
    with World(config(CIPHER + 'iov_ui = 0x89abcdef,')) as world:
        bss = begin(world)
        bss.lose("down", "bssgp_dl_unitdata", nth=1)
        put(bss, u_frame(1, NULL))
        right(world.reload(config(CIPHER + 'iov_ui = 0x89abcdef, n201_u = "1520 octets",'), S)[0], world.log())
        same(u_frames(bss), [], "ours is lost")
        world.run(T200_NS)
        frame, = u_frames(bss)
        same((frame.head, set(frame.parameters)), ((False, 1, True, XID), {RESET, IOV_UI}), "ours again")
        answer(bss, 1)
        same(proposals(bss), [(world.now_ns, PROPOSAL, 1520)], "then N201-U")
        carries(world, bss, osmocom, frame.number(IOV_UI), 0)


# --- A Reset that waits for the MS's bucket -------------------------------------------------------


def bucket(bss, r):
    bss.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=1, ms_bmax=100, r=r)
    bss.expect("bssgp_flow_control_ms_ack", within=0)


def data(world, bss, decipher, nus):
    """Downlink alone: of N-PDUs of one segment the numbers."""
    for nu in nus:
        packet = npdu("10.0.0.1", 300, nu)
        world.down(world.teid(TLLI), packet)
        world.run(S // 10)
        same([n for n, _ in reassemble(bss, packet, decipher)], [nu], "N(U)")


def waits(world, bss, ns):
    """A Reset of ours, and an N-PDU behind it, for so long."""
    bucket(bss, 0)
    same(ctl(world, f"xid {IMSI} reset"), True, "asked")
    packet = npdu("10.0.0.1", 300, 99)
    world.down(world.teid(TLLI), packet)
    world.run(ns)
    same(bss.dl, [], "nothing passes")
    bucket(bss, 1000)
    world.run(S // 10)
    return packet


@case("a Reset that waits until T200 has run out has no effect; heard, the MS gets another")
def reset_waits():
    osmocom = Osmocom()
    for more, begun in (("", 0), ("iov_ui = 0x89abcdef,", 0x89ABCDEF)):
        with World(config(CIPHER + more)) as world:
            bss = begin(world)
            if begun:
                put(bss, u_frame(1, NULL))
                same(u_frames(bss)[0].number(IOV_UI), begun, "ours")
                answer(bss, 1)
            carries(world, bss, osmocom, begun, 0)
            seen = {begun}
            for nu in range(1, 7, 3):  # that it was tried again does not end the trying
                retries, timeouts = world.counted("retries", "timeouts")
                waited = waits(world, bss, 30 * S)
                same(world.counted("retries", "timeouts"), (retries + N200, timeouts + 1), "T200")
                found = reassemble(bss, waited, lambda llc: osmocom(llc, begun, 1))
                same([n for n, _ in found], [nu], "what waited")
                data(world, bss, lambda llc: osmocom(llc, begun, 1), range(nu + 1, nu + 3))
                if nu == 1:  # heard while nothing passes
                    bucket(bss, 0)
                    put(bss, enciphered_up(osmocom, 1, begun))
                    world.run(30 * S)
                    bucket(bss, 1000)
                    same(u_frames(bss), [], "our commands")
            put(bss, enciphered_up(osmocom, 2, begun))
            frame, = u_frames(bss)
            same((frame.head, set(frame.parameters)), ((False, 1, True, XID), {RESET, IOV_UI}), "")
            right(frame.number(IOV_UI) not in seen, "the same key stream again")
            answer(bss, 1)
            for nu in range(3):
                carries(world, bss, osmocom, frame.number(IOV_UI), nu)
            world.run(60 * S)
            same(u_frames(bss), [], "no more of them")


@case("Resets that the bucket lets go in time, or just after, are in force as they go")
def reset_leaves_late():
    osmocom = Osmocom()
    for ns, many in ((3 * S, 1), (7 * S, 2), (12 * S, 2), (22 * S, 1)):
        with World(config(CIPHER)) as world:
            bss = begin(world)
            carries(world, bss, osmocom, 0, 0)
            waited = waits(world, bss, ns)
            iovs = [f.number(IOV_UI) for f in u_frames(bss)]
            same((len(iovs), len(set(iovs))), (many, many), "commands, each with its own")
            found = reassemble(bss, waited, lambda llc: osmocom(llc, iovs[-1], 1))
            same([n for n, _ in found], [0], "what waited")
            data(world, bss, lambda llc: osmocom(llc, iovs[-1], 1), range(1, 3))
            for iov in iovs:
                answer(bss, 1, parameter(IOV_UI, iov.to_bytes(4)))
            frame, = u_frames(bss)
            if ns > 20 * S:  # given up: the late answer is a sign of the MS
                same(frame.head, (False, 1, True, XID), "once more")
                answer(bss, 1)
                carries(world, bss, osmocom, frame.number(IOV_UI), 0)
            else:
                same(frame.head, PROPOSAL, "then N201-U")
                carries(world, bss, osmocom, iovs[-1], 3)


@case("without a key, N(U) and N201-U go on as they were until the Reset leaves")
def plain_reset_waits():
    with World(config('n201_u = "1520 octets",')) as world:
        bss = first_proposal(world)
        answer(bss, 3, named(n201_u=350))
        data(world, bss, lambda llc: llc, range(2))
        waited = waits(world, bss, 30 * S)
        same(reassemble(bss, waited), [(2, 304)], "what waited")
        same(down(world, bss, 700), [(3, 350), (4, 350), (5, 10)], "N(U), N201-U")
        put(bss, u_frame(1, NULL))
        same([f.head for f in u_frames(bss)], [(False, 1, True, XID)], "our Reset")
        data(world, bss, lambda llc: llc, range(1))
        answer(bss, 1)
        answer(bss, 3, named(n201_u=400))
        same([f.head for f in u_frames(bss)], [PROPOSAL], "then N201-U")
        same(down(world, bss, 700), [(1, 400), (2, 307)], "N(U), N201-U")


@case("a Reset in the name of the MS while ours waits for its answer is ignored, and ours goes on")
def resets_cross():
    with World(config(WANTS)) as world:
        bss = begin(world)
        ctl(world, f"xid {IMSI} reset")
        same([f.head for f in u_frames(bss)], [(False, 1, True, XID)], "our Reset")
        put(bss, u_frame(3, XID, parameter(RESET)))
        same(u_frames(bss), [], "our answer")
        same(ask(bss, 3, named(n201_u=1000)).number(5), 1000, "agreed")
        world.run(T200_NS)
        same([f.head for f in u_frames(bss)], [(False, 1, True, XID)], "our Reset again")
        answer(bss, 1)
        same(proposals(bss), [(world.now_ns, PROPOSAL, 1520)], "then N201-U")


@case("a phone whose responses say that they are commands: what equals our Reset is the answer to it")
def reset_met():
    osmocom = Osmocom()
    with World(config(CIPHER)) as world:
        bss = begin(world)
        same(ask(bss, 3, named(n201_u=300)).number(5), 300, "agreed")
        waits(world, bss, 30 * S)
        bss.dl.clear()
        put(bss, u_frame(1, NULL))  # the one from before had no answer
        ours, = u_frames(bss)
        put(bss, u_frame(1, XID, ours.info))
        u_frames(bss)
        packet = npdu("10.0.0.1", 450, 0)
        world.down(world.teid(TLLI), packet)
        world.run(S)
        found = reassemble(bss, packet, lambda llc: osmocom(llc, ours.number(IOV_UI), 1))
        same(found, [(0, 454)], "N(U), N201-U of table 9")
        world.run(60 * S)
        put(bss, u_frame(1, NULL))
        same([f.head for f in u_frames(bss)], [], "no Reset more")


main()
