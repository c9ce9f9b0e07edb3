#!/usr/bin/python3
"""SAPI 1 of LLC, the frames of GMM and SM (TS 44.064 clause 8.4, annex A; TS 24.008 4.7.1.2): a phone with
libosmocore's cipher against lua/sluice/llc/signalling.lua, both ways."""

import collections
import random

from llc_ms import Osmocom, config
from sapi1 import CLEAR_DOWN, CLEAR_UP, COUNTERS, GMM, KEYS, SM, Link, Phone
from harness import often
from world import World, case, main, right, same


def message_of(chance, number, clear):
    """Each differs; the longest has 400 octets."""
    head = bytes([GMM, chance.choice(CLEAR_UP[2:])]) if clear else \
        bytes([chance.randrange(16) << 4 | SM, chance.randrange(256)])
    octets = 394 if chance.random() < 0.02 else chance.randrange(40)
    return head + number.to_bytes(4) + chance.randbytes(octets)


# ---- Uplink: 100 000 frames ------------------------------------------------------------------------


class Arrivals:
    """Frames in the order in which they come, and what is right for each: its message, or None and the place
    of its counter. The model knows each frame's number and remembers all that were taken."""

    def __init__(self, seed, gea, frames):
        self.chance, self.phone = random.Random(seed), Phone(gea, 0x9E3779B9 * seed & 0xFFFFFFFF)
        self.taken, self.newest = set(), -1  # newest: of the enciphered ones
        self.late, self.out = collections.Counter(), []
        self.held = collections.defaultdict(list)  # by the number behind which they come
        lost_till = 0
        for number in range(frames):
            clear = self.chance.random() < 0.05
            message = message_of(self.chance, number, clear)
            self.one(number, message, clear, number < lost_till)
            for number_of, message_of_it, clear_of_it in self.held.pop(number, ()):
                self.arrive(number_of, message_of_it, clear_of_it)
            if number > lost_till + 100 and self.chance.random() < 0.0005:
                lost_till = number + self.chance.randrange(30, 400)

    def one(self, number, message, clear, is_lost):
        kind = self.chance.random()
        if is_lost or kind < 0.05:
            return
        if kind < 0.15:
            late = self.chance.choice((1, 2, 30, 31) if clear else (1, 2, 30, 31, 31, 32, 32, 33, 33, 40))
            self.held[number + late].append((number, message, clear))
            return
        if kind < 0.20:
            self.damaged(number, message, clear)
        if kind < 0.22:
            self.forged(number)
        self.arrive(number, message, clear)
        if 0.22 < kind < 0.30:
            for _ in range(self.chance.choice((1, 2) if clear else (1, 2, 5))):
                late = self.chance.choice((0, 0, 1, 2, 31) if clear else (0, 0, 1, 2, 31, 32, 33))
                if late:
                    self.held[number + late].append((number, message, clear))
                else:
                    self.arrive(number, message, clear)

    def put(self, frame, wanted):
        self.out.append((frame, wanted))

    def arrive(self, number, message, clear):
        frame = self.phone.frame(message, number, clear)
        late = self.newest - number
        if clear:
            is_bad, is_double = False, number in self.taken
        else:
            self.late[late] += 1
            is_bad, is_double = late > 31, number in self.taken
        if is_bad or is_double:
            self.put(frame, COUNTERS.index("signalling_bad" if is_bad else "signalling_duplicates"))
            return
        self.taken.add(number)
        if not clear:
            self.newest = max(self.newest, number)
        self.put(frame, message)

    def damaged(self, number, message, clear):
        frame = bytearray(self.phone.frame(message, number, clear))
        if self.chance.random() < 0.2:
            frame = frame[:self.chance.randrange(1, len(frame))]
        else:
            frame[self.chance.randrange(len(frame))] ^= 1 << self.chance.randrange(8)
        self.put(bytes(frame), COUNTERS.index("signalling_bad"))

    def forged(self, number):
        """Of somebody without the key: noise with E, and in clear, with a good FCS, what may not be in clear."""
        number += self.chance.randrange(-600, 600)
        nu = number % 512
        head = bytes([1, 0xC0 | nu >> 6, (nu & 63) << 2 | 3])
        self.put(head + self.chance.randbytes(self.chance.randrange(3, 60)), COUNTERS.index("signalling_bad"))
        wrong = self.chance.choice((bytes([SM, 0x41, 1]), bytes([GMM, 0x03]), bytes([GMM, 0x05, 9]), b"\x08",
                                    bytes([SM, 0x01]), bytes([GMM, 0x81])))
        self.put(self.phone.frame(wrong, number, clear=True), COUNTERS.index("signalling_clear"))


def uplink(gea):
    frames = often(4000, 100000)
    with World(config()) as world:
        link, arrivals = Link(world), Arrivals(gea, gea, frames)
        link.key(gea, arrivals.phone.iov_ui)
        wrong, counted = [], [0, 0, 0]
        for at in range(0, len(arrivals.out), 500):
            part = arrivals.out[at:at + 500]
            wanted = ["dropped" if isinstance(w, int) else w.hex() for _, w in part]
            found = link.up(*(frame for frame, _ in part))
            same(len(found), len(part), "answers")
            wrong += [(at + i, f, w) for i, (f, w) in enumerate(zip(found, wanted)) if f != w]
            for _, w in part:
                if isinstance(w, int):
                    counted[w] += 1
        same(wrong[:3], [], f"of {len(arrivals.out)} frames {len(wrong)} were wrong: place, found, right; first")
        same(link.counted(), tuple(counted), COUNTERS)
        taken = [w for _, w in arrivals.out if not isinstance(w, int)]
        same((len(set(taken)), len(arrivals.taken)), (len(taken),) * 2, "messages taken, and taken once")
        right(len(taken) > frames // 2 and frames > 3 * 512, f"{len(taken)} messages over {frames // 512} wraps")
        right(min(*counted, *(arrivals.late[n] for n in (31, 32, 33))) > 3, f"{counted}, {arrivals.late}")
        print(f"# GEA{gea}: {len(arrivals.out)} frames came, {len(taken)} were taken; dropped: {counted[0]} bad, "
              f"{counted[1]} in clear, {counted[2]} doubled; late by 31, 32, 33: "
              f"{[arrivals.late[n] for n in (31, 32, 33)]}")


for GEA in KEYS:
    case(f"GEA{GEA} up: lost, doubled, late, damaged, forged frames over wraps of N(U): what is good is taken once, "
         "what is not leaves no trace", GEA)(uplink)


# ---- Downlink --------------------------------------------------------------------------------------


def downlink(gea):
    frames = often(3000, 100000)
    with World(config()) as world:
        link, chance = Link(world), random.Random(gea)
        phone = Phone(gea, 0x89ABCDEF)
        link.key(gea, phone.iov_ui)
        inputs = set()
        for at in range(0, frames, 500):
            messages = [message_of(chance, at + i, False) for i in range(500)]
            messages = [bytes([GMM, chance.choice(CLEAR_DOWN)]) + m if chance.random() < 0.1 else m for m in messages]
            messages = [m[:400] for m in messages]
            for i, (frame, message) in enumerate(zip(link.down(*messages), messages)):
                enciphered, found = phone.read(frame, at + i)
                same((found, enciphered), (message, not (message[0] == GMM and message[1] in CLEAR_DOWN)), "message")
                inputs.add((at + i) // 512)
        right(len(inputs) > 3, f"OC had {len(inputs)} values")
        print(f"# GEA{gea}: {frames} frames, {len(inputs)} values of OC")


for GEA in KEYS:
    case(f"GEA{GEA} down: each frame is deciphered by its number and OC, over wraps of N(U); five types are in clear",
         GEA)(downlink)


@case("what is sent has 2 to 400 octets; a message that cannot be sent takes no number")
def sizes_down():
    with World(config()) as world:
        link, phone = Link(world), Phone(3)
        link.key(3)
        for octets in (0, 1, 401, 1520):
            same(world.lua(f"return pcall(T.s.frame, T.link, ('x'):rep({octets}))"), "false", f"{octets} octets")
        for number, octets in enumerate((2, 400)):
            same(phone.read(*link.down(b"\x0a" * octets), number), (True, b"\x0a" * octets), f"{octets} octets")


# ---- Rules, one by one -----------------------------------------------------------------------------


@case("under a key five types of GMM in clear are taken, of all types of all protocols; the rest is counted")
def clear_types():
    with World(config()) as world:
        world.lua("for pd = 0, 15 do require('sluice.llc.signalling').on(pd, function(m) T.note(m, nil, "
                  "{ nsei = 0 }, { bvci = 0 }, 0) end) end return ''")
        link, phone = Link(world), Phone(3)
        world.lua("for pd = 0, 15 do T.s.on(pd, T.note) end return ''")
        link.key(3)
        for pd in range(16):
            frames = [phone.frame(bytes([pd, kind]), clear=True) for kind in range(256)]
            taken = {kind for kind, found in enumerate(link.up(*frames)) if found != "dropped"}
            same(taken, set(CLEAR_UP if pd == GMM else ()), f"types of protocol {pd} that are taken")
            same(link.counted(), (0, 256 - len(taken), 0), "counted")
            frames = [phone.frame(bytes([pd, kind])) for kind in range(256)]
            same("dropped" in link.up(*frames), False, "enciphered, all are taken")
        same((link.up(phone.frame(b"\x08", clear=True)), link.counted()),
             (["dropped"], (0, 1, 0)), "without a type")


@case("without a key all types are taken in clear, and what is enciphered is bad")
def without_a_key():
    with World(config()) as world:
        link, phone = Link(world), Phone()
        frames = [phone.frame(bytes([GMM, kind])) for kind in range(256)]
        same(link.up(*frames), [f"08{kind:02x}" for kind in range(256)], "in clear")
        same((link.up(Phone(3).frame(b"\x08\x03")), link.counted()), (["dropped"], (1, 0, 0)), "enciphered")


@case("every truncation, every single bit, 407 octets: dropped, no trace; 406 octets are taken")
def form():
    for gea in (0, 3):
        with World(config()) as world:
            link, phone = Link(world), Phone(gea)
            link.key(gea)
            good = phone.frame(b"\x08\x01more", clear=False)
            bad = [good[:n] for n in range(1, len(good))]
            bad += [bytes(o ^ (1 << bit % 8 if i == bit // 8 else 0) for i, o in enumerate(good))
                    for bit in range(8 * len(good))]
            bad += [phone.frame(b"\x08\x01" + bytes(n), 1) for n in (399, 400, 1500)]
            same(set(link.up(*bad)), {"dropped"}, "bad ones")
            same(link.counted(), (len(bad), 0, 0), "counted")
            same(link.up(good, phone.frame(b"\x08\x01" + bytes(398))), ["0801" + b"more".hex(), "0801" + "00" * 398],
                 "good ones")


@case("noise of any length, half of it behind the head of a UI frame: bad, and no fault")
def noise():
    for gea in (0, 3):
        with World(config()) as world:
            link, chance = Link(world), random.Random(gea)
            link.key(gea)
            for _ in range(10):
                frames = [chance.choice((b"\x01\xc0", b"")) + chance.randbytes(chance.choice((1, 3, 4, 5, 60, 1600)))
                          for _ in range(300)]
                same((set(link.up(*frames)), link.counted()), ({"dropped"}, (300, 0, 0)), "noise")


@case("in clear: taken up to 31 behind the newest, once; further behind N(U) means one ahead; over two wraps")
def window_in_clear():
    with World(config()) as world:
        link, phone = Link(world), Phone()

        def taken(number):
            return link.up(phone.frame(b"\x08\x03" + number.to_bytes(4), number)) != ["dropped"]

        for start in (0, 400, 800, 1200):
            same(taken(start + 100), True, "the newest")
            same([taken(start + 100 - n) for n in (0, 1, 30, 31)], [False, True, True, True], "behind it")
            same([taken(start + 100 - n) for n in (31, 0)], [False] * 2, "twice")
            link.counted()
        same(taken(1300 - 32), True, "32 behind is 480 ahead")
        same((taken(1301), taken(1300)), (True, True), "and the phone goes on")


@case("no number precedes the first: N(U) close to 511 behind a few first frames is ahead of them")
def before_the_first():
    for gea in (0, 3):
        with World(config()) as world:
            link, phone = Link(world), Phone(gea)
            link.key(gea)
            numbers = (0, 5, 500, 490, 952)
            found = link.up(*(phone.frame(b"\x08\x03" + n.to_bytes(2), n) for n in numbers))
            same(found, [f"0803{n:04x}" for n in numbers], "taken")


@case("in clear the third duplicate in a row is taken, of whatever numbers, as of a phone that has begun again")
def repetitions():
    for gea in (0, 3):
        with World(config()) as world:
            link, phone = Link(world), Phone(gea)
            link.key(gea)
            same("dropped" in link.up(*(phone.frame(b"\x08\x16" + bytes([n])) for n in range(20))), False, "first")
            again = [phone.frame(b"\x08\x16again", number, clear=True) for number in range(20)]
            three = [again[0]] * 3
            same([f != "dropped" for f in link.up(*three)], [False, False, True], "three times")
            same([f != "dropped" for f in link.up(again[1], again[2])], [True, True], "and it goes on")
            same(link.counted(), (0, 0, 2), "counted")
            same(set(link.up(again[0], again[1])), {"dropped"}, "two")
            link.up(again[3])
            same(set(link.up(again[1], again[0])), {"dropped"}, "a new one begins the count again")
            same([f != "dropped" for f in link.up(again[2])], [True], "the third, of other numbers")
            same([f != "dropped" for f in link.up(again[3], again[4])], [True, True], "and it goes on behind it")


@case("an ATTACH REQUEST in clear is taken under any N(U), and the numbers go on behind it", b"\x08\x01")
@case("so is a REQUEST for an update, which nobody may keep out by frames in the phone's name", b"\x08\x08")
def beginning(head):
    for gea in (0, 3):
        with World(config()) as world:
            link, phone = Link(world), Phone(gea)
            link.key(gea)
            same("dropped" in link.up(*(phone.frame(b"\x08\x16" + bytes([n])) for n in range(20))), False, "first")
            frames = [phone.frame(message, number, clear=True)
                      for message, number in ((b"\x08\x16other", 0), (head + b"again", 0), (b"\x08\x16", 1))]
            same([f != "dropped" for f in link.up(*frames)], [False, True, True], "taken")
            same(link.counted(), (0, 0, 1), "counted")


@case("an enciphered frame that is sent again is never taken, however often")
def replay():
    with World(config()) as world:
        link, phone = Link(world), Phone(3)
        link.key(3)
        frames = [phone.frame(b"\x0a\x41" + bytes([n])) for n in range(20)]
        same("dropped" in link.up(*frames), False, "first")
        same(set(link.up(*(frame for frame in frames for _ in range(8)))), {"dropped"}, "again")
        same(link.counted(), (0, 0, 160), "counted")
        other = phone.frame(b"\x0a\x46other", 5)
        same(set(link.up(other, other, other, other)), {"dropped"}, "another message under the same INPUT")


@case("a new key: OC 0 and N(U) goes on, both ways; the old key's frames are bad; the key in force changes nothing")
def new_key():
    with World(config()) as world:
        link, phone = Link(world), Phone(3, 7)
        link.key(3, 7)
        sent = 0
        for round_ in range(4):
            same("dropped" in link.up(*(phone.frame(b"\x0a\x41" + bytes([n & 255])) for n in range(700))), False,
                 f"up, round {round_}")
            for frame in link.down(*[b"\x0a\x42"] * 700):
                same(phone.read(frame, sent), (True, b"\x0a\x42"), f"down, round {round_}")
                sent += 1
            link.key(3 if round_ % 2 == 0 else 4, 7)  # the key in force
            same(link.up(phone.frame(b"\x0a\x45")), ["0a45"], "up, under the key in force")
            same(phone.read(*link.down(b"\x0a\x46"), sent), (True, b"\x0a\x46"), "down, under the key in force")
            sent += 1
            old = phone.frame(b"\x0a\x43")
            gea = 4 if round_ % 2 == 0 else 3
            link.key(gea, 7)
            same((link.up(old), link.counted()), (["dropped"], (1, 0, 0)), "under the old key")
            phone.cipher, phone.base = Osmocom(gea, KEYS[gea]), phone.number // 512 * 512
            same(phone.number // 512, sent // 512, "one base for both ways")
        link.key(0)
        same(phone.read(*link.down(b"\x0a\x44"), sent), (False, b"\x0a\x44"), "without a key")


@case("N(U) wraps by a frame in clear between the key and the first enciphered frame: OC 512 is found")
def wrap_behind_the_key():
    for wrapped in (True, False):
        with World(config()) as world:
            link, phone = Link(world), Phone(4)
            phone.number = 510
            link.up(phone.frame(b"\x08\x01", clear=True))
            link.key(4)
            same(link.up(phone.frame(b"\x08\x13", clear=True)), ["0813"], "in clear")
            phone.base = 0 if wrapped else 512
            same(link.up(*(phone.frame(bytes([0x0A, 0x41, n & 255])) for n in range(600))),
                 [f"0a41{n & 255:02x}" for n in range(600)], "enciphered")


@case("forged frames in clear, right before a key and under it, do not move what the enciphered ones go by")
def forged_in_clear():
    with World(config()) as world:
        link, phone = Link(world), Phone(3)
        forger = Phone()
        first = link.up(*(phone.frame(b"\x08\x01" + bytes([n]), clear=True) for n in range(10)))
        same("dropped" in first, False, "first")
        same(link.up(forger.frame(b"\x08\x16", 400)), ["0816"], "forged before the key")
        link.key(3)
        for n in range(40):
            ahead = 30 + 12 * n
            same(link.up(forger.frame(b"\x08\x16", phone.number + ahead)) != [], True, "forged")
            same(link.up(phone.frame(bytes([0x0A, 0x41, n]))), [f"0a41{n:02x}"], f"{ahead} behind a forged one")
            same(link.up(phone.frame(bytes([8, 0x16, n]), clear=True)), [f"0816{n:02x}"], "its own in clear")


main()
