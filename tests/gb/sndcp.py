#!/usr/bin/python3
"""SNDCP's parameters in XID (TS 44.065 clauses 6.5.1, 6.6.1 and 8): version 0, no compression."""

from llc_ms import LAYER3, V44, ask, begin, block, config, named, parameter
from world import World, case, main, same


def layer3(bss, octets):
    frame = ask(bss, 3, parameter(LAYER3, octets))
    same(set(frame.parameters), {LAYER3}, "what is answered")
    return frame.parameters[LAYER3]


REFUSED = b"\2\0\0"  # P = 0 and an entity number stand before: two octets, no NSAPI

# Entities that propose: P and number, algorithm, length, values to compress under, NSAPIs, more.
V42BIS = bytes([0x80, 0, 7, 0x10, 0, 0x20, 0, 2, 0, 6])
RFC1144 = bytes([0x80, 0, 4, 0x12, 0, 0x20, 15])
RFC2507 = bytes([0x82, 1, 5, 0x34, 0x56, 0x70, 0, 0x20])
ROHC = bytes([0x83, 2, 3, 0x80, 0, 0x20])
UNKNOWN = bytes([0x84, 9, 3, 1, 2, 3])


@case("every compression is refused: each entity is answered, for no NSAPI; version 0 is ours")
def compression():
    with World(config()) as world:
        bss = begin(world)
        same(layer3(bss, block(version=0)), block(version=0), "version 0")
        same(layer3(bss, block(version=15)), block(version=0), "version 15")
        for data, protocol in ((V42BIS, None), (V44, None), (None, RFC1144), (None, RFC2507),
                               (None, ROHC), (UNKNOWN, UNKNOWN), (V42BIS + V44, RFC1144 + RFC2507),
                               (b"", None), (None, b"")):
            found = layer3(bss, block(0, data, protocol))
            wanted = [None if entities is None else b"".join(
                bytes([e[0] & 31]) + REFUSED for e in (V42BIS, V44, RFC1144, RFC2507, ROHC, UNKNOWN)
                if e in entities) for entities in (data, protocol)]
            same(found, block(0, *wanted), f"{data} {protocol}")
        both = named(n201_u=200) + parameter(LAYER3, block(data=V44))
        same(set(ask(bss, 3, both).parameters), {5, LAYER3}, "beside LLC's")


@case("SNDCP parameters that cannot be read are answered by version 0, which holds anyway")
def bad_sndcp():
    with World(config()) as world:
        bss = begin(world)
        many = b"".join(bytes([0x80 | n % 32, 0, 1, 0]) for n in range(33))
        for octets in (b"", b"\0", b"\0\2\0\0", b"\0\1\x10", b"\1\x05\x80", b"\2\1\xe0", b"\7\0",
                       block(data=V44[:-1]), b"\1\xff" + bytes(20), block(protocol=many)):
            same(layer3(bss, octets), block(version=0), octets.hex())


main()
