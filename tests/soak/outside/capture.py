"""What one TCP download did, out of gi.pcap, which is taken at the host: tshark reads it, and nothing here
is of the lab's TCP. A run of the lab's TCP has the same figures in tcp.csv.
"""

import collections
import math
import subprocess

from harness import right

FIELDS = ("frame.time_epoch", "ip.src", "tcp.seq", "tcp.len", "tcp.flags.syn", "tcp.ack",
          "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr", "tcp.options.sack_le",
          "tcp.options.sack_re")
SPACE = 1 << 32  # of sequence numbers

Segment = collections.namedtuple("Segment", "time_s is_host start end ack stamp echo sacks")


class Piece:
    """What the host has sent at once, and for the first time."""

    def __init__(self, segment):
        self.start, self.end, self.time_s = segment.start, segment.end, segment.time_s
        self.again = self.sacked = False


def number(text):
    return int(text) if text else None


def segments_of(path, host):
    """All TCP of a capture in the order of time; the numbers count from the host's SYN."""
    words = ["tshark", "-n", "-r", path, "-o", "tcp.relative_sequence_numbers:FALSE", "-Y", "tcp",
             "-T", "fields", "-E", "separator=;", *(word for field in FIELDS for word in ("-e", field))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    right(done.returncode == 0, done.stderr)
    rows = [line.split(";") for line in done.stdout.splitlines()]
    first = next(int(row[2]) for row in rows if row[1] == host)
    segments = []
    for time, source, seq, length, syn, ack, stamp, echo, left, edge in rows:
        start = (int(seq) - first) % SPACE
        edges = zip(left.split(","), edge.split(",")) if left else ()
        segments.append(Segment(
            float(time), source == host, start, start + int(length) + (syn in ("1", "True")),
            ((number(ack) or first) - first) % SPACE, number(stamp), number(echo),
            [tuple((int(each) - first) % SPACE for each in pair) for pair in edges]))
    return segments


class Download:
    """The host's side: segments, those sent again, and each round trip that its TCP could sample."""

    def __init__(self, path, host):
        self.segments = self.again = self.acks = 0
        self.again_s = []
        self.samples = []  # (time_s, rtt_s)
        self.pieces, self.stamped_s = [], {}
        self.una = self.next = 0
        for segment in segments_of(path, host):
            if segment.is_host:
                self.sent(segment)
            else:
                self.acks += 1
                self.acknowledged(segment)

    def sent(self, segment):
        self.stamped_s.setdefault(segment.stamp, segment.time_s)
        if segment.end == segment.start:
            return
        self.segments += 1
        if segment.start >= self.next:
            self.pieces.append(Piece(segment))
            self.next = segment.end
            return
        self.again += 1
        self.again_s.append(segment.time_s)
        for piece in self.pieces:
            piece.again |= piece.start < segment.end and segment.start < piece.end

    def acknowledged(self, segment):
        for left, edge in segment.sacks:
            for piece in self.pieces:
                piece.sacked |= left <= piece.start and piece.end <= edge
        if not self.una < segment.ack <= self.next:
            return
        self.una = segment.ack
        done = [piece for piece in self.pieces if piece.end <= segment.ack]
        self.pieces = self.pieces[len(done):]
        self.sample(segment, [piece for piece in done if not piece.sacked])

    def sample(self, segment, done):
        """Karn: what went twice gives no sample, but for the stamp that comes back (RFC 7323)."""
        if done and not any(piece.again for piece in done):
            self.samples.append((segment.time_s, segment.time_s - done[0].time_s))
        elif segment.echo in self.stamped_s:
            self.samples.append((segment.time_s, segment.time_s - self.stamped_s[segment.echo]))

    def longest_s(self):
        return max(rtt_s for _, rtt_s in self.samples)

    def quantile_s(self, share, from_s, to_s):
        """Over time: of the latest sample at each whole second, as of the lab's series."""
        latest = [[rtt_s for time_s, rtt_s in self.samples if time_s <= at_s][-1]
                  for at_s in range(from_s, to_s + 1)]
        return quantile(latest, share)


def quantile(numbers, share):
    """The first of the sorted that at least this share does not exceed."""
    return sorted(numbers)[max(0, math.ceil(share * len(numbers) - 1e-9) - 1)]
