#!/usr/bin/python3
"""What an MS of the lab sends, as tshark reads it: N-PDUs whole and in segments, answers to XID
commands. MS_FRAMES names the program that is the MS (tests/lab/ms/ms_frames.c)."""

import functools
import os
import struct
import subprocess
import tempfile

import tshark_json
from checksums import checksum, fcs
from harness import case, main, same
from wire_frames import ns, write_pcap

CELL = bytes.fromhex("62f224123456789a")
NULL, N201_U_1000, RESET = 0, bytes([0x16, 1000 >> 8, 1000 & 255]), b"\x30"
SNDCP_XID = bytes([0xAC, 0x24, 0, 1, 0, 1, 4, 0x81, 1, 1, 0x20])  # version 0, V.44


def ul_unitdata(llc):
    """48.018 10.2.2."""
    return ns(b"\0\0\0\2" + bytes.fromhex("01c0000001005020") + b"\x08\x88" + CELL + b"\x0e"
              + struct.pack(">H", len(llc)) + llc)


def packet(octets, mark):
    head = bytearray(struct.pack(">BBHHHBBH", 0x45, 0, octets, mark, 0, 64, 17, 0)
                     + bytes([10, 1, 0, mark, 192, 0, 2, 9]))
    struct.pack_into(">H", head, 10, checksum(bytes(head)))
    return bytes(head) + struct.pack(">4H", 7, 7, octets - 20, 0) + bytes(octets - 28)


def u_frame(sapi, command, info=b""):
    """A command of the SGSN, with P."""
    frame = bytes([0x40 | sapi, 0xF0 | command]) + info
    return frame + fcs(frame)


def xid(sapi, info):
    return u_frame(sapi, 11, info)


LINES = [("up 5", packet(100, 1)), ("up 5", packet(1500, 2)), ("up 15", packet(600, 3)),
         ("down", u_frame(3, NULL)), ("down", xid(3, N201_U_1000)), ("up 5", packet(1500, 4)),
         ("down", xid(11, SNDCP_XID)), ("down", xid(1, RESET)), ("up 5", packet(1500, 5))]


@functools.cache
def frames():
    """One dict a frame, and the text of its LLC tree."""
    lines = "".join(f"{what} {octets.hex()}\n" for what, octets in LINES)
    done = subprocess.run([os.environ["MS_FRAMES"]], input=lines, capture_output=True, text=True,
                          check=True)
    words = [line.split() for line in done.stdout.splitlines()]
    same({line[0] for line in words}, {"up", "."}, "what the MS says")
    llcs = [bytes.fromhex(line[1]) for line in words if line[0] == "up"]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        write_pcap(file.name, [ul_unitdata(llc) for llc in llcs])
        found = tshark_json.gb_frames(file.name)
        same(tshark_json.complaints(file.name), [], "tshark's complaints")
        trees = tshark_json.trees(file.name, "llcgprs")
    return found, trees


def row(frame):
    return tuple(frame[name] for name in ("sapi", "nu", "nsapi", "npdu", "segment", "first", "more"))


# SAPI, N(U), NSAPI, N-PDU number, segment number, first, more; None: an answer.
WANTED = [(3, 0, 5, 0, 0, 1, 0),
          *((3, 1 + i, 5, 1, i, int(i == 0), int(i < 3)) for i in range(4)),
          (11, 0, 15, 0, 0, 1, 1), (11, 1, 15, 0, 1, 0, 0),
          None,
          (3, 5, 5, 2, 0, 1, 1), (3, 6, 5, 2, 1, 0, 0),
          None, None,
          *((3, i, 5, 0, i, int(i == 0), int(i < 3)) for i in range(4))]


@case("every frame has a good FCS and draws no complaint")
def good():
    same([frame["fcs"] for frame in frames()[0]], ["correct"] * len(WANTED), "FCS")


@case("SAPI, N(U), NSAPI, N-PDU and segment numbers, from 0 again after Reset")
def numbers():
    found = [row(frame) if frame["nsapi"] is not None else None for frame in frames()[0]]
    same(found, WANTED, "frames")


@case("the IP packets are whole")
def packets():
    found = [(frame["inner"]["src"], frame["inner"]["len"]) for frame in frames()[0]
             if frame["inner"]]
    same(found, [("10.1.0.1", 100), ("10.1.0.2", 1500), ("10.1.0.3", 600), ("10.1.0.4", 1500),
                 ("10.1.0.5", 1500)], "inner packets")


RESPONSE = [".1.. .... = Command/Response bit", "...1 .... = P/F bit: True", "XID (0xb)"]
ANSWERS = [["SAPI: LL3", "N201-U (max info field length for U and UI frames) - Value: 1000"],
           ["SAPI: LL11", "Version (SNDCP version number) - Value 0", "Length: 2\n"],
           ["SAPI: LLGMM", "Length = 0"]]


@case("answers to XID: a response's C/R with F, the proposed N201-U, no compression")
def answers():
    texts = [text for text, wanted in zip(frames()[1], WANTED) if wanted is None]
    missing = [(words, word) for text, words in zip(texts, ANSWERS) for word in RESPONSE + words
               if word not in text]
    same(missing, [], "lines that the trees lack")


main()
