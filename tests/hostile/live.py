"""The same arena in real time: the program as it ships, over net_tap in a network namespace, and the
network around it by raw sockets. Who uses tests/gb/world.py's World uses this one likewise.

A frame that comes has the kernel's time, of when the program wrote it to the tap. A filter in the
kernel lets only the honest one's frames through, and what the hostile BSS has to answer to stay there:
NS-ALIVE.

    with Live(CONFIG) as live: ...
    live.only_honest()                    from now on the filter is there
    Flood(live, side, frames, a_second)   another process sends them, again and again
    live.lost()                           what the kernel has dropped so far, by where
"""

import ctypes
import json
import multiprocessing
import select
import socket
import struct
import time
from collections import Counter

import frames as wire
import network
from arena import A4, B4, B6, H4, HOSTILE_TLLI, KEYED_TLLI
from harness import Running
from world import GGSN, Tunnel, World

ETH_P_ALL, SOL_PACKET, PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC = 3, 263, 1, 1
PACKET_STATISTICS, PACKET_QDISC_BYPASS, PACKET_IGNORE_OUTGOING = 6, 20, 23
SO_ATTACH_FILTER, SO_TIMESTAMPNS, SO_RCVBUFFORCE = 26, 35, 33
BUFFER_OCTETS = 32 << 20
BATCH = 50  # frames of a flood that go in one call
AT_ONCE_MOST = 500  # frames that are read before time is looked at
FRAME_OCTETS, CONTROL_OCTETS = 2048, 64


# ---- Sockets -----------------------------------------------------------------------------------


def wanted():
    """A classic BPF program that lets pass: multicast, frames to the honest one's stations, NS-ALIVE to
    the hostile BSS. (code, jump if true, if false, value) each; jumps are relative."""
    load_word, load_octet, equal, any_bit, end = 0x20, 0x30, 0x15, 0x45, 0x06
    stations = [int.from_bytes(wire.mac_of(one)[2:]) for one in (A4, B4, B6, GGSN)]
    left = len(stations) + 4  # instructions from the first comparison to the two ends
    program = [(load_octet, 0, 0, 0), (any_bit, left, 0, 1), (load_word, 0, 0, 2)]
    for i, station in enumerate(stations):
        program.append((equal, left - i - 2, 0, station))
    program += [(equal, 0, 3, int.from_bytes(wire.mac_of(H4)[2:])), (load_octet, 0, 0, 42),
                (equal, 0, 1, 0x0A), (end, 0, 0, 0xFFFF), (end, 0, 0, 0)]
    return program


def attach_filter(end):
    program = b"".join(struct.pack("HBBI", *one) for one in wanted())
    octets = ctypes.create_string_buffer(program, len(program))
    end.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER,
                   struct.pack("HP", len(program) // 8, ctypes.addressof(octets)))


def raw_socket(namespace, device, protocol):
    """Protocol 0: only to send."""
    with network.inside(namespace):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        end.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_OCTETS)
        end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        end.bind((device, protocol))
        if protocol:
            index = socket.if_nametoindex(device)
            end.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP,
                           struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, b""))
    return end


# ---- The flood ---------------------------------------------------------------------------------


class Iovec(ctypes.Structure):
    _fields_ = [("at", ctypes.c_char_p), ("octets", ctypes.c_size_t)]


class Message(ctypes.Structure):  # struct mmsghdr
    _fields_ = [("name", ctypes.c_void_p), ("name_octets", ctypes.c_uint32),
                ("iov", ctypes.POINTER(Iovec)), ("iovs", ctypes.c_size_t),
                ("control", ctypes.c_void_p), ("control_octets", ctypes.c_size_t),
                ("flags", ctypes.c_int), ("padding", ctypes.c_int),
                ("sent", ctypes.c_uint), ("more_padding", ctypes.c_int)]


def messages(frames):
    iovecs = (Iovec * len(frames))(*[Iovec(octets, len(octets)) for octets in frames])
    found = (Message * len(frames))()
    for i, message in enumerate(found):
        message.iov, message.iovs = ctypes.pointer(iovecs[i]), 1
    return found


def flood(end, frames, a_second, done, counts):
    """Until it is done: a batch at a time, each when it is due; one that is late goes at once."""
    libc = ctypes.CDLL(None, use_errno=True)
    frames = frames * (BATCH // len(frames) + 1)
    batches = [messages(frames[at:at + BATCH])
               for at in range(0, len(frames) - BATCH + 1, BATCH)]
    start, sent, refused, turn, latest = time.monotonic(), 0, 0, 0, 0
    while not done.is_set():
        behind = (time.monotonic() - start) * a_second - (sent + refused)
        if behind < BATCH:
            time.sleep((BATCH - behind) / a_second)
            continue
        latest = max(latest, behind / a_second)
        took = libc.sendmmsg(end.fileno(), batches[turn % len(batches)], BATCH, 0)
        sent += max(took, 0)
        refused += BATCH - max(took, 0)
        turn += 1
    counts[:] = sent, refused, time.monotonic() - start, latest


class Flood:
    def __init__(self, live, side, frames, a_second):
        self.done, self.counts = multiprocessing.Event(), multiprocessing.Array("d", 4)
        end = raw_socket(live.namespace, side, 0)
        self.process = multiprocessing.Process(
            target=flood, args=(end, frames, a_second, self.done, self.counts), daemon=True)
        self.process.start()
        end.close()

    def finish(self):
        """Frames that the kernel took, frames that it did not, seconds; by how many it was late once."""
        self.done.set()
        self.process.join()
        return self.counts[:]


# ---- The world ---------------------------------------------------------------------------------


class Live(World):
    def __init__(self, config):
        self.namespace, _, *devices = network.tap()
        for device in devices:
            config = config.replace("net_ring", device, 1)
        self.begin()
        self.unread = Counter()
        self.refused = 0  # frames of ours that the kernel did not take
        self.program = Running(config, before=network.within(self.namespace))
        self.ends = {}
        for side in "gn", "gb":
            network.must("ip", "-n", self.namespace, "link", "set", side, "up")
            self.ends[side] = raw_socket(self.namespace, side, ETH_P_ALL)
        self.start_ns = time.time_ns()

    def __exit__(self, kind, *_):
        if kind:
            self.program.kill()

    def log(self):
        return self.program.said()

    def only_honest(self):
        for end in self.ends.values():
            attach_filter(end)

    def tunnels(self):
        return [Tunnel(int(HOSTILE_TLLI <= one["tlli"] < KEYED_TLLI), one["tlli"], one["nsapi"], one["teid"], 0)
                for one in self.program.contexts()]

    # ---- In place of the pipe ----

    def put(self, side, octets):
        self.now_ns = time.time_ns() - self.start_ns
        try:
            self.ends[side].send(octets)
        except OSError:
            self.refused += 1

    def step(self, until_ns):
        """Takes what has come, or waits for it until then."""
        wait_s = max(0, until_ns - (time.time_ns() - self.start_ns)) / 1e9
        ready, _, _ = select.select(list(self.ends.values()), [], [], wait_s)
        for side, end in self.ends.items():
            if end in ready:
                self.take_all(side, end)
        self.now_ns = time.time_ns() - self.start_ns
        return bool(ready)

    def take_all(self, side, end):
        for _ in range(AT_ONCE_MOST):
            try:
                octets, control, _, _ = end.recvmsg(FRAME_OCTETS, CONTROL_OCTETS, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            seconds, ns = struct.unpack("qq", control[0][2])
            self.now_ns = seconds * 10**9 + ns - self.start_ns
            self.take(side, octets)

    # ---- The kernel ----

    def lost(self):
        """What the kernel has dropped so far: on the way to the program, from it, and to this test."""
        found = Counter({"not taken": self.refused})
        for side, end in self.ends.items():
            _, drops = struct.unpack("II", end.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
            self.unread[side] += drops  # the kernel begins anew with each look
            found[f"{side}, to this test"] = self.unread[side]
            link, = json.loads(network.command("ip", "-n", self.namespace, "-s", "-j", "link", "show",
                                               "dev", side).stdout)
            for way, said in ("tx", "to the program"), ("rx", "from the program"):
                found[f"{side}, {said}"] = link["stats64"][way]["dropped"]
        return found
