"""A phone's contexts (TS 24.008 clause 6.1.3) and what they carry: the half of phone.py that is SM and SNDCP."""

from phone_llc import USER_SAPIS, Sndcp, need
from phone_message import SM, lv, tlv

TRIES = 5  # of each procedure, in all
WRONG_TI = 81
R97_QOS = bytes.fromhex("0b921f")
PCO = (0x27, "tlv", 1, 251)


class Context:
    """A PDP context; state: "activating", "active", "deactivating", "inactive"."""

    def __init__(self, nsapi, sapi, ti, request):
        self.nsapi, self.sapi, self.ti, self.request = nsapi, sapi, ti, request
        self.state, self.tries, self.address, self.qos, self.pco, self.pfi = "activating", 0, None, None, None, None
        self.cause, self.sndcp = None, Sndcp(nsapi)


class SessionManagement:
    """What a Phone does with its contexts; the rest of it is in phone.py."""

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

    SM_TYPES = {0x42: "activate_accept", 0x43: "activate_reject", 0x46: "deactivate_request",
                0x47: "deactivate_accept", 0x48: "modify_request", 0x55: "sm_status"}

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
