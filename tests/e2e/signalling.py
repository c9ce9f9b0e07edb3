#!/usr/bin/python3
"""The capture of signalling, over IPv4 and IPv6, from the start and by `sluice ctl capture`: in real
time, over taps, with Linux's sockets for BSSs. The procedures go on under it, and tshark finds in the
file what the sockets sent and got, with good checksums, and complains of nothing."""

import collections
import select
import time

import instance
import network
import tshark_json
from harness import WAIT_S, Running, case, check_sound, main, right, same, until
from network import BSS4, BSS6, GB4, GB6, NS_PORT

CONFIG = """
run { name = "signalling", clock = "real" }
gn { device = "GN_DEVICE", address = "192.0.2.1" }
gb { device = "GB_DEVICE", address = "198.51.100.1", address6 = "2001:db8:1::1", CAPTURE }
nse { nsei = 1, nsvc { nsvci = 1, peer = "198.51.100.2" }, bvc { bvci = 2 } }
nse { nsei = 2, nsvc { nsvci = 2, peer = "2001:db8:1::2" }, bvc { bvci = 3 } }
"""
PCAP_HEADER_OCTETS = 24
NS_ALIVE, NS_ALIVE_ACK = 0x0A, 0x0B
BOTH = (1, BSS4, GB4), (2, BSS6, GB6)


class Peers:
    """A BSS on each family; what passed as (from, to, octets), in the order of each."""

    def __init__(self, capture=""):
        ours, theirs, gn, gb = network.tap()
        text = CONFIG.replace("GN_DEVICE", gn).replace("GB_DEVICE", gb)
        self.program = Running(text.replace("CAPTURE", capture),
                               before=network.within(ours))
        host = network.Host(theirs)
        host.configure()
        self.ends = {address: host.udp(address, NS_PORT) for _, address, _ in BOTH}
        self.passed = []
        self.exchanged = []  # of those, questions and the answers that they got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()

    def say(self, bss, sgsn, octets):
        self.ends[bss].sendto(octets, (sgsn, NS_PORT))
        self.passed.append((bss, sgsn, octets))

    def hear(self, bss, sgsn, timeout_s):
        """The next datagram, or None. Its test of the NS-VC is answered."""
        if not select.select([self.ends[bss]], [], [], timeout_s)[0]:
            return None
        octets, _ = self.ends[bss].recvfrom(65536)
        self.passed.append((sgsn, bss, octets))
        if octets[0] == NS_ALIVE:
            self.say(bss, sgsn, bytes([NS_ALIVE_ACK]))
        return octets

    def answered(self, bss, sgsn, question, answer):
        """The question gets that answer, whatever else comes."""
        self.say(bss, sgsn, bytes.fromhex(question))
        deadline = time.monotonic() + WAIT_S
        heard = []
        while time.monotonic() < deadline:
            octets = self.hear(bss, sgsn, 0.1)
            heard += [octets.hex()] if octets else []
            if octets and octets.hex() == answer:
                self.exchanged += [(bss, sgsn, question), (sgsn, bss, answer)]
                return
        right(False, f"not within {WAIT_S} s: {answer} to {question} at {bss}; heard {heard}\n{self.program.said()}")

    def procedures(self):
        """Of NS: RESET, UNBLOCK. Of BSSGP: BVC-RESET of signalling."""
        for nsei, bss, sgsn in BOTH:
            identities = f"018200{nsei:02x}048200{nsei:02x}"
            self.answered(bss, sgsn, "02008101" + identities, "03" + identities)
            self.answered(bss, sgsn, "06", "07")
            reset = "22" "04820000" "078108"  # BVCI 0, cause: O&M intervention
            self.answered(bss, sgsn, "00000000" + reset, "00000000" "23" "04820000")

    def drain(self):
        """Takes what has come since, once the program has said all that it says."""
        for _, bss, sgsn in BOTH:
            while self.hear(bss, sgsn, 0):
                pass


def of_signalling(passed):
    """A worker answers NS-ALIVE itself."""
    return sorted((source, to, octets.hex()) for source, to, octets in passed
                  if (octets[0], to in (GB4, GB6)) not in ((NS_ALIVE, True), (NS_ALIVE_ACK, False)))


def is_reset_of_sgsn(one):
    return one[0] in (GB4, GB6) and one[2].startswith("02")


def without_early(found, passed):
    """Without NS-RESETs that the program sent before it knew the BSS, or the BSS's socket was there. Sent again they are the
    same octets, and one of them may be heard."""
    more = collections.Counter(found) - collections.Counter(passed)
    early = collections.Counter({one: count for one, count in more.items() if is_reset_of_sgsn(one)})
    return sorted((collections.Counter(found) - early).elements())


def judged(path):
    """What tshark reads in the file: (from, to, octets) of each datagram, all of them NS and good."""
    same(tshark_json.complaints(str(path)), [], "complaints of tshark")
    names = ("ip.src", "ipv6.src", "ip.dst", "ipv6.dst", "udp.srcport", "udp.dstport",
             "udp.checksum.status", "nsip.pdu_type", "udp.payload")
    words = [word for name in names for word in ("-e", name)]
    found = []
    for line in tshark_json.tshark(str(path), "-T", "fields", "-o", "udp.check_checksum:TRUE",
                                   *words).splitlines():
        ip4, ip6, to4, to6, port, to_port, checksum, kind, octets = line.split("\t")
        same((port, to_port, checksum), (str(NS_PORT), str(NS_PORT), "1"), f"UDP of {line}")
        octets = octets.replace(":", "")
        same(int(kind, 0), int(octets[:2], 16), f"NS of {line}")
        found.append((ip4 or ip6, to4 or to6, octets))
    return sorted(found)


@case("capture = true: the procedures run over IPv4 and IPv6, and the file has each PDU")
def from_the_start():
    with Peers("capture = true") as peers:
        peers.procedures()
        check_sound(peers.program.finish())
        peers.drain()
        passed = of_signalling(peers.passed)
        same(without_early(judged(peers.program.out / "signalling.pcap"), passed), passed, "the file")


@case("while the capture goes on, the file already has each PDU that has passed")
def readable_meanwhile():
    with Peers("capture = true") as peers:
        peers.procedures()
        path, within = peers.program.out / "signalling.pcap", list(peers.exchanged)
        right(within, "nothing has passed")

        def has_all():
            return path.stat().st_size > PCAP_HEADER_OCTETS and set(within) <= set(judged(path))

        until("each PDU in the file", has_all, lambda: f"the file has {path.stat().st_size} octets")
        check_sound(peers.program.finish())


@case("ctl capture on, off, on: the procedures run, and the file has what passed since the last on")
def by_ctl():
    with Peers() as peers:
        peers.procedures()  # what is sent before the neighbours are known is captured, and lost
        for _ in range(2):
            peers.passed.clear()
            peers.exchanged.clear()
            same(instance.client("ctl", "capture", "on"), f"{(peers.program.out / 'signalling.pcap').resolve()}\n", "capture on")
            peers.procedures()
            instance.client("ctl", "capture", "off")
            within = list(peers.exchanged)
            peers.procedures()
            found = judged(peers.program.out / "signalling.pcap")
            same([one for one in within if one not in found], [], "PDUs not in the file")
            same([one for one in found if one not in of_signalling(peers.passed)], [], "others in it")
            right(len(found) < len(of_signalling(peers.passed)), "it went on behind `off`")
        check_sound(peers.program.finish())


main()
