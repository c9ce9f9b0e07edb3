"""The server and the phones' users of rival_cells.py: downloads, pages and pings over sockets of Linux, each side in one
loop of one process."""

import heapq
import itertools
import pathlib
import random
import selectors
import socket
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e")]

import network  # noqa: E402
from harness import right  # noqa: E402

WARM_S = 30  # not measured
START_WITHIN_S = 10  # at a random time
LAST_PING_S = 20  # before the end; what is sent later may be under way
PORT = 80
REQUEST_OCTETS, ENDLESS = 350, 1 << 40
PAGE_OCTETS, OBJECTS, OBJECT_OCTETS, OBJECT_MOST = 5000, 2, 3000, 20000  # of tests/tournament/loads.py
THINK_S = 10
PING_S, PING_OCTETS = 1, 56
DAY_S = 86400  # longer than any guest
SWEEP_S = 0.25  # downloads are read at this interval, and not packet by packet: there are hundreds of them
BLOCK, ROOM = memoryview(bytes(1 << 16)), bytearray(1 << 20)


class Loop:
    def __init__(self):
        self.chooser, self.timers, self.numbers, self.late_s = selectors.DefaultSelector(), [], itertools.count(), []

    def at(self, time_s, call):
        heapq.heappush(self.timers, (time_s, next(self.numbers), call))

    def run(self, until_s):
        self.at(until_s, lambda: None)
        while (now_s := time.monotonic()) < until_s:
            while self.timers[0][0] <= now_s:
                due_s, _, call = heapq.heappop(self.timers)
                self.late_s.append(now_s - due_s)
                call()
            for key, events in self.chooser.select(max(0, self.timers[0][0] - time.monotonic())):
                key.data(events)


class Served:
    """A connection of the server: each request says how many octets it wants."""

    def __init__(self, loop, end):
        end.setblocking(False)
        self.loop, self.end, self.asked, self.left = loop, end, b"", 0
        loop.chooser.register(end, selectors.EVENT_READ, self.turn)

    def turn(self, events):
        try:
            if events & selectors.EVENT_READ:
                self.take(self.end.recv(1 << 16))
            if self.left:
                self.left -= self.end.send(BLOCK[:min(self.left, len(BLOCK))])
        except BlockingIOError:
            pass
        except OSError:
            self.loop.chooser.unregister(self.end)
            self.end.close()
            return
        self.loop.chooser.modify(self.end, selectors.EVENT_READ | selectors.EVENT_WRITE * (self.left > 0), self.turn)

    def take(self, came):
        if not came:
            raise ConnectionError
        self.asked += came
        while len(self.asked) >= REQUEST_OCTETS:
            self.left += int.from_bytes(self.asked[:8], "big")
            self.asked = self.asked[REQUEST_OCTETS:]


def serve(listener):
    loop = Loop()
    loop.chooser.register(listener, selectors.EVENT_READ, lambda _: Served(loop, listener.accept()[0]))
    loop.run(time.monotonic() + DAY_S)


def request(octets):
    return octets.to_bytes(8, "big") + bytes(REQUEST_OCTETS - 8)


class Client:
    """A phone's connection; `octets` that came."""

    def __init__(self, loop, host, phone):
        self.loop, self.host, self.phone, self.octets, self.end = loop, host, phone, 0, None

    def connect(self):
        self.end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.end.setblocking(False)
        self.end.bind((self.phone, 0))
        self.end.connect_ex((self.host, PORT))
        self.loop.chooser.register(self.end, selectors.EVENT_WRITE, self.turn)

    def read(self):
        """Octets that have come; the kernel throws them away."""
        came = self.end.recv_into(ROOM, 0, socket.MSG_TRUNC)
        right(came, f"{self.host} closed the connection of {self.phone}")
        self.octets += came
        return came


class Download(Client):
    def turn(self, _):
        self.end.send(request(ENDLESS))
        self.loop.chooser.unregister(self.end)
        self.sweep()

    def sweep(self):
        try:
            self.read()
        except BlockingIOError:
            pass
        self.loop.at(time.monotonic() + SWEEP_S, self.sweep)


class Browser(Client):
    """One page after the other, each over a connection of its own: the main object, then the others, asked for at once."""

    def __init__(self, loop, host, phone, rng):
        super().__init__(loop, host, phone)
        self.random, self.pages, self.begin_s, self.wanted, self.objects = rng, [], None, 0, []

    def page(self):
        self.begin_s = time.monotonic()
        self.objects = [min(OBJECT_MOST, 1 + int(self.random.expovariate(1 / OBJECT_OCTETS))) for _ in range(OBJECTS)]
        self.connect()

    def ask(self, sizes):
        self.end.send(b"".join(map(request, sizes)))
        self.wanted = sum(sizes)

    def turn(self, events):
        if events & selectors.EVENT_WRITE:
            self.ask([PAGE_OCTETS])
            self.loop.chooser.modify(self.end, selectors.EVENT_READ, self.turn)
            return
        self.wanted -= self.read()
        if self.wanted:
            return
        if self.objects:
            self.ask(self.objects)
            self.objects = []
            return
        self.loop.chooser.unregister(self.end)
        self.end.close()
        now_s = time.monotonic()
        self.pages.append((self.begin_s, now_s - self.begin_s))
        self.loop.at(now_s + self.random.expovariate(1 / THINK_S), self.page)


class Ping:
    def __init__(self, loop, host, phone):
        self.loop, self.host, self.sent_s, self.round_trip_s = loop, host, [], {}
        self.end = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.end.bind((phone, 0))
        loop.chooser.register(self.end, selectors.EVENT_READ, self.turn)

    def send(self):
        now_s = time.monotonic()
        self.loop.at(now_s + PING_S, self.send)
        payload = len(self.sent_s).to_bytes(8, "big") + bytes(PING_OCTETS - 8)
        self.sent_s.append(now_s)
        self.end.sendto(network.echo_request(1, payload), (self.host, 0))

    def turn(self, _):
        packet = self.end.recv(2048)
        number = int.from_bytes(packet[28:36], "big")
        if packet[20] == 0 and number < len(self.sent_s):
            self.round_trip_s.setdefault(number, time.monotonic() - self.sent_s[number])


class Users:
    """Those of a cell."""

    def __init__(self, loop, cell, start_s):
        self.cell, self.warm_octets = cell, []
        self.ping = Ping(loop, cell.host, cell.phones[0])
        self.downloads = [Download(loop, cell.host, phone) for phone in cell.phones[:cell.downloads]]
        self.browsers = [Browser(loop, cell.host, phone, random.Random(cell.random.random()))
                         for phone in cell.phones[cell.downloads:]]
        for call in (self.ping.send, *(each.connect for each in self.downloads), *(each.page for each in self.browsers)):
            loop.at(start_s + cell.random.uniform(0, START_WITHIN_S), call)
        loop.at(start_s + WARM_S, self.warm)

    def octets(self):
        return [each.octets for each in self.downloads + self.browsers]

    def warm(self):
        self.warm_octets = self.octets()

    def figures(self, start_s, end_s):
        """Round trips in s, None for pings that were lost; pages in s; kbit/s of each phone, those that download first."""
        pings = [number for number, sent_s in enumerate(self.ping.sent_s) if start_s + WARM_S <= sent_s < end_s - LAST_PING_S]
        return {"setting": self.cell.setting.name, "load": self.cell.load, "rate_kbit": self.cell.rate_kbit,
                "ping_s": [self.ping.round_trip_s.get(number) for number in pings],
                "page_s": [took_s for browser in self.browsers for begin_s, took_s in browser.pages if begin_s >= start_s + WARM_S],
                "kbit": [(after - before) * 8e-3 / (end_s - start_s - WARM_S) for before, after in zip(self.warm_octets, self.octets())],
                "downloads": len(self.downloads)}
