#!/usr/bin/python3
"""tools/gtpu_frames.py: its frames are octet for octet those of `sluice bench`; tshark reads them; a run takes them, and
they come out at Gb; TRex's profile makes the same."""

import collections
import importlib.util
import ipaddress
import json
import socket
import struct
import subprocess
import sys
import types

import network
import real
from checksums import checksum
from harness import ROOT, case, check_sound, main, new_folder, right, same, sluice

TOOL = ROOT / "tools/gtpu_frames.py"
BENCH_MAC = "02:00:00:00:00:01"
TEID_AT, ADDRESS_AT = 46, 66  # in a frame


def load():
    spec = importlib.util.spec_from_file_location("gtpu_frames", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tool(*words, status=0):
    done = subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True, check=False)
    same(done.returncode, status, f"status of {words}\n{done.stderr}")
    return done.stderr


def frames_in(path):
    data, frames, at = path.read_bytes(), [], 24
    while at < len(data):
        (octets,) = struct.unpack_from("=I", data, at + 8)
        frames.append(data[at + 16:at + 16 + octets])
        at += 16 + octets
    return frames


def written(contexts):
    path = new_folder() / "contexts.json"
    path.write_text(json.dumps(contexts))
    return path


@case("octet for octet the frames of sluice bench, of each size of the mix")
def as_bench():
    theirs = new_folder() / "gn.pcap"
    done = sluice("bench", "--ports", f"pcap:{theirs}", "--ms", 40, "--size", "imix", "--seconds", 0.05, "--repeats", 1)
    same(done.returncode, 0, done.stderr)
    wanted = set(frames_in(theirs))
    teids = sorted({struct.unpack_from(">I", one, TEID_AT)[0] for one in wanted})
    same(len(teids), 40, "TEIDs")
    # All of its MSs have one address.
    contexts = written([{"teid": teid, "address": "10.0.0.1"} for teid in teids])
    ours = contexts.parent / "ours.pcap"
    tool("--contexts", contexts, "--to-mac", BENCH_MAC, "--size", "imix", ours)
    found = frames_in(ours)
    right(len(found) >= 16384, f"{len(found)} frames")
    same({len(one) for one in found}, {50 + 64, 50 + 576, 50 + 1400}, "sizes")
    same(sorted(collections.Counter(len(one) for one in found).values()),
         sorted(len(found) * weight // 12 for weight in (7, 4, 1)), "as 7 : 4 : 1")
    same(len({(one[TEID_AT:TEID_AT + 4], len(one)) for one in found}), 40 * 3, "each context with each size")
    right(wanted <= set(found), "a frame of sluice bench is not among them")


@case("tshark reads each layer, and finds every checksum good")
def decoded():
    contexts = written([{"teid": 7, "address": "10.1.2.3"}, {"teid": 0xFFFFFFFE, "address": "10.1.2.4", "sgsn_address": "192.0.2.77"}])
    path = contexts.parent / "gn.pcap"
    tool("--contexts", contexts, "--to-mac", "02:00:00:00:00:aa", "--size", 100, "--ggsn", "192.0.2.9", path)
    fields = "eth.dst ip.src ip.dst udp.dstport gtp.teid ip.checksum.status ip.len ip.dsfield.ecn".split()
    words = ["tshark", "-r", path, "-c", "2", "-o", "ip.check_checksum:TRUE", "-T", "fields"]
    for field in fields:
        words += ["-e", field]
    rows = [line.split("\t") for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()]
    same(rows, [["02:00:00:00:00:aa", "192.0.2.9,203.0.113.1", "192.0.2.1,10.1.2.3", "2152,9", "0x00000007", "1,1", "136,100", "0,2"],
                ["02:00:00:00:00:aa", "192.0.2.9,203.0.113.1", "192.0.2.77,10.1.2.4", "2152,9", "0xfffffffe", "1,1", "136,100", "0,2"]],
         "what tshark reads")


@case("a run takes what is made from its contexts.json: each N-PDU comes out at Gb")
def taken():
    world = real.World(network.veth)
    for address in network.GN4, network.GB4:
        world.host.ping(address, 56)
    contexts = written([one for one in world.program.contexts() if one["imsi"] == real.FOUR.imsi])
    path = contexts.parent / "gn.pcap"
    with network.inside(world.host.name):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    end.bind(("gn", 0))
    own = end.getsockname()[4].hex()
    for size in 28, 576, 1400:
        tool("--contexts", contexts, "--to-mac", world.host.neighbours()[network.GN4], "--from-mac", own, "--size", size, path)
        one = frames_in(path)[0]
        end.send(one)
        pdus = real.read_pdus(world, real.FOUR, 1)
        same([npdu.octets for npdu in real.pcap.npdus_of(pdus)], [one[50:]], f"the N-PDU of {size} octets")
    check_sound(world.program.finish())


# --- TRex: what its library would do with the profile, as its documentation has it ----------------


class Made:
    def __init__(self, **arguments):
        self.__dict__.update(arguments)


def streams_of(module, *words):
    names = "STLVmFlowVar STLVmWrFlowVar STLVmFixIpv4 STLPktBuilder STLStream STLTXCont".split()
    api = types.ModuleType("trex_stl_lib.api")
    for name in names:
        setattr(api, name, type(name, (Made,), {}))
    sys.modules["trex_stl_lib"], sys.modules["trex_stl_lib.api"] = types.ModuleType("trex_stl_lib"), api
    api.__dict__["__name__"] = "trex_stl_lib.api"
    sys.modules["trex_stl_lib"].api = api
    return module.register().get_streams(tunables=[str(word) for word in words], direction=0, port_id=0)


def sent(stream, count):
    """The frames of a stream: its variables go one on for each, and are written; then the checksum is made."""
    frames = []
    for i in range(count):
        octets = bytearray(stream.packet.pkt_buffer)
        variables = {}
        for step in stream.packet.vm:
            kind = type(step).__name__
            if kind == "STLVmFlowVar":
                variables[step.name] = step.value_list[i % len(step.value_list)].to_bytes(step.size, "big")
            elif kind == "STLVmWrFlowVar":
                octets[step.pkt_offset:step.pkt_offset + len(variables[step.fv_name])] = variables[step.fv_name]
            else:
                head = slice(step.offset, step.offset + 20)
                octets[step.offset + 10:step.offset + 12] = bytes(2)
                octets[step.offset + 10:step.offset + 12] = struct.pack(">H", checksum(bytes(octets[head])))
        frames.append(bytes(octets))
    return frames


@case("TRex's profile makes the frames of the capture file, a stream for each size and address of the SGSN")
def trex():
    contexts = [{"teid": 100 + i, "address": str(ipaddress.IPv4Address("10.9.0.250") + i),
                 "sgsn_address": f"192.0.2.{1 + i % 2}"} for i in range(20)]
    path = written(contexts)
    words = ["--contexts", path, "--to-mac", BENCH_MAC, "--size", "imix"]
    tool(*words, path.parent / "gn.pcap")
    streams = streams_of(load(), *words)
    same(len(streams), 6, "streams")
    same(sorted(stream.mode.pps for stream in streams), [10, 10, 40, 40, 70, 70], "packets a second, before TRex scales them")
    same({octets for stream in streams for octets in sent(stream, 20)}, set(frames_in(path.parent / "gn.pcap")), "frames")


@case("nonsense: one line that says why")
def refused():
    good = written([{"teid": 7, "address": "10.1.2.3"}])
    for contexts, words, status, named in ((good, ["--size", "27"], 2, "28 to 1500"), (good, ["--size", "x"], 2, "28 to 1500"),
                                           (good, ["--to-mac", "02:00"], 2, "02:00 is no Ethernet address"),
                                           (written([]), [], 1, "no context"), (written([{"teid": 7}]), [], 1, "address"),
                                           (written({"teid": 7}), [], 1, "contexts.json"),
                                           (written([{"teid": "7", "address": "10.1.2.3"}]), [], 1, "TEID '7'"), (written(["x"]), [], 1, "contexts.json"),
                                           (written([{"teid": -1, "address": "10.1.2.3"}]), [], 1, "range"),
                                           (good.parent / "none.json", [], 1, "none.json")):
        said = tool("--contexts", contexts, "--to-mac", BENCH_MAC, *words, good.parent / "x.pcap", status=status)
        right(named in said and "Traceback" not in said, said)


main()
