"""Phones with contexts: phone_world.py with the GGSN of ggsn.py, pings through both, and what the GGSN knows."""

import itertools

from ggsn import Ggsn
from phone_world import ATTACH, S, Phones
from world import GGSN, npdu, right, same

SESSIONS = ATTACH.replace("ggsn {", f'apn {{ name = "internet", default = true, ggsn = "ggsn" }}\nggsn {{ control = "{GGSN}",')
SERVER = "203.0.113.9"
T3311_S = 15


class Net(Phones):
    config = SESSIONS

    def __init__(self, *sets, **more):
        super().__init__(self.config, *sets, **more)
        self.ggsn, self.numbers = Ggsn(self.world), itertools.count(1)

    def nothing_left(self):
        self.ggsn.faults.clear()
        super().nothing_left()
        same(self.ggsn.contexts, {}, "contexts that the GGSN still has")

    def agree(self, one):
        super().agree(one)
        same({nsapi: theirs.address for (imsi, nsapi), theirs in self.ggsn.contexts.items() if imsi == one.imsi},
             {nsapi: context.address for nsapi, context in one.contexts.items()}, f"contexts at the GGSN, of {one.imsi}")

    def active(self, one, nsapi=5, **request):
        self.do(one, "activate", nsapi=nsapi, **request)
        self.until("it has a context", lambda: nsapi in one.contexts and one.contexts[nsapi].state == "active")

    def gets_through(self, one, nsapi=5):
        """Both ways, if the phone knows of a context."""
        context, theirs = one.contexts.get(nsapi), self.ggsn.contexts.get((one.imsi, nsapi))
        if one.state != "registered" or not context or context.state != "active" or not theirs:
            return False
        number = next(self.numbers)
        there, back = npdu(SERVER, 100, number, source=context.address), npdu(context.address, 700, number)
        self.do(one, "send", nsapi, there)
        self.world.down(theirs.teid_sgsn_data, back)
        self.world.run(S)
        return (theirs.teid_data, there) in [(teid, octets) for _, teid, octets in self.world.npdus_up()] and \
            back in [packet for _, _, packet in one.packets]

    def ping(self, one, nsapi=5):
        right(self.gets_through(one, nsapi), f"a ping of {self.shown(one)} is lost; Sluice: {self.of_sluice(one)}; "
                                             f"{self.last(10)}\n{self.world.log()[-1500:]}")
