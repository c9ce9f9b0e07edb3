#!/usr/bin/python3
"""Many phones attach at once: all of them, with nothing left half-made; and an NSE that brings more than it may does
not keep another's phones out."""

from bss import Bss
from gmm_world import COMPLETE, OTHER_BSS, Down, Handset, Network, attach_request, config, identity_response, tmsi
from world import MS, S, case, main, right, same

WIDE = {"bmax": 60000, "r": 60000, "bmax_default": 1000, "r_default": 1000}
RADIO_NS = 200 * MS  # until a phone answers


class Crowd:
    """Handsets that answer by themselves, at a BSS."""

    def __init__(self, network, bss):
        self.network, self.world, self.bss = network, network.world, bss
        self.phones, self.took_ns = {}, []
        bss.flow(2, **WIDE)
        for nsvc in bss.nsvcs:
            self.world.attach(nsvc.address, nsvc.port, lambda datagram, nsvc=nsvc: self.take(nsvc, datagram))

    def take(self, nsvc, datagram):
        self.bss.take(nsvc, datagram)
        while self.bss.dl:
            down = Down(self.bss.dl.pop())
            phone = self.phones.get(down.tlli)
            if phone and not down.is_reset and down.name in ("identity", "accept"):
                self.world.at(self.world.now_ns + RADIO_NS, getattr(self, down.name), phone, down)

    def identity(self, phone, _):
        phone.say(identity_response(phone.identity()), run=False)

    def accept(self, phone, down):
        phone.tlli = int.from_bytes(down.message[-4:])
        phone.say(COMPLETE, run=False)
        self.took_ns.append(self.world.now_ns - phone.start_ns)

    def begin(self, number):
        phone = Handset(self.network, f"00101{number:010}", 0x78000000 + number, bss=self.bss)
        phone.start_ns = self.world.now_ns
        self.phones[phone.tlli] = phone
        phone.say(attach_request(tmsi(0xC1234567)), run=False)

    def come(self, first, n, a_second):
        for i in range(n):
            self.world.at(self.world.now_ns + i * S // a_second, self.begin, first + i)

    def p99_s(self):
        return sorted(self.took_ns)[len(self.took_ns) * 99 // 100] / S


@case("10 000 phones attach, 500 in a second: all of them, and nothing is half-made")
def storm():
    attach = 'who = "open", networks = { "001-01" }, rate = 600'
    with Network(attach=attach, phones="") as network:
        crowd, before = Crowd(network, network.bss), network.world.control_s()
        crowd.come(0, 10000, 500)
        network.world.run(30 * S)
        used = network.world.control_s() - before
        print(f"# p99 {crowd.p99_s()} s; {used / 10:.2f} ms of a processor for each, by control")
        same((len(crowd.took_ns), network.left()), (10000, (10000, 10000, 0, 0)), "phones that are attached")
        same(network.counted("attaches", "attempts_shed", "retries", "timeouts"), (10000, 0, 0, 0), "counts")
        right(crowd.p99_s() < 3, f"p99 {crowd.p99_s()} s")


def beside(flooded):
    """500 honest phones a second of one NSE for 5 s, with 5000 a second of another or not; the honest ones' p99 in s."""
    attach = 'who = "open", networks = { "001-01" }, rate = 600, attempts = 10000'
    with Network(config(attach=attach, phones="", two=True)) as network:
        other = Bss(network.world, 102, [(2, OTHER_BSS)], {2: 80000})
        other.up()
        flood, honest = Crowd(network, network.bss), Crowd(network, other)
        if flooded:
            flood.come(0, 25000, 5000)
        honest.come(50000, 2500, 500)
        network.world.run(40 * S)
        same(len(honest.took_ns), 2500, "the other NSE's phones")
        there = len(flood.took_ns) + 2500
        right(not flooded or 4190 <= len(flood.took_ns) <= 4210, f"{len(flood.took_ns)} of the flood: 600 a second for 5 s, and "
              "2 s at once")
        same((network.left(), network.counted("attaches")), ((there, there, 0, 0), (there,)), "what there is")
        same(network.counted("attempts_shed")[0], 25000 * flooded - len(flood.took_ns), "not answered")
        return honest.p99_s()


@case("5000 unknown phones a second of one NSE: so many as it may attach, and another NSE's 500 as if they were alone")
def excess():
    alone, with_flood = beside(False), beside(True)
    print(f"# p99 {alone} s alone, {with_flood} s beside the flood")
    right(with_flood <= 1.01 * alone < 3, f"p99 {with_flood} s, {alone} s alone")


main()
