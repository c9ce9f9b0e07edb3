#!/usr/bin/python3
"""sluice gi is quick by short cuts and a second thread. Here it is held against itself without these (--plain) on
random captures: talks in order, and all that is not, at random places. The reports have to be the same octet for
octet. What is right is for the other tests, most of which take the quick way, too."""

import random
import struct

from gi_capture import (ACK, ETHERNET, FIN, HOST, PSH, RAW, RST, SACK_PERMITTED, SYN, USER, Talk, gtp, ip, merged, mss, pcap, pcapng, scale,
                        segment, timestamps, udp)
from harness import case, has_sanitizers, main, new_folder, right, same, sluice

TALKS, STEPS = (40, 50) if has_sanitizers() else (120, 75)
BATCH = 1024  # frames
PIECE = 4096  # frames of 64 octets in the file, whose ends are looked up at once
MANY = 20000  # pairs of ends, more than a reader keeps (GI_ENDS_KEPT)
ONE_PROCESSOR = ("taskset", "-c", "0")


# --- Random talks ---------------------------------------------------------------------------------


class Random(Talk):
    """A talk that mostly goes on in order, step by step."""

    def __init__(self, rng, number, wide):
        v6 = rng.random() < 0.1
        user = f"2001:db8::{number // 3:x}" if v6 else f"10.0.{number // 3 // 256}.{number // 3 % 256}"
        host = "2001:db8:1::9" if v6 else f"203.0.113.{rng.randrange(1, 4)}"
        near = rng.random() < 0.2  # numbers wrap
        super().__init__((user, 40000 + number), (host, 80), *((2**32 - 3000, 2**32 - 20000) if near else (1000, 5000)))
        self.rng, self.sizes = rng, (1400, 900, 100, 1, 2) if wide else (536, 300, 100, 1, 2)
        self.time, self.sent, self.acked, self.asked = rng.random() * 20, 1, 1, 1
        self.stamped, self.same_ids, self.flight = rng.random() < 0.4, rng.random() < 0.1, []
        if rng.random() < 0.9:
            self.put("up", SYN, 0, 0, options=self.options())
            self.time += 0.04
            self.put("down", SYN | ACK, 0, 1, options=self.options())
            self.time += 0.6
            self.put("up", ACK, 1, 1)
            self.time += 0.06

    def options(self):
        """Of a SYN; each end has its own."""
        options = mss(1460) + (scale(self.rng.randrange(8)) if self.rng.random() < 0.7 else b"") + \
            (SACK_PERMITTED if self.rng.random() < 0.7 else b"")
        return options + bytes(-len(options) % 4)

    def put(self, side, flags, seq, ack, octets=0, **more):
        if self.stamped and "blocks" not in more and "options" not in more:
            clock = int(self.time * 100) + 1
            more["options"] = timestamps(clock, max(1, clock - self.rng.randrange(60)))
        if self.same_ids:
            more["identification"] = 7
        self.add(self.time, side, flags, seq, ack, octets, **more)

    def data(self):
        octets = self.rng.choice(self.sizes)
        self.put("down", ACK | self.rng.choice((0, PSH)), self.sent, self.asked, octets)
        self.flight.append((self.sent, octets))
        self.sent += octets

    def take(self):
        if self.flight:
            number, octets = self.flight.pop(self.rng.randrange(min(2, len(self.flight))))
            self.acked = max(self.acked, number + octets)
        self.put("up", ACK, self.asked, self.acked, window=self.rng.choice((16384, 16384, 8000)))

    def ask(self):
        octets = self.rng.choice((1, 2, 300))
        self.put("up", ACK | PSH, self.asked, self.acked, octets)
        self.asked += octets

    def odd(self):
        kind, old = self.rng.randrange(13), max(1, self.acked - self.rng.randrange(3000))
        if kind == 0:
            self.put("down", ACK, old, self.asked, 536)  # again
        elif kind == 1:
            self.sent += 536  # lost before here
        elif kind == 2:
            self.put("up", ACK, self.asked, self.acked)  # a duplicate
        elif kind == 3:
            left = self.rng.choice(self.flight)[0] if self.flight else self.acked + 500
            self.put("up", ACK, self.asked, self.acked, blocks=[(left, max(left + 1, self.sent))])
        elif kind == 4:
            self.put("down", ACK, self.sent - 1, self.asked, self.rng.randrange(2))  # a keep-alive
        elif kind == 5:
            self.put("up", ACK, self.asked, self.sent + 3000)  # of what was not seen
        elif kind == 6:
            self.close()
        elif kind == 7:
            self.put("up", RST, self.asked, 0)
        elif kind == 8:
            self.put("up", ACK, self.asked, self.acked + (self.sent - self.acked) // 2)  # within a segment
        elif kind == 9:
            self.frames.append((self.time, udp(self.ends[0], self.ends[1], bytes(20))))
        elif kind == 10:
            self.frames.append(self.frames[-1] if self.frames else (self.time, b"\x45"))  # a copy
        elif kind == 11:
            self.put("up", ACK, self.asked, self.acked, window=0)
        else:
            self.put("up", SYN, 70000 + self.asked, 0)  # another connection

    def close(self):
        """Both ways, and mostly to the end."""
        self.put("down", FIN | ACK, self.sent, self.asked)
        self.put("up", FIN | ACK, self.asked, self.sent + 1)
        if self.rng.random() < 0.8:
            self.put("down", ACK, self.sent + 1, self.asked + 1)

    def step(self, oddness):
        self.time += self.rng.choice((0.001, 0.01, 0.2, 0.7, 3)) if self.rng.random() > 0.02 else 65
        if self.rng.random() < oddness:
            self.odd()
        else:
            self.rng.choices((self.data, self.take, self.ask), (6, 4, 0.3))[0]()


def spoiled(rng, frames):
    """Some with a wrong octet, out of the clock's order, in a tunnel, or of nothing."""
    out = []
    for time, packet in frames:
        luck = rng.random()
        if luck < 0.005:
            at = rng.randrange(min(60, len(packet)))
            packet = packet[:at] + bytes((packet[at] ^ 1 << rng.randrange(8),)) + packet[at + 1:]
        elif luck < 0.007:
            time = max(0.1, time - rng.choice((0.01, 0.5)))
        elif luck < 0.008:
            packet = packet[:rng.randrange(1, 41)]
        out.append((time, packet))
    return out


def talked(seed, oddness, wide=False, spoil=True):
    rng = random.Random(seed)
    talks = [Random(rng, i, wide) for i in range(TALKS)]
    for talk in talks:
        for _ in range(rng.randrange(2, STEPS)):
            talk.step(oddness)
        if rng.random() < 0.5:
            talk.close()
    frames = sorted((frame for talk in talks for frame in talk.frames), key=lambda frame: frame[0])
    return spoiled(rng, frames) if spoil else frames


# --- Both ways ------------------------------------------------------------------------------------


def report(path, *words, before=()):
    """All that it writes: (name, octets)."""
    out = new_folder()
    names = ("flows.csv", "losses.csv", "all.json")
    done = sluice("gi", path, "--csv", out / names[0], "--losses", out / names[1], "--json", out / names[2], *words, before=before)
    return [("exit status", done.returncode), ("text", done.stdout), ("errors", done.stderr)] + \
        [(name, (out / name).read_text(encoding="utf-8").splitlines()) for name in names]


def same_both_ways(octets, *words):
    path = new_folder() / "x.pcap"
    path.write_bytes(octets)
    plain = report(path, "--plain", *words)
    right(len(plain[3][1]) > 1, "no flows")
    for what, before in (("quick", ()), ("quick, one processor", ONE_PROCESSOR)):
        for (name, wanted), (_, found) in zip(plain, report(path, *words, before=before)):
            if found != wanted and isinstance(wanted, list):
                same(next(pair for pair in zip(found, wanted) if pair[0] != pair[1]), None, f"{what}: {name}, a line, and by --plain")
            same(found, wanted, f"{what}: {name}")


for way, numbers, more in (("mostly in order", 0.02, {}), ("odd", 0.3, {}), ("whole segments of 1400 octets, in order", 0, {"wide": True}),
                           ("all in order and right", 0, {"spoil": False}),
                           ("whole segments, few of them odd", 0.01, {"wide": True, "spoil": False})):
    @case(f"quick is as plain: {way}", numbers, more)
    def random_talks(oddness, options):
        for seed in (1, 2):
            same_both_ways(pcap(talked(seed, oddness, **options)))


@case("quick is as plain: Ethernet, snap lengths, microseconds, other files")
def random_files():
    frames = talked(3, 0.05)
    same_both_ways(pcap(frames, link=ETHERNET, snap=96, ns=False))
    same_both_ways(pcap(frames, link=RAW, snap=50))
    same_both_ways(pcap(frames, order=">"))
    same_both_ways(pcapng(frames))
    same_both_ways(pcap(frames), "--take-bad-checksums", "--flows", "20")
    same_both_ways(pcap(frames), "--mobiles", "10.0.0.0/25", "--idle", "10")


@case("quick is as plain: users by tunnels, and some segments in a tunnel")
def random_tunnels():
    rng = random.Random(4)
    frames = [(time, gtp(packet, rng.randrange(1, 4)) if rng.random() < 0.5 else packet) for time, packet in talked(4, 0.05)]
    same_both_ways(pcap(frames))
    same_both_ways(pcap(frames), "--users", "teid")


@case("quick is as plain: as many frames as a batch has, one less, one more; files that break off anywhere")
def borders():
    frames = talked(5, 0.02, wide=True)
    for n in (1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH):
        same_both_ways(pcap(frames[:n]))
    octets = pcap(frames)
    for seed in range(3):
        same_both_ways(octets[:random.Random(seed).randrange(len(octets) // 2, len(octets))])


def later_quick(talk, others=40):
    """With so many other packets behind its set-up that it is known when those behind them are fetched ahead."""
    return talk.frames[:3] + [(0.7, udp((HOST, 53), (USER, 53), bytes(20)))] * others + talk.frames[3:]


@case("quick is as plain: a flow is not calm after SACK, nor its rate in spite of another flow's trouble")
def not_calm():
    options = mss(1460) + SACK_PERMITTED
    talk = Talk().setup(options=options)
    for i in range(5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    talk.ack(2, 1, blocks=[(3001, 5001)]).ack(2.1, 1001).data(3, 1001).data(3.01, 2001)
    talk.ack(3.7, 1001, blocks=[(2001, 5001)]).data(4, 1001).ack(5, 5001)
    same_both_ways(pcap(later_quick(talk)))
    steady, other = Talk().setup(), Talk(user=("10.0.0.1", 40001)).setup(0.05)
    for i in range(80):
        steady.data(1 + i / 10, 1 + 1000 * i).ack(2.05 + i / 10, 1001 + 1000 * i)
    other.data(1, 1).data(5.5, 1).ack(7, 1001)
    same_both_ways(pcap(merged(steady, other)))


@case("quick is as plain: the user is silent while a rate is measured; both FINs have data, and the numbers are used again")
def silent_and_ended():
    talk = Talk().setup()
    for i in range(120):  # much is under way all the time
        talk.data(1 + i / 10, 1 + 1000 * i).ack(2.05 + i / 10 + (5 if i >= 40 else 0), 1001 + 1000 * i)
    same_both_ways(pcap(merged(talk)))
    talk = Talk().setup().data(1, 1).ack(1.7, 1001)
    talk.add(2, "down", FIN | ACK, 1001, 1, 500).add(2.6, "up", FIN | ACK, 1, 1502, 20).add(2.7, "down", ACK, 1502, 22)
    same_both_ways(pcap(later_quick(talk.data(70, 1502, ack=22).ack(70.6, 2502, 22))))


@case("quick is as plain: timestamps that begin in the midst")
def late_stamps():
    talk = Talk().setup()
    for i in range(8):
        options = [timestamps(*clocks) if i > 3 else b"" for clocks in ((100 * i, 90), (50 + i, 100 * i))]
        talk.data(1 + i, 1 + 1000 * i, options=options[0]).ack(1.7 + i, 1001 + 1000 * i, options=options[1])
    same_both_ways(pcap(later_quick(talk)))


@case("quick is as plain: what nobody acknowledges is of another connection from 64 MB on")
def far():
    octets, talk = 64000, Talk().setup().data(1, 1).ack(1.7, 1001).data(2, 1001, 64000, identification=0)
    packet, first = talk.frames[-1][1], 5000 + 1001
    more = [(2 + i / 1000, packet[:24] + struct.pack(">I", first + octets * i) + packet[28:]) for i in range(1, 2**26 // octets + 20)]
    same_both_ways(pcap(later_quick(talk) + more, snap=96))


@case("quick is as plain: flows whose ports are 0, and whose addresses are, of IPv6 and IPv4")
def ports_of_none():
    for user, host in (("2001:db8::1", "2001:db8:1::9"), (USER, HOST), (USER, "0.0.0.0"), ("0.0.0.0", "0.0.0.0")):
        talk = Talk(user=(user, 0), host=(host, 0)).setup()
        for i in range(6):
            talk.data(1 + i, 1 + 1000 * i).ack(1.7 + i, 1001 + 1000 * i)
        same_both_ways(pcap(later_quick(talk, 2 * PIECE)))


@case("quick is as plain: a SYN-ACK was lost; the ACK of the first data ends what was to be said of that")
def lost_syn_ack():
    talk = Talk().add(0, "up", SYN, 0)
    for time, clock in ((0.04, 10), (3.04, 310)):
        talk.add(time, "down", SYN | ACK, 0, 1, options=timestamps(clock, 1))
    talk.add(3.9, "up", ACK, 1, 1, options=timestamps(400, 310))  # of the second
    for i in range(4):
        talk.data(5 + i, 1 + 1000 * i).ack(5.8 + i, 1001 + 1000 * i)
    for i in range(3):
        talk.data(10 + i / 100, 4001 + 1000 * i)
    for i in range(3):  # two of them for what is behind the hole
        talk.ack(11 + i / 100, 4001)
    talk.data(12, 4001).ack(13.5, 7001)
    same_both_ways(pcap(talk.frames))


@case("quick is as plain: what has all of the packet before but its ACK flag is taken for a copy by both")
def copies():
    talk = Talk().setup().data(1, 1).data(1.1, 1001).ack(1.8, 1001)
    for flags, time in ((0, 2), (ACK, 2.001)):
        talk.frames.append((time, segment(*talk.ends, flags, 1001, 5000 + 2001, identification=9)))
    same_both_ways(pcap(later_quick(talk.data(3, 2001).ack(3.6, 3001))))


@case("quick is as plain: pieces of datagrams, and another protocol, that look like the next segment as far as they were captured")
def pieces():
    for protocol, fragment in ((6, 0x2000), (6, 100), (6, 0x2064), (17, 0)):
        talk = Talk().setup().data(1, 1).ack(1.7, 1001)
        talk.data(2, 1001)
        time, packet = talk.frames.pop()
        talk.frames.append((time, ip(HOST, USER, protocol, packet[20:], 77, fragment)))
        same_both_ways(pcap(later_quick(talk.data(2.1, 2001).ack(3, 3001)), snap=96))


@case("the clock goes back within a batch, and more flows between the same ends than the short way knows")
def clock():
    frames = talked(6, 0.02)
    third = len(frames) // 3
    same_both_ways(pcap(frames[:third] + [(max(0.1, time - 5), packet) for time, packet in frames[third:]]))
    ends = ("10.0.0.1", 40000), ("203.0.113.9", 80)
    again = [(i, segment(*ends, SYN, 1000 * i)) for i in range(300)]
    same_both_ways(pcap(again))


@case("quick is as plain: a flow that is gone, where another one of the same numbers has its memory or none has; ends of the same numbers")
def mistaken():
    for flows in (1, 2):
        gone, other = Talk().setup(), Talk(user=(USER, 40001)).setup(10)
        gone.data(1, 1).ack(1.7, 1001)
        other.data(11, 1).ack(11.7, 1001)
        for i in range(1, 4):
            gone.data(12 + i, 1 + 1000 * i).ack(12.5 + i, 1001 + 1000 * i)
        same_both_ways(pcap(merged(gone, other)), "--flows", str(flows))
    for ends in ({}, {"user": (USER, 4000), "host": (USER, 4000)}):
        alike = Talk(own=1000, other=1000, **ends).setup()
        for i in range(6):
            alike.ack(1 + i, 1 + 100 * i, 1 + 100 * i, octets=100).data(1.4 + i, 1 + 100 * i, 100, ack=101 + 100 * i)
        same_both_ways(pcap(alike.frames))
    for stray, on in ((1, 3), (2.7 + 3599.95, 2.7 + 3600.01)):  # the clock goes back; silent for the hour, but not looked for yet
        talk = Talk().setup().data(1, 1).ack(1.7, 1001).data(2, 1001).ack(2.7, 2001)
        talk.frames.append((stray, udp(("203.0.113.8", 53), ("10.0.0.7", 53), bytes(20))))
        for i in range(5):
            talk.data(on + i, 2001 + 1000 * i).ack(on + 0.6 + i, 3001 + 1000 * i)
        same_both_ways(pcap(talk.frames))


@case("quick is as plain: more flows than a reader knows the ends of, all with the same numbers; some begin again")
def many():
    frames, flows, rng = [], list(range(MANY)), random.Random(8)
    for turn in range(4):
        rng.shuffle(flows)
        for place, i in enumerate(flows[:MANY // (1 + 3 * (turn > 1))]):
            ends, time = ((f"10.1.{i // 256}.{i % 256}", 40000), (HOST, 80)), 15 * turn + place / 2500
            begins = turn == 0 or i % 5 == 0
            up, down = 11 + 1000 * turn * begins, 51 + 100 * turn * (not begins)
            if begins:
                frames += [(time, segment(*ends, SYN, up - 1)), (time + 0.01, segment(*ends[::-1], SYN | ACK, 50, up)),
                           (time + 0.5, segment(*ends, ACK, up, 51))]
            frames += [(time + 0.6, segment(*ends[::-1], ACK, down, up, 100)), (time + 2.5, segment(*ends, ACK, up, down + 100))]
    same_both_ways(pcap(sorted(frames, key=lambda frame: frame[0]), snap=64))


@case("each frame of a file of several batches is counted, in one file and in two")
def counted():
    frames = talked(7, 0)
    path = new_folder() / "x.pcap"
    path.write_bytes(pcap(frames))
    for files in (1, 2):
        done = sluice("gi", *[path] * files)
        right(f"{files * len(frames)} frames, of which:" in done.stdout, f"{files * len(frames)}: {done.stdout[-2000:]}")
    right(len(frames) > 2 * BATCH or has_sanitizers(), f"only {len(frames)}")
    right(struct.unpack_from("<I", path.read_bytes())[0] == 0xA1B23C4D, "the machine's order of octets")


main()
