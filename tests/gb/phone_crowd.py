"""What the tests of phones share on top of phone_world.py: steps of a phone, Sluice restarted under it, and a crowd of
phones over bad air."""

import random

from ggsn import CREATE, DELETE
from phone_contexts_world import SERVER
from phone_world import MS, S
from world import NS, npdu, right


def attached(net, one=None, **more):
    one = one or net.phone(**more)
    net.do(one, "attach")
    net.until("it is attached", lambda: one.state == "registered")
    return one


def stranger(net, **more):
    """A phone with somebody else's P-TMSI, so that it is asked for its IMSI."""
    one = net.phone(**more)
    one.p_tmsi, one.rai = (0xC0000100 + len(net.phones)).to_bytes(4), one.cell_rai
    return one


def restarted(before, after, one):
    """The phone goes on in another world, whose time begins at 0."""
    offset_ns = before.world.now_ns - after.world.now_ns
    one.timers = {name: due_ns - offset_ns for name, due_ns in one.timers.items()}
    one.now_ns, one.bss = after.world.now_ns, after.bss
    before.phones.remove(one)
    before.is_gone = True
    after.phones.append(one)
    after.follow(one, [])


class Crowd:
    """Phones that attach, update, detach and come back at random, over air that harms a tenth of the messages."""

    HARMED = (("up", "attach_request"), ("down", "attach_accept"), ("up", "attach_complete"),
              ("down", "identity_request"), ("up", "identity_response"), ("up", "detach_request"),
              ("down", "detach_accept"), ("up", "update_request"), ("down", "update_accept"))

    def __init__(self, net, seed, phones):
        self.net, self.chance = net, random.Random(seed)
        self.phones = [self.new(number) for number in range(phones)]

    def new(self, number):
        one = self.net.phone(is_impatient=number % 2 == 1, keeps_numbers=number % 3 == 0)
        if number % 4 == 0:
            one.p_tmsi, one.rai = (0xC0001000 + number).to_bytes(4), one.cell_rai
        return one

    def harm(self, one, way, name):
        what = self.chance.choice(("lose", "lose", "double", "delay"))
        ns = self.chance.choice((NS, MS, S, 6 * S, 8 * S, 15 * S, 31 * S))
        times = self.chance.choice((1, 1, 2, 3))
        self.net.harm(way, name, what, times, nth=self.net.counts[way, name, one.imsi] + 1, ns=ns, one=one)

    def roam(self, one):
        one.bvci = self.chance.choice((2, 3))

    def step(self, one):
        now_ns = self.net.world.now_ns
        for way, name in self.HARMED:
            if self.chance.random() < 0.15:
                self.harm(one, way, name)
        if one.state == "deregistered":
            self.net.follow(one, one.attach(now_ns))
        elif one.state in ("registered", "updating", "attaching"):
            what = self.chance.random()
            if what < 0.3:
                self.net.follow(one, one.detach(now_ns, power_off=self.chance.random() < 0.5))
            elif what < 0.4:
                self.net.follow(one, one.attach(now_ns))
            elif one.state == "registered":
                self.roam(one)
                self.net.follow(one, one.update(now_ns, kind=0))

    def run(self, steps):
        for _ in range(steps):
            self.step(self.chance.choice(self.phones))
            self.net.world.run(self.chance.choice((0, NS, MS, S, 3 * S)))
        self.net.harms.clear()
        self.settled()

    def settled(self):
        """The air is good: everyone attaches, and both ends agree."""
        for one in self.phones:
            if not one.is_on:
                self.net.do(one, "attach")
        self.net.until("all are at rest", lambda: all(
            one.state in ("registered", "deregistered") and not set(one.timers) - {"T3312"} for one in self.phones))
        for one in self.phones:  # those whose detach was lost to the end, and those who say nothing
            if one.state == "deregistered":
                self.net.do(one, "attach")
        self.net.until("all are attached", lambda: all(one.state == "registered" for one in self.phones))
        self.net.world.run(60 * S)
        for _ in range(4):  # a DETACH REQUEST that came when the phone was back had its numbers reset
            for one in self.phones:
                self.net.do(one, "update", kind=3)
            self.net.until("all are heard", lambda: all(one.state == "registered" for one in self.phones))
        self.net.world.run(60 * S)
        for one in self.phones:
            self.net.agree(one)


class Sessions(Crowd):
    """The crowd with contexts: they come, go, carry data; GTP-C is lost and late, too."""

    HARMED = (*Crowd.HARMED, ("up", "activate_request"), ("down", "activate_accept"), ("up", "deactivate_request"),
              ("down", "deactivate_accept"), ("down", "deactivate_request"), ("up", "deactivate_accept"))

    GTPC_HARMED = 0.1

    def step(self, one):
        now_ns, chance = self.net.world.now_ns, self.chance.random()
        if self.chance.random() < self.GTPC_HARMED:
            kind = self.chance.choice((CREATE, DELETE))
            way = self.chance.choice(("up", "down"))
            kind += way == "down"
            self.net.ggsn.lose(way, kind, nth=self.net.ggsn.seen[way, kind] + 1)
        if one.state != "registered" or chance < 0.3:
            super().step(one)
        elif chance < 0.6 and len(one.contexts) < 3:
            free = [nsapi for nsapi in (5, 6, 9) if nsapi not in one.contexts]
            self.net.follow(one, one.activate(now_ns, nsapi=self.chance.choice(free)))
        elif one.contexts:
            nsapi, context = self.chance.choice(list(one.contexts.items()))
            if context.state == "active" and chance < 0.9:
                self.net.follow(one, one.send(now_ns, nsapi, npdu(SERVER, source=context.address)))
            elif context.state == "active":
                self.net.follow(one, one.deactivate(now_ns, nsapi))

    def settled(self):
        self.net.ggsn.faults.clear()
        self.net.world.run(300 * S)  # T3380, T3390, T3395 and GTP's have all expired
        for context in self.net.ggsn.unheard():  # no answer to four CREATEs: its TEID is not known, it cannot be deleted
            imsi, nsapi = context.key
            right(not any(one.imsi == imsi and nsapi in one.contexts for one in self.phones), f"{imsi} has NSAPI {nsapi}")
            self.net.ggsn.forget(context)
        super().settled()
