"""The program in real time, with the kernel's network at both ports: what af_packet.py, tap.py and
workers.py have in common. The packets come from and go to UDP sockets of Linux; they are made and read here
and in pcap.py, without a line of the program's code."""

import functools
import ipaddress
import json
import random
import socket
import struct

import instance
import pcap
from checksums import checksum, fcs
from harness import WAIT_S, Failure, Running, case, check_sound, right, same, short
from network import (BSS4, BSS6, GB4, GB6, GGSN4, GGSN6, GN4, GN6, GTPU_PORT, NS_PORT, Host, within)

# The kernel chooses a queue by a hash of addresses and ports, with a key of its own at each boot.
MORE_PORTS = range(NS_PORT + 1, NS_PORT + 17)
# A question to each port that its worker answers behind what came before it, and how the answer begins.
ECHO, ECHO_ANSWER = bytes.fromhex("320100040000000012340000"), b"\x32\x02"
ALIVE, ALIVE_ANSWER = b"\x0a", b"\x0b"

# Three MSs: over IPv4, the second of two; over IPv6; and one whose LLC PDUs are larger than Gb's MTU.
# The third NSE is there for its NS-VCs.
CONFIG = """
run { name = "real", clock = "real" }
gn { device = "GN_DEVICE", address = "192.0.2.1", address6 = "2001:db8::1" }
gb { device = "GB_DEVICE", address = "198.51.100.1", address6 = "2001:db8:1::1" }
ggsn { name = "four", address = "192.0.2.2" }
ggsn { name = "six", address = "2001:db8::2" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000000", count = 2, tlli = 0xC0000000,
            pdp {
                nsapi = 5, class = "background", address = "10.0.0.0", ggsn = "four",
                ggsn_teid = 0x11223343,
            },
        },
        ms {
            imsi = "001010000000003", tlli = 0xC0000003, n201_u = "1520 octets",
            pdp {
                nsapi = 5, class = "background", address = "10.0.0.3", ggsn = "four",
                ggsn_teid = 0x11223355,
            },
        },
    },
}
nse {
    nsei = 2, ns = "manual",
    nsvc { nsvci = 2, peer = "2001:db8:1::2" },
    bvc {
        bvci = 3,
        ms {
            imsi = "001010000000002", tlli = 0xC0000001,
            pdp {
                nsapi = 5, class = "background", address = "10.0.0.2", ggsn = "six",
                ggsn_teid = 0x55667788,
            },
        },
    },
}
nse { nsei = 3, ns = "manual", bvc { bvci = 2 }, MORE_NSVCS }
""".replace("MORE_NSVCS", ", ".join(
    f'nsvc {{ nsvci = {port}, peer = "198.51.100.2", peer_port = {port} }}' for port in MORE_PORTS))


class Ms:
    """One of CONFIG's, with the addresses that its packets go between."""

    def __init__(self, imsi, tlli, bvci, address, ggsn_teid, ipv6):
        self.imsi, self.tlli, self.bvci, self.address = imsi, tlli, bvci, address
        self.ggsn_teid = ggsn_teid
        self.gn, self.ggsn = (GN6, GGSN6) if ipv6 else (GN4, GGSN4)
        self.gb, self.bss = (GB6, BSS6) if ipv6 else (GB4, BSS4)


FOUR = Ms("001010000000001", 0xC0000001, 2, "10.0.0.1", 0x11223344, False)
SIX = Ms("001010000000002", 0xC0000001, 3, "10.0.0.2", 0x55667788, True)
LARGE = Ms("001010000000003", 0xC0000003, 2, "10.0.0.3", 0x11223355, False)


def port_stats():
    """What `sluice stats` has of gn and gb."""
    stats = json.loads(instance.client("stats", "--json"))["stats"]
    return stats["gn"], stats["gb"]


def links():
    return tuple(port["link"] for port in port_stats())


class World:
    def __init__(self, devices, *sets, config=CONFIG, host=Host):
        ours, theirs, gn, gb = devices()
        self.program = Running(config.replace("GN_DEVICE", gn).replace("GB_DEVICE", gb), *sets,
                               before=within(ours))
        self.host = host(theirs)
        self.host.configure()
        self.teids = {(one["imsi"], one["nsapi"]): one["teid"] for one in self.program.contexts()}
        self.ends = {(address, port): self.host.udp(address, port)
                     for address, port in ((GGSN4, GTPU_PORT), (GGSN6, GTPU_PORT),
                                           (BSS4, NS_PORT), (BSS6, NS_PORT))}
        self.random = random.Random(1)
        self.nu = 0

    def ggsn(self, ms):
        return self.ends[ms.ggsn, GTPU_PORT]

    def bss(self, ms):
        return self.ends[ms.bss, NS_PORT]

    def teid(self, ms):
        return self.teids[ms.imsi, 5]

    def packet(self, ms, octets):
        """An IPv4 packet to the MS, of random content behind a good header."""
        header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, octets, self.random.getrandbits(16), 0, 64,
                             17, 0, bytes([203, 0, 113, 9]),
                             ipaddress.IPv4Address(ms.address).packed)
        header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
        return header + self.random.randbytes(octets - 20)


def g_pdu(teid, octets):
    return struct.pack(">BBHI", 0x30, 255, len(octets), teid) + octets


def receive(end, what):
    """A datagram and who sent it."""
    try:
        return end.recvfrom(65536)
    except socket.timeout:
        raise Failure(f"not within {WAIT_S} s: {what}") from None


def besides(end, to, question, answer):
    """What else has come to an end: all that comes before the answer to a question."""
    found = []
    end.sendto(question, to)
    while not (octets := receive(end, f"the answer to {question.hex()}")[0]).startswith(answer):
        found.append(octets)
    return found


def besides_gb(world, ms):
    return besides(world.bss(ms), (ms.gb, NS_PORT), ALIVE, ALIVE_ANSWER)


def besides_gn(world, ms):
    return besides(world.ggsn(ms), (ms.gn, GTPU_PORT), ECHO, ECHO_ANSWER)


def read_pdus(world, ms, packets):
    """The Gb frames of `packets` N-PDUs, decoded."""
    pdus, whole = [], 0
    while whole < packets:
        octets, sender = receive(world.bss(ms), f"N-PDU {whole + 1} of {packets} on Gb")
        same(sender[:2], (ms.gb, NS_PORT), "who sends NS")
        outer = pcap.Datagram("", sender[0], ms.bss, sender[1], NS_PORT, octets)
        pdus.append(pcap.pdu_of(len(pdus) + 1, 0, outer))
        whole += not pdus[-1].more
    return pdus


def sent_down(world, ms, packets):
    """They go in at Gn; the Gb frames that come out, after it is sure that they carry these packets,
    all of them, in order, and nothing else."""
    for octets in packets:
        world.ggsn(ms).sendto(g_pdu(world.teid(ms), octets), (ms.gn, GTPU_PORT))
    pdus = read_pdus(world, ms, len(packets))
    same([npdu.octets for npdu in pcap.npdus_of(pdus)], packets, "the N-PDUs")
    same({(pdu.bvci, pdu.tlli, pdu.nsapi, pdu.sapi) for pdu in pdus}, {(ms.bvci, ms.tlli, 5, 3)},
         "whose they are")
    same([octets.hex() for octets in besides_gb(world, ms)], [], "what comes besides")
    return pdus


def llc_ui(nu, info):
    frame = bytes([3, 0xC0 | nu >> 6, (nu & 63) << 2 | 1]) + info  # from the MS, SAPI 3, protected
    return frame + fcs(frame)


def segments(npdu, number, octets_each):
    """SN-UNITDATA PDUs of NSAPI 5."""
    parts = [npdu[at:at + octets_each] for at in range(0, len(npdu), octets_each)]
    for i, part in enumerate(parts):
        more = 0x10 if i + 1 < len(parts) else 0
        head = bytes([0x65 | more, 0]) if i == 0 else bytes([0x25 | more])
        yield head + struct.pack(">H", i << 12 | number) + part


def ul_unitdata(ms, llc):
    cell = bytes([0x08, 0x88]) + bytes.fromhex("00f110000101") + struct.pack(">H", 7)
    length = struct.pack(">B", 0x80 | len(llc)) if len(llc) < 128 else struct.pack(">H", len(llc))
    bssgp = struct.pack(">BI3s", 1, ms.tlli, b"\0\0\x20") + cell + b"\x0e" + length + llc
    return struct.pack(">BBH", 0, 0, ms.bvci) + bssgp


def sent_up(world, ms, packets, octets_each):
    for number, npdu in enumerate(packets):
        for info in segments(npdu, number, octets_each):
            frame = ul_unitdata(ms, llc_ui(world.nu, info))
            world.bss(ms).sendto(frame, (ms.gb, NS_PORT))
            world.nu += 1
    for npdu in packets:
        octets, sender = receive(world.ggsn(ms), f"an N-PDU of {len(npdu)} octets on Gn")
        same(sender[:2], (ms.gn, GTPU_PORT), "who sends GTP-U")
        right(octets == g_pdu(ms.ggsn_teid, npdu),
              f"G-PDU: found {short(octets.hex())}, right is {short(g_pdu(ms.ggsn_teid, npdu).hex())}")
    same([octets.hex() for octets in besides_gn(world, ms)], [], "what comes besides")


def cases(devices, *sets, workers=1, idle="sleep", connect=lambda world: None, host=Host, besides=(), sums="in software"):
    """Registers all of them, for devices as of network.py. They share one run of the program; connect() waits until
    its links are up, where a device takes time for that. `besides`: reasons for which frames may be dropped, too. `sums`:
    where UDP checksums over IPv6 are computed; Linux drops a datagram with a wrong one."""
    @functools.cache
    def start():
        world = World(devices, f"run.workers={workers}", f"run.idle={idle}", *sets, host=host)
        connect(world)
        return world

    @case(f"UDP checksums over IPv6 are computed {sums}, say the log and `stats`")
    def sums_of_ports():
        said = start().program.said()
        same([f"\n{port}: UDP checksums over IPv6 {sums}\n" in said for port in ("gn", "gb")], [True, True], said)
        same([port["checksums_ipv6"] for port in port_stats()], [sums, sums], "stats")

    @case("pings of all sizes are answered, in fragments too; over IPv4 and IPv6, on both ports")
    def ping():
        host = start().host
        for address in GN4, GB4, GN6, GB6:
            for octets in 0, 1, 56, 1400, 1460, 1500:
                host.ping(address, octets)
        known = host.neighbours()
        same(sorted(address for address in known if address in (GN4, GB4, GN6, GB6)),
             sorted((GN4, GB4, GN6, GB6)), "addresses that Linux has learnt")

    @case("GTP-U from a Linux socket comes out in NS frames, octet for octet")
    def down():
        world = start()
        for ms in FOUR, SIX:
            sizes = [20, 21, 28, 40, 493, 496, 497, 576, 1000, 1400]
            pdus = sent_down(world, ms, [world.packet(ms, octets) for octets in sizes])
            right(max(pdu.info_octets for pdu in pdus) == 500, "N201-U is 500 octets")

    @case("UL-UNITDATA from a Linux socket comes out as GTP-U at the GGSN, octet for octet")
    def up():
        world = start()
        for ms in FOUR, SIX:
            packets = [world.packet(ms, octets) for octets in (20, 40, 300, 576, 1400)]
            sent_up(world, ms, packets, 496)

    @case("larger than the MTU: fragments from Linux are joined, ours are joined by Linux")
    def fragments():
        world = start()
        # Apart, for fragments may come to another queue than whole packets, and so overtake them.
        for ms, sizes in ((LARGE, (1400, 1464)), (LARGE, (1465, 1466, 1500)), (SIX, (1444,)),
                          (SIX, (1445, 1500))):
            packets = [world.packet(ms, octets) for octets in sizes]
            pdus = sent_down(world, ms, packets)
            right(ms == SIX or max(len(pdu.outer.payload) for pdu in pdus) > 1472 or sizes[0] < 1465,
                  "no frame was larger than the MTU")
        sent_up(world, SIX, [world.packet(SIX, octets) for octets in (1444, 1445, 1500)], 496)
        sent_up(world, FOUR, [world.packet(FOUR, 1500)], 1500)  # Gb frames of Linux's, and ours

    @case("a GTP echo request is answered")
    def echo():
        world = start()
        for ms in FOUR, SIX:
            world.ggsn(ms).sendto(ECHO, (ms.gn, GTPU_PORT))
            octets, _ = receive(world.ggsn(ms), "an echo response")
            # 7.2.2: Recovery, whose value is 0
            same(octets.hex(), "3202000600000000" "12340000" "0e00", "the response")

    @case("an unknown TEID gets an error indication")
    def unknown_teid():
        world = start()
        for ms in FOUR, SIX:
            teid = world.teid(ms) ^ 0x00300000
            world.ggsn(ms).sendto(g_pdu(teid, world.packet(ms, 100)), (ms.gn, GTPU_PORT))
            octets, _ = receive(world.ggsn(ms), "an error indication")
            address = ipaddress.ip_address(ms.gn).packed
            # the extension header says the UDP port that the G-PDU came from (29.281 5.2.2.1)
            body = struct.pack(">HBB", 0, 0, 0x40) + struct.pack(">BHB", 1, GTPU_PORT, 0)
            body += struct.pack(">BI", 16, teid) + struct.pack(">BH", 133, len(address)) + address
            same(octets.hex(), (struct.pack(">BBHI", 0x36, 26, len(body), 0) + body).hex(),
                 "the error indication")

    @case("from 16 ports each, so to both queues if there are two: taken from either")
    def ports():
        world = start()
        for port in MORE_PORTS:
            ggsn, bss = world.host.udp(GGSN4, port), world.host.udp(BSS4, port)
            octets = world.packet(FOUR, 100)
            ggsn.sendto(g_pdu(world.teid(FOUR), octets), (GN4, GTPU_PORT))
            same([npdu.octets for npdu in pcap.npdus_of(read_pdus(world, FOUR, 1))], [octets],
                 f"the N-PDU from port {port}")
            bss.sendto(ALIVE, (GB4, NS_PORT))
            same(receive(bss, "NS-ALIVE-ACK")[0].hex(), "0b", f"the answer to port {port}")

    @case("NS-ALIVE is answered; what is for control is counted as an event")
    def alive():
        world = start()
        for ms in FOUR, SIX:
            world.bss(ms).sendto(bytes.fromhex("02000081010182000104820001"), (ms.gb, NS_PORT))
            world.bss(ms).sendto(ALIVE, (ms.gb, NS_PORT))
            # control refuses the NS-RESET in its own time, so either answer may be the first
            answers = [receive(world.bss(ms), "NS-ALIVE-ACK and NS-STATUS")[0] for _ in range(2)]
            same(sorted(answer[0] for answer in answers), [0x08, 0x0b], "the types of the answers")

    @case("SIGINT ends it: exit status 0, every packet of both ways accounted for")
    def end():
        summary = start().program.finish()
        check_sound(summary)
        ports, up = summary["worker"]["ports"], summary["worker"]["up"]
        right(ports["gb"]["tx_fragmented"] >= 2 and ports["gn"]["tx_fragmented"] >= 1, "tx_fragmented")
        # over net_af_packet the kernel joins those of IPv4 before we see them
        right(ports["gn"]["joined_packets"] >= 4 and ports["gb"]["joined_packets"] >= 2,
              "joined_packets")
        same(summary["classes"]["background"]["out_packets"], 44, "N-PDUs down")
        same(up["npdus"], 14, "N-PDUs up")
        same(up["drops"], {}, "drops of the uplink")
        same(ports["gn"]["drops"].keys() - {"not_ours", "icmp", "other_port", *besides}, {"unknown_teid"},
             "why frames of Gn were dropped")
        same(ports["gn"]["drops"]["unknown_teid"]["packets"], 2, "unknown TEIDs")
        same(summary["events"]["ns"], 2, "events of NS")
        for name, port in ports.items():
            same(port["strays_in_packets"], port["strays_out_packets"], f"strays of {name}")
            right(workers == 1 or port["strays_in_packets"] > 0,
                  f"no frame of {name} came to the wrong worker: the test shows less than it says")
