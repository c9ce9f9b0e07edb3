"""The SGSN in virtual time, and the network around it, which is this process.

How to
    with World(CONFIG) as world:                  # Lua text, or a pathlib.Path; CONFIG below helps
        bss = Bss(world, ...)                     # bss.py; takes what comes for its addresses
        world.run(5 * S)                          # lets 5 s pass, answers and timers in between
        world.at(world.now_ns + 3 * MS, f, a)     # f(a) in 3 ms
        pdu = bss.expect("ns_alive", within=3 * S)
        world.down(world.teid(TLLI), npdu("10.0.0.1"))     # a G-PDU from the GGSN
        world.stats()["gb"]["rx_packets"]; world.counts()["what"]["fault"]; world.log()
        good, text = world.ctl("bvc 101 2")           # sluice ctl; world.reload(TEXT) of the file
        world.lua("return #require('sluice.core.network').nse")   # what cannot be seen on the wire
    leaving the block ends the program and fails if it lost a packet or a buffer, or if a handler, a
    timer or a request of control failed.

Time is in ns everywhere and stands still while Python computes. The program stops at every instant
at which it sent something, so an answer reaches it at that very instant, or as much later as
whoever answers says. `world.frames` keeps every frame of both directions: world.write_pcap(path).

GB_WORLD names the program, such as build/release/tests/control/gb_world.
"""

import heapq
import itertools
import os
import pathlib
import subprocess
import sys
from collections import namedtuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import frames as wire  # noqa: E402
from harness import Failure, case, main, new_folder, right, same, settings  # noqa: E402, F401

NS, US, MS, S = 1, 10**3, 10**6, 10**9
NEVER = 2**64 - 1
AT_ONE_INSTANT_MAX = 20000  # times that the program may stop before time goes on

GN, GB = "192.0.2.1", "198.51.100.1"
GN_MAC, GB_MAC = "02:53:4c:00:00:01", "02:53:4c:00:00:02"
GGSN = "192.0.2.2"
GTPU_PORT, NS_PORT = 2152, 23000

# What most worlds begin with.
HEAD = f"""
run {{ name = "gb", clock = "virtual", duration = "1 s" }}
gn {{ device = "net_ring", address = "{GN}", address6 = "2001:db8::1", mac = "{GN_MAC}" }}
gb {{ device = "net_ring", address = "{GB}", address6 = "2001:db8:1::1", mac = "{GB_MAC}" }}
ggsn {{ name = "ggsn", address = "{GGSN}", mac = "{wire.mac_of(GGSN).hex(':')}" }}
"""

Frame = namedtuple("Frame", "time_ns side to_us octets")
Tunnel = namedtuple("Tunnel", "nse_id tlli nsapi teid pdp_id")


def as_offered(text):
    """All of Bmax is used, for what is about the Bmax that a BSS says."""
    return text.replace("gb {", 'gb { cell_delay = "0 s", ms_delay = "0 s", pfc_delay = "0 s",')


def nsvc(nsvci, peer, **more):
    """The text of an NS-VC of the file; its Ethernet address is what this network answers with."""
    keys = {"nsvci": nsvci, "peer": f'"{peer}"', "peer_port": NS_PORT,
            "peer_mac": f'"{wire.mac_of(peer).hex(":")}"', **more}
    return "nsvc { " + ", ".join(f"{key} = {value}" for key, value in keys.items()) + " }"


def ms(imsi, tlli, *, count=1, more="", address="10.0.0.1", ggsn_teid=0x1000,
       pdp_class="background", pdp_more=""):
    """The text of `count` MSs, each with one PDP context on NSAPI 5."""
    return (f'ms {{ imsi = "{imsi}", tlli = {tlli:#x}, count = {count}, {more} '
            f'pdp {{ nsapi = 5, class = "{pdp_class}", address = "{address}", ggsn = "ggsn", '
            f'ggsn_teid = {ggsn_teid}, {pdp_more} }} }}')


class World:
    def __init__(self, config, *sets, workers=None, words=()):
        program = os.environ.get("GB_WORLD") or sys.exit(
            "GB_WORLD is not set: it names the program of tests/control/gb_world.c")
        self.folder = new_folder()
        if not isinstance(config, pathlib.Path):
            path = self.folder / "world.lua"
            path.write_text(config)
            config = path
        self.config = config
        if workers:
            sets = (*sets, f"run.workers={workers}")
        self.errors = self.folder / "stderr"
        self.process = subprocess.Popen(
            [program, *settings(sets), *words, config], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.errors.open("wb"), encoding="utf-8", cwd=self.folder)
        self.begin()
        try:
            self.answer()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def begin(self):
        self.now_ns = 0
        self.queue, self.sequence = [], itertools.count()
        self.receivers = {}  # (address, UDP port) -> function of a datagram
        self.mute = set()  # addresses for which nobody answers
        self.strangers = []  # datagrams for endpoints that nobody plays
        self.tpdus = []  # what came out on Gn: (time_ns, wire.Datagram)
        self.frames = []
        self.stopped = 0
        self.worker = 0  # whose queue the next frame comes to

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            self.process.communicate()
        else:
            self.end()

    def end(self):
        """Nothing may have failed, nothing may have been lost."""
        what = self.counts()["what"]
        self.process.communicate()
        same((what["fault"], what["other_faults"]), (0, 0),
             f"faults\n{self.log()[-2000:]}\nfaults")
        same(self.process.returncode, 0, f"gb_world's exit status\n{self.log()}\nexit status")

    def log(self):
        """What the program has said on stderr so far."""
        return self.errors.read_text(errors="replace")

    def log_lines(self, *words):
        """Its lines that have all of these words."""
        return [line for line in self.log().splitlines() if all(word in line for word in words)]

    # ---- The pipe ----

    def answer(self):
        """The lines up to `ok`, split into words, then the words behind it."""
        lines = []
        for line in self.process.stdout:
            words = line.rstrip("\n").split(" ", 4)
            if words[0] == "ok":
                return lines, words[1:]
            if words[0] == "error":
                raise Failure(f"gb_world: {line}{self.log()}")
            lines.append(words)
        raise Failure(f"gb_world ended: status {self.process.wait()}\n{self.log()}")

    def tell(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")

    def ask(self, *words):
        self.tell(*words)
        self.process.stdin.flush()
        return self.answer()

    # ---- Time ----

    def at(self, time_ns, function, *arguments):
        """Calls it when time has come there; what is due at one instant keeps its order."""
        entry = (max(time_ns, self.now_ns), next(self.sequence), function, arguments)
        heapq.heappush(self.queue, entry)

    def run(self, ns):
        self.run_until(self.now_ns + ns)

    def run_until(self, end_ns, done=lambda: False):
        """Until then, or until done() says so; it is asked after every step."""
        while not done():
            while self.queue and self.queue[0][0] <= self.now_ns:
                _, _, function, arguments = heapq.heappop(self.queue)
                function(*arguments)
            due_ns = min(self.queue[0][0] if self.queue else NEVER, end_ns)
            came = self.step(due_ns)
            if not came and self.now_ns >= end_ns and \
                    not (self.queue and self.queue[0][0] <= end_ns):
                return

    def step(self, until_ns):
        """Goes on to then, or to the next instant at which frames come out; whether some did."""
        lines, (now_ns, _) = self.ask("until", until_ns)
        self.stopped = self.stopped + 1 if int(now_ns) == self.now_ns else 0
        right(self.stopped < AT_ONE_INSTANT_MAX, f"time stands still at {now_ns} ns")
        self.now_ns = int(now_ns)
        for _, side, _, _, octets in lines:
            self.take(side, bytes.fromhex(octets))
        return bool(lines)

    # ---- Frames ----

    def take(self, side, octets):
        self.frames.append(Frame(self.now_ns, side, False, octets))
        reply = wire.answer_arp(octets) or wire.answer_solicitation(octets)
        if reply and wire.asked_for(octets) in self.mute:
            return
        if reply:
            self.put(side, reply)
            return
        datagram = wire.read_udp(octets)
        if not datagram:
            return
        if side == "gn":
            self.tpdus.append((self.now_ns, datagram))
        receiver = self.receivers.get((datagram.destination, datagram.destination_port))
        if receiver:
            receiver(datagram)
        elif side == "gb":
            self.strangers.append(datagram)

    def put(self, side, octets):
        """A frame arrives now."""
        self.frames.append(Frame(self.now_ns, side, True, octets))
        self.tell("frame", side, self.worker, octets.hex())
        self.process.stdin.flush()
        self.answer()

    def put_all(self, side, frames):
        """Many at once, which is faster: as many as the port's ring holds at most."""
        for octets in frames:
            self.frames.append(Frame(self.now_ns, side, True, octets))
            self.tell("frame", side, self.worker, octets.hex())
        self.process.stdin.flush()
        for _ in frames:
            self.answer()

    def gb_frame(self, source, payload, port=NS_PORT):
        own = "2001:db8:1::1" if ":" in source else GB
        datagram = wire.Datagram(source, port, own, NS_PORT, payload)
        return wire.frame_of(datagram, wire.mac_of(source), wire.mac(GB_MAC))

    def gb(self, source, payload, port=NS_PORT):
        """A datagram from a BSS's endpoint to our Gb port."""
        self.put("gb", self.gb_frame(source, payload, port))

    def attach(self, address, port, receiver):
        """receiver(datagram) takes what comes for that endpoint on Gb."""
        self.receivers[address, port] = receiver

    # ---- The GGSN ----

    def tunnels(self):
        lines, _ = self.ask("tunnels")
        return [Tunnel(*map(int, " ".join(words[1:]).split())) for words in lines]

    def teid(self, tlli, nsapi=5, nse_id=None):
        found = [t.teid for t in self.tunnels() if (t.tlli, t.nsapi) == (tlli, nsapi)
                 and nse_id in (None, t.nse_id)]
        same(len(found), 1, f"tunnels of TLLI {tlli:#x}, NSAPI {nsapi}")
        return found[0]

    def down_frame(self, teid, npdu, source=GGSN):
        """A G-PDU from the GGSN (29.281 clause 5.1)."""
        octets = bytes([0x30, 255]) + len(npdu).to_bytes(2) + teid.to_bytes(4) + npdu
        datagram = wire.Datagram(source, GTPU_PORT, GN, GTPU_PORT, octets)
        return wire.frame_of(datagram, wire.mac_of(source), wire.mac(GN_MAC))

    def down(self, teid, npdu, source=GGSN):
        self.put("gn", self.down_frame(teid, npdu, source))

    def npdus_up(self):
        """(time_ns, TEID at the GGSN, N-PDU) of each G-PDU that came out on Gn."""
        return [(t, int.from_bytes(d.payload[4:8]), d.payload[8:]) for t, d in self.tpdus
                if d.payload[:2] == b"\x30\xff"]

    # ---- Looking ----

    def stats(self):
        """{scope: {counter: value}}, all workers together."""
        found = {}
        for _, _, scope, name, value in self.ask("stats")[0]:
            counters = found.setdefault(scope, {})
            counters[name] = counters.get(name, 0) + int(value)
        return found

    def counts(self):
        """Control's: {"what"|"now"|"in"|"out"|"event": {name: value}}; "now" are its gauges."""
        found = {}
        for _, way, name, value in self.ask("counts")[0]:
            found.setdefault(way, {})[name] = int(value)
        return found

    def counted(self, *names):
        """So many times control did each of that."""
        what = self.counts()["what"]
        return tuple(what[name] for name in names)

    def lua(self, chunk):
        """What a chunk of one line returns, as text. For what cannot be seen on the wire."""
        lines, _ = self.ask("lua", chunk)
        return " ".join(lines[0][1:])

    def control_s(self):
        """How long control has used the processor, without the workers and this program's own part."""
        return int(self.ask("used")[1][0]) / S

    def lua_octets(self):
        return int(self.ask("memory")[1][0])

    def rate(self, side, bit_per_s):
        self.ask("rate", side, bit_per_s)

    def kill_lua(self, why="a test does it"):
        self.ask("kill", why)

    def ctl(self, text, within=S):
        """`sluice ctl TEXT`: (whether it was done, the answer). Time passes until it is there."""
        self.ask("ctl", text)
        return self.ctl_answer(within)

    def ctl_answer(self, within=S):
        end_ns = self.now_ns + within
        self.run(0)
        while True:
            words = self.ask("answer")[1]
            if words[0] != "pending":
                return words[0] == "yes", " ".join(words[1:]).replace("\\n", "\n")
            right(self.now_ns < end_ns, f"no answer within {within} ns\n{self.log()}")
            self.run(min(10 * MS, end_ns - self.now_ns))

    def reload(self, config, within=S):
        """The file is another one now, and control is asked to read it again."""
        self.config.write_text(config)
        return self.ctl("reload", within)

    def write_pcap(self, path, side="gb"):
        wire.write_pcap(path, [(f.time_ns, f.octets) for f in self.frames if f.side == side])


def npdu(address, octets=100, number=0, source="203.0.113.9"):
    """An IPv4 packet to an MS, of protocol 253 (RFC 3692: for tests)."""
    body = number.to_bytes(4) + bytes(octets - 24)
    return wire.ip(source, address, 253, body)
