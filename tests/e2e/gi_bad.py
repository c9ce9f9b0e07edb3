#!/usr/bin/python3
"""sluice gi on input that is bad: files that break off, snap lengths, checksums, clocks, packets of which only
one direction is there, octets at random. Never a crash, every frame with one fate, and what is left out is
counted and explained in the footer, word by word."""

import array
import collections
import fcntl
import gzip
import json
import random
import re
import signal
import struct
import subprocess
import termios
import time

from gi_capture import (ACK, ETHERNET, HOST, RAW, SACK_PERMITTED, USER, Talk, gtp, ip, merged, mss, pcap, pcapng, udp)
from gi_report import FATES, SEGMENTS, begun, figures, flow_of, footer, frames_of_some, has, read, saved, table
from harness import ROOT, WAIT_S, case, has_sanitizers, main, new_folder, often, program, right, run, same, sluice


# --- The footer -----------------------------------------------------------------------------------


def first_octets(packet, **octets):
    """The packet with other octets there; its IPv4 header's checksum is put right."""
    packet = bytearray(packet)
    for at, octet in octets.items():
        packet[int(at[1:])] = octet
    return bytes(packet)


def unsummed(packet):
    """Without a checksum of IPv4."""
    return packet[:10] + bytes(2) + packet[12:]


def stamped(frames, number, microseconds=None, length=None, captured=None):
    """A pcap file in which one packet's header has other numbers."""
    octets = bytearray(pcap(frames, ns=False))
    at = 24
    for _ in range(number):
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
    for offset, value in ((4, microseconds), (8, captured), (12, length)):
        if value is not None:
            struct.pack_into("<I", octets, at + offset, value)
    return bytes(octets)


def many_far():
    return begun().data(1, 1).data(2, 100 << 20).frames


def large():
    """A segment of 100000 octets in IPv6 without a length, of which the file has the headers."""
    talk = Talk(user=("2001:db8::1", 40000), host=("2001:db8:1::9", 80)).setup(0, 0.1, 0.4).data(1, 1).ack(1.6, 100001)
    time_s, packet = talk.frames[3]
    talk.frames[3] = (time_s, packet[:4] + bytes(2) + packet[6:60])
    return stamped(talk.frames, 3, length=60 + 100000)


def many_forgotten():
    """More segments in flight than are kept; each is acknowledged by nothing."""
    talk = begun()
    for i in range(4200):
        talk.data(1 + i / 1000, 1 + 10 * i, 10)
    return talk.ack(9, 42001).frames


def broken(frames, number):
    packet = bytearray(frames[number][1])
    packet[36] ^= 1
    return [*frames[:number], (frames[number][0], bytes(packet)), *frames[number + 1:]]


def left_to_hardware(frames, number):
    """One TCP checksum is the sum of the pseudo header alone (of IPv4 without options)."""
    time_s, packet = frames[number]
    words = struct.unpack(">HHHH", packet[12:20])
    total = sum(words) + 6 + len(packet) - 20
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    packet = packet[:36] + struct.pack(">H", total) + packet[38:]
    return [*frames[:number], (time_s, packet), *frames[number + 1:]]


def pieces(frames, number):
    """One packet in two fragments."""
    time_s, packet = frames[number]
    first = packet[:2] + struct.pack(">HHH", 20 + 400, 9, 0x2000) + packet[8:20] + packet[20:420]
    second = packet[:2] + struct.pack(">HHH", len(packet) - 400, 9, 50) + packet[8:20] + packet[420:]
    return [*frames[:number], (time_s, unsummed(first)), (time_s, unsummed(second)), *frames[number + 1:]]


def some_footers():
    """(what, capture, options, the footer's counts, in words)"""
    some = frames_of_some()
    arp = [(0, bytes(12) + b"\x08\x06" + bytes(28))]
    echo = udp(("192.0.2.1", 2152), ("192.0.2.2", 2152), struct.pack(">BBHI", 0x32, 1, 4, 0) + bytes(4))
    name = udp((USER, 53), (HOST, 53), bytes(20))
    one_side = [frame for frame in some if frame[1][12:16] == bytes((10, 0, 0, 1))]
    unsaid = begun().data(1, 1).ack(1.6, 3001).data(2, 3001).ack(2.6, 4001).frames
    back = some[:5] + [(time + 100, packet) for time, packet in some[5:7]] + some[7:]
    late = [*some, *((time + 8000, packet) for time, packet in Talk(own=9).setup().frames)]
    early = merged(*(Talk(user=(f"10.0.0.{i}", 9)).setup(i * 2) for i in range(1, 11)))
    moved = [(time, gtp(packet, 77 if time < 1.5 else 78)) for time, packet in some]
    yield "segments", pcap(some), (), {SEGMENTS: 10}
    yield "other protocols", pcap([*some, (4, name)]), (), {
        SEGMENTS: 10, "packets of other protocols than TCP: background traffic of their user": 1}
    yield "fragments", pcap(pieces(some, 5)), (), {
        SEGMENTS: 10, "pieces of fragmented TCP segments, behind the first one, which stands for all of them": 1,
        "packets without an IPv4 header checksum, left to hardware: taken": 2}
    yield "a fragment alone", pcap(pieces(some, 5)[:6] + some[6:]), (), {
        SEGMENTS: 9, "pieces of fragmented IP packets that are no TCP, or not all there: not analysed; a flow with such a piece has no "
        "figures of loss and rate": 1, "packets without an IPv4 header checksum, left to hardware: taken": 1,
        "flows with fragments that were not joined: no figures of loss, rate and throughput": 1}
    yield "elsewhere", pcap(some), ("--mobiles", "10.9.0.0/16"), {
        SEGMENTS: 0, "TCP segments with none, or both, of their ends among the --mobiles": 10}
    yield "no IP", pcap(arp, ETHERNET, raw=True), (), {SEGMENTS: 0, "frames without IP: ARP and the like": 1}
    yield "wrapped", pcap([(0, ip(USER, HOST, 50, bytes(40)))]), (), {
        SEGMENTS: 0, "packets in a wrapping that is not read, by name below: of no user": 1,
        "packets that IPsec has enciphered (ESP): left out": 1}
    yield "GTP", pcap([(0, echo)]), (), {SEGMENTS: 0, "GTP messages that carry no packet of a user": 1}
    yield "cut headers", pcap(some, snap=39), (), {
        SEGMENTS: 0, "frames of which the snap length left no complete IP or TCP header": 10,
        "packets that the snap length has cut: read as far as they go": 10}
    yield "cut options", pcap(Talk().setup(options=mss(1460) + SACK_PERMITTED).frames, snap=40), (), {
        SEGMENTS: 3, "TCP segments of which the snap length cut the options: a flow whose SYN is cut is in no cluster": 2,
        "packets that the snap length has cut: read as far as they go": 2}
    yield "lengths", pcap([*some, (4, first_octets(unsummed(some[0][1]), _3=200))]), (), {
        SEGMENTS: 10, "frames with lengths or versions that contradict each other": 1}
    yield "IP's checksum", pcap([*some, (4, first_octets(some[0][1], _10=some[0][1][10] ^ 1))]), (), {
        SEGMENTS: 10, "IPv4 packets with a wrong header checksum: left out as a router would; --take-bad-checksums takes them": 1}
    yield "TCP's checksum", pcap(broken(some, 6)), (), {
        SEGMENTS: 9, "TCP segments with a wrong checksum: left out as a receiver would; --take-bad-checksums takes them": 1}
    yield "an end host's checksums", pcap([frame for number in range(len(some)) for frame in [broken(some, number)[number]]]), (), {
        SEGMENTS: 10, "packets with a wrong checksum that were taken, for the other ends acknowledge such: the capturing host's card writes "
        "checksums, or the file was rewritten": 10}
    yield "TCP's checksum, taken", pcap(broken(some, 6)), ("--take-bad-checksums",), {SEGMENTS: 10}
    yield "hardware's checksum", pcap(left_to_hardware(some, 5)), (), {
        SEGMENTS: 10, "TCP segments whose checksum was left to hardware: taken": 1}
    yield "copies", pcap([frame for time, packet in some for frame in ((time, packet), (time + 0.0001, packet))]), (), {
        SEGMENTS: 10, "segments that the capture has twice (same identification, sequence and length): the second is left out": 10}
    yield "tunnels", pcap(moved), (), {
        SEGMENTS: 10, "packets taken out of GTP-U": 10,
        "times that a user's packets came in another tunnel than before: it has another context or SGSN now, or several users "
        "have one address; the figures of background, rate and throughput of those are mixed": 1}
    yield "unknown tunnels", pcap([(0, gtp(name, 5)), *((time + 1, gtp(packet, 77)) for time, packet in some)]), ("--users", "teid"), {
        SEGMENTS: 10, "packets of other protocols than TCP: background traffic of their user": 1, "packets taken out of GTP-U": 11,
        "packets of other protocols than TCP in a tunnel that is not known yet to be a user's: background of nobody": 1}
    yield "a small step back", pcap([*some[:4], (some[4][0] - 0.3, some[4][1]), *some[5:]]), (), {
        SEGMENTS: 10, "frames that are less than a second older than one before them: put in their place": 1}
    yield "a step back that comes too late", pcap([*some, *((4, name) for _ in range(1025)), (3.9, name), *((5, name) for _ in range(1025))]), (), {
        SEGMENTS: 10, "packets of other protocols than TCP: background traffic of their user": 2051,
        "frames as old that come too late for that, behind more than 1024 others: taken as of the time before; their flow has no figures": 1}
    yield "a jump back", pcap(back), (), {
        SEGMENTS: 10, "times at which the clock of the capture went back by a second or more: flows that live then, and are neither closed "
        "nor reset, have no figures": 1,
        "flows that lived when the clock of the capture went back: no figures": 1,
        "flows with ACKs for octets that the capture has not: no figures of loss, rate and throughput": 1}
    yield "a gap", pcap(late), (), {
        SEGMENTS: 13, "times without a frame for more than an hour: flows that wait so long end there": 1}
    yield "many flows", pcap(early), ("--flows", "4"), {
        SEGMENTS: 30, "flows that were written out before their end, for there were more than --flows at once": 6}
    alike = [(i / 100, gtp(packet, 1000 + i, down=False)) for i in range(70) for _, packet in Talk(own=i * 10**7).setup().frames[:1]]
    yield "many flows between the same ends", pcap(alike), ("--users", "teid"), {
        SEGMENTS: 70, "packets taken out of GTP-U": 70,
        "flows that were written out before their end, for more than 64 users had one between the same ends at once": 6}
    yield "many addresses", pcap([(i / 10, udp((f"10.1.{i >> 8}.{i & 255}", 53), (HOST, 53), bytes(20))) for i in range(500)]), ("--flows", "10"), {
        SEGMENTS: 0, "packets of other protocols than TCP: background traffic of their user": 500,
        "addresses without a flow that were forgotten before they were silent for a minute, for there were more than three times "
        "--flows: their traffic may miss as background": 501 - 62}
    yield "far", pcap(many_far()), (), {
        SEGMENTS: 5, "segments with a sequence number far from the others of their flow: left out; their flow has no figures of loss, "
        "rate and throughput": 1}
    yield "large", large(), (), {
        SEGMENTS: 5, "segments of more than 65535 octets, as a host puts them together (BIG TCP): left out; their flow has no figures of "
        "loss, rate and throughput": 1, "packets that the snap length has cut: read as far as they go": 1}
    yield "too many in flight", pcap(many_forgotten()), (), {
        SEGMENTS: 4204, "segments that were forgotten before they were acknowledged, for there were too many: their flow has no "
        "figures of loss": 1}
    yield "one way", pcap(one_side), (), {
        SEGMENTS: 5, "flows of which nothing came from one of the ends, or no SYN-ACK of one that goes on: no figures": 1}
    yield "not all captured", pcap(unsaid), (), {
        SEGMENTS: 7, "flows with ACKs for octets that the capture has not: no figures of loss, rate and throughput": 1}
    yield "no stamp", stamped(some, 4, microseconds=2000000), (), {
        SEGMENTS: 10, "packets whose time stamp is none: the time of the packet before is taken": 1}
    yield "no length", stamped(some, 4, length=30), (), {
        SEGMENTS: 9, "frames with lengths or versions that contradict each other": 1,
        "packets with less octets on the wire than in the file, or more than 262144: as many as fit are taken": 1}
    yield "IP's checksum left to hardware", pcap([(time, unsummed(packet)) for time, packet in some]), (), {
        SEGMENTS: 10, "packets without an IPv4 header checksum, left to hardware: taken": 10}


@case("each thing that can be wrong with a capture has its line in the footer, and nothing else has one")
def footers():
    shown = set()
    for what, octets, options, wanted in some_footers():
        counts, ends = footer(octets, options=options)
        same((counts, ends), (wanted, []), what)
        shown |= {text for text, n in counts.items() if n}
    same(sorted(shown), sorted([*texts("captures/gi/gi_counts.def", r"(?:FATE|NOTE)"), *texts("captures/read/capture_counts.def", "CAPTURE_COUNT",
         r"cut|ip_checksum_offloaded|stamp_impossible|length_impossible|unread_esp")]), "all lines there are")


@case("a capture without TCP is status 1: what was read in its place, and what to do; the outputs are written")
def nothing():
    words = {"elsewhere": "give --mobiles", "no IP": "an interface that carries IP", "wrapped": "in the clear", "GTP": "UDP port 2152", "cut headers": "greater snap length",
             "many addresses": "Gb is for sluice audit"}
    some = frames_of_some()
    syns = [(0, Talk(own=i).setup().frames[0][1]) for i in range(10)]
    bad = pcap([broken(syns, number)[number] for number in range(10)])
    wrong = pcap([(time, first_octets(packet, _10=packet[10] ^ 1)) for time, packet in syns])
    cases = [row[1:] + (words.get(row[0]),) for row in some_footers() if row[3][SEGMENTS] == 0]
    same(len(cases), len(words), "captures without TCP")
    for octets, options, counts, advice in [*cases, (bad, (), {next(iter(texts("captures/gi/gi_counts.def", "FATE", "tcp_checksum"))): 10}, "--take-bad-checksums"),
                                            (wrong, (), {next(iter(texts("captures/gi/gi_counts.def", "FATE", "ip_checksum"))): 10}, "--take-bad-checksums")]:
        path = saved(octets)
        page, report = path.with_suffix(".html"), path.with_suffix(".json")
        done = sluice("gi", path, *options, "--page", page, "--json", report)
        first, *rows, last = done.stderr.splitlines()
        frames = json.loads(report.read_text())["counts"]["frames"]
        same((done.returncode, first), (1, f"sluice gi: no TCP was read, so nothing was measured: {frames} frames, of which:"), "status and words")
        fates = texts("captures/gi/gi_counts.def", "FATE")
        same(rows, [f"{counts[text]:12}  {text}" for text in fates if counts.get(text)], "what was read")
        right(last.startswith("sluice gi: ") and advice in last, f"what to do: {last}")
        right("No TCP was read" in page.read_text(), "the page")
        same(sluice("gi", saved(pcap(some)), path, *options).returncode, int("--mobiles" in options), "status beside a capture with TCP")
    done = sluice("gi", saved(pcap([])))
    same((done.returncode, done.stderr), (1, "sluice gi: no TCP was read, so nothing was measured: 0 frames\n"), "no frame")


def texts(path, macro, names=r"\w+"):
    listed = re.findall(rf'^{macro}\((?:{names}), "(.*)"\)$', (ROOT / "lab" / path).read_text(), re.MULTILINE)
    right(listed, path)
    return listed


# --- Files ----------------------------------------------------------------------------------------


@case("how a file ends that breaks off or is damaged, in the footer; the frames before count")
def ends():
    octets = pcap(frames_of_some())
    same(footer(octets[:-1]), ({SEGMENTS: 9}, ["after 9 frames: truncated: 55 octets are left of a packet's 56"]), "octets")
    same(footer(octets[:-50]), ({SEGMENTS: 9}, ["after 9 frames: truncated: 6 octets are left of a packet's 16"]), "a header")
    damaged = stamped(frames_of_some(), 6, captured=0x7FFFFFFF)
    same(footer(damaged), ({SEGMENTS: 6}, ["after 6 frames: a packet of 2147483647 octets, more than there can be: damaged"]), "a length")
    some, other = frames_of_some(), {"order": ">"}
    again = pcap(some[:6], **other) + struct.pack(">IIII", 9, 0, 0x7FFFFFFF, 0x7FFFFFFF) + pcap(some, **other)[24:]
    same(footer(again)[0], {SEGMENTS: 6}, "in the other order of octets, with packets behind it")
    same(footer(octets, octets[:-1], octets)[1], ["after 9 frames: truncated: 55 octets are left of a packet's 56"], "of several")


@case("a stamp that is none has the time of the packet before, also of the file before; none is beyond the year 2262")
def stamps():
    some, later = frames_of_some(), 9223372032
    wanted = figures(read(pcap([*some[:5], (some[4][0], some[5][1]), *some[6:]])))
    same(figures(read(pcap(some[:5]), stamped(some[5:], 0, microseconds=2000000))), wanted, "of the second file")
    octets = bytearray(pcap(some[5:], order=">"))
    octets[28:32] = struct.pack(">I", 2000000000)
    same(figures(read(pcapng(some[:5]), bytes(octets))), wanted, "of the second file")
    report = read(pcapng([(later + time, packet) for time, packet in some]))
    same((report["packets"]["stamp_impossible"], report["flows"][0]["begin_s"]), (0, later), "in the last second, 3.5 s later")
    same(read(pcapng([(later + 1 + time, packet) for time, packet in some]))["packets"]["stamp_impossible"], 2, "a second later")


@case("a capture that is cut: the flows before, and a line about it")
def truncated():
    octets = pcap(frames_of_some())
    first = 24 + 16 + len(frames_of_some()[0][1])
    for end in sorted({24, first - 1, first, *range(24, len(octets), 31 if has_sanitizers() else 7)}):
        report = read(octets[:end], status=0 if end >= first else 1)
        whole = sum(1 for file in report["files"] if file["fault"])
        same(report["counts"]["frames"], report["files"][0]["frames"], "frames")
        right(whole == 1 or end >= 24, f"{end} octets: {report['files']}")
    report = read(octets[:-1])
    right("trunc" in report["files"][0]["fault"], report["files"])
    done = sluice("gi", saved(octets[:-1]))
    right("ends after 9 frames: trunc" in done.stdout, done.stdout)


def interleaved(frames):
    """pcapng of two interfaces, raw IP and Ethernet, of other snap lengths: each second packet is of the other."""
    first, second = pcapng([], RAW), pcapng([], ETHERNET)
    section = struct.unpack_from("<I", first, 4)[0]
    out = [first, second[section:]]
    for i, one in enumerate(frames):
        block = bytearray(pcapng([one], (RAW, ETHERNET)[i % 2])[len(first):])
        struct.pack_into("<I", block, 8, i % 2)
        out.append(bytes(block))
    struct.pack_into("<I", whole := bytearray(b"".join(out)), section + 12, 70000)
    return bytes(whole)


@case("pcapng with interfaces of other link types and snap lengths, gzip: as a plain file of one")
def interfaces():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    same(figures(read(interleaved(frames))), wanted, "two interfaces")
    same(figures(read(gzip.compress(pcap(frames)))), wanted, "gzip")
    same(figures(read(gzip.compress(interleaved(frames)))), wanted, "both")
    fields = subprocess.run(["tshark", "-r", saved(interleaved(frames)), "-T", "fields", "-e", "frame.interface_id",
                             "-e", "ip.src"], capture_output=True, text=True, check=True).stdout.split("\n")
    same([line.split("\t")[0] for line in fields if line], [str(i % 2) for i in range(len(frames))], "tshark's interfaces")


@case("no capture, none there, a link that is not read: named, exit status 1; the other files are read")
def unreadable():
    good = saved(pcap(frames_of_some()))
    for bad, why in ((saved(b"hello, this is no capture"), "no capture: it begins with 68656c6c"), (good.parent / "none", "No such file"),
                     (saved(pcap([], link=147)), "link type 147 is not read")):
        done = sluice("gi", bad, good)
        same(done.returncode, 1, "exit status")
        right(f"{bad}: " in done.stderr and why in done.stderr and done.stdout.startswith("1 flows"), done.stderr)
    same(sluice("gi").returncode, 2, "exit status without a file")
    for options in (("--mobiles", "10.0.0.0/33"), ("--mobiles", "x"), ("--zone", "2"), ("--idle", "0"), ("--idle", "4001")):
        same(sluice("gi", good, *options).returncode, 2, f"exit status of {options}")


@case("no file that is a capture: a line each, no tables, and what an earlier run wrote stays as it was")
def no_capture():
    page = new_folder() / "x.html"
    page.write_text("as it was")
    octets = pcap(frames_of_some())
    cases = [(b"hello, this is no capture", "no capture: it begins with 68656c6c, which neither pcap nor pcapng does"),
             (b"", "no capture: it is empty"), (pcap([], link=147), "link type 147 is not read"),
             *((octets[:end], "truncated: ") for end in range(4, 24))]
    for names in ([one] for one in cases):
        done = sluice("gi", saved(names[0][0]), "--page", page, "--csv", page.parent / "x.csv")
        same((done.returncode, done.stdout, page.read_text(), (page.parent / "x.csv").exists()), (1, "", "as it was", False), "exit status, report, page")
        right(done.stderr.count("\n") == 1 and names[0][1] in done.stderr, done.stderr)
        piped = subprocess.run([program(), "gi", "-"], input=names[0][0], capture_output=True, check=False)
        same((piped.returncode, piped.stdout, piped.stderr.count(b"\n")), (1, b"", 1), f"standard input, {piped.stderr}")
    done = sluice("gi", *(saved(octets) for octets, _ in cases[:3]))
    same((done.returncode, done.stdout, [line.split(": ", 2)[2][:10] for line in done.stderr.splitlines()]),
         (1, "", [why[:10] for _, why in cases[:3]]), "three of them")


@case("captures none of which is there: named, and what an earlier run wrote stays as it was")
def none_there():
    page = new_folder() / "x.html"
    page.write_text("as it was")
    names = [page.parent / "a.pcap", page.parent / "b.pcap"]
    done = sluice("gi", *names, "--page", page)
    same((done.returncode, done.stdout, page.read_text()), (1, "", "as it was"), "exit status, report, page")
    same(done.stderr.splitlines(), [f"sluice gi: {name}: No such file or directory" for name in names], "stderr")


@case("names of files are printable on the terminal")
def names():
    path = saved(pcap(frames_of_some())[:-5])
    path = path.rename(path.parent / "a\x1b[31m\n\x07.pcap")
    done = sluice("gi", path)
    right(re.fullmatch(r"[\n -~]*", done.stdout + done.stderr), done.stderr)
    right("a?[31m??.pcap ends after" in done.stdout and "a?[31m??.pcap: " in done.stderr, done.stdout)


@case("two outputs that are one are refused before anything is opened; a device may be several")
def two_in_one():
    path = saved(pcap(frames_of_some()))
    kept, linked = path.parent / "kept", path.parent / "linked"
    kept.write_text("as it was")
    linked.hardlink_to(kept)
    for one, other in (("x", "x"), ("-", "-"), (kept, linked), (kept, kept)):
        done = sluice("gi", path, "--csv", one, "--json", other, cwd=path.parent)
        same((done.returncode, done.stdout), (2, ""), f"{one} and {other}")
        right(f"sluice gi: {other}: two outputs cannot be one" in done.stderr, done.stderr)
    same((kept.read_text(), (path.parent / "x").exists()), ("as it was", False), "files")
    for words in (("--csv", "/dev/null", "--losses", "/dev/null"), ("--csv", "-", "--losses", "x")):
        same(sluice("gi", path, *words, cwd=path.parent).returncode, 0, f"exit status with {words}")


@case("an output that is one of the inputs, by any name, is refused before anything is opened; the files stay as they are")
def kept():
    path = saved(pcap(frames_of_some()))
    linked, other = path.parent / "linked.pcap", saved(pcap(frames_of_some()[:4]))
    linked.hardlink_to(path)
    before = path.read_bytes(), other.read_bytes()
    for option in ("--csv", "--json", "--page", "--losses"):
        for output in (path, linked, f"{path.parent}/../{path.parent.name}/{path.name}"):
            done = sluice("gi", other, path, option, output)
            same((done.returncode, path.read_bytes(), other.read_bytes()), (2, *before), f"{option} {output}")
            right(f"{output}: is read, so it is not written" in done.stderr, done.stderr)
    with path.open("rb") as file:
        same(subprocess.run([program(), "gi", "-", "--csv", path], stdin=file, check=False, capture_output=True).returncode, 2, "of stdin")
    report = path.parent / "x.json"
    same(sluice("gi", path, "--json", report).returncode, 0, "a report")
    octets = report.read_bytes()
    same((sluice("gi", "--compare", report, report, "--page", report).returncode, report.read_bytes()), (2, octets), "--compare")
    same((path.read_bytes(), sluice("gi", "/dev/null", "--csv", "/dev/null").returncode), (before[0], 1), "no file that has octets")


@case("ended by SIGINT while nothing comes: what there is until then, said to be interrupted, exit status 1")
def interrupted():
    for octets in pcap(frames_of_some()), pcap([]):
        interrupted_behind(octets)


def interrupted_behind(octets):
    path = new_folder() / "x.json"
    process = subprocess.Popen([program(), "gi", "-", "--json", path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(octets)
    process.stdin.flush()
    left, deadline = array.array("i", [1]), time.monotonic() + WAIT_S
    while left[0]:  # until it has read all that is in the pipe
        right(time.monotonic() < deadline, "it does not read")
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=WAIT_S)  # its input stays open
    finally:
        process.stdin.close()
    report = json.loads(path.read_text(encoding="utf-8"))
    same((process.returncode, report["files"][0]["fault"]), (1, "interrupted"), "exit status and fault")


# --- Figures that are left out ---------------------------------------------------------------------


@case("a snap length that cuts the options: no SACK, no timestamps, no cluster is claimed; counted")
def snapped():
    talk = Talk().setup(0, 0.1, 0.4, options=mss(1460) + SACK_PERMITTED).data(1, 1).ack(1.6, 1001)
    report = read(pcap(talk.frames, snap=40))
    has(report["flows"][0], sack=None, timestamps=None, setup_s=0.5, down_data_octets=1000, rtt_gprs_samples=2)
    same(report["counts"]["options_cut"], 2, "options_cut")
    other = Talk(user=("10.0.0.2", 9), own=7).setup(20)
    report = read(pcap(talk.frames + other.frames, snap=40))
    has(report["flows"][1], sack=False, timestamps=False, window=16384)
    for row, flows, of in (("set up", 2, 2), ("SACK", 0, 1), ("timestamps", 0, 1), ("window low, below 10 kB", 0, 1),
                           ("window medium", 1, 1), ("window high, above 20 kB", 0, 1), ("MSS low, 400 to 600", 0, 2)):
        found = table(report, "options", row)
        same((found["flows"], found["of"], found["share"]), (flows, of, flows / of), row)
    found = table(read(pcap(talk.frames, snap=40)), "options", "SACK")
    same((found["flows"], found["of"], found["share"]), (0, 0, None), "no flow whose SYNs are whole")
    report = read(pcap(talk.frames, snap=39))
    same((report["flows"], report["counts"]["cut"]), ([], 5), "without a whole TCP header")


@case("one direction: counted as such; no figure is made of it")
def one_way():
    frames = begun().data(1, 1).data(2, 1001).ack(1.7, 1001).data(3, 1001).ack(4, 2001).frames
    for side in (USER, HOST):
        packed = bytes(int(part) for part in side.split("."))
        half = [frame for frame in frames if frame[1][12:16] == packed]
        report = read(pcap(half))
        has(report["flows"][0], outcome="one-way", setup_s=None, down_lost_gprs=None, channel_rate_bit_per_s=None, throughput_bit_per_s=None)
        same(table(report, "tree", "all")["flows"], 0, "flows in the tree")


@case("ACKs of what has not passed: this capture lost packets, and the flow has no figures of loss")
def unseen():
    talk = begun().data(1, 1).ack(1.6, 3001).data(2, 3001).ack(2.6, 4001)
    has(flow_of(talk.frames), down_unseen=1, down_lost_gprs=None, bottleneck="")


@case("ACKs that pass over a hole: the receiver has what is missing here, so this capture lost it; none if the hole was filled")
def unseen_hole():
    talk = begun().data(1, 1).data(1.01, 2001).ack(1.6, 1001).data(1.7, 3001).ack(2.3, 3001).ack(2.4, 4001)
    has(flow_of(talk.frames), down_unseen=1, down_lost_gprs=None, down_lost_internet=None, throughput_bit_per_s=None, bottleneck="",
        rtt_gprs_samples=4)
    # A part of a segment behind the hole is acknowledged.
    has(flow_of(begun().data(1, 1).data(1.01, 2001).ack(1.6, 2501).ack(1.7, 3001).frames), down_unseen=1)
    # Lost before here, and filled; acknowledged in parts; and up.
    talk = begun().data(1, 1).data(1.01, 2001).ack(1.6, 1001).ack(1.7, 1001).data(2.2, 1001).ack(2.9, 1501).ack(3, 2501).ack(3.1, 3001)
    has(flow_of(talk.frames), down_unseen=0, down_lost_internet=1)
    talk = begun().add(1, "up", ACK, 1, 1, 100).add(1.1, "up", ACK, 201, 1, 100).add(1.3, "down", ACK, 1, 301)
    report = read(pcap(talk.frames))
    has(report["flows"][0], up_lost_gprs=None, down_lost_gprs=0)
    same(report["counts"]["unseen"], 1, "unseen")


@case("segments far from the row, or larger than a record: the flow has no figures of loss, rate and throughput")
def left_out():
    none = {"down_lost_gprs": None, "down_lost_internet": None, "throughput_bit_per_s": None, "channel_rate_bit_per_s": None,
            "bottleneck": ""}
    talk = Talk().data(1, 3 << 30)
    for i in range(10):
        talk.data(2 + i, 1 + 1000 * i).ack(2.5 + i, 1001 + 1000 * i)
    report = read(pcap(talk.frames))
    has(report["flows"][0], **none)
    same((report["counts"]["far_segments"], report["counts"]["unseen"]), (10, 0), "far")
    has(flow_of(begun().data(1, 1).ack(1.5, 1001).data(2, 1001).ack(2.5, 2001).frames), down_lost_gprs=0, throughput_bit_per_s=8320)
    report = read(large())
    has(report["flows"][0], **none)
    same((report["counts"]["large_segments"], report["counts"]["unseen"]), (1, 0), "large")


@case("a segment that comes again between others, beside another flow: no octets are taken back from what has passed")
def late_beside_another():
    own = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).data(2.01, 2001).data(2.05, 3001).data(2.06, 1001)
    own.ack(2.6, 3001).ack(2.7, 4001).data(3, 4001).ack(3.5, 5001)
    other = Talk(user=(USER, 40001)).setup(0.1)
    for i in range(20):
        other.data(2.02 + i / 1000, 1 + 1000 * i)
    flow = next(flow for flow in read(pcap(merged(own, other)))["flows"] if flow["user_port"] == 40000)
    # in 2 s 5 segments of this flow and 20 of the other, less the one that was lost
    right(flow["throughput_bit_per_s"] <= 25 * 1040 * 8 / 2 and flow["share"] < 0.5, f"{flow['throughput_bit_per_s']}, {flow['share']}")


@case("the clock goes back by more than a second: all flows end without figures; a gap is told")
def clock():
    frames = frames_of_some()
    report = read(pcap(frames[:5] + [(time + 100, packet) for time, packet in frames[5:7]] + [(time, packet) for time, packet in frames[7:]]))
    same(report["counts"]["clock_jumps"], 1, "clock_jumps")
    same([flow["outcome"] for flow in report["flows"]], ["clock", "no-syn"], "outcomes")
    has(report["flows"][0], setup_s=None, down_lost_gprs=None, throughput_bit_per_s=None)
    report = read(pcap([*frames, *((time + 8000, packet) for time, packet in Talk(own=9).setup().frames)]))
    same((report["counts"]["gaps"], len(report["flows"])), (1, 2), "a gap")


@case("a tunnel's datagram in fragments: the first has the inner headers, and is enough")
def outer_fragments():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    at, outer = frames[5][0], gtp(frames[5][1], 77)
    first = outer[:2] + struct.pack(">HHH", 800, 9, 0x2000) + outer[8:10] + bytes(2) + outer[12:800]
    second = outer[:2] + struct.pack(">HHH", len(outer) - 780, 9, 97) + outer[8:10] + bytes(2) + outer[12:20] + outer[796:]
    tunnelled = [(at_s, gtp(packet, 77)) for at_s, packet in frames]
    report = read(pcap([*tunnelled[:5], (at, first), (at, second), *tunnelled[6:]]))
    same((figures(report), report["counts"]["fragments"]), (wanted, 1), "flows, and fragments")


@case("a packet that the capture has twice counts once")
def copies():
    frames = frames_of_some()
    doubled = [frame for time, packet in frames for frame in ((time, packet), (time + 0.0001, packet))]
    report = read(pcap(doubled))
    same((report["counts"]["copies"], figures(report)[0]["down_resent_packets"]), (len(frames), 1), "copies")
    for more, n in (({}, 1), ({"ack": 2}, 0), ({"identification": 8}, 0), ({"octets": 999}, 0)):  # the other has all of it, or not
        one = {"octets": 1000, "ack": 1, "identification": 7}
        talk = Talk().setup().data(1, 1, **one).data(1.001, 1, **{**one, **more})
        same(read(pcap(talk.frames))["counts"]["copies"], n, f"copies, if the second has {more}")


# --- At random ------------------------------------------------------------------------------------


def mutated(random_, octets):
    octets = bytearray(octets)
    for _ in range(random_.choice((1, 1, 3, 20))):
        octets[random_.randrange(24 if random_.random() < 0.9 else 0, len(octets))] = random_.randrange(256)
    return bytes(octets)


@case("octets at random: it ends with 0 or 1, and every frame has a fate")
def random_octets():
    random_ = random.Random(1)
    kinds = [pcap(frames_of_some()), pcapng(frames_of_some()),
             pcap([(time, gtp(packet, 1, 1, bytes((1, 1, 2, 0)))) for time, packet in frames_of_some()], ETHERNET)]
    for i in range(often(30, 120)):  # gi_fuzz has them, too
        path = saved(mutated(random_, kinds[i % len(kinds)]))
        done = sluice("gi", path, "--json", "-", *(("--take-bad-checksums",) if i % 2 else ()))
        right(done.returncode in (0, 1), f"exit status {done.returncode}: {done.stderr}")
        report = json.loads(done.stdout)
        same(sum(report["counts"][name] for name in FATES), report["counts"]["frames"], "fates")


# --- A million packets ----------------------------------------------------------------------------

MILLION = often(20_000, 1_000_000)
FILE_FRAMES = 100_000


def frames_of(path):
    """(link, [(captured octets)]) of a pcap file with all of its packets whole."""
    octets, at, found = path.read_bytes(), 24, []
    while at < len(octets):
        n = struct.unpack_from("<I", octets, at + 8)[0]
        found.append(octets[at + 16:at + 16 + n])
        at += 16 + n
    return struct.unpack_from("<I", octets, 20)[0], found


def changed(random_, octets):
    """One to eight octets of it are others, most of them in the headers; some are cut."""
    octets = bytearray(octets)
    for _ in range(1 + random_.getrandbits(3)):
        octets[int(random_.random() * min(len(octets), 120))] = random_.getrandbits(8)
    cut = random_.getrandbits(8)
    return octets[:cut] if cut < len(octets) and cut > 128 else octets


def file_of(random_, link, packets, n):
    out, time_us = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)], 10**15
    while len(out) <= n:
        whole = packets[len(out) % len(packets)]
        octets = changed(random_, whole)
        time_us += random_.getrandbits(14) - (random_.random() < 1e-4) * 3 * 10**6
        out.append(struct.pack("<IIII", time_us // 10**6, time_us % 10**6, len(octets), len(whole)) + octets)
        if random_.random() < 0.01 and len(out) < n:
            out[-1] = struct.pack("<IIII", time_us // 10**6, time_us % 10**6, len(whole), len(whole)) + whole
            out.append(out[-1])
    return b"".join(out)


@case("a million packets of real captures, each changed at random: each has one fate, by each way of telling users apart")
def a_million():
    results = run(ROOT / "config/quickstart.lua", "--pcap")
    fates, seen = texts("captures/gi/gi_counts.def", "FATE"), collections.Counter()
    sources = [frames_of(results.out / f"{name}.pcap") for name in ("gn", "gi", "gb")]
    random_ = random.Random(19)
    ways = ((), ("--users", "teid"), ("--take-bad-checksums",), ("--mobiles", "10.0.0.0/30", "--take-bad-checksums", "--users", "teid"))
    for number in range(MILLION // FILE_FRAMES or 1):
        n = min(MILLION, FILE_FRAMES)
        path = saved(file_of(random_, *sources[number % 5 % 3], n))
        done = sluice("gi", path, *ways[number % len(ways)])
        same((done.returncode, done.stderr), (0, ""), f"file {number}")
        listed = re.findall(r"^ *(\d+)  (.*)$", done.stdout.partition(" frames, of which:\n")[2], re.MULTILINE)
        one = collections.Counter({text: int(count) for count, text in listed})
        same(sum(one[fate] for fate in fates), n, f"file {number}: fates")
        right(f"\n{n} frames, of which:" in done.stdout, f"file {number}: {done.stdout[-3000:]}")
        seen.update(one)
        path.unlink()
    if MILLION > FILE_FRAMES:
        same([fate for fate in fates if seen[fate] == 0 and not fate.startswith("frames without IP")], [], "fates that no packet had")


main()
