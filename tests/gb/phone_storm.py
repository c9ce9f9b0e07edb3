#!/usr/bin/python3
"""A storm: phones attach and activate at 500 a second in 60 cells, in virtual time, with a plain GGSN; the deep suite
has 10 000 of them. All get in, none is left half made, and flow control is acknowledged meanwhile. What takes time in
this world is the bucket of a cell, for which their frames wait; the processor's share that control takes is printed, and
./run soak attaches asks for 20 % at the most."""

from phone_contexts_world import SESSIONS, Net
from phone_keys_world import COUNT, OPEN, Keyed
from phone_world import MS, S
from harness import often
from world import NS, case, main, right, same

PHONES, RATE, CELLS = often(1000, 10000), 500, range(2, 62)
P99_S = 3


def of_storm(text):
    cells = ", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in CELLS)
    config = text.replace("bvc { bvci = 2 }, bvc { bvci = 3 }", cells).replace(f"count = {COUNT}", f"count = {PHONES}").replace(
        f'phone {{ imsi = "{OPEN}" }}', "")
    return config.replace("rate = 1000", f"rate = {2 * RATE}, most = {PHONES}, attempts = 5000")


class Crowded:
    """Mixed into a net: phones that come, and how long each takes."""

    def __init__(self):
        super().__init__(cells=CELLS, r=6400, keeps=False)
        self.since, self.took = {}, []

    def begin(self, one):
        self.since[one] = self.world.now_ns
        one.wants(self.world.now_ns)
        self.follow(one, one.attach(self.world.now_ns))

    def leave(self, one):
        self.follow(one, one.detach(self.world.now_ns, power_off=True))

    def follow(self, one, frames):
        super().follow(one, frames)
        if one in self.since and 5 in one.contexts and one.contexts[5].state == "active":
            self.took.append(self.world.now_ns - self.since.pop(one))

    def flow(self):
        """Of a cell, whose ACK is awaited while the phones come."""
        self.bss.flow(2)
        self.flows.append(self.world.now_ns)


class Storm(Crowded, Net):
    config = of_storm(SESSIONS)


class KeyedStorm(Crowded, Keyed):
    config = property(lambda self: self.text, lambda self, text: setattr(self, "text", of_storm(text)))


@case(f"{PHONES} phones attach with contexts at {RATE}/s: all get in, none half made, flow control is acknowledged", Storm)
@case("the same with keys", KeyedStorm)
def storm(kind):
    with kind() as net:
        phones = [net.phone(bvci=CELLS[number % len(CELLS)]) for number in range(PHONES)]
        began_ns, before_s = net.world.now_ns, net.world.control_s()
        net.flows, acknowledged = [], len(net.bss.times("bssgp_flow_control_bvc_ack"))
        for number, one in enumerate(phones):
            net.world.at(began_ns + number * S // RATE, net.begin, one)
        for second in range(PHONES // RATE):
            net.world.at(began_ns + second * S + 500 * MS + NS, net.flow)
        net.world.run_until(began_ns + PHONES * S // RATE)
        lasted_s, used_s = (net.world.now_ns - began_ns) / S, net.world.control_s() - before_s
        net.world.run(10 * S)
        same((len(net.took), len(net.since)), (PHONES, 0), "phones with a context, and without")
        took = sorted(net.took)
        p99_s = took[len(took) * 99 // 100] / S
        acks = net.bss.times("bssgp_flow_control_bvc_ack")[acknowledged:]
        same(len(acks), len(net.flows), "acknowledgements")
        slowest_ns = max(ack - flow for ack, flow in zip(acks, net.flows))
        share = used_s / lasted_s
        print(f"# p50 {took[len(took) // 2] / S:.3f} s, p99 {p99_s:.3f} s, longest {took[-1] / S:.3f} s; control used "
              f"{100 * share:.1f} % of a processor, {1000 * used_s / PHONES:.2f} ms a phone; flow control "
              f"acknowledged within {slowest_ns / MS:.3f} ms")
        right(p99_s < P99_S, f"99 % have a context within {p99_s} s, right is {P99_S}")
        right(slowest_ns <= 100 * MS, f"flow control is acknowledged {slowest_ns} ns late")
        same({(one.state, len(one.contexts), tuple(one.refused), tuple(one.unexpected)) for one in phones},
             {("registered", 1, (), ())}, "states of phones")
        same(len(net.ggsn.contexts), PHONES, "contexts at the GGSN")
        for one in phones[::PHONES // 50]:
            net.agree(one)
        for number, one in enumerate(phones):  # and leave
            net.world.at(net.world.now_ns + number * S // RATE, net.leave, one)
        net.world.run(PHONES * S // RATE)
        same(net.world.counted("attaches", "attaches_refused", "attempts_shed", "contexts_refused"), (PHONES, 0, 0, 0),
             "counted")


main()
