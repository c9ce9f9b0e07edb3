"""The FCS of LLC (TS 44.064 clause 5.5), once for all tests in Python. Wireshark's dissector judges the
frames that are made with it (captures.py, tests/gb/tshark.py)."""


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
