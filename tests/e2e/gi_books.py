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
    __slots__ = ("way", "sent", "passed", "arrived", "dropped", "place", "octets", "sequence", "ack", "flags", "data", "user", "port",
                 "host_port", "ip_id", "end", "new_here", "new_there", "held")

    def __init__(self, row):
        self.way, self.ip_id = row["direction"], int(row["ip_id"])
        self.sent, self.passed, self.arrived, self.place = ns(row), None, None, None
        self.dropped = None
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
                packet = under_way.pop(key)
                packet.place, packet.dropped = f'{row["place"]} {row["reason"]}', ns(row)
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


def shows_hole(sent, p):
    """Had something behind it passed when it was sent?"""
    return any(q.passed is not None and q.passed < p.sent and after(q.end, p.end) for q in sent)


def events(flow, way="down"):
    """(truth, packet) of each segment with data that was lost, or that arrived to no use, or was overtaken before
    the monitor. No trace at the monitor: of a loss before it, if no later octet had passed when its repetition was sent (what
    passes between that and the repetition has overtaken it, and looks like nothing else), if the data had passed, or if it is the repetition of one that was lost there too; of a loss behind it, if it was not
    sent again, as the end of the run, or a needless repetition that is lost."""
    sent = flow.data(way)
    copies = collections.defaultdict(list)
    for p in sent:
        copies[p.sequence].append(p)
    for same in copies.values():
        lost = traced = False  # before the monitor, with this number
        for i, p in enumerate(same):
            next_passed = next((q for q in same[i + 1:] if q.passed is not None), None)
            if p.lost == "before":
                trace = not lost and not any(q.passed is not None for q in same[:i]) and next_passed and \
                    shows_hole(sent, next_passed)
                lost, traced = True, traced or trace
                yield ("before" if trace else "before, no trace"), p
            elif p.lost == "behind":
                yield ("behind" if next_passed else "behind, no trace"), p
            elif p.new_there and p.new_there[1] == 0:
                yield "needless", p
            elif p.held and not traced and p.new_here[0] == 0:
                yield "overtaken", p


def untold(flow):
    """Segments down with data that came to no use, of which nobody at the monitor can know it: the user answers each
    with one more ACK of the same number, and of so many ACKs with that number as were lost before the monitor, one less
    is seen there."""
    answers, lost = collections.Counter(), collections.Counter()
    acks = {}
    for a in flow.way["up"]:
        acks.setdefault(a.sent, a.ack)
        lost[a.ack] += a.passed is None and bool(a.flags & ACK)
    for p in flow.data("down"):
        if p.new_there and p.new_there[1] == 0 and p.arrived in acks:
            answers[acks[p.arrived]] += 1
    return sum(min(n, lost[number]) for number, n in answers.items())


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


def change(found, verdicts, old, new):
    """A verdict of the flow is taken back: one that is not right, if there is such."""
    left = [v for v in verdicts if v[0] == old]
    if left:
        verdicts.remove(left[-1])
        verdicts.append((new, None))
        return
    truth = next(t for (t, what), n in found.items() if what == old and n > 0)
    found[truth, old] -= 1
    found[truth, new] += 1


def confusion(flow, rows, way="down"):
    """Counts (truth, verdict), one for each segment of events() and for each verdict of the rows of --losses. Those
    of the same sequence number are together, right ones first; then right ones of the flow, for of a repetition that
    was needless after all no number is known; then any of the same number. A verdict for nothing has the truth
    "nothing", what has none "none"."""
    found = collections.Counter()
    truths = [(truth, p.sequence) for truth, p in events(flow, way)]
    verdicts = [(row["verdict"], int(row["sequence"])) for row in rows if row["direction"] == way and not row["instead"]]
    pair(found, truths, verdicts, lambda t, v: v[0] in WANTED.get(t[0], ()) and v[1] == t[1])
    for row in rows:
        if row["direction"] == way and row["instead"]:
            change(found, verdicts, row["instead"], row["verdict"])
    pair(found, truths, verdicts, lambda t, v: v[0] in WANTED.get(t[0], ()))
    pair(found, truths, verdicts, lambda t, v: t[0] in WANTED and v[1] == t[1])
    found.update((truth, "none") for truth, _ in truths)
    found.update(("nothing", what) for what, _ in verdicts)
    return found


# --- The other measures ----------------------------------------------------------------------------

def set_up(flow):
    """SYNs and SYN-ACKs that passed; the times here of the first of each and of the first ACK; what the MS itself
    waited from its SYN to the SYN-ACK, its SYNs, and the host's SYN-ACKs. Times in s, None if there is none."""
    def syns(way):
        return [p for p in flow.way[way] if p.flags & SYN]
    up, down = syns("up"), syns("down")
    here = {"up": sorted(p.passed for p in up if p.passed is not None),
            "down": sorted(p.passed for p in down if p.passed is not None)}
    arrived = min((p.arrived for p in down if p.arrived is not None), default=None)
    acks = [p.passed for p in flow.way["up"] if not p.flags & (SYN | RST) and p.flags & ACK and p.passed is not None]
    times = [here["up"][0] if here["up"] else None, here["down"][0] if here["down"] else None, min(acks, default=None)]
    return {"syns": len(here["up"]), "syn_acks": len(here["down"]), "times": times, "sent_syns": len(up),
            "sent_syn_acks": len(down), "waited": arrived and (arrived - up[0].sent) / 1e9}


def round_trips(flow, way="down"):
    """From here to the receiver and back in s, of each segment with data that came in order and to which the receiver
    sent an ACK of just that: the delay there, what the ACK waited, the delay back."""
    other = {"down": "up", "up": "down"}[way]
    answers = sorted((p for p in flow.way[other] if p.flags & ACK and not p.flags & RST), key=lambda p: p.sent)
    times = [p.sent for p in answers]
    row = Ranges(next((p.sequence for p in flow.way[way] if p.flags & SYN), 0))
    found = []
    for p in sorted((p for p in flow.way[way] if p.arrived is not None), key=lambda p: p.arrived):
        before = row.row()
        had, new = row.add(p)
        if not new or p.passed is None or after(p.sequence, before) or row.row() != p.end:
            continue
        for a in answers[bisect.bisect_left(times, p.arrived):]:
            if a.ack == p.end and a.passed is not None:
                found.append(((p.arrived - p.passed) + (a.sent - p.arrived) + (a.passed - a.sent)) / 1e9)
            if a.ack == p.end or after(a.ack, p.end):
                break
    return found


def deliveries(found, user):
    """(time, octets, passed) of all packets of TCP that arrived at the user, in order."""
    return sorted((p.arrived, p.octets, p.passed) for (address, _), flow in found.items() if address == user
                  for p in flow.way["down"] if p.arrived is not None)


BUSY_OCTETS = 4000
BUSY_SILENCE_NS = 2 * 10**9  # a packet of 1500 octets takes 1.04 s in one slot of CS-2


def busy_rate(found, user):
    """IP that the radio brought the user, in bit/s, while so much waited behind the monitor, a packet came every two
    seconds and none was lost there, for what is lost takes its time, too; 16 kB of them at least in a row. None: that
    was not."""
    events = []
    for (address, _), flow in found.items():
        for p in flow.way["down"] if address == user else ():
            end = p.arrived or p.dropped
            if p.passed is not None and end is not None:
                events += [(p.passed, 1, p.octets, False), (end, 0, -p.octets, p.arrived is not None)]
    waiting, begin, last, octets, total, time = 0, None, 0, 0, 0, 0
    for at, passes, change, came in sorted(events):
        waiting += change
        lost = not passes and not came
        if came and begin is not None and at - last <= BUSY_SILENCE_NS:
            octets, last = octets - change, at
        if begin is not None and (waiting < BUSY_OCTETS or at - last > BUSY_SILENCE_NS or lost):
            if octets >= 16000:
                total, time = total + octets, time + last - begin
            begin = None
        if came and begin is None and waiting >= BUSY_OCTETS:
            begin, octets, last = at, 0, at
    return 8e9 * total / time if time else None


def received(flow, all_to_user):
    """Throughput and goodput in bit/s, and the flow's share, as the MS had them: from the arrival of the first segment
    with data to that of the last which was new; without the octets of the first."""
    new = sorted((p for p in flow.data("down") if p.arrived is not None and p.new_there[1]), key=lambda p: p.arrived)
    if len(new) < 2:
        return None
    begin, end = new[0].arrived, new[-1].arrived
    own = sum(p.octets for p in flow.way["down"] if p.arrived is not None and begin < p.arrived <= end)
    data = sum(p.new_there[1] - bool(p.flags & FIN) for p in new[1:])
    at = [one[0] for one in all_to_user]
    total = sum(octets for _, octets, _ in all_to_user[bisect.bisect_right(at, begin):bisect.bisect_right(at, end)])
    s = (end - begin) / 1e9
    return (8 * total / s, 8 * data / s, own / total) if s else None
