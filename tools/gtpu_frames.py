#!/usr/bin/python3
"""The frames that another machine sends to Gn, from contexts.json, which `sluice run` writes: those that `sluice bench`
makes. As a capture file, which every generator of traffic plays, or as a profile of TRex.

    gtpu_frames.py --contexts contexts.json --to-mac 02:00:00:00:00:01 --size imix frames.pcap
    trex> start -f gtpu_frames.py -t --contexts contexts.json --to-mac 02:00:00:00:00:01 --size 576 -m 1mpps

A frame is Ethernet, IPv4, UDP 2152, GTP-U, and in that IPv4 (ECT) and UDP 9 from 203.0.113.1 to the MS. `--size` is that
of the MS's packet. UDP has no checksum, as GTP-U mostly has none.
"""

import argparse
import ipaddress
import json
import re
import struct
import sys

IMIX = (64, 7), (576, 4), (1400, 1)  # octets, and how often
GTPU_PORT, DISCARD_PORT = 2152, 9
INNER_SOURCE = ipaddress.IPv4Address("203.0.113.1")
ETHER_OCTETS, IPV4_OCTETS, UDP_OCTETS, GTPU_OCTETS = 14, 20, 8, 8
TEID_AT = ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS + 4
INNER_AT = TEID_AT + 4
SIZE_LEAST, SIZE_MOST = 28, 1500
ECT_0 = 2
FRAMES_LEAST = 16384


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4_udp(source, destination, tos, port, payload):
    """An IPv4 packet with a datagram from that port to the same."""
    octets = IPV4_OCTETS + UDP_OCTETS + len(payload)
    header = struct.pack(">BBHHHBBH4s4s", 0x45, tos, octets, 0, 0, 64, 17, 0, source.packed, destination.packed)
    header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
    return header + struct.pack(">HHHH", port, port, octets - IPV4_OCTETS, 0) + payload


def mac(text):
    if not re.fullmatch("([0-9A-Fa-f]{2}:?){5}[0-9A-Fa-f]{2}", text):
        raise argparse.ArgumentTypeError(f"{text} is no Ethernet address such as 02:00:00:00:00:01")
    return bytes.fromhex(text.replace(":", ""))


def frame(context, size, args):
    """The frame with a packet of so many octets for that context."""
    inner = ipv4_udp(INNER_SOURCE, ipaddress.IPv4Address(context["address"]), ECT_0, DISCARD_PORT,
                     bytes(i * 7 & 255 for i in range(size - IPV4_OCTETS - UDP_OCTETS)))
    gtpu = struct.pack(">BBHI", 0x30, 255, len(inner), context["teid"]) + inner
    sgsn = ipaddress.IPv4Address(context.get("sgsn_address", args.sgsn))
    return args.to_mac + args.from_mac + b"\x08\x00" + ipv4_udp(args.ggsn, sgsn, 0, GTPU_PORT, gtpu)


def sizes_of(text):
    """[(octets, how often)]"""
    if text == "imix":
        return list(IMIX)
    if not re.fullmatch("[0-9]{1,4}", text) or not SIZE_LEAST <= int(text) <= SIZE_MOST:
        raise argparse.ArgumentTypeError(f"found {text}, allowed imix, or {SIZE_LEAST} to {SIZE_MOST} octets")
    return [(int(text), 1)]


def parser():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--contexts", required=True, metavar="FILE", help="contexts.json of the run")
    words.add_argument("--to-mac", required=True, type=mac, metavar="MAC", help="of Sluice's port, or of the router before it")
    words.add_argument("--from-mac", default="02:00:00:00:00:02", type=mac, metavar="MAC", help="of this machine's port")
    words.add_argument("--sgsn", default="192.0.2.1", type=ipaddress.IPv4Address, metavar="ADDRESS",
                       help="gn.address; where workers have addresses of their own, contexts.json has them")
    words.add_argument("--ggsn", default="192.0.2.2", type=ipaddress.IPv4Address, metavar="ADDRESS",
                       help="this machine's, as a ggsn { } of the configuration has it")
    words.add_argument("--size", default="576", type=sizes_of, metavar="OCTETS|imix",
                       help="of the MS's packet; imix is 64, 576 and 1400 octets as 7 : 4 : 1")
    return words


def contexts_of(args):
    with open(args.contexts, encoding="utf-8") as file:
        contexts = json.load(file)
    if not isinstance(contexts, list) or not all(isinstance(one, dict) for one in contexts):
        raise ValueError(f"{args.contexts} is not the contexts.json of a run")
    if not contexts:
        raise ValueError(f"{args.contexts} has no context")
    for one in contexts:
        if not isinstance(one["teid"], int) or not 0 <= one["teid"] < 1 << 32:
            raise ValueError(f"{args.contexts}: found TEID {one['teid']!r}, allowed range 0 to {(1 << 32) - 1}")
    return contexts


def frames_of(args):
    """Each context in turn, each size as often as its weight; at least FRAMES_LEAST frames."""
    contexts = contexts_of(args)
    turns = [size for size, weight in args.size for _ in range(weight)]
    rounds = -(-FRAMES_LEAST // (len(contexts) * len(turns)))
    for i in range(rounds * len(turns)):
        for k, context in enumerate(contexts):
            yield frame(context, turns[(i + k) % len(turns)], args)


def write_pcap(file, frames):
    """Microseconds, all of them 0: the generator sets the pace."""
    file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for octets in frames:
        file.write(struct.pack("=IIII", 0, 0, len(octets), len(octets)) + octets)


class Profile:
    """TRex's: a stream for each size and SGSN address, which goes through the contexts' TEIDs and addresses."""

    def get_streams(self, tunables=(), **_):
        import trex_stl_lib.api as stl  # pylint: disable=import-error,import-outside-toplevel
        args = parser().parse_args(list(tunables))
        by_sgsn = {}
        for context in contexts_of(args):
            by_sgsn.setdefault(context.get("sgsn_address"), []).append(context)
        return [self.stream(stl, contexts, size, weight, args)
                for contexts in by_sgsn.values() for size, weight in args.size]

    @staticmethod
    def stream(stl, contexts, size, weight, args):
        destination_at = INNER_AT + 16
        vm = [stl.STLVmFlowVar(name="teid", value_list=[one["teid"] for one in contexts], size=4, op="inc"),
              stl.STLVmWrFlowVar(fv_name="teid", pkt_offset=TEID_AT),
              stl.STLVmFlowVar(name="ms", value_list=[int(ipaddress.IPv4Address(one["address"])) for one in contexts],
                               size=4, op="inc"),
              stl.STLVmWrFlowVar(fv_name="ms", pkt_offset=destination_at),
              stl.STLVmFixIpv4(offset=INNER_AT)]
        packet = stl.STLPktBuilder(pkt_buffer=frame(contexts[0], size, args), vm=vm)
        return stl.STLStream(packet=packet, mode=stl.STLTXCont(pps=weight * len(contexts)))


def register():
    return Profile()


def main():
    words = parser()
    words.add_argument("pcap", help="the file to write")
    args = words.parse_args()
    try:
        frames = frames_of(args)
        first = next(frames)
        with open(args.pcap, "wb") as file:
            write_pcap(file, (octets for part in ([first], frames) for octets in part))
    except (OSError, ValueError, KeyError, struct.error) as why:
        words.exit(1, f"gtpu_frames.py: {why}\n")


if __name__ == "__main__":
    sys.exit(main())
