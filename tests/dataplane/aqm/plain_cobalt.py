"""COBALT as in CAKE, for one flow that has the line to itself, in whole ns; no code is shared with
dataplane/aqm. There is no standard, so this is what CAKE of Linux does:

* A schedule of events goes on, the next one a gap of interval / sqrt(count) after the last, whether the
  heads are over the target or not. An event at a head that is over is a signal, and count + 1; any other is
  count - 1, and one head takes all of those that are due. Count 0 has no events.
* The head that goes over sets the next event to a gap from now; but if one was due, the head is signalled.
* A schedule that is behind is set to now by a head that goes out.
* Of a queue's last packet the signal is not carried out, but all else is as if it had been.
* A signal is a mark where it can be, else a drop; BLUE drops.
* BLUE's probability changes at most once in more than a target: up when overfull, down when the line has
  found the queue empty, which also counts as a head below the target.

Overfull is a head that has waited for so many intervals, as in Sluice, since this line's queue has no limit.
Not CAKE's: with stale_ns a head that has waited for longer, and for longer than five packets take, is dropped.
Left out: that the schedule of a count of 0 is kept an interval ahead, which no line of one rate shows."""

import math

from plain_codel import Queue

S_NS = 10 ** 9
GUARD_MTUS, STALE_MTUS = 4, 5
BLUE_ONE = 1 << 32
BLUE_UP, BLUE_DOWN = BLUE_ONE // 256, BLUE_ONE // 4096


class Cobalt(Queue):
    def __init__(self, rate_octets_per_s, target_ns, rtt_ns, mtu_octets, overfull_intervals, marks=False,
                 stale_ns=0):
        super().__init__()
        self.marks = marks  # every packet is ECN-capable
        self.floor_ns = target_ns
        self.guard_ns_octets = GUARD_MTUS * mtu_octets * S_NS  # times the rate: no rounding
        self.rate_octets_per_s = rate_octets_per_s
        self.target_ns = max(target_ns, mtu_octets * S_NS // rate_octets_per_s * 3 // 2)
        self.interval_ns = max(rtt_ns + self.target_ns - target_ns, 2 * self.target_ns)
        self.overfull_ns = overfull_intervals * self.interval_ns
        self.stale_ns = stale_ns and max(stale_ns, STALE_MTUS * (mtu_octets * S_NS // rate_octets_per_s))
        self.count, self.next_ns, self.is_over = 0, 0, False
        self.blue, self.blue_ns = 0, 0  # the probability, and its last change

    def gap_ns(self, count):
        return math.isqrt(self.interval_ns ** 2 // count)

    def is_late(self, sojourn_ns):
        return sojourn_ns > self.floor_ns and sojourn_ns * self.rate_octets_per_s > self.guard_ns_octets

    def is_due(self, now_ns):
        return self.count > 0 and now_ns >= self.next_ns

    def signals(self, now_ns):
        """Of a head that is over."""
        was_due = self.is_due(now_ns)
        if not self.is_over:
            self.is_over = True
            self.count = max(self.count, 1)
            self.next_ns = now_ns + self.gap_ns(self.count)
        if was_due:
            self.count += 1
            self.next_ns += self.gap_ns(self.count)
        return was_due

    def step_down(self, now_ns):
        while self.is_due(now_ns):
            self.count -= 1
            if self.count:
                self.next_ns += self.gap_ns(self.count)

    def blue_changes(self, by, now_ns):
        if now_ns - self.blue_ns > self.target_ns:
            self.blue = min(max(self.blue + by, 0), BLUE_ONE - 1)
            self.blue_ns = now_ns

    def is_dropped(self, packet, now_ns):
        sojourn_ns = now_ns - packet.arrival_ns
        signalled = False
        if self.is_late(sojourn_ns):
            signalled = self.signals(now_ns)
            if self.overfull_ns and sojourn_ns > self.overfull_ns:
                self.blue_changes(BLUE_UP, now_ns)
        else:
            self.is_over = False
            self.step_down(now_ns)
        if signalled and self.marks:
            self.marked.add(packet.number)
        is_stale = self.stale_ns and sojourn_ns > self.stale_ns
        is_dropped = packet.luck < self.blue or (signalled and not self.marks) or is_stale
        if not is_dropped and self.count:
            self.next_ns = max(self.next_ns, now_ns)
        return is_dropped

    def next(self, now_ns):
        while self.waiting:
            packet = self.pull()
            if not self.is_dropped(packet, now_ns) or not self.waiting:
                return packet
            self.drop(packet, now_ns)
        self.rests(now_ns)
        return None

    def rests(self, now_ns):
        self.is_over = False
        if self.blue:
            self.blue_changes(-BLUE_DOWN, now_ns)
