"""Linux as a server, `sluice ggsn`, sluice over veth, osmo-pcu, `sluice bts`, and Linux as MSs: real IP
over the real RLC of a real PCU, each part in a network namespace that goes away."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import network
from harness import PATIENCE, ROOT, WAIT_S, Running, new_folder, program, right, same, settings, sluice, until

SERVER, PORT = "203.0.113.9", 80
MSS = 40
MTU = 1400  # an N-PDU in one LLC PDU
CONFIGS = ROOT / "config/osmopcu.lua", ROOT / "config/osmopcu-two.lua"  # of one cell, and of two
PCU_CONFIG = ROOT / "config/osmo-pcu.cfg"
# As that file has them.
PCU_SOCKET, CODEL_OFF, VTY = "/tmp/pcu_bts", " no queue codel\n", " bind 127.0.0.1\n"
ROLES = "sgsn", "far", "phones", "internet"  # the namespaces

# The PCU and the BTS keep the radio's time, a block each 20 ms, and take little of the processors: so they come
# before what runs at the same time.
NICE = -15
if os.geteuid() == 0:
    os.setpriority(os.PRIO_PROCESS, 0, NICE)


def address_of(ms):
    return f"10.0.0.{ms + 1}"


def check_books(report):
    """Of a BTS's report: nothing unexplained, and every LLC PDU good."""
    for key in ("down_odd", "down_data_malformed", "down_control_malformed", "messages_odd",
                "down_unasked", "messages_unsent", "ccch_odd", "pdus_long"):
        same(report[key], 0, f"{key} of {report}")
    same(report["first_fault"], "", "fault of an LLC PDU")
    same(sum(ms["pdus_refused"] - ms["pdus_stale"] for ms in report["ms"]), 0, "LLC PDUs refused by MSs")


class Part:
    """A program in a namespace, with what it says in files of its own. It is a session of its own, for Linux may
    share its time among sessions first."""

    def __init__(self, namespace, folder, name, *words):
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen([*network.within(namespace), *map(str, words)],
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            start_new_session=True)
        with contextlib.suppress(OSError):
            pathlib.Path(f"/proc/{self.process.pid}/autogroup").write_text(str(NICE), encoding="ascii")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def finish(self):
        """Its JSON, when it has ended as it should."""
        self.process.send_signal(signal.SIGINT)
        until(f"the end of {self.process.args}", lambda: self.process.poll() is not None, self.err.read_text)
        same(self.process.returncode, 0, f"exit status; it said:\n{self.err.read_text()}")
        return json.loads(self.out.read_text())


class Chain:
    def __init__(self, *options, mss=MSS, variant=None, sets=(), coding=2, codel=False, pcu=("osmo-pcu",),
                 prefix="sluice-bts", cells=1, cc="cubic"):
        """`options` are the BTS's, variant and `sets` the configuration's, which BTS and SGSN read; CoDel is
        the PCU's. Each cell has a PCU, all MSs are in the first. `cc` is TCP's congestion control at both ends."""
        network.needs(pcu[0])
        self.options, self.mss, self.variant = (*options, "--coding", f"CS-{coding}"), mss, variant
        self.sets = f"nse.bvc.ms.count={mss}", *sets
        self.coding, self.codel, self.pcu_command = coding, codel, pcu
        self.prefix, self.parts, self.sgsn = f"{prefix}-{os.getpid()}", [], None
        self.config, self.pcus, self.cc = CONFIGS[cells - 1], [None] * cells, cc

    imsi = "001010000000001"  # of the MS that moves, the first
    address_of = staticmethod(address_of)

    def start(self, name, *words, namespace=None):
        part = Part(namespace or self.far, self.folder, name, *words)
        self.parts.append(part)
        return part

    def devices(self):
        for namespace, device in (self.ms, "ms"), (self.gi, "gi"):
            for words in (("tuntap", "add", device, "mode", "tun"),
                          ("link", "set", device, "up", "mtu", MTU)):
                network.must("ip", "-n", namespace, *words)
        for ms in range(self.mss):
            network.must("ip", "-n", self.ms, "addr", "add", f"{address_of(ms)}/32", "dev", "ms")
        # By itself a namespace has the host's congestion control.
        cc = "congctl", self.cc
        network.must("ip", "-n", self.ms, "route", "add", "default", "dev", "ms", *cc)
        network.must("ip", "-n", self.gi, "addr", "add", f"{SERVER}/32", "dev", "gi")
        network.must("ip", "-n", self.gi, "route", "add", "10.0.0.0/8", "dev", "gi", *cc)

    def start_bts(self):
        sockets = [word for path in self.sockets for word in ("--socket", path)]
        self.bts = self.start("bts", program(), "bts", self.sgsn.config, *sockets, "--netns", self.ms,
                              "--tun", "ms", "--json", *settings(self.sets), *self.options)
        self.until(lambda: "waiting" in self.bts.err.read_text(), "the BTS listens")

    def start_pcu(self, cell=0):
        config = self.folder / f"pcu{cell}.cfg"
        config.write_text(self.pcu_config(cell))
        self.pcus[cell] = self.start(f"pcu{cell}", *self.pcu_command, "-c", config)

    def pcu_config(self, cell):
        text = PCU_CONFIG.read_text()
        for old, new in ((PCU_SOCKET, str(self.sockets[cell])), (" cs 2\n", f" cs {self.coding}\n"),
                         (" cs max 2\n", f" cs max {self.coding}\n"),
                         (CODEL_OFF, "" if self.codel else CODEL_OFF), (VTY, f" bind 127.0.0.{cell + 1}\n")):
            same(text.count(old), 1, f"{old!r} in {PCU_CONFIG}")
            text = text.replace(old, new)
        return text

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        names = [f"{self.prefix}-{role}" for role in ROLES]
        ours, self.far, gn, gb = network.veth(names=names[:2])
        self.ms, self.gi = map(network.namespace, names[2:])
        network.Host(self.far).configure()
        self.devices()
        self.sgsn = Running(self.config, f"gn.device={gn}", f"gb.device={gb}", *self.sets,
                            before=network.within(ours), variant=self.variant)
        self.folder = new_folder()
        self.sockets = [self.folder / f"pcu_bts{cell}" for cell in range(len(self.pcus))]
        self.ggsn = self.start("ggsn", program(), "ggsn", self.sgsn.out / "contexts.json", "--netns",
                               self.gi, "--tun", "gi", "--json")
        self.start_bts()
        for cell in range(len(self.pcus)):
            self.start_pcu(cell)

    def __exit__(self, *_):
        for part in self.parts:
            part.kill()
        if self.sgsn:
            self.sgsn.kill()
        for role in ROLES:
            network.remove(f"{self.prefix}-{role}")

    def until(self, condition, what):
        return until(what, condition, self.said)

    def said(self):
        return "\n".join(part.err.read_text() for part in (self.bts, self.ggsn)) + self.sgsn.said()

    # --- Traffic ---

    def pings(self, mss, wait_s):
        """Seconds of an echo for each of the MSs, all at once; those that came back as they went."""
        with network.inside(self.gi):
            end = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        with end:
            sent = {}
            for ms in mss:
                payload = os.urandom(32)
                end.sendto(network.echo_request(ms, payload), (self.address_of(ms), 0))
                sent[ms] = time.monotonic(), payload
            return dict(self.answers(end, sent, time.monotonic() + wait_s))

    @staticmethod
    def answers(end, sent, deadline):
        missing = set(sent)
        while missing and time.monotonic() < deadline:
            end.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                packet = end.recv(2048)
            except TimeoutError:
                return
            icmp = packet[(packet[0] & 15) * 4:]
            ms = int.from_bytes(icmp[4:6])
            if icmp[0] == 0 and ms in missing and icmp[8:] == sent[ms][1]:
                missing.discard(ms)
                yield ms, time.monotonic() - sent[ms][0]

    def are_cells_up(self):
        done = sluice("stats", "--json", "--run", self.sgsn.process.pid)
        same(done.returncode, 0, f"status of sluice stats: {done.stderr}{self.sgsn.said()}")
        return all(cell["state"] == "up" for cell in json.loads(done.stdout)["cells"])

    def wait_for_ping(self, ms=0):
        """Until one comes back: the chain is up."""
        self.until(self.are_cells_up, "all cells are up")
        self.until(lambda: self.pings([ms], 3), f"a ping of MS {ms}")

    def speak(self, ms):
        """Something goes up."""
        with network.inside(self.ms):
            end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with end:
            end.bind((self.address_of(ms), 0))
            end.sendto(b"here I am", (SERVER, PORT))

    def connect(self, ms):
        """A TCP connection between an MS and the server: both ends, the MS's first."""
        with network.inside(self.gi):
            listener = socket.create_server((SERVER, PORT))
        with network.inside(self.ms):
            end = socket.socket()
        with listener:
            end.bind((self.address_of(ms), 0))
            end.settimeout(WAIT_S)
            end.connect((SERVER, PORT))
            listener.settimeout(WAIT_S)
            return end, listener.accept()[0]

    def transfer(self, ms, octets, down, most_s, progress=lambda octets: None):
        """Seconds from the first octet that came to the last; fails unless they came as they went, in `most_s` on a
        machine that has time. Calls `progress` often, with how many have come."""
        most_s *= PATIENCE
        ends = self.connect(ms)
        to, source = ends if down else ends[::-1]
        content, came, start = os.urandom(octets), b"", None
        with to, source:
            source.setblocking(False)
            to.setblocking(False)
            left, deadline = memoryview(content), time.monotonic() + most_s
            while len(came) < octets:
                right(time.monotonic() < deadline, f"{len(came)} of {octets} octets in {most_s} s\n{self.said()}")
                if left:
                    try:
                        left = left[source.send(left):]
                    except BlockingIOError:
                        pass
                try:
                    came += to.recv(65536)
                    start = start or time.monotonic()
                except BlockingIOError:
                    time.sleep(0.005)
                progress(len(came))
        right(came == content, "the octets are others")
        return time.monotonic() - start
