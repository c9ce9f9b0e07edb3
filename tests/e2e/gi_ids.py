"""Who is right about a segment that came late: overtaken, or lost and sent again. A judge that looks at nothing but the
IPv4 identifications of what passed, and at no time."""

import collections
import ipaddress
import struct

WRAP = 1 << 16
NEAR = 2048  # a step of a counter, also where a host counts the packets of all its connections


def behind(a, b):
    """How far the identification a is behind b; negative: before it."""
    return (a - b + WRAP // 2) % WRAP - WRAP // 2


def counts(ids):
    """Are these the identifications of a sender that counts, half of the steps at least?"""
    steps = [behind(b, a) for a, b in zip(ids, ids[1:])]
    near = sum(0 < abs(step) < NEAR and step % 256 != 0 for step in steps)
    return len(steps) >= 4 and near >= 0.5 * len(steps)


class Way:
    """What one end of a flow sent, as it passed: (sequence from the first one on, octets, identification), and of
    each the time, as gi writes it, and the sequence as it is."""

    def __init__(self):
        self.packets, self.keys = [], []

    def add(self, time, sequence, octets, ip_id):
        first = int(self.keys[0][1]) if self.keys else sequence
        self.packets.append(((sequence - first + 2**31) % 2**32 - 2**31, octets, ip_id))
        self.keys.append((time, str(sequence)))

    def says(self, i):
        """Of packet i, which came late: "overtaken", "again", or None."""
        begin, _, own = self.packets[i]
        above = next((ip_id for first, octets, ip_id in self.packets[:i] if octets and first > begin), None)
        if above is None:
            return None
        late = [ip_id for first, octets, ip_id in self.packets[i:] if octets and first == begin]
        if any(-NEAR < behind(ip_id, above) < 0 for ip_id in late):
            return "overtaken"
        if all(0 < behind(own, ip_id) < WRAP // 4 for _, _, ip_id in self.packets[:i]):
            return "again"
        return None


SAYS = {"internet": "again", "reordered": "overtaken"}


def final(rows):
    """(time, sequence) -> the last verdict there, of what the rows of --losses say is lost before here or reordered."""
    found = {}
    for row in rows:
        key = row["sequence"]
        if row["verdict"] in SAYS and not row["instead"]:
            found.setdefault(key, []).append([row["time_s"], row["verdict"]])
        elif row["instead"] in SAYS:
            next(one for one in found[key] if one[1] == row["instead"])[1] = row["verdict"]
    return {(at, key): verdict for key, all_of in found.items() for at, verdict in all_of}


def judged(way, rows):
    """Counts (verdict, what the identifications say) of one end's packets, and of its rows of --losses."""
    found, said = collections.Counter(), final(rows)
    if not counts([ip_id for _, _, ip_id in way.packets]):
        return found
    for i, key in enumerate(way.keys):
        if key in said:
            found[said[key], way.says(i)] += 1
    return found


def ways(path):
    """(source, its port, destination, its port) -> Way, of a pcap file of IPv4 without link, with stamps in ns."""
    octets, at, found = path.read_bytes(), 24, collections.defaultdict(Way)
    while at < len(octets):
        seconds, part, length = struct.unpack_from("<III", octets, at)
        packet = octets[at + 16:at + 16 + length]
        at += 16 + length
        head = (packet[0] & 15) * 4
        if packet[9] != 6:
            continue
        total, ip_id = struct.unpack_from(">HH", packet, 2)
        source, destination, sequence = struct.unpack_from(">HHI", packet, head)
        data = total - head - (packet[head + 12] >> 4) * 4
        ends = str(ipaddress.ip_address(packet[12:16])), str(source), str(ipaddress.ip_address(packet[16:20])), str(destination)
        found[ends].add(f"{seconds}.{part:09}", sequence, data, ip_id)
    return found
