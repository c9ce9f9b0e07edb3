"""Frames with any tags of VLANs, past Linux's own handling of them: which are answered, and which are dropped and counted.
Gn is in VLAN 100, Gb in 200."""

import socket
import struct

import network
import real
from checksums import checksum
from harness import same
from network import GGSN4, GN4, GTPU_PORT

C, S = 0x8100, 0x88A8  # kinds of tags
OURS = [[(C, 100)], [(C, 0x6064)], [(C, 0xF064)]]  # with a priority, with DEI
STRANGE = [[], [(C, 0)], [(C, 0xE000)], [(C, 101)], [(C, 4095)], [(C, 100), (C, 100)], [(S, 5), (C, 100)]]


STRANGER = bytes.fromhex("320100040000000077770000")  # real.ECHO with another sequence number


def answers(world):
    """The sequence numbers of the echoes answered so far."""
    last = real.ECHO_ANSWER + bytes.fromhex("000600000000") + real.ECHO[8:10]
    found = real.besides(world.ggsn(real.FOUR), (GN4, GTPU_PORT), real.ECHO, last)
    return [octets[8:10] for octets in found if octets.startswith(real.ECHO_ANSWER)]


def dropped():
    """The frames that both ports have dropped for their tags."""
    return sum(port.get("drops", {}).get("vlan", 0) for port in real.port_stats())


def echo_request(world, tags):
    """GTP-U's, from the GGSN's address to ours, as a frame with these tags."""
    ours, theirs = [bytes.fromhex(mac.replace(":", "")) for mac in (world.host.neighbours()[GN4], world.host.mac())]
    udp = struct.pack(">HHHH", GTPU_PORT, GTPU_PORT, 8 + len(STRANGER), 0) + STRANGER
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, socket.inet_aton(GGSN4),
                       socket.inet_aton(GN4))
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    octets = ours + theirs + b"".join(struct.pack(">HH", *tag) for tag in tags) + b"\x08\x00"
    return (octets + head + udp).ljust(60, b"\0")


def judged(world, link, strange):
    """They are not answered, and those that are ours are; how many were dropped for their tags."""
    with network.inside(world.host.name):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    end.bind((link, 0))
    world.host.ping(GN4, 56)
    before = dropped()
    for tags in strange:
        end.send(echo_request(world, tags))
    same(answers(world), [], "answers to frames with strange tags")
    counted = dropped() - before
    for tags in OURS:
        end.send(echo_request(world, tags))
    same(answers(world), [STRANGER[8:10]] * len(OURS), "answers to ours")
    return counted
