"""Phones (phone.py) behind the test BSS, in virtual time: their clock is the world's, and the air between them and
the BSS may lose, double and delay what they say and hear.

    with Phones(ATTACH) as net:
        one = net.phone()                          in cell 2; IMSI 001010000000001, the next has the next
        net.do(one, "attach")                      any function of the phone's
        net.lose("down", "attach_accept", 2)       the first two; double(..., ns=), delay(..., ns=) likewise
        net.until("it is attached", lambda: one.state == "registered")
        net.agree(one)                             both ends know the same of it
    leaving the block switches all phones off, and fails if Sluice then knows of any, or if anything is left over:
    MSs, ids, attempts, procedures, timers.

net.air keeps each message of both ways, lost ones too: Said(time_ns, imsi, way, name, octets, is_lost).
net.repeats(name) is by how much each repetition of that message followed the one before.
"""

import collections
import itertools

import codec
from bss import Bss
from phone import Phone
from phone_card import encipher, given
from phone_llc import XID_IOV_UI, fcs, parameters
from phone_message import GMM, mobile_identity
from world import HEAD, MS, S, World, nsvc, right, same

BSS = "198.51.100.2"
OC_MOST = 4 * 512  # of the frames that one key and IOV-UI has here
IMSI = 1010000000001
NAMES = {
    GMM: {0x01: "attach_request", 0x02: "attach_accept", 0x03: "attach_complete", 0x04: "attach_reject",
          0x05: "detach_request", 0x06: "detach_accept", 0x08: "update_request", 0x09: "update_accept",
          0x0A: "update_complete", 0x0B: "update_reject", 0x10: "reallocation_command",
          0x11: "reallocation_complete", 0x12: "authentication_request", 0x13: "authentication_response",
          0x14: "authentication_reject", 0x1C: "authentication_failure", 0x15: "identity_request", 0x16: "identity_response",
          0x20: "gmm_status"},
    10: {0x41: "activate_request", 0x42: "activate_accept", 0x43: "activate_reject", 0x46: "deactivate_request",
         0x47: "deactivate_accept", 0x48: "modify_request", 0x49: "modify_accept", 0x55: "sm_status"},
}
Said = collections.namedtuple("Said", "time_ns imsi way name octets is_lost")
Harm = collections.namedtuple("Harm", "way name what which ns imsi")

ATTACH = HEAD + f"""
attach {{ who = "open", networks = {{ "001-01" }}, rate = 1000 }}
nse {{ nsei = 101, {nsvc(101, BSS)}, bvc {{ bvci = 2 }}, bvc {{ bvci = 3 }} }}
"""

# What may be left over: attached phones, attempts; free ids of MSs and of contexts.
LEFT = """
local r = require("sluice.subscribers.ranges");
return table.concat({ #require('sluice.phones.store').phones, require('sluice.phones.attempts').n,
    r.left("mss"), r.left("pdps") }, " ")
""".replace("\n", " ")
OF_PHONE = """
local p = require('sluice.phones.store').by_imsi('IMSI');
local c = {}; if p then for nsapi = 5, 15 do local one = p.contexts[nsapi]
    if one then c[#c + 1] = nsapi .. ':' .. one.state .. ':' .. (one.address or '-') end end end
return p and table.concat({ ('%08x'):format(p.p_tmsi), p.p_tmsi_old and ('%08x'):format(p.p_tmsi_old) or '-',
    #p.runs, p.attempt and 'attempt' or '-', (require('sluice.core.network').bvc[(require('dp').ms_cell(p.ms_id))]
    or {}).bvci or '-', table.concat(c, ',') }, ' ') or 'nobody'
""".replace("\n", " ")


def is_ui(llc):
    return len(llc) > 6 and llc[1] & 0xE0 == 0xC0


def opened(one, way, llc, iov_uis=()):
    """The enciphered frame of the phone or to it, in the clear, and (key, IOV-UI, OC) that it is under; by all keys that
    the phone has had, the last one first, and IOV-UIs. None: it is under none of them."""
    for gea, key in reversed(one.keys):
        for iov_ui, oc in itertools.product((*dict.fromkeys(reversed(one.llc.iov_uis)), *iov_uis), range(0, OC_MOST, 512)):
            plain = encipher(gea, key, llc, iov_ui, int(way == "down"), oc) if gea else llc
            covered = plain[:-3] if plain[2] & 1 else plain[:-3][:7]
            if fcs(covered) == plain[-3:]:
                return plain, (key, iov_ui, oc)
    return None


def message_of(one, way, llc):
    """Of a UI frame on SAPI 1."""
    if not is_ui(llc) or llc[0] & 15 != 1:
        return None
    found = opened(one, way, llc) if llc[2] & 2 else (llc, None)
    return found and found[0][3:-3]


def name_of(octets):
    return NAMES.get(octets[0] & 15, {}).get(octets[1], octets[:2].hex())


class PhoneBss(Bss):
    """Gives what comes on DL-UNITDATA to the phones, and keeps none of it."""

    net = None

    def input(self, nsvc_of, pdu):
        super().input(nsvc_of, pdu)
        sdu = pdu.sdu or pdu
        if sdu.name == "bssgp_paging_ps" and self.net:
            self.net.page(self, sdu)
        elif sdu.name == "bssgp_dl_unitdata" and self.net:
            self.net.downlink(self, pdu.bvci, sdu["v_tlli"], sdu["llc"])
            if not self.net.keeps:
                self.dl.clear()


class Phones:
    def __init__(self, config, *sets, cells=(2, 3), r=4000000, keeps=True, **more):
        self.world = World(config, *sets, **more)
        self.cells, self.r, self.keeps = cells, r, keeps
        self.phones, self.air, self.harms, self.counts = [], [], [], collections.Counter()
        self.enciphered, self.iov_uis = [], []  # IOV-UIs of Resets that somebody else may have got
        self.by_tlli = collections.defaultdict(list)
        self.known, self.due, self.spoke = {}, {}, {}
        self.is_gone = False  # Sluice has ended without a word

    def __enter__(self):
        self.world.__enter__()
        try:
            self.bss = self.new_bss(101, BSS)
            self.before = self.world.lua(LEFT)
        except BaseException:
            self.world.__exit__(RuntimeError, None, None)
            raise
        return self

    def new_bss(self, nsei, address):
        bss = PhoneBss(self.world, nsei, [(nsei, address)], {bvci: self.r for bvci in self.cells})
        bss.up()
        bss.net = self
        return bss

    def __exit__(self, kind, *rest):
        if not kind and not self.is_gone:
            try:
                self.nothing_left()
            except BaseException:
                self.world.__exit__(RuntimeError, None, None)
                raise
        self.world.__exit__(kind, *rest)

    def nothing_left(self):
        self.harms.clear()
        self.world.run(0)
        for one in self.phones:
            if one.is_on and (one.state != "deregistered" or one.timers):
                self.do(one, "detach", power_off=True)
        self.world.run(60 * S)
        there = [one for one in self.phones if self.of_sluice(one)]
        last = [(said.time_ns / S, said.way, said.name, said.is_lost) for said in self.air
                if there and said.imsi == there[0].imsi]
        same(self.world.lua(LEFT), self.before, f"what is left over, of {[self.shown(one) for one in there]}; the first "
                                                f"said {last[-10:]}; phones, attempts, free ids of MSs and contexts")
        same(set(self.world.counts()["now"].values()), {0}, "its gauges")

    # ---- Phones ----

    def phone(self, imsi=None, *, bvci=2, bss=None, **more):
        imsi = imsi or f"{IMSI + len(self.phones):015d}"
        one = Phone(imsi, **{"rai": codec.RAI, **more})
        one.bvci, one.bss = bvci, bss or self.bss
        self.phones.append(one)
        return one

    def do(self, one, name, *arguments, **more):
        self.follow(one, getattr(one, name)(self.world.now_ns, *arguments, **more))
        self.world.run(0)

    def follow(self, one, frames):
        """Sends what the phone says, and minds its TLLIs and its next timer."""
        now = (one.tlli, one.tlli_before)
        if self.known.get(one) != now:
            for tlli in self.known.get(one, ()):
                if one in self.by_tlli[tlli]:
                    self.by_tlli[tlli].remove(one)
            for tlli in dict.fromkeys(now):
                self.by_tlli[tlli].append(one)
            self.known[one] = now
        for tlli, llc in frames:
            self.spoke[tlli] = one
            self.through(one, "up", llc, lambda tlli=tlli, llc=llc: one.bss.uplink_llc(one.bvci, tlli, llc))
        if one.due_ns is not None and self.due.get(one) != one.due_ns:
            self.due[one] = one.due_ns
            self.world.at(one.due_ns, self.tick, one, one.due_ns)

    def tick(self, one, due_ns):
        if self.due.get(one) == due_ns:
            self.due[one] = None
        if one.due_ns is not None and one.due_ns <= self.world.now_ns:
            self.follow(one, one.tick(self.world.now_ns))
        elif one.due_ns is not None:
            self.follow(one, [])

    def downlink(self, bss, bvci, tlli, llc):
        """Of two phones with one TLLI the radio knows that which has spoken last."""
        if llc[1] & 0xEF == 0xEB and self.keeps:
            self.iov_uis += [int.from_bytes(value, "big") for kind, value in parameters(llc[2:-3]) if kind == XID_IOV_UI]
        hear = [one for one in self.by_tlli.get(tlli, ()) if one.bss is bss and one.bvci == bvci and one.hears(tlli)]
        for one in hear:
            if len(hear) == 1 or self.spoke.get(tlli) is one:
                self.through(one, "down", llc,
                             lambda one=one: self.follow(one, one.take(self.world.now_ns, tlli, llc)))

    def page(self, bss, pdu):
        """By P-TMSI, else by IMSI; in a cell, in an area, or in all cells."""
        identity = b"\xf4" + pdu["tmsi"].to_bytes(4) if pdu["tmsi"] is not None else mobile_identity(1, pdu["imsi"])
        for one in self.phones:
            is_in = one.bss is bss and one.is_on and pdu["bvci"] in (None, one.bvci) and pdu["rai"] in (None, one.cell_rai)
            if is_in:
                self.arrive(self.hit(one, "down", "page"), lambda one=one: self.follow(one, one.page(self.world.now_ns, identity)))

    # ---- The air ----

    def through(self, one, way, llc, go):
        octets = message_of(one, way, llc)
        if self.keeps and is_ui(llc) and llc[2] & 2:
            self.enciphered.append((one, way, llc))
        name = name_of(octets) if octets else "other"
        hit = self.hit(one, way, name)
        if octets and self.keeps:
            is_lost = hit is not None and hit.what in ("lose", "delay")
            self.air.append(Said(self.world.now_ns, one.imsi, way, name, octets, is_lost))
        self.arrive(hit, go)

    def hit(self, one, way, name):
        """What is to be done to that message; None: nothing."""
        self.counts[way, name, one.imsi] += 1
        number = self.counts[way, name, one.imsi]
        return next((harm for harm in self.harms if (harm.way, harm.name) == (way, name) and number in harm.which
                     and harm.imsi in (None, one.imsi)), None)

    def arrive(self, hit, go):
        what = hit and hit.what
        if what in (None, "double"):
            go()
        if what in ("double", "delay"):
            self.world.at(self.world.now_ns + hit.ns, go)

    def harm(self, way, name, what, times=1, nth=1, ns=0, one=None):
        self.harms.append(Harm(way, name, what, range(nth, nth + times), ns, one and one.imsi))

    def lose(self, way, name, times=1, **more):
        self.harm(way, name, "lose", times, **more)

    def double(self, way, name, times=1, **more):
        self.harm(way, name, "double", times, **more)

    def delay(self, way, name, times=1, *, ns, **more):
        self.harm(way, name, "delay", times, ns=ns, **more)

    def check_inputs(self, used=()):
        """libosmogsm deciphers each enciphered frame that was on the air, and no two of them had one key and INPUT.
        Returns these."""
        used = set(used)
        for one, way, llc in self.enciphered:
            found = opened(one, way, llc) or opened(one, way, llc, self.iov_uis)
            right(found, f"no key of {self.shown(one)} deciphers {llc.hex()} {way}")
            (key, iov_ui, oc), sapi, nu = found[1], llc[0] & 15, (llc[1] & 7) << 6 | llc[2] >> 2
            place = key, way, given(iov_ui, sapi, nu, oc)
            right(place not in used, f"two frames {way} with one key and INPUT, the second {llc.hex()} under {found[1]}")
            used.add(place)
        return used

    def times(self, name, way=None):
        return [said.time_ns for said in self.air if said.name == name and way in (None, said.way)]

    # ---- Both ends ----

    def until(self, what, condition, within=3600 * S):
        self.world.run_until(self.world.now_ns + within, condition)
        right(condition(), f"not within {within // S} s: {what}; phones {[self.shown(one) for one in self.phones]}; on "
                           f"the air {self.last(16)}\n{self.world.log()[-2000:]}")
        self.world.run(0)

    def last(self, count):
        return [(said.time_ns / S, said.way, said.name, "lost" if said.is_lost else "") for said in self.air[-count:]]

    @staticmethod
    def shown(one):
        return (one.imsi, one.state, dict(one.timers), one.refused[-3:], one.unexpected[-3:], dict(one.llc.dropped),
                {nsapi: context.state for nsapi, context in one.contexts.items()})

    def of_sluice(self, one):
        """What Sluice has of it: None, or (P-TMSI, old one, runs, "attempt", BVCI, contexts)."""
        words = self.world.lua(OF_PHONE.replace("IMSI", one.imsi)).split(" ")
        return None if words == ["nobody"] else words

    def agree(self, one):
        """Both are at rest, and know the same of each other."""
        found = self.of_sluice(one)
        if one.state == "deregistered":
            same(found, None, f"what Sluice has of a phone that is {self.shown(one)}")
            return
        contexts = ",".join(f"{c.nsapi}:{c.state}:{c.address}" for _, c in sorted(one.contexts.items()))
        same((one.state, found), ("registered", [one.p_tmsi.hex(), "-", "0", "-", str(one.bvci), contexts]),
             f"state, and what Sluice has of the phone {self.shown(one)}; on the air {self.last(12)}")


__all__ = ["ATTACH", "BSS", "MS", "S", "Phones"]
