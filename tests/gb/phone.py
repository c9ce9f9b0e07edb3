"""A GPRS phone, of octets and a clock from outside: GMM and SM of TS 24.008, over phone_llc.py. It is the oracle for
those procedures: written from the clauses, it shares nothing with any codec of the program or of its other tests,
and attaches to osmo-sgsn (tests/interop/phone_sgsn.py) as it does to us.

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
from phone_llc import USER_SAPIS, Fault, Llc, Sndcp, need

S = 10**9
SIGNS = ("null", "clear", "own")  # a NULL frame; UI frames of no octets on SAPI 1: in clear, or as all others
STATES = ("deregistered", "attaching", "registered", "updating", "detaching")
# Of a phone (24.008 tables 11.3 and 11.3a, 11.2c): for how long, and how often in all.
TIMER_S = {"T3310": 15, "T3311": 15, "T3321": 15, "T3330": 15, "T3302": 12 * 60, "T3380": 30, "T3390": 8, "T3314": 44,
           "T3316": 30, "T3318": 20, "T3320": 15}
TRIES = 5
GMM, SM = 8, 10
FOR_GOOD = (3, 6, 7, 8)  # causes after which it does not try again until it is switched on anew
NOT_HERE = (11, 12, 13, 14, 15)
AT_ONCE = (9, 10)  # of an update: it attaches
GIVES_UP = (95, 96, 97, 99, 111)  # counts as five attempts
WRONG_TI, WRONG_STATE = 81, 98
# Types of GMM that stay in the clear under a key (4.7.1.2): of the phone, of the network.
CLEAR_UP = (0x01, 0x08, 0x13, 0x16, 0x1C)
CLEAR_DOWN = (0x04, 0x0B, 0x12, 0x14, 0x15)
NO_KEY = 7
GEAS = {3: 0x20, 4: 0x10}  # their bits in the second octet of MS network capability
RA_CAPABILITY = bytes.fromhex("171933432b37159ef98879cba28c6621e72688b19c2ef0")  # of a handset
R97_QOS = bytes.fromhex("0b921f")


def lv(value):
    return bytes((len(value),)) + value


def tlv(tag, value):
    return bytes((tag,)) + lv(value)


def mobile_identity(kind, digits):
    """1 IMSI, 2 IMEI, 3 IMEISV (10.5.1.4)."""
    odd = len(digits) % 2
    nibbles = [int(one) for one in digits] + [15] * (1 - odd)
    return bytes([nibbles[0] << 4 | odd << 3 | kind]) + bytes(
        high << 4 | low for low, high in zip(nibbles[1::2], nibbles[2::2]))


def timer_ns(octet):
    """A GPRS timer (10.5.7.3); None: it does not run."""
    unit = {0: 2, 1: 60, 2: 360, 7: None}.get(octet >> 5, 60)
    return unit and unit * (octet & 31) * S


class Message:
    """What is left of a message of the network, read from its third octet on."""

    def __init__(self, octets):
        self.octets, self.at = octets, 2

    def need(self, condition, what):
        need(condition, f"{what}: message {self.octets.hex()}")

    def take(self, count=1):
        value = self.octets[self.at:self.at + count]
        self.need(len(value) == count, "cut short")
        self.at += count
        return value

    def one(self, allowed=None):
        value = self.take()[0]
        self.need(allowed is None or value in allowed, f"octet {self.at - 1} is {value:#x}")
        return value

    def lv(self, least, most):
        length = self.one()
        self.need(least <= length <= most, f"length {length} at octet {self.at - 1}")
        return self.take(length)

    def end(self):
        self.need(self.at == len(self.octets), f"more than it may have at octet {self.at}")

    def tail(self, *elements):
        """Optional elements, in this order: each a tag, its format, and the least and most octets of its value."""
        found, place = {}, 0
        while self.at < len(self.octets):
            head = self.one()
            tags = [i for i, (tag, form, _, _) in enumerate(elements)
                    if (tag == head >> 4 if form == "half" else tag == head)]
            self.need(tags, f"element {head:#x} at octet {self.at - 1}")
            self.need(tags[0] >= place, f"element {head:#x} is out of its order")
            place = tags[0] + 1
            tag, form, least, most = elements[tags[0]]
            found[tag] = head & 15 if form == "half" else self.lv(least, most) if form == "tlv" else self.take(least)
        return found


PCO = (0x27, "tlv", 1, 251)
P_TMSI = (0x18, "tlv", 5, 5)
T3302, T3346 = (0x2A, "tlv", 1, 1), (0x3A, "tlv", 1, 1)
ACCEPTED = ((0x19, "tv", 3, 3), (0x17, "tv", 1, 1), P_TMSI, (0x23, "tlv", 5, 9), (0x25, "tv", 1, 1), T3302,
            (0x8, "half", 0, 0), (0x4A, "tlv", 3, 45), (0xB, "half", 0, 0))
UPDATED = ((0x19, "tv", 3, 3), P_TMSI, (0x23, "tlv", 5, 9), (0x26, "tlv", 1, 14), (0x17, "tv", 1, 1),
           (0x25, "tv", 1, 1), T3302, (0x8, "half", 0, 0), (0x4A, "tlv", 3, 45), (0x32, "tlv", 2, 2),
           (0xB, "half", 0, 0))


class Context:
    """A PDP context; state: "activating", "active", "deactivating", "inactive"."""

    def __init__(self, nsapi, sapi, ti, request):
        self.nsapi, self.sapi, self.ti, self.request = nsapi, sapi, ti, request
        self.state, self.tries, self.address, self.qos, self.pco, self.pfi = "activating", 0, None, None, None, None
        self.cause, self.sndcp = None, Sndcp(nsapi)


class Phone:
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

    # ---- Contexts (6.1.3) ----

    def wants(self, now_ns, **request):
        self.wanted.append(request)
        if self.state == "registered":
            return self.activate(now_ns, **request)
        return []

    def activate(self, now_ns, **request):
        self.now_ns = now_ns
        self.request_context(**request)
        return self.done()

    def request_context(self, apn="internet", nsapi=5, sapi=3, qos=R97_QOS, address=b"\x01\x21", pco=None):
        need(nsapi not in self.contexts, f"NSAPI {nsapi} has a context")
        ti = min(set(range(7)) - {one.ti for one in self.contexts.values()})
        octets = bytes((self.sm_head(ti), 0x41, nsapi, sapi)) + lv(qos) + lv(address)
        if apn is not None:
            octets += tlv(0x28, b"".join(lv(label.encode()) for label in apn.split(".")))
        if pco is not None:
            octets += tlv(0x27, pco)
        self.contexts[nsapi] = context = Context(nsapi, sapi, ti, octets)
        self.repeat(context, "T3380")

    def sm_head(self, ti):
        return self.ti_flag << 7 | ti << 4 | SM

    def repeat(self, context, timer):
        context.tries += 1
        self.say(context.request)
        self.start((timer, context.nsapi))

    def t3380(self, context):
        if context.tries < TRIES:
            self.repeat(context, "T3380")
        else:
            context.cause = "T3380"
            self.lose(context)

    def deactivate(self, now_ns, nsapi, cause=36, tear_down=None):
        self.now_ns = now_ns
        context = self.contexts[nsapi]
        self.stop(("T3380", nsapi))
        context.state, context.tries = "deactivating", 0
        context.request = bytes((self.sm_head(context.ti), 0x46, cause)) + \
            (bytes((0x90 | tear_down,)) if tear_down is not None else b"")
        self.repeat(context, "T3390")
        return self.done()

    def t3390(self, context):
        if context.tries < TRIES:
            self.repeat(context, "T3390")
        else:
            self.lose(context)

    def lose(self, context):
        self.stop(("T3380", context.nsapi), ("T3390", context.nsapi))
        context.state = "inactive"
        del self.contexts[context.nsapi]

    def lose_contexts(self):
        for context in list(self.contexts.values()):
            self.lose(context)

    def activate_accept(self, context, message):
        sapi = message.one(USER_SAPIS)
        qos = message.lv(3, 16)
        message.need(1 <= message.one() & 15 <= 4, "radio priority")
        found = message.tail((0x2B, "tlv", 2, 18), PCO, (0x34, "tlv", 1, 1), (0x39, "tlv", 1, 1))
        if context.state == "active":
            return  # the answer to a repeated request
        if context.state != "activating":
            self.wonder(message)
            return
        self.stop(("T3380", context.nsapi))
        address = found.get(0x2B)
        message.need(address is None or address[:2] != b"\x01\x21" or len(address) == 6, "PDP address")
        context.state, context.sapi, context.qos, context.tries = "active", sapi, qos, 0
        context.address = address and ".".join(map(str, address[2:]))
        context.pco, context.pfi = found.get(0x27), found.get(0x34)

    def activate_reject(self, context, message):
        context.cause = message.one()
        message.tail(PCO)
        if context.state != "activating":
            self.wonder(message)
            return
        self.refused.append((self.now_ns, "activate", context.cause))
        self.lose(context)

    def deactivate_request(self, context, message):
        context.cause = message.one()
        message.tail((0x9, "half", 0, 0), PCO)
        self.refused.append((self.now_ns, "deactivated", context.cause))
        self.say(bytes((self.sm_head(context.ti), 0x47)))
        if context.state != "deactivating":
            self.lose(context)
        else:  # a collision: both answer, and both timers stop (6.1.3.4.3 b)
            self.lose(context)

    def deactivate_accept(self, context, message):
        message.tail(PCO)
        if context.state != "deactivating":
            self.wonder(message)
            return
        self.lose(context)

    def modify_request(self, context, message):
        message.need(1 <= message.one() & 15 <= 4, "radio priority")
        context.sapi, context.qos = message.one(USER_SAPIS), message.lv(3, 16)
        message.tail((0x2B, "tlv", 2, 18), (0x34, "tlv", 1, 1), PCO)
        self.say(bytes((self.sm_head(context.ti), 0x49)))

    def sm_status(self, context, message):
        self.unexpected.append((self.now_ns, "SM STATUS", message.one()))
        message.end()

    # ---- User data ----

    def send(self, now_ns, nsapi, packet):
        self.now_ns = now_ns
        context = self.contexts[nsapi]
        need(context.state == "active", f"NSAPI {nsapi} is {context.state}")
        for info in context.sndcp.segments(packet, self.llc.entities[context.sapi].n201_u):
            self.out(self.llc.ui(context.sapi, info))
        return self.done()

    def user_data(self, frame):
        nsapi = frame.info[0] & 15 if frame.info else None
        context = self.contexts.get(nsapi)
        if not context or context.state != "active" or context.sapi != frame.sapi:
            self.unexpected.append((self.now_ns, "user data", nsapi))
            return
        packet = context.sndcp.take(frame.info)
        if packet is not None:
            self.packets.append((self.now_ns, nsapi, packet))

    # ---- What has come ----

    GMM_TYPES = {0x02: "attach_accept", 0x04: "attach_reject", 0x05: "detach_request", 0x06: "detach_accept",
                 0x09: "ra_update_accept", 0x0B: "ra_update_reject", 0x10: "reallocation", 0x12: "authentication_request",
                 0x14: "authentication_reject", 0x15: "identity_request",
                 0x20: "gmm_status", 0x21: "information"}
    SM_TYPES = {0x42: "activate_accept", 0x43: "activate_reject", 0x46: "deactivate_request",
                0x47: "deactivate_accept", 0x48: "modify_request", 0x55: "sm_status"}

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

    def session(self, octets, message):
        """The TI is the phone's, so the network sends it with the other flag (24.007 clause 11.2.3.1.3)."""
        need(octets[0] >> 7 != self.ti_flag, f"TI flag of {octets.hex()}")
        name = self.SM_TYPES.get(octets[1])
        need(name, f"SM of no known type: {octets.hex()}")
        ti = octets[0] >> 4 & 7
        context = next((one for one in self.contexts.values() if one.ti == ti), None)
        if context:
            getattr(self, name)(context, message)
        elif name == "sm_status":
            self.sm_status(None, message)
        elif name == "deactivate_request":  # the answer to the first one was lost (8.3.2)
            self.say(bytes((self.sm_head(ti), 0x47)))
        elif name != "deactivate_accept":
            self.unexpected.append((self.now_ns, "no context", octets))
            self.say(bytes((self.sm_head(ti), 0x55, WRONG_TI)))
