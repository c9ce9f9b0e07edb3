#!/usr/bin/python3
"""Twenty thousand strangers a second, each under a random TLLI, whatever they say, in a cell of one BSS: the memory of Lua
stays as it is, what waits is bounded, and phones that are attached, at that BSS and at another one, are answered at once.
Two seconds of it; a minute in the deep suite."""

import random

import codec
from gmm_world import COLLECT, attach_request, tmsi, update_request
from phone_contexts_world import SERVER
from phone_moves_world import MovingNet
from phone_world import BSS, MS, S
from harness import often
from world import case, main, npdu, right, same

RATE, TICK = 20000, 10 * MS
ROUND_S = often(2, 60)
ANSWER_MOST, LEFT_MOST = 100 * MS, 64 * 1024


def sayings():
    """LLC frames that any stranger may send."""
    messages = [attach_request(tmsi(0xC1234567)), update_request(codec.RAI), b"\x08\x05\x01", b"\x08\x05\x09", b"\x08\x03",
                b"\x08\x13\x00\x22\x01\x02\x03\x04", b"\x08\x16\x08\x19\x10\x10\x10\x10\x10\x10\x10", b"\x0a\x41", b"\x08\x20\x62"]
    frames = [codec.llc_ui(1, number, message) for message in messages for number in (0, 7)]
    enciphered = bytearray(codec.llc_ui(1, 3, bytes(30)))
    enciphered[2] |= 2
    null = b"\x01\xe0"
    return [*frames, bytes(enciphered), codec.llc_ui(3, 0, bytes(30)), null + codec.fcs(null), b"\x01\xc0"]


class Strangers:
    """Ethernet frames with a TLLI of each, made of a few templates."""

    MARK = b"\xa5\x5a\x3c\xc3"
    CHECKSUM = slice(14 + 20 + 6, 14 + 20 + 8)

    def __init__(self, net, bvci):
        self.world, self.chance, self.sent = net.world, random.Random(3), 0
        self.templates = []
        for llc in sayings():
            octets = codec.ul_unitdata(int.from_bytes(self.MARK), llc, net.bss.cells[bvci].ci)
            frame = bytearray(self.world.gb_frame(BSS, codec.unitdata(bvci, octets)))
            frame[self.CHECKSUM] = bytes(2)
            self.templates.append(bytes(frame).split(self.MARK))

    def come(self, count):
        """In one turn of the ring."""
        frames = []
        for _ in range(count):
            before, behind = self.chance.choice(self.templates)
            frames.append(before + self.chance.randbytes(4) + behind)
        self.world.put_all("gb", frames)
        del self.world.frames[-count:]
        self.sent += count


def octets_of_lua(net):
    net.world.lua(COLLECT)
    return net.world.lua_octets()


@case(f"{RATE} strangers a second for {ROUND_S} s: memory, attempts, and how soon phones are answered")
def strangers():
    with MovingNet(keeps=False) as net:
        phones = [net.phone(bss=bss) for bss in (net.bss, net.other)]
        for one in phones:
            net.do(one, "attach")
            net.active(one)
            net.ping(one)
        flood = Strangers(net, 2)
        took, used_s, before = [], net.world.control_s(), None
        for tick in range(ROUND_S * S // TICK):
            flood.come(RATE * TICK // S)
            if tick % 20 == 0:
                for one in phones:
                    since_ns = net.world.now_ns
                    net.follow(one, one.update(since_ns, kind=3))
                    net.world.run_until(since_ns + S, lambda one=one: one.state == "registered")
                    took.append(net.world.now_ns - since_ns)
                    same(one.state, "registered", f"a phone of NSE {one.bss.nsei} in tick {tick}; {net.last(5)}")
            net.world.run(TICK)
            if tick == 50:  # in force
                before = octets_of_lua(net)
            if tick % 100 == 99:
                attempts = int(net.world.lua("return require('sluice.phones.attempts').n"))
                right(attempts <= 512, f"{attempts} attempts, 512 are an NSE's")
        used_s = net.world.control_s() - used_s
        left = octets_of_lua(net) - before
        shed, bad = net.world.counted("attempts_shed", "signalling_bad")
        print(f"# {flood.sent} frames; control used {used_s / flood.sent * 10**6:.1f} us of a processor each; {left} octets more than "
              f"after the first half second; answers within {max(took) / MS} ms; {shed} shed, {bad} bad")
        right(left < LEFT_MOST, f"{left} octets of Lua more")
        right(max(took) <= ANSWER_MOST, f"an answer after {max(took)} ns")
        right(shed > flood.sent // 4, f"{shed} shed")
        for one in phones:
            net.ping(one)
            net.do(one, "send", 5, npdu(SERVER, source=one.contexts[5].address))
        net.world.run(60 * S)
        same(net.world.lua("return require('sluice.phones.attempts').n"), "0", "attempts that are left")
        for one in phones:
            net.agree(one)
            same(one.refused, [], "refusals")


main()
