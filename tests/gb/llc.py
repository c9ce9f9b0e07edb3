#!/usr/bin/python3
"""LLC frames of an MS that are not the path's (TS 44.064): its XID, answered by the rules of clause
8.5.3; SABM and DISC; what is of an ABM, or nobody's; hostile ones."""

import random

import codec
from llc_ms import (DISC, DM, IOV_I, IOV_UI, LAYER3, NULL, SABM, TABLE_6, TABLE_9, TLLI, USER, V44,
                    XID, answer, ask, begin, block, config, down, named, parameter, put, u_frame,
                    u_frames)
from world import S, World, case, main, npdu, right, same


def allowed(name, offered, found):
    """44.064 clause 8.5.3.0: the sense of negotiation."""
    least, most, sense = TABLE_6[name][2:]
    return (least <= found <= most or found == 0 and name in ("md", "mu")) and (
        found <= offered if sense == "down" else found >= offered)


@case("each parameter of table 6 is answered in its range and sense, on each SAPI, P as F")
def every_parameter():
    with World(config("n201_u = \"900 octets\",")) as world:
        bss = begin(world)
        put(bss, u_frame(1, NULL))
        answer(bss, 3)
        u_frames(bss)
        for sapi in TABLE_9:
            for name, (kind, _, least, most, _) in TABLE_6.items():
                for offered in (least, least + 1, (least + most) // 2, most):
                    frame = ask(bss, sapi, named(**{name: offered}), pf=offered % 2 == 0)
                    same(set(frame.parameters), {kind}, "what is answered")
                    found = frame.number(kind)
                    right(allowed(name, offered, found), f"{name} {offered}: {found}")
                    right(name != "version" or found == 0, f"version {found}")
                    if name == "n201_u":
                        bound = 900 if sapi in USER else TABLE_9[sapi][name]
                        same(found, min(offered, bound), "N201-U")
        all_of = named(**{name: row[3] for name, row in TABLE_6.items()})
        same(set(ask(bss, 3, all_of).parameters), {row[0] for row in TABLE_6.values()}, "all")
        same(ask(bss, 3, named(md=0, mu=0)).info, named(md=0, mu=0), "no buffer")
        same(ask(bss, 3, b"").info, b"", "a command without parameters")


@case("what is out of range or of a wrong length is answered by what holds; the rest counts")
def out_of_range():
    with World(config()) as world:
        bss = begin(world)
        for sapi, defaults in TABLE_9.items():
            for name, (kind, octets, least, most, _) in TABLE_6.items():
                now = 0 if name == "version" else defaults.get(name)
                values = [most + 1, *([least - 1] if least and name not in ("md", "mu") else [])]
                bad = [v.to_bytes(octets) for v in values if v < 1 << 8 * octets]
                for value in (*bad, b"", bytes(octets + 1), bytes([1] * (octets + 2))):
                    frame = ask(bss, sapi, parameter(kind, value) + named(n200=7) * (kind != 4))
                    wanted = {} if now is None else {kind: now}
                    same({k: frame.number(k) for k in frame.parameters},
                         wanted | ({4: 7} if kind != 4 else {}), f"{name} {value.hex()}")
            for said in (b"", bytes([9] * 3), bytes([9] * 4), bytes([9] * 5)):
                frame = ask(bss, sapi, parameter(IOV_UI, said) + named(n200=16))
                same(frame.parameters, {IOV_UI: bytes(4), 4: b"\3"}, f"IOV-UI {said.hex()}")
                frame = ask(bss, sapi, parameter(IOV_I, said) + named(n200=16))
                same(frame.parameters, {4: b"\3"}, f"IOV-I {said.hex()}")
        same(down(world, bss)[0], (0, 500), "N201-U")
        ask(bss, 3, named(n201_u=300))
        same(ask(bss, 3, parameter(5, b"\0\0")).info, named(n201_u=300), "what holds")


@case("unknown types are stepped over, the first of two counts, what is cut short ends it")
def odd_ones():
    with World(config("n201_u = \"1520 octets\",")) as world:
        bss = begin(world)
        put(bss, u_frame(1, NULL))
        for sapi in (3,):
            answer(bss, sapi)
        u_frames(bss)
        unknown = parameter(13, b"abcd") + parameter(31, b"") + parameter(20, bytes(300 & 255))
        same(ask(bss, 3, unknown + named(n201_u=600)).info, named(n201_u=600), "unknown ones")
        same(ask(bss, 3, named(n201_u=700) + named(n201_u=600)).info, named(n201_u=700), "twice")
        same(ask(bss, 3, named(n200=16) + named(n200=5)).info, named(n200=3), "bad, then good")
        same(ask(bss, 3, named(n200=5) + b"\x16\x02").info, named(n200=5), "cut in a value")
        same(ask(bss, 3, named(n200=6) + b"\x97").info, named(n200=6), "cut in a length")
        same(ask(bss, 3, named(n200=6) + b"\x97\x03ab").info, named(n200=6), "spare bits")
        same(ask(bss, 3, parameter(IOV_I, bytes(4))).info, b"", "IOV-I, which is of an ABM")
        same(ask(bss, 3, parameter(IOV_UI, bytes([9] * 4))).info, parameter(IOV_UI, bytes(4)),
             "IOV-UI, which is ours to say")


@case("an agreed N201-U is that of the next N-PDU, of its SAPI alone, at the bounds of the range")
def n201_u_holds():
    with World(config("n201_u = \"1520 octets\",")) as world:
        bss = begin(world)
        same([n for _, n in down(world, bss)], [500, 500, 500, 13], "by default")
        for offered in (1520, 140, 1000, 1504, 1503):
            ask(bss, 3, named(n201_u=offered))
            sizes = [n for _, n in down(world, bss)]
            same((sizes[0], max(sizes)), (min(offered, 1504),) * 2, f"N201-U {offered}")
        ask(bss, 5, named(n201_u=140))
        same(down(world, bss)[0][1], 1503, "another SAPI's")


@case("an N-PDU that is half sent ends as it began")
def half_sent():
    with World(config("n201_u = \"1520 octets\",")) as world:
        bss = begin(world)
        bss.flow(2, r=20, bmax=6, r_default=20, bmax_default=6)
        world.run(0)
        packets = [npdu("10.0.0.1", 1500, number) for number in range(2)]
        for packet in packets:
            world.down(world.teid(TLLI), packet)
        world.run(0)
        right(0 < len(bss.dl) < 4, f"{len(bss.dl)} segments at once")
        put(bss, u_frame(3, XID, named(n201_u=800)))
        world.run(60 * S)
        u_frames(bss)
        sizes = [len(r.pdu.sdu["llc"]) - 6 for r in bss.dl]
        same(sizes, [500, 500, 500, 13, 800, 707], "segments")


@case("SABM and DISC get DM with their P as F; no other U frame gets an answer")
def no_abm():
    with World(config()) as world:
        bss = begin(world)
        for sapi in TABLE_9:
            for command in range(16):
                for pf in (False, True):
                    for response in (False, True):
                        if command == XID:
                            continue
                        put(bss, u_frame(sapi, command, b"abc" * pf, pf=pf, response=response))
                        refused = command in (SABM, DISC) and not response
                        same([f.head for f in u_frames(bss)],
                             [(True, sapi, pf, DM)] if refused else [], f"U frame {command}")
        same(world.counted("refused", "fault"), (2 * 2 * len(TABLE_9), 0), "counted")


@case("GMM, SMS, reserved SAPIs, I and S frames, a wrong FCS: counted, and nothing else")
def nobody():
    with World(config()) as world:
        bss = begin(world)
        good = u_frame(1, XID, named(n200=4))
        frames = [(codec.llc_ui(sapi, 0, b"\x08\x01\x02"), 0) for sapi in (1, 2, 7, 8)]
        frames += [(u_frame(sapi, XID, named(n200=4)), 0) for sapi in (4, 6, 10, 12, 13, 14)]
        frames += [(good[:n] + bytes([good[n] ^ 1]) + good[n + 1:], 1) for n in range(1, len(good))]
        frames += [(good[:n], 1) for n in range(1, len(good))]
        frames += [(b"\x03\x00\x00abc" + codec.fcs(b"\x03\x00\x00abc"), 1), (b"\x03\xa0\0\0\0", 1)]
        before = world.counted("ignored", "llc_bad")
        for frame in (u_frame(0, XID), u_frame(15, XID), bytes([0x81]) + good[1:], b""):
            put(bss, frame)  # no LLC frames at all: the path drops them
        for frame, _ in frames:
            put(bss, frame)
        same(u_frames(bss), [], "answers")
        after = world.counted("ignored", "llc_bad")
        same(tuple(a - b for a, b in zip(after, before)),
             (len(frames), sum(bad for _, bad in frames)), "counted")


@case("an answer goes to the cell where the MS asked")
def another_cell():
    with World(config()) as world:
        bss = begin(world)
        put(bss, u_frame(3, XID, named(n200=4)), bvci=3)
        world.run(0)
        same([r.pdu.bvci for r in bss.dl], [3], "cell of the answer")


@case("20000 random XID frames: each answered by a response that can be read, or not at all")
def hostile():
    chance = random.Random(5)

    def piece():
        kind = chance.choice([*range(13), chance.randrange(32)])
        octets = chance.choice([0, 1, 2, 3, 4, chance.randrange(60)])
        value = chance.randbytes(octets)
        if chance.random() < 0.6 and kind in {row[0] for row in TABLE_6.values()}:
            least, most = next(row[2:4] for row in TABLE_6.values() if row[0] == kind)
            value = chance.randint(least, most).to_bytes(2 if most > 255 else 1)
        if kind == LAYER3 and chance.random() < 0.5:
            value = block(chance.randrange(17), V44[:chance.randrange(8)], chance.randbytes(9))
        return parameter(kind, value)

    with World(config('n201_u = "1000 octets",')) as world:
        bss = begin(world)
        bss.flow(2, r=65535, bmax=65535, r_default=65535, bmax_default=65535)
        world.run(S)
        sent = answered = 0
        for _ in range(200):
            for _ in range(100):
                info = b"".join(piece() for _ in range(chance.randrange(6)))
                if chance.random() < 0.1:
                    info = chance.randbytes(chance.randrange(100))
                bss.uplink_llc(2, TLLI, u_frame(chance.choice(USER + (1, 7)), XID, info,
                                                response=chance.random() < 0.2,
                                                pf=chance.random() < 0.5))
                sent += 1
            world.run(S)
            for frame in u_frames(bss):
                answered += frame.response
                for name, (kind, octets, least, most, _) in TABLE_6.items():
                    value = frame.parameters.get(kind)
                    right(value is None or len(value) == octets and (
                        least <= int.from_bytes(value) <= most or name in ("md", "mu")),
                        f"{name}: {value}")
        right(answered > sent * 0.7, f"{answered} answers to {sent}")


main()
