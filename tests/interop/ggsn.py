#!/usr/bin/python3
"""UDP packets from a GGSN to the MSs of a run in turn, as GTP-U.

    ggsn.py CONTEXTS.json [--rate KBIT/S] [--octets N] [--seconds N] [--to ADDRESS]

CONTEXTS.json is what `sluice run` leaves in its folder of results.
"""

import argparse
import ipaddress
import json
import pathlib
import socket
import struct
import time

GTPU_PORT = 2152


def packet(number, address, octets):
    """UDP over IPv4 from 203.0.113.9; Sluice looks at neither checksum."""
    udp = struct.pack(">HHHH", 9, 9, octets - 20, 0) + struct.pack(">I", number).ljust(octets - 28, b"x")
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, octets, number & 0xFFFF, 0, 64, 17, 0,
                       bytes([203, 0, 113, 9]), ipaddress.IPv4Address(address).packed) + udp


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("contexts", type=pathlib.Path)
    parser.add_argument("--rate", type=float, default=60, help="kbit/s in all (60)")
    parser.add_argument("--octets", type=int, default=500, help="of a packet, 40 at least (500)")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--to", default="192.0.2.1", help="Sluice's address on Gn")
    arguments = parser.parse_args()
    contexts = json.loads(arguments.contexts.read_text())
    gn = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gn.bind(("", GTPU_PORT))
    gap = arguments.octets * 8 / (arguments.rate * 1000)
    begin = time.monotonic()
    sent = 0
    while sent * gap < arguments.seconds:
        time.sleep(max(0, begin + sent * gap - time.monotonic()))
        context = contexts[sent % len(contexts)]
        inner = packet(sent, context["address"], arguments.octets)
        gn.sendto(struct.pack(">BBHI", 0x30, 255, len(inner), context["teid"]) + inner,
                  (arguments.to, GTPU_PORT))
        sent += 1
    print(f"{sent} packets of {arguments.octets} octets sent")


if __name__ == "__main__":
    main()
