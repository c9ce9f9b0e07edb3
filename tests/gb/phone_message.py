"""Messages of TS 24.008 as a phone writes and reads them: formats of elements, and a reader that raises Fault for what
no network may send."""

from phone_llc import need

S = 10**9
GMM, SM = 8, 10


def lv(value):
    return bytes((len(value),)) + value


def tlv(tag, value):
    return bytes((tag,)) + lv(value)


def mobile_identity(kind, digits):
    """1 IMSI, 2 IMEI, 3 IMEISV (10.5.1.4)."""
    odd = len(digits) % 2
    nibbles = [int(one) for one in digits] + [15] * (1 - odd)
    return bytes([nibbles[0] << 4 | odd << 3 | kind]) + bytes(
        high << 4 | low for low, high in zip(nibbles[1::2], nibbles[2::2]))


def timer_ns(octet):
    """A GPRS timer (10.5.7.3); None: it does not run."""
    unit = {0: 2, 1: 60, 2: 360, 7: None}.get(octet >> 5, 60)
    return unit and unit * (octet & 31) * S


class Message:
    """What is left of a message of the network, read from its third octet on."""

    def __init__(self, octets):
        self.octets, self.at = octets, 2

    def need(self, condition, what):
        need(condition, f"{what}: message {self.octets.hex()}")

    def take(self, count=1):
        value = self.octets[self.at:self.at + count]
        self.need(len(value) == count, "cut short")
        self.at += count
        return value

    def one(self, allowed=None):
        value = self.take()[0]
        self.need(allowed is None or value in allowed, f"octet {self.at - 1} is {value:#x}")
        return value

    def lv(self, least, most):
        length = self.one()
        self.need(least <= length <= most, f"length {length} at octet {self.at - 1}")
        return self.take(length)

    def end(self):
        self.need(self.at == len(self.octets), f"more than it may have at octet {self.at}")

    def tail(self, *elements):
        """Optional elements, in this order: each a tag, its format, and the least and most octets of its value."""
        found, place = {}, 0
        while self.at < len(self.octets):
            head = self.one()
            tags = [i for i, (tag, form, _, _) in enumerate(elements)
                    if (tag == head >> 4 if form == "half" else tag == head)]
            self.need(tags, f"element {head:#x} at octet {self.at - 1}")
            self.need(tags[0] >= place, f"element {head:#x} is out of its order")
            place = tags[0] + 1
            tag, form, least, most = elements[tags[0]]
            found[tag] = head & 15 if form == "half" else self.lv(least, most) if form == "tlv" else self.take(least)
        return found
