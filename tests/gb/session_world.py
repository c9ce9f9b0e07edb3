"""What the tests of SM share: a world with a cell where phones may attach, a GGSN with GTP-C (ggsn.py), and phones of
phone.py in the cell, whose frames may be lost, doubled or late by type of message. Time goes on in World; a phone is
given what comes for its TLLI, and its timers."""

import codec
from bss import Bss
from ggsn import Ggsn
from phone import Phone
from world import GGSN, HEAD, MS, S, World, nsvc, same

BSS, CELL = "198.51.100.2", 2
IMSI = "001010000000001"
ATTACH, ACTIVATE, ACCEPT, REJECT, DEACTIVATE, DEACTIVATED, STATUS = 0x01, 0x41, 0x42, 0x43, 0x46, 0x47, 0x55
IDENTITY, COMPLETE = 0x15, 0x03
T3380, T3390, T3395 = 30 * S, 8 * S, 8 * S

LEFT = """
local store, paths = require 'sluice.phones.store', require 'sluice.gtpc.path'
local open, waiting, flying, runs, contexts = 0, 0, 0, 0, 0
for _, path in ipairs(paths.list) do
    for _ in next, path.open do open = open + 1 end
    waiting, flying = waiting + path.last - path.first + 1, flying + path.flying
end
for _, phone in ipairs(store.phones) do
    runs = runs + #phone.runs
    for nsapi = 5, 15 do contexts = contexts + (phone.contexts[nsapi] and 1 or 0) end
end
return table.concat({ open, waiting, flying, runs, contexts, require('sluice.gtpc.contexts').count,
    require('sluice.subscribers.ranges').left('pdps') }, ' ')
""".replace("\n", " ")


def subscribed(klass, imsi=IMSI, count=1):
    """What a file says of phones that may ask for more than background."""
    return f'phone {{ imsi = "{imsi}", count = {count}, class = "{klass}" }}'


def config(more="", apn='apn { name = "internet", default = true }', most=10):
    return HEAD.replace("ggsn {", f'ggsn {{ control = "{GGSN}",') + f"""
room {{ pdps = {2 * most} }}
attach {{ most = {most}, who = "open", networks = {{ "001-01" }} }}
{apn}
{more}
nse {{ nsei = 101, {nsvc(1, BSS)}, bvc {{ bvci = {CELL} }} }}
"""


class Session:
    def __init__(self, text=None, *sets, features=0, **more):
        self.world = World(text or config(**more), *sets)
        self.bss = Bss(self.world, 101, [(1, BSS)], {CELL: 800000}, features=features)
        self.ggsn = Ggsn(self.world)
        self.phones, self.taken, self.faults, self.seen, self.paged = [], 0, [], {}, 0
        self.bss.up()
        self.pdps = int(self.world.lua(LEFT).split()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.world.__exit__(*what)

    def phone(self, imsi=IMSI, attach=True, **options):
        phone = Phone(imsi, rai=codec.RAI, **options)
        self.phones.append(phone)
        if attach:
            self.do(phone, phone.attach)
            self.run(MS)
            same(phone.state, "registered", f"IMSI {imsi}, {phone.messages}\n{self.world.log()[-1500:]}\nstate")
        return phone

    # ---- The radio ----

    def impair(self, what, way, kind, which=(1,), ns=0):
        """lose, double or delay by ns the messages of that way ("up", "down") and type (SM, GMM) with these numbers."""
        self.faults.append((what, way, kind, tuple(which), ns))

    def through(self, way, llc, go):
        kind = llc[4] if llc[0] & 15 == 1 and llc[1] & 0xE0 == 0xC0 and len(llc) > 6 else None
        self.seen[way, kind] = self.seen.get((way, kind), 0) + 1
        hit = next(((what, ns) for what, of_way, of_kind, which, ns in self.faults
                    if (of_way, of_kind) == (way, kind) and self.seen[way, kind] in which), (None, 0))
        if hit[0] in (None, "double"):
            go()
        if hit[0] in ("double", "delay"):
            self.world.at(self.world.now_ns + hit[1], go)

    def calm(self):
        """From now on nothing is impaired, and messages count anew."""
        self.faults.clear(), self.seen.clear()

    # ---- Phones ----

    def do(self, phone, fn, *arguments, **more):
        """A function of the phone, now."""
        for tlli, llc in fn(self.world.now_ns, *arguments, **more):
            self.through("up", llc, lambda tlli=tlli, llc=llc: self.bss.uplink_llc(CELL, tlli, llc))
        return phone

    def say(self, phone, octets):
        """Any message of the phone's, on its SAPI 1."""
        phone.now_ns = self.world.now_ns
        phone.say(octets)
        self.do(phone, lambda now_ns: phone.done())
        self.run(0)

    def down(self, record):
        sdu = record.pdu.sdu
        for phone in list(self.phones):
            if phone.hears(sdu["v_tlli"]):
                self.through("down", sdu["llc"], lambda phone=phone, sdu=sdu: self.do(
                    phone, phone.take, sdu["v_tlli"], sdu["llc"]))

    def pages(self):
        """They are answered."""
        found = [one.pdu.sdu for one in self.bss.received[self.paged:] if one.pdu.sdu]
        self.paged = len(self.bss.received)
        for pdu in found:
            for phone in self.phones if pdu.name == "bssgp_paging_ps" else ():
                self.do(phone, phone.page, b"\xf4" + pdu["tmsi"].to_bytes(4))

    def turn(self):
        """What has come, and the timers that are due; whether there was any."""
        self.pages()
        found = self.bss.dl[self.taken:]
        self.taken += len(found)
        for record in found:
            self.down(record)
        due = [one for one in self.phones if one.due_ns is not None and one.due_ns <= self.world.now_ns]
        for phone in due:
            self.do(phone, phone.tick)
        return bool(found or due)

    def run(self, ns):
        self.until(self.world.now_ns + ns)

    def until(self, end_ns):
        while True:
            while self.turn():
                pass
            due_ns = min([one.due_ns for one in self.phones if one.due_ns is not None] + [end_ns])
            before = len(self.bss.received)
            self.world.run_until(min(max(due_ns, self.world.now_ns), end_ns), lambda: len(self.bss.received) > before)
            if self.world.now_ns >= end_ns and len(self.bss.dl) == self.taken and not self.turn():
                return

    # ---- Looking ----

    def left(self, there=0):
        """Contexts at both sides and in the dataplane, and nothing half made."""
        mine = len(self.world.tunnels())
        same((self.world.lua(LEFT), mine, len(self.ggsn.contexts)),
             (f"0 0 0 0 {there} {there} {self.pdps - there}", there, there), f"{self.world.log()[-2500:]}\nwhat is left")
        same(self.gauges()[2], there, "the gauge of contexts")

    def gauges(self):
        """Phones that attach, that are attached, and their contexts at GGSNs."""
        now = self.world.counts()["now"]
        return now["attaching"], now["attached"], now["contexts"]

    def lines(self, *words):
        return self.world.log_lines(*words)
