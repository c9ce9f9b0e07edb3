"""The internet checksum (RFC 1071) and the FCS of LLC (TS 44.064 clause 5.5), once for all tests in
Python. Wireshark's dissectors judge the frames that are made with them (captures.py,
tests/gb/tshark.py)."""

import struct


def ones_complement_sum(octets):
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def checksum(octets):
    """What makes their sum 0xffff, as IPv4, UDP and ICMP have it."""
    return ones_complement_sum(octets) ^ 0xFFFF


def table():
    """What the eight bits of an octet leave in the register; bits go LSB first."""
    rows = []
    for register in range(256):
        for _ in range(8):
            register = register >> 1 ^ (0xAD85DD if register & 1 else 0)
        rows.append(register)
    return rows


TABLE = table()


def fcs(octets):
    """Three octets, as they are sent."""
    register = 0xFFFFFF
    for octet in octets:
        register = register >> 8 ^ TABLE[(register ^ octet) & 255]
    return (register ^ 0xFFFFFF).to_bytes(3, "little")
