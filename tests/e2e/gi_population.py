"""Many typed connections of many users, for the tests of `sluice gi`'s reports: the traits of each are drawn by a
seed, its packets follow from them, and what a report has to say of it can be worked out from the traits alone."""

import random

from gi_capture import ACK, HOST, RST, SACK_PERMITTED, SYN, Talk, merged, mss, timestamps, udp

UP_S = 0.3  # from a segment's end at the user to its ACK here
STAMPS_OCTETS = 12
WINDOWS = {"low": 8000, "medium": 16000, "high": 32000}
SEGMENTS = {"low": 512, "high": 1460}


class Flow:
    """A download of `segments`, each acknowledged, over a channel of `rate` bit/s. lost: {segment: side}; other:
    IP octets of UDP to the user beside each segment."""

    def __init__(self, user, at=0.0, window="medium", sack=True, size="high", stamps=False, rate=30000, segments=30,
                 gprs=0.6, internet=0.04, lost=(), syns=1, background=False, other=0):
        self.user, self.at, self.window, self.sack, self.size, self.stamps = user, at, window, sack, size, stamps
        self.rate, self.segments, self.gprs, self.internet = rate, segments, gprs, internet
        self.lost, self.syns, self.background = dict(lost), syns, background
        self.other = other

    @property
    def octets(self):
        """Of data in a segment: with timestamps the IP packet is no longer."""
        return SEGMENTS[self.size] - (STAMPS_OCTETS if self.stamps and self.size == "high" else 0)

    @property
    def ip_octets(self):
        return 40 + (STAMPS_OCTETS if self.stamps else 0) + self.octets

    @property
    def gap(self):
        return (self.ip_octets + self.other) * 8 / self.rate

    @property
    def setup(self):
        return 3.0 * (self.syns - 1) + self.internet + self.gprs

    @property
    def goodput(self):
        """Without losses: the first ACK's own segment is not in it."""
        return self.octets * 8 / self.gap

    def order(self):
        """(segment, whether it passes here, whether it arrives), a place of the channel each."""
        places, again = [], {}
        for i in range(self.segments):
            side = self.lost.get(i)
            places.append((i, side != "internet", side is None))
            if side:
                again[len(places) + 5] = i
            if len(places) in again:
                places.append((again.pop(len(places)), True, True))
        return places + [(i, True, True) for i in again.values()]

    def talk(self):
        talk = Talk(user=(self.user, 40000))
        options = mss(SEGMENTS[self.size]) + (SACK_PERMITTED if self.sack else b"") + self.stamp()
        more = {"options": options, "window": WINDOWS[self.window]}
        for i in range(self.syns - 1):
            talk.add(self.at + 3 * i, "up", SYN, 0, **more)
        last = self.at + 3 * (self.syns - 1)
        talk.add(last, "up", SYN, 0, **more).add(last + self.internet, "down", SYN | ACK, 0, 1, **more)
        talk.ack(last + self.internet + self.gprs, 1, window=WINDOWS[self.window], options=self.stamp())
        self.transfer(talk, self.at + self.setup + 0.5)
        talk.frames.sort(key=lambda frame: frame[0])
        return talk

    def stamp(self):
        return timestamps(1, 1) if self.stamps else b""

    def transfer(self, talk, begin):
        queue, has, more = max(4, 9000 // self.octets), set(), {"options": self.stamp()}
        for place, (i, passes, arrives) in enumerate(self.order()):
            end = begin + (place + 1) * self.gap
            sent = max(begin, end - queue * self.gap) + place * 1e-5
            if self.other:
                talk.frames.append((sent, udp((HOST, 53), (self.user, 53), bytes(self.other - 28))))
            if passes:
                talk.data(sent, 1 + i * self.octets, self.octets, **more)
            if arrives:
                has.add(i)
                first = next(k for k in range(self.segments + 1) if k not in has)
                talk.ack(end + UP_S, 1 + first * self.octets, window=WINDOWS[self.window], **more)

    def frames(self):
        frames = self.talk().frames
        if self.background:
            other = udp((self.user, 53), (HOST, 53), bytes(20))
            frames = sorted([(self.at - 2.0, other), *frames])
        return frames


def address(i):
    return f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"


def failed(i, at, kind):
    talk = Talk(user=(address(i), 40000)).add(at, "up", SYN, 0)
    if kind == "refused":
        talk.add(at + 0.1, "down", RST | ACK, 0, 1)
    elif kind == "aborted":
        talk.add(at + 0.1, "down", SYN | ACK, 0, 1).add(at + 8, "up", RST, 1)
    return talk


def drawn(seed, flows, faster=1.0):
    """The flows of a network, about as the paper has them; faster: what it does better than another."""
    draw = random.Random(seed)
    out = []
    for i in range(flows):
        stamps, size, window = draw.random() < 0.3, draw.choice(("low", "high", "high")), draw.choice(list(WINDOWS))
        sack = draw.random() < 0.55
        peak = draw.choice((21500, 34500)) * draw.gauss(1, 0.03)
        rate = peak * faster * (1.1 if size == "high" else 1) * (1.08 if sack else 1)
        big = draw.random() < 0.4
        octets = draw.randrange(110_000, 160_000) if big else draw.randrange(34_000, 60_000)
        segments = octets // SEGMENTS[size] + 2
        kind = draw.random()
        side = None if kind < 0.47 else "gprs" if kind < 0.95 else "internet"
        most = 1 + draw.randrange(3) if draw.random() < 0.3 else 1
        lost = {10 * (k + 1): side for k in range(most) if side and 10 * (k + 1) < segments - 8}
        hour = draw.choice((1, 4, 5, 9, 10, 11, 14, 20))
        gprs = max(0.3, draw.lognormvariate(-0.5, 0.25)) + (0.08 if hour in (10, 11) else 0)
        background = draw.random() < 0.6
        out.append(Flow(address(i + 1), hour * 3600 + draw.uniform(10, 3000), window, sack, size, stamps, rate, segments,
                        gprs + (draw.expovariate(1) if background else 0), draw.uniform(0.02, 0.2), lost.items(),
                        2 if draw.random() < 0.1 else 1, background,
                        draw.choice((0, 0, 60, 200, 800, 3000)) if big else 0))
    return out


def frames_of(flows, failures=()):
    talks = [Talk() for _ in flows]
    for talk, flow in zip(talks, flows):
        talk.frames = flow.frames()
    return merged(*talks, *failures)
