"""CoDel as section 5 of RFC 8289 tells it, over a queue of its own, in whole ns; no code is shared with
dataplane/aqm. Where the text leaves something to a reader, or other programs read it otherwise, there is
a method of its own, which mixed_sizes.py replaces to see what that is worth."""

import collections
import math

Packet = collections.namedtuple("Packet", "number arrival_ns octets luck")  # luck: of BLUE, 0 .. 2^32 - 1

REMEMBERED_INTERVALS = 16


class Queue:
    """Packets in order, and their octets. A discipline is one with a `next`: what the line sends, which is
    free now; None if nothing waits. Its `log` says what has become of each packet."""

    def __init__(self):
        self.waiting = collections.deque()
        self.octets = 0
        self.log = []  # (verdict, number, time)
        self.marked = set()  # numbers

    def put(self, packet):
        self.waiting.append(packet)
        self.octets += packet.octets

    def pull(self):
        packet = self.waiting.popleft()
        self.octets -= packet.octets
        return packet

    def drop(self, packet, now_ns):
        self.log.append(("drop", packet.number, now_ns))


class Codel(Queue):
    def __init__(self, target_ns, interval_ns, mtu_octets):
        super().__init__()
        self.target_ns, self.interval_ns, self.mtu_octets = target_ns, interval_ns, mtu_octets
        self.above_since_ns = None  # the first of an unbroken row of heads that waited too long
        self.is_dropping = False
        self.next_ns = 0
        self.count = self.count_at_entry = 0

    # What readers differ in.

    def gap_ns(self, count):
        return math.isqrt(self.interval_ns ** 2 // count)

    def is_short(self, packet):
        """No more than an MTU stays behind when this head has left (5.6: bytes() is asked after the dequeue,
        and its constant is the interface's MTU)."""
        return self.octets <= self.mtu_octets

    def count_again(self, now_ns):
        """The count to begin with, of which the last dropping state tells something for a while."""
        grown = self.count - self.count_at_entry
        soon = now_ns - self.next_ns < REMEMBERED_INTERVALS * self.interval_ns
        return grown if grown > 1 and soon else 1

    # What it does.

    def head(self, now_ns):
        """The head, or None, and whether it may be dropped: all have been too late for an interval."""
        if not self.waiting:
            self.above_since_ns = None
            return None, False
        packet = self.pull()
        if now_ns - packet.arrival_ns < self.target_ns or self.is_short(packet):
            self.above_since_ns = None
            return packet, False
        if self.above_since_ns is None:
            self.above_since_ns = now_ns
            return packet, False
        return packet, now_ns >= self.above_since_ns + self.interval_ns

    def next(self, now_ns):
        packet, may_drop = self.head(now_ns)
        if not self.is_dropping:
            if may_drop:
                packet = self.enter(packet, now_ns)
            return packet
        self.is_dropping = may_drop
        while self.is_dropping and now_ns >= self.next_ns:
            self.drop(packet, now_ns)
            self.count += 1
            packet, self.is_dropping = self.head(now_ns)
            if self.is_dropping:
                self.next_ns += self.gap_ns(self.count)
        return packet

    def enter(self, packet, now_ns):
        self.drop(packet, now_ns)
        self.is_dropping = True
        self.count = self.count_at_entry = self.count_again(now_ns)
        self.next_ns = now_ns + self.gap_ns(self.count)
        return self.head(now_ns)[0]
