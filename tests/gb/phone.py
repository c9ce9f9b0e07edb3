"""A GPRS phone, of octets and a clock from outside: GMM of TS 24.008, with SM in phone_sm.py, over phone_llc.py. It is
the oracle for those procedures: written from the clauses, it shares nothing with any codec of the program or of its
other tests, and attaches to osmo-sgsn (tests/interop/phone_sgsn.py) as it does to us.

    phone = Phone("001010000000001", rai=bytes.fromhex("00f110 0001 01"))
    frames = phone.attach(now_ns)          [(TLLI, LLC frame), ...] to be sent; so do all functions below
    phone.take(now_ns, tlli, frame)        a frame that has come for it
    phone.tick(now_ns)                     to be called at phone.due_ns, if that is not None
    phone.activate(now_ns, apn="internet") a context; phone.contexts[nsapi].address, .state
    phone.deactivate(now_ns, nsapi); phone.update(now_ns, ra); phone.detach(now_ns, power_off=True)
    phone.send(now_ns, nsapi, packet)      an N-PDU; what comes is in phone.packets as (time_ns, nsapi, packet)
    phone.page(now_ns, identity)           a page by mobile identity;  phone.reselect(now_ns): another cell of its area
    phone.state                            one of STATES
    phone.messages                         (time_ns, "up" or "down", octets) of GMM and SM
    phone.refused, phone.unexpected        causes and messages
    phone.wants(now_ns, apn=...)           a context that it activates whenever it is attached and has none

It raises Fault for a message that no network may send: a wrong length, a value that is none, elements out of their
order. Its options are what real phones do: `tlli` instead of a random one, `net_capability`, `ra_capability`,
`is_impatient`: T3310 and T3330 repeat at once, without T3311 between (libosmo-gprs); `ti_flag` 1 in what it sends
(the same); `keeps_numbers`: N(U) goes on over a detach; `sign`: what LLC says when it only says that it is there, one of SIGNS; `timers_s`: other values of timers, for real time; `card` (phone_card.py),
without which it cannot answer AUTHENTICATION AND CIPHERING REQUEST.

    phone.keys                             (GEA, key) of each cipher that it has had, (0, b"") of none
    phone.gea                              the one in force
"""

import random

from phone_card import Refusal, encipher
from phone_llc import USER_SAPIS, Fault, Llc, need
from phone_message import GMM, SM, S, Message, lv, mobile_identity, timer_ns
from phone_sm import TRIES, SessionManagement

SIGNS = ("null", "clear", "own")  # a NULL frame; UI frames of no octets on SAPI 1: in clear, or as all others
STATES = ("deregistered", "attaching", "registered", "updating", "detaching")
# Of a phone (24.008 tables 11.3 and 11.3a, 11.2c): for how long, and how often in all.
TIMER_S = {"T3310": 15, "T3311": 15, "T3321": 15, "T3330": 15, "T3302": 12 * 60, "T3380": 30, "T3390": 8, "T3314": 44,
           "T3316": 30, "T3318": 20, "T3320": 15}
FOR_GOOD = (3, 6, 7, 8)  # causes after which it does not try again until it is switched on anew
NOT_HERE = (11, 12, 13, 14, 15)
AT_ONCE = (9, 10)  # of an update: it attaches
GIVES_UP = (95, 96, 97, 99, 111)  # counts as five attempts
# Types of GMM that stay in the clear under a key (4.7.1.2): of the phone, of the network.
CLEAR_UP = (0x01, 0x08, 0x13, 0x16, 0x1C)
CLEAR_DOWN = (0x04, 0x0B, 0x12, 0x14, 0x15)
NO_KEY = 7
GEAS = {3: 0x20, 4: 0x10}  # their bits in the second octet of MS network capability
RA_CAPABILITY = bytes.fromhex("171933432b37159ef98879cba28c6621e72688b19c2ef0")  # of a handset
P_TMSI = (0x18, "tlv", 5, 5)
T3302, T3346 = (0x2A, "tlv", 1, 1), (0x3A, "tlv", 1, 1)
ACCEPTED = ((0x19, "tv", 3, 3), (0x17, "tv", 1, 1), P_TMSI, (0x23, "tlv", 5, 9), (0x25, "tv", 1, 1), T3302,
            (0x8, "half", 0, 0), (0x4A, "tlv", 3, 45), (0xB, "half", 0, 0))
UPDATED = ((0x19, "tv", 3, 3), P_TMSI, (0x23, "tlv", 5, 9), (0x26, "tlv", 1, 14), (0x17, "tv", 1, 1),
           (0x25, "tv", 1, 1), T3302, (0x8, "half", 0, 0), (0x4A, "tlv", 3, 45), (0x32, "tlv", 2, 2),
           (0xB, "half", 0, 0))


class Phone(SessionManagement):
    def __init__(self, imsi, *, rai, tlli=None, net_capability=b"\xe5\xe0", ra_capability=RA_CAPABILITY,
                 imeisv="4901542032375180", is_impatient=False, ti_flag=0, keeps_numbers=False, timers_s=(),
                 chance=None, card=None, sign="null"):
        self.imsi, self.imeisv, self.cell_rai = imsi, imeisv, rai
        self.net_capability, self.ra_capability = net_capability, ra_capability
        self.is_impatient, self.ti_flag, self.keeps_numbers = is_impatient, ti_flag, keeps_numbers
        self.timer_s = {**TIMER_S, **dict(timers_s)}
        self.chance = chance or random.Random(int(imsi))
        self.sign, self.ready_until_ns = sign, 0
        self.card, self.cksn, self.keys, self.gea = card, NO_KEY, [], 0
        self.challenge, self.response, self.failures, self.is_barred = None, None, 0, False
        self.first_tlli, self.p_tmsi, self.rai, self.signature = tlli, None, None, None
        self.tlli, self.tlli_before = None, None
        self.llc = Llc()
        self.state, self.is_on, self.attempts, self.tries = "deregistered", True, 0, 0
        self.timers, self.t3312_ns = {}, None
        self.t3302_ns, self.t3314_ns = self.timer_s["T3302"] * S, self.timer_s["T3314"] * S
        self.contexts, self.wanted = {}, []
        self.messages, self.packets, self.refused, self.unexpected, self.frames = [], [], [], [], []
        self.now_ns = 0
        self.detach_type = 0

    # ---- What is sent ----

    def out(self, frame):
        self.frames.append((self.tlli, frame))
        self.ready_until_ns = self.now_ns + self.t3314_ns
        if self.state in ("registered", "updating") and self.t3312_ns:
            self.timers["T3312"] = self.now_ns + self.t3314_ns + self.t3312_ns

    def say(self, octets):
        self.messages.append((self.now_ns, "up", octets))
        self.out(self.llc.ui(1, octets, clear=octets[0] == GMM and octets[1] in CLEAR_UP))

    def done(self):
        """What has to be sent."""
        for answer in self.llc.answers:
            self.out(answer)
        self.llc.answers.clear()
        frames, self.frames = self.frames, []
        return frames

    # ---- Time ----

    def start(self, name, ns=None):
        if ns is None:
            ns = self.timer_s[name if isinstance(name, str) else name[0]] * S
        self.timers[name] = self.now_ns + ns

    def stop(self, *names):
        for name in names:
            self.timers.pop(name, None)

    @property
    def due_ns(self):
        return min(self.timers.values(), default=None)

    def tick(self, now_ns):
        self.now_ns = now_ns
        for name, due_ns in sorted(self.timers.items(), key=lambda one: (one[1], str(one[0]))):
            if due_ns <= now_ns and self.timers.get(name) == due_ns:
                self.stop(name)
                if isinstance(name, tuple):
                    getattr(self, name[0].lower())(self.contexts[name[1]])
                else:
                    getattr(self, name.lower())()
        return self.done()

    # ---- Attach (4.7.3.1) ----

    def attach(self, now_ns):
        self.now_ns, self.is_on = now_ns, True
        self.attempts = 0
        self.request_attach()
        return self.done()

    def identity(self):
        return b"\xf4" + self.p_tmsi if self.p_tmsi else mobile_identity(1, self.imsi)

    def choose_tlli(self):
        """Local of a P-TMSI of this area, foreign of another area's, else random (23.003 clause 2.6)."""
        if self.p_tmsi:
            bits = 0xC0000000 if self.rai == self.cell_rai else 0x80000000
            self.tlli = int.from_bytes(self.p_tmsi, "big") & 0x3FFFFFFF | bits
        elif self.first_tlli is not None:
            self.tlli = self.first_tlli
        elif self.tlli is None or self.tlli >> 27 != 0x0F:
            self.tlli = 0x78000000 | self.chance.getrandbits(27)

    def request_attach(self):
        self.stop("T3302", "T3311", "T3312", "T3330", "T3346")
        self.lose_contexts()
        self.state = "attaching"
        self.choose_tlli()
        self.tries = 1
        self.request = b"\x08\x01" + lv(self.net_capability) + bytes((self.cksn << 4 | 1, 0, 0)) + lv(self.identity()) + \
            (self.rai or bytes.fromhex("00f000 0000 00")) + lv(self.ra_capability) + \
            (b"\x19" + self.signature if self.signature else b"")
        self.say(self.request)
        self.start("T3310")

    def t3310(self):
        if self.is_impatient and self.tries < TRIES:
            self.again("T3310")
        else:
            self.attempt_failed(self.tries if self.is_impatient else 1)

    def again(self, timer):
        self.tries += 1
        self.say(self.request)
        self.start(timer)

    def attempt_failed(self, count=1):
        """Clause 4.7.3.1.5, below d."""
        self.stop("T3310")
        self.state = "deregistered"
        self.attempts += count
        if self.attempts < TRIES:
            self.start("T3311")
            return
        self.forget()
        self.start("T3302", self.t3302_ns)

    def forget(self):
        self.p_tmsi = self.rai = self.signature = None

    def t3311(self):
        if self.state == "registered":
            self.request_update(self.update_type)
        else:
            self.request_attach()

    def t3302(self):
        self.attempts = 0
        self.t3311()

    def t3346(self):
        self.attempts = 0
        self.request_attach()

    def attach_accept(self, message):
        result = message.one()
        message.need(result & 7 in (1, 3) and result >> 4 in (0, 1), "result")
        self.t3312_ns = timer_ns(message.one())
        priorities = message.one()
        message.need(1 <= priorities & 15 <= 4, "radio priority of SMS")
        rai = message.take(6)
        found = message.tail(*ACCEPTED)
        if self.state not in ("attaching", "registered", "updating"):
            return self.wonder(message)
        if self.state == "attaching":
            self.state = "registered"
        self.stop("T3310", "T3311", "T3302")
        self.attempts = 0
        self.registered(rai, found)
        if 0x18 in found:
            self.say(b"\x08\x03")
        for wanted in self.wanted:
            if not self.contexts:
                self.request_context(**wanted)
        return None

    def registered(self, rai, found):
        self.rai, self.signature = rai, found.get(0x19)
        if 0x17 in found:
            self.t3314_ns = timer_ns(found[0x17][0]) or 0
        if 0x2A in found:
            self.t3302_ns = timer_ns(found[0x2A][0]) or 0
        if 0x18 in found:
            need(found[0x18][0] == 0xF4 and found[0x18][1] >= 0xC0, f"P-TMSI {found[0x18].hex()}")
            self.p_tmsi = found[0x18][1:]
        tlli = int.from_bytes(self.p_tmsi, "big") | 0xC0000000 if self.p_tmsi else self.tlli
        if tlli != self.tlli:
            self.tlli_before, self.tlli = self.tlli, tlli

    def attach_reject(self, message):
        cause = message.one()
        found = message.tail(T3302, T3346)
        if self.state != "attaching":
            return self.wonder(message)
        self.stop("T3310")
        self.refused.append((self.now_ns, "attach", cause))
        if 0x2A in found:
            self.t3302_ns = timer_ns(found[0x2A][0]) or 0
        return self.judge(cause, found)

    def judge(self, cause, found):
        self.state = "deregistered"
        if cause == 22 and 0x3A in found:
            self.attempts = 0
            self.start("T3346", timer_ns(found[0x3A][0]))
        elif cause in FOR_GOOD or cause in NOT_HERE:
            self.attempts = 0
            self.forget()
        elif cause in GIVES_UP:
            self.attempt_failed(TRIES)
        else:
            self.attempt_failed()

    # ---- Update of the routing area (4.7.5.1) ----

    def update(self, now_ns, kind=0, rai=None):
        """0 of another area, 3 periodic."""
        self.now_ns = now_ns
        self.cell_rai = rai or self.cell_rai
        self.attempts = 0
        self.request_update(kind)
        return self.done()

    def pdp_status(self):
        bits = sum(1 << one.nsapi for one in self.contexts.values() if one.state in ("active", "deactivating"))
        return bytes((bits & 255, bits >> 8))

    def request_update(self, kind):
        self.stop("T3302", "T3311", "T3312")
        self.state, self.update_type = "updating", kind
        if self.rai != self.cell_rai:
            self.tlli_before = self.tlli
            self.choose_tlli()
        self.tries = 1
        self.request = b"\x08\x08" + bytes((self.cksn << 4 | kind,)) + self.rai + lv(self.ra_capability) + \
            (b"\x19" + self.signature if self.signature else b"") + b"\x32\x02" + self.pdp_status()
        self.say(self.request)
        self.start("T3330")

    def t3330(self):
        if self.is_impatient and self.tries < TRIES:
            self.again("T3330")
        else:
            self.update_failed(self.tries if self.is_impatient else 1)

    def t3312(self):
        self.attempts = 0
        self.request_update(3)

    def update_failed(self, count=1):
        self.state = "registered"
        self.attempts += count
        self.start(*(("T3311",) if self.attempts < TRIES else ("T3302", self.t3302_ns)))

    def ra_update_accept(self, message):
        result = message.one()
        message.need(result >> 4 in (0, 1) and result & 7 in (0, 1), "result")
        t3312_ns = timer_ns(message.one())
        rai = message.take(6)
        found = message.tail(*UPDATED)
        if self.state not in ("updating", "registered"):
            return self.wonder(message)
        self.state = "registered"
        self.stop("T3330", "T3311", "T3302")
        self.attempts, self.t3312_ns = 0, t3312_ns
        self.registered(rai, found)
        if 0x32 in found:
            there = found[0x32][0] | found[0x32][1] << 8
            for one in list(self.contexts.values()):
                if one.state in ("active", "deactivating") and not there >> one.nsapi & 1:
                    self.lose(one)
        if 0x18 in found or 0x26 in found:
            self.say(b"\x08\x0a")
        return None

    def ra_update_reject(self, message):
        cause = message.one()
        message.one(range(2))
        found = message.tail(T3302, T3346)
        if self.state != "updating":
            return self.wonder(message)
        self.stop("T3330")
        self.refused.append((self.now_ns, "update", cause))
        if cause in AT_ONCE:
            if cause == 9:
                self.forget()
            self.attempts = 0
            return self.request_attach()
        if cause in FOR_GOOD or cause in NOT_HERE:
            self.lose_contexts()
            self.stop("T3312")
            return self.judge(cause, found)
        return self.update_failed(TRIES if cause in GIVES_UP else 1)

    # ---- Where it is: paging (4.7.9.1), cell update (23.060 6.9.1.1) ----

    def is_there(self):
        self.out(self.llc.null() if self.sign == "null" else self.llc.ui(1, b"", clear=self.sign == "clear"))

    def page(self, now_ns, identity):
        """By P-TMSI it answers; by its IMSI it forgets what it is, and attaches anew."""
        self.now_ns = now_ns
        if self.state == "registered" and self.p_tmsi and identity == b"\xf4" + self.p_tmsi:
            self.is_there()
        elif self.state == "registered" and identity == mobile_identity(1, self.imsi):
            self.ended()
            self.forget()
            self.request_attach()
        return self.done()

    def reselect(self, now_ns):
        """READY: it says that it is in another cell. STANDBY: nothing, if the area is the same."""
        self.now_ns = now_ns
        if self.state == "registered" and now_ns < self.ready_until_ns:
            self.is_there()
        return self.done()

    # ---- Detach (4.7.4) ----

    def detach(self, now_ns, power_off=False):
        self.now_ns = now_ns
        self.stop("T3310", "T3311", "T3302", "T3312", "T3330", "T3346")
        self.tries, self.detach_type = 1, 9 if power_off else 1
        identity = b"\x18" + lv(b"\xf4" + self.p_tmsi) if self.p_tmsi else b""
        signature = b"\x19" + lv(self.signature) if self.signature else b""
        self.request = b"\x08\x05" + bytes((self.detach_type,)) + identity + signature
        self.say(self.request)
        if power_off:
            self.ended()
            self.is_on = False
        else:
            self.state = "detaching"
            self.start("T3321")
        return self.done()

    def t3321(self):
        if self.tries < TRIES:
            self.again("T3321")
        else:
            self.ended()

    def ended(self):
        """Its TLLI is assigned no more, and LLC begins anew with the next one."""
        self.lose_contexts()
        self.timers.clear()
        self.state = "deregistered"
        self.challenge = None
        self.llc.rekey(None)
        self.gea = 0
        if not self.keeps_numbers:
            self.llc.forget()

    def detach_accept(self, message):
        message.one(range(2))
        message.end()
        if self.state != "detaching":
            return self.wonder(message)
        return self.ended()

    def detach_request(self, message):
        """The network's (4.7.4.2), and collisions with it (4.7.3.1.5 g, 4.7.4.1.4, 4.7.5.1.5)."""
        kind = message.one()
        message.need(kind & 7 in (1, 2, 3) and kind >> 4 in (0, 1), "type")
        found = message.tail((0x25, "tv", 1, 1))
        kind &= 7
        cause = found[0x25][0] if found else None
        if kind == 3 or kind == 1 and self.state == "attaching":
            return None
        if self.state == "deregistered":
            self.wonder(message)
            return self.say(b"\x08\x06")
        self.refused.append((self.now_ns, "detached", cause))
        was_detaching = self.state == "detaching"
        self.say(b"\x08\x06")
        if was_detaching:
            return None
        self.ended()
        if kind == 1:
            self.attempts = 0
            self.request_attach()
        elif cause in FOR_GOOD or cause in NOT_HERE:
            self.forget()
        return None

    # ---- Other messages of GMM ----

    def identity_request(self, message):
        kind = message.one()
        message.need(kind & 7 in (1, 2, 3, 4) and kind >> 4 in (0, 1), "type")
        message.end()
        kind &= 7
        identity = mobile_identity(1, self.imsi) if kind == 1 else \
            (b"\xf4" + self.p_tmsi if self.p_tmsi else b"\0") if kind == 4 else \
            mobile_identity(kind, self.imeisv[:15] if kind == 2 else self.imeisv)
        self.say(b"\x08\x16" + lv(identity))

    # ---- Authentication and ciphering (4.7.7) ----

    def authentication_request(self, message):
        octet, reference = message.one(), message.one()
        gea = octet & 7
        message.need(octet & 0x88 == 0 and octet >> 4 in (0, 1) and gea in (0, *GEAS), "algorithm")
        message.need(reference & 15 in (0, 1), "force to standby")
        message.need(not gea or self.net_capability[1] & GEAS[gea], f"GEA{gea}, which the phone cannot do")
        found = message.tail((0x21, "tv", 16, 16), (0x8, "half", 0, 0), (0x28, "tlv", 16, 16))
        message.need(0x21 in found and found.get(0x8, NO_KEY) < NO_KEY, "RAND and CKSN")
        if not self.card:
            return self.wonder(message)
        if self.state == "detaching":
            return None
        self.authenticate(found[0x21], found.get(0x28), found[0x8], gea, reference >> 4,
                          mobile_identity(3, self.imeisv) if octet >> 4 else None)
        return None

    def authenticate(self, rand, autn, cksn, gea, reference, imeisv):
        """A repeated RAND gets the answer again, as the card would not take it twice."""
        is_same = self.challenge == (rand, gea)
        if not is_same:
            answer = self.card.answer(rand, autn)
            if isinstance(answer, Refusal):
                self.refuse_network(answer)
                return
            self.challenge, self.response = (rand, gea), answer
        self.failures = 0
        self.stop("T3318", "T3320")
        if self.state == "attaching" and "T3310" not in self.timers:
            self.start("T3310")
        self.cksn = cksn
        answer = self.response
        rest = b"\x29" + lv(answer.res[4:]) if len(answer.res) > 4 else b""
        self.say(bytes((GMM, 0x13, reference)) + b"\x22" + answer.res[:4] + (b"\x23" + lv(imeisv) if imeisv else b"") + rest)
        if not is_same:
            self.take_key(gea, answer.kc if gea < 4 else answer.kc128)

    def take_key(self, gea, key):
        """A SIM has no Kc128: what the network then enciphers, it cannot read."""
        self.gea, key = gea, key or b""
        if key or not gea:
            self.keys.append((gea, key if gea else b""))
        self.llc.rekey((lambda frame, iov_ui, direction, oc: encipher(gea, key, frame, iov_ui, direction, oc))
                       if gea and key else None)

    def refuse_network(self, refusal):
        """Clauses 4.7.7.6 c and e: three in a row, or no better request in time, and the cell is barred."""
        self.stop("T3310", "T3330")
        self.failures += 1
        self.say(bytes((GMM, 0x1C, refusal.cause)) + (b"\x30" + lv(refusal.auts) if refusal.auts else b""))
        if self.failures == 3:
            self.bar()
        else:
            self.start("T3320" if refusal.auts else "T3318")

    def bar(self):
        self.is_barred = True
        self.ended()

    t3318 = t3320 = bar

    def authentication_reject(self, message):
        message.end()
        if not self.challenge:
            return self.wonder(message)
        self.refused.append((self.now_ns, "authentication", None))
        self.cksn = NO_KEY
        self.ended()
        self.forget()
        return None

    def reallocation(self, message):
        value = message.lv(5, 5)
        rai = message.take(6)
        message.one(range(2))
        found = message.tail((0x19, "tv", 3, 3))
        self.registered(rai, {0x18: value, **found})
        self.say(b"\x08\x11")

    def gmm_status(self, message):
        self.unexpected.append((self.now_ns, "GMM STATUS", message.one()))
        message.end()

    def information(self, _):
        pass

    def wonder(self, message):
        self.unexpected.append((self.now_ns, self.state, message.octets))

    # ---- What has come ----

    GMM_TYPES = {0x02: "attach_accept", 0x04: "attach_reject", 0x05: "detach_request", 0x06: "detach_accept",
                 0x09: "ra_update_accept", 0x0B: "ra_update_reject", 0x10: "reallocation", 0x12: "authentication_request",
                 0x14: "authentication_reject", 0x15: "identity_request",
                 0x20: "gmm_status", 0x21: "information"}

    def hears(self, tlli):
        return self.is_on and tlli in (self.tlli, self.tlli_before)

    def take(self, now_ns, tlli, frame):
        self.now_ns = now_ns
        if not self.hears(tlli):
            return []
        if tlli == self.tlli:
            self.tlli_before = None
        found = self.llc.take(frame)
        if found and self.llc.cipher and not found.enciphered and not (
                found.sapi == 1 and found.info[0] == GMM and found.info[1] in CLEAR_DOWN):
            self.llc.drop("clear")
        elif found and found.sapi == 1:
            self.layer3(found.info)
        elif found and found.sapi in USER_SAPIS:
            self.user_data(found)
        elif found:
            raise Fault(f"a UI frame on SAPI {found.sapi}: {found.info.hex()}")
        return self.done()

    def layer3(self, octets):
        need(len(octets) >= 2, f"message {octets.hex()}")
        self.messages.append((self.now_ns, "down", octets))
        message = Message(octets)
        if octets[0] == GMM:
            name = self.GMM_TYPES.get(octets[1])
            need(name, f"GMM of no known type: {octets.hex()}")
            getattr(self, name)(message)
        elif octets[0] & 15 == SM:
            self.session(octets, message)
        else:
            raise Fault(f"protocol discriminator {octets[0] & 15}, skip or TI {octets[0] >> 4}: {octets.hex()}")
