"""What happened to every flow of a run, out of the lab's own book of packets (packets.csv) and of nothing that
was captured: the truth for what sluice gi says of gn.pcap.

The monitor is between GGSN and SGSN; "passed" is there. "Before" the monitor is the side of who sends."""

import bisect
import collections
import csv

FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16
WRAP = 1 << 32


class Packet:
    """One IP packet; times in ns, None where it has not been."""
    __slots__ = ("way", "sent", "passed", "arrived", "place", "octets", "sequence", "ack", "flags", "data", "user", "port",
                 "host_port", "ip_id", "end", "new_here", "new_there", "held")

    def __init__(self, row):
        self.way, self.ip_id = row["direction"], int(row["ip_id"])
        self.sent, self.passed, self.arrived, self.place = ns(row), None, None, None
        self.new_here = self.new_there = self.held = None
        self.octets, self.user, self.port = int(row["octets"]), row["ms_address"], row["ms_port"]
        self.host_port = row["host_port"]
        self.sequence, self.ack, self.flags, self.data = (int(row[name] or 0) for name in (
            "sequence", "acknowledgement", "flags", "data_octets"))
        self.end = (self.sequence + self.data + bool(self.flags & SYN) + bool(self.flags & FIN)) % WRAP

    @property
    def lost(self):
        """Before or behind the monitor; None: neither."""
        return None if not self.place else "behind" if self.passed is not None else "before"


def ns(row):
    whole, part = row["time_s"].split(".")
    return int(whole) * 10**9 + int(part)


def packets(path):
    """Those of TCP, in the order of their sending."""
    under_way, found = {}, []
    with path.open() as file:
        for row in csv.DictReader(file):
            key = row["context"], row["direction"], row["ip_id"]
            if row["event"] == "sent":
                under_way[key] = packet = Packet(row)
                if row["sequence"]:
                    found.append(packet)
            elif row["event"] == "gn":
                under_way[key].passed = ns(row)
            elif row["event"] == "arrived":
                under_way.pop(key).arrived = ns(row)
            else:
                under_way.pop(key).place = f'{row["place"]} {row["reason"]}'
    return found


def after(a, b):
    return 0 < (a - b) % WRAP < WRAP // 2


class Ranges:
    """Sequence numbers, from the first one on, that have been somewhere."""

    def __init__(self, first):
        self.first, self.begins, self.ends = first, [], []

    def add(self, packet):
        """Octets of it that had been there, and that had not."""
        begin = (packet.sequence - self.first) % WRAP
        end = begin + (packet.end - packet.sequence) % WRAP
        i = bisect.bisect_left(self.ends, begin)
        low, high, had, j = begin, end, 0, i
        while j < len(self.begins) and self.begins[j] <= end:
            had += max(0, min(end, self.ends[j]) - max(begin, self.begins[j]))
            low, high = min(low, self.begins[j]), max(high, self.ends[j])
            j += 1
        self.begins[i:j], self.ends[i:j] = [low], [high]
        return had, end - begin - had

    def row(self):
        """The number behind those that are there without a gap."""
        return (self.first + self.ends[0]) % WRAP if self.begins and self.begins[0] == 0 else self.first

    def top(self):
        return (self.first + self.ends[-1]) % WRAP if self.ends else self.first


class Flow:
    """A connection that its MS opened: its packets by direction, in the order of their sending."""

    def __init__(self):
        self.way = {"up": [], "down": []}

    def passed(self, way):
        return sorted((p for p in self.way[way] if p.passed is not None), key=lambda p: p.passed)

    def data(self, way):
        return [p for p in self.way[way] if p.data]

    def all(self):
        return self.way["up"] + self.way["down"]


def flows(path):
    """(user, its port) -> Flow. A port is used again only after all others."""
    found = collections.defaultdict(Flow)
    for packet in packets(path):
        found[packet.user, packet.port].way[packet.way].append(packet)
    return {key: mark(flow) for key, flow in found.items()}


def mark(flow):
    """Of what passed, and of what arrived, whether it had been there before."""
    for way, sent in flow.way.items():
        first = next((p.sequence for p in sent if p.flags & SYN), None)
        for here, name in (("passed", "new_here"), ("arrived", "new_there")):
            been = Ranges(first)
            for p in sorted((p for p in sent if getattr(p, here) is not None), key=lambda p: getattr(p, here)):
                had, new = been.add(p)
                setattr(p, name, (had, new))
                if here == "passed":
                    p.held = after(been.top(), p.end)  # something behind it has passed before
    return flow


# --- What there is to find -------------------------------------------------------------------------

TRUTHS = ("before", "before, no trace", "behind", "behind, no trace", "needless", "overtaken")


def events(flow, way="down"):
    """(truth, packet) of each segment with data that was lost, or that arrived to no use, or was overtaken before
    the monitor. No trace at the monitor: of a loss before it, if no later octet passed before its repetition, if the
    data had passed, or if it is the repetition of one that was lost there too; of a loss behind it, if it was not
    sent again, as the end of the run, or a needless repetition that is lost."""
    sent = flow.data(way)
    copies = collections.defaultdict(list)
    for p in sent:
        copies[p.sequence].append(p)
    for same in copies.values():
        said = False  # a loss before the monitor, of this number
        for i, p in enumerate(same):
            next_passed = next((q for q in same[i + 1:] if q.passed is not None), None)
            if p.lost == "before":
                trace = not said and not any(q.passed is not None for q in same[:i]) and next_passed and next_passed.held
                said = True
                yield ("before" if trace else "before, no trace"), p
            elif p.lost == "behind":
                yield ("behind" if next_passed else "behind, no trace"), p
            elif p.new_there and p.new_there[1] == 0:
                yield "needless", p
            elif p.held and not said and p.new_here[0] == 0:
                yield "overtaken", p


WANTED = {"before": ("internet",), "behind": ("gprs",), "behind, no trace": ("gprs",), "needless": ("spurious", "unneeded", "go-back"),
          "overtaken": ("reordered",)}


def pair(found, truths, verdicts, fits):
    """Takes from both lists what fits together."""
    for truth in list(truths):
        verdict = next((v for v in verdicts if fits(truth, v)), None)
        if verdict:
            truths.remove(truth)
            verdicts.remove(verdict)
            found[truth[0], verdict[0]] += 1


def confusion(flow, rows, way="down"):
    """Counts (truth, verdict), one for each segment of events() and for each verdict of the rows of --losses. Those
    of the same sequence number are together, right ones first; then right ones of the flow, for of a repetition that
    was needless after all no number is known; then any of the same number. A verdict for nothing has the truth
    "nothing", what has none "none"."""
    found = collections.Counter()
    truths = [(truth, p.sequence) for truth, p in events(flow, way)]
    verdicts = [(row["verdict"], int(row["sequence"])) for row in rows if row["direction"] == way and not row["instead"]]
    taken_back = sum(row["direction"] == way and bool(row["instead"]) for row in rows)
    pair(found, truths, verdicts, lambda t, v: v[0] in WANTED.get(t[0], ()) and v[1] == t[1])
    for _ in range(taken_back):
        left = [v for v in verdicts if v[0] == "gprs"]
        if left:
            verdicts.remove(left[-1])
            verdicts.append(("spurious", None))
        else:
            found["behind", "gprs"] -= 1
            found["behind", "spurious"] += 1
    pair(found, truths, verdicts, lambda t, v: v[0] in WANTED.get(t[0], ()))
    pair(found, truths, verdicts, lambda t, v: t[0] in WANTED and v[1] == t[1])
    found.update((truth, "none") for truth, _ in truths)
    found.update(("nothing", what) for what, _ in verdicts)
    return found
