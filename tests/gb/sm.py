#!/usr/bin/python3
"""Session management (TS 24.008 clause 6) between phones (phone.py), Sluice and a GGSN (ggsn.py), in virtual time:
contexts come and go from either side, whatever is lost, doubled or late; and at the end both sides agree, and no
context, request, run or place is left over."""

import itertools

import codec
import frames as wire
from ggsn import CREATE, DELETE, ECHO, RECOVERY, TEID_DATA, UPDATE
from session_world import ACCEPT, ACTIVATE, COMPLETE, DEACTIVATE, DEACTIVATED, IDENTITY, IMSI, T3380, T3390, T3395
from session_world import Session, config, subscribed
from world import GGSN, GN, GN_MAC, MS, S, case, main, npdu, right, same

APNS = 'apn { name = "internet", default = true } apn { name = "Video.example", class = "streaming" }'
ZEROS = bytes(14)
INTERACTIVE_2 = bytes.fromhex("1391 1f 72 97 40 40 74 02 00 00".replace(" ", ""))


def kinds(phone, way, pd=10):
    return [octets[1] for _, of_way, octets in phone.messages if of_way == way and octets[0] & 15 == pd]


def last_down(phone):
    return [octets for _, way, octets in phone.messages if way == "down"][-1]


@case("a context: its address is the GGSN's, data goes both ways, and nothing of it is left")
def whole():
    with Session(more=subscribed("interactive-1")) as s:
        phone = s.phone()
        s.do(phone, phone.activate)
        s.run(MS)
        one, theirs = phone.contexts[5], s.ggsn.contexts[IMSI, 5]
        same((one.state, one.address, one.sapi), ("active", theirs.address, 3), "the phone's context")
        s.left(1)
        s.world.down(theirs.teid_sgsn_data, npdu(one.address))
        s.run(S)
        same([(nsapi, packet) for _, nsapi, packet in phone.packets], [(5, npdu(one.address))], "downlink")
        s.do(phone, phone.send, 5, npdu("203.0.113.9", source=one.address))
        s.run(S)
        same([(teid, octets) for _, teid, octets in s.world.npdus_up()],
             [(theirs.teid_data, npdu("203.0.113.9", source=one.address))], "uplink")
        good, text = s.world.ctl(f"phone {IMSI}")
        right(good and f"NSAPI 5: APN internet, address {one.address}, class interactive-1, GGSN ggsn" in text, text)
        s.do(phone, phone.deactivate, 5)
        s.run(MS)
        same((phone.contexts, kinds(phone, "down")), ({}, [ACCEPT, DEACTIVATED]), "after DEACTIVATE")
        s.left()
        same(s.world.counted("contexts_made", "contexts_ended", "contexts_refused"), (1, 1, 0), "counted")
        same(phone.unexpected, [], "what the phone did not expect")


@case("what a phone says of itself in an update is what the BSS is told with its next N-PDU")
def told_in_update():
    with Session() as s:
        phone = s.phone()
        s.do(phone, phone.activate)
        s.run(MS)

        def told():
            s.world.down(s.ggsn.contexts[IMSI, 5].teid_sgsn_data, npdu(phone.contexts[5].address))
            s.run(MS)
            return s.bss.dl[-1].pdu.sdu["ra_capability"]
        same(told(), phone.ra_capability, "before")
        for octets in b"\x12\x34", b"\x12\x35", b"\x12\x35":
            phone.ra_capability = octets
            s.do(phone, phone.update)
            s.run(MS)
            same(phone.state, "registered", "its state")
            same(told(), octets, "behind an update")


# From the best, with the codes of octet 6 and, as a priority, of octet 11.
CLASSES = {"conversational": (1, 0), "streaming": (2, 0), "interactive-1": (3, 1), "interactive-2": (3, 2),
           "interactive-3": (3, 3), "background": (4, 0)}


def asking(klass):
    code, priority = CLASSES[klass]
    return bytes([0x13, 0x91, 0x1f, code << 5 | 0x12, 0x97, 0x40, 0x40, 0x74, priority, 0, 0])


@case("no phone gets a better class than its own, background if the file does not have it; and none is asked of its GGSN")
def bounded():
    order = list(CLASSES)
    for most in [None] + order:
        with Session(more=most and subscribed(most) or "") as s:
            phone = s.phone()
            for asked in order:
                klass = order[max(order.index(asked), order.index(most or "background"))]
                s.do(phone, phone.activate, qos=asking(asked))
                s.run(MS)
                shown = s.world.ctl(f"phone {IMSI}")[1]
                right(f"class {klass}," in shown, f"{asked} of {most}: {shown}")
                for who, octets in (("phone", phone.contexts[5].qos), ("GGSN", s.ggsn.contexts[IMSI, 5].qos[1:])):
                    code, priority = octets[3] >> 5, octets[8] & 3
                    same((code, priority if code == 3 else 0), CLASSES[klass], f"{asked} of {most}: what the {who} hears")
                s.do(phone, phone.deactivate, 5)
                s.run(MS)
            s.left()


@case("a reload that changes a phone's class, or takes its phone { } away, changes that of the contexts to come")
def reclassed():
    given = subscribed("streaming")
    with Session(more=given) as s:
        phone = s.phone()
        for nsapi, text, klass in ((5, given, "streaming"), (6, subscribed("interactive-2"), "interactive-2"), (7, "", "background")):
            if nsapi > 5:
                good, said = s.world.reload(config(more=text))
                right(good and "phone { } changed" in said, said)
            s.do(phone, phone.activate, nsapi=nsapi, qos=asking("streaming"))
            s.run(MS)
            shown = s.world.ctl(f"phone {IMSI}")[1]
            right(f"NSAPI {nsapi}:" in shown and f"class {klass}," in shown.split(f"NSAPI {nsapi}:")[1], shown)
        right("class streaming," in shown.split("NSAPI 5:")[1].split("NSAPI 6:")[0], f"of before: {shown}")


@case("requests as phones make them: NSAPI 6, TI flag 1, QoS of zeros, other APNs; and what they get")
def requests():
    with Session(apn=APNS, more=subscribed("conversational", "001010000000100", 10)) as s:
        for i, (options, request, apn, klass, qos_octets) in enumerate((
                ({"ti_flag": 1}, {"nsapi": 6, "qos": ZEROS}, "internet", "conversational", None),
                ({}, {"apn": None}, "internet", "interactive-1", 3),
                ({}, {"apn": "INTERNET"}, "internet", "interactive-1", 3),
                ({}, {"apn": "video.EXAMPLE.mnc001.mcc001.gprs", "sapi": 9}, "Video.example", "streaming", 3),
                ({}, {"qos": INTERACTIVE_2, "sapi": 11}, "internet", "interactive-2", None),
                ({}, {"qos": bytes.fromhex("131f1f")}, "internet", "interactive-2", 3),
                ({}, {"address": b"\1\x8d"}, "internet", "interactive-1", 3),
                ({}, {"pco": bytes.fromhex("8080211001000010810600000000")}, "internet", "interactive-1", 3))):
            imsi = f"0010100000001{i:02}"
            phone = s.phone(imsi, **options)
            s.do(phone, phone.activate, **request)
            s.run(MS)
            nsapi = request.get("nsapi", 5)
            same(phone.contexts[nsapi].state, "active", f"{request}, {s.world.log()[-1500:]}\n{phone.messages}")
            theirs = s.ggsn.contexts[imsi, nsapi]
            same(theirs.apn, b"".join(bytes([len(l)]) + l.encode() for l in apn.split(".")), f"APN of {request}")
            right(f"class {klass}," in s.world.ctl(f"phone {imsi}")[1], f"class of {request}")
            same(phone.contexts[nsapi].sapi, request.get("sapi", 3), "SAPI")
            same(phone.contexts[nsapi].pco, request.get("pco"), "options")
            if qos_octets:
                same(len(phone.contexts[nsapi].qos), qos_octets, f"QoS of {request}")
            same(bytes.fromhex("390132") in last_down(phone), request.get("address") == b"\1\x8d", "cause 50")
            right(phone.contexts[nsapi].pfi is None, "no PFI without packet flows")
            same(phone.unexpected, [], "what the phone did not expect")
            if "ti_flag" in options:
                s.do(phone, phone.deactivate, nsapi)
                s.run(MS)
                same((phone.contexts, len(s.ggsn.contexts)), ({}, 0), "its DEACTIVATE")
            s.do(phone, phone.detach)
            s.run(S)
        s.left()


@case("how many attach, are attached and have contexts, at each step; a phone is in one of the first two")
def gauges():
    with Session() as s:
        same(s.gauges(), (0, 0, 0), "nobody")
        phone = s.phone(attach=False)
        phone.p_tmsi, phone.rai = b"\xc0\0\0\1", codec.RAI  # of nobody: it is asked who it is
        s.impair("lose", "down", IDENTITY)
        s.do(phone, phone.attach)
        s.run(S)
        same(s.gauges(), (1, 0, 0), "it is asked who it is")
        s.impair("lose", "up", COMPLETE)
        s.run(6 * S)
        same((s.gauges(), phone.state), ((0, 1, 0), "registered"), "its COMPLETE is lost")
        s.run(6 * S)
        same(s.gauges(), (0, 1, 0), "attached")
        s.ggsn.lose("down", CREATE + 1)
        s.do(phone, phone.activate)
        s.run(S)
        same(s.gauges(), (0, 1, 0), "the GGSN has not answered")
        s.run(5 * S)
        same(s.gauges(), (0, 1, 1), "a context")
        s.phone("001010000000002", attach=False)
        s.do(s.phones[1], s.phones[1].attach)
        s.run(MS)
        s.do(s.phones[1], s.phones[1].activate, nsapi=6)
        s.run(MS)
        same(s.gauges(), (0, 2, 2), "two of each")
        s.ggsn.restart()
        s.run(61 * S)  # ECHO says so
        same(s.gauges(), (0, 2, 0), "after a restart of the GGSN")
        s.do(phone, phone.activate)
        s.do(s.phones[1], s.phones[1].activate, nsapi=6)
        s.run(MS)
        same(s.gauges(), (0, 2, 2), "both again")
        s.do(phone, phone.deactivate, 5)
        s.run(MS)
        same(s.gauges(), (0, 2, 1), "one context has ended")
        s.do(s.phones[1], s.phones[1].detach)
        s.run(MS)
        same(s.gauges(), (0, 1, 0), "one phone has gone with its context")
        s.do(phone, phone.detach)
        s.run(S)
        same(s.gauges(), (0, 0, 0), "both")
        s.left()


@case("each message of ACTIVATE and DEACTIVATE lost 1 to 4 times, doubled or late: both sides agree")
def impaired():
    with Session() as s:
        phone = s.phone()
        for what, (way, kind), n in itertools.product(
                ("lose", "double", "delay"),
                (("up", ACTIVATE), ("down", ACCEPT), ("up", DEACTIVATE), ("down", DEACTIVATED)), range(1, 5)):
            if what != "lose" and n > 2:
                continue
            s.calm()
            s.impair(what, way, kind, range(1, n + 1), ns=(n * 3 - 2) * S if what == "delay" else (n - 1) * S)
            s.do(phone, phone.activate)
            s.run(n * T3380 + S if what == "lose" and kind in (ACTIVATE, ACCEPT) else 20 * S)
            same(phone.contexts[5].state, "active", f"{what} {way} {kind:#x} {n}")
            same(phone.contexts[5].address, s.ggsn.contexts[IMSI, 5].address, "its address")
            s.left(1)
            s.do(phone, phone.deactivate, 5)
            s.run(n * T3390 + S if what == "lose" and kind in (DEACTIVATE, DEACTIVATED) else 20 * S)
            same(phone.contexts, {}, f"{what} {way} {kind:#x} {n}")
            s.left()
        same([one for one in phone.unexpected if one[1] != "no context"], [], "what the phone did not expect")


@case("messages of GTP-C lost or late while a phone activates: it gets its context, or 38 after 20 s")
def gtpc_impaired():
    with Session() as s:
        phone = s.phone()
        for way, kind, n in itertools.product(("up", "down"), (CREATE, DELETE), range(1, 5)):
            s.calm()
            s.ggsn.faults.clear(), s.ggsn.seen.clear(), phone.refused.clear()
            s.ggsn.lose(way, kind + (way == "down"), times=n)
            began = s.world.now_ns
            s.do(phone, phone.activate)
            s.run(n * 5 * S + MS)
            if kind == CREATE and n == 4:
                same(phone.refused, [(began + 20 * S, "activate", 38)], "refused")
                s.run(61 * S)
                s.ggsn.contexts.clear(), s.ggsn.by_teid.clear()  # one that we never heard of
                s.left()
                continue
            same(phone.contexts[5].state, "active", f"lost {n} times {way}")
            s.do(phone, phone.deactivate, 5)
            s.run(MS)
            same(phone.contexts, {}, "the phone does not wait for the GGSN")
            s.run(21 * S)
            if n == 4:
                s.ggsn.contexts.clear(), s.ggsn.by_teid.clear()
            s.left()
        right(len(s.lines("ACTIVATE REJECT 38 (network failure): GGSN ggsn (192.0.2.2)", "check that it runs")) >= 1,
              "lines")


@case("the same request again gets the same answer, octet for octet; another one begins anew")
def again():
    with Session() as s:
        phone = s.phone()
        s.ggsn.auto.discard(CREATE)
        s.do(phone, phone.activate)
        request = phone.contexts[5].request
        s.run(S)
        s.say(phone, request)
        asked = s.ggsn.expect(CREATE, at=s.world.now_ns - S)
        s.ggsn.none(CREATE, S)
        s.ggsn.transmit(s.ggsn.create(asked))
        s.run(S)
        accept = last_down(phone)
        for _ in range(2):
            s.say(phone, request)
            s.run(MS)
            same(last_down(phone), accept, "the same again")
        same((kinds(phone, "down"), len(s.ggsn.times(CREATE))), ([ACCEPT] * 3, 1), "messages")
        s.left(1)
        s.ggsn.auto.add(CREATE)
        del phone.contexts[5]  # it asks otherwise, with the same NSAPI and TI
        s.do(phone, phone.activate, qos=ZEROS)
        s.run(S)
        same((phone.contexts[5].state, len(s.ggsn.times(DELETE)), len(s.ggsn.times(CREATE))), ("active", 1, 2), "anew")
        s.left(1)
        s.do(phone, phone.deactivate, 5)
        request = phone.contexts[5].request
        s.run(S)
        s.say(phone, request)
        s.run(MS)
        same(kinds(phone, "down")[-2:], [DEACTIVATED] * 2, "DEACTIVATE again")
        s.left()


@case("several contexts of a phone, and other NSAPIs on the same TI")
def several():
    with Session() as s:
        phone = s.phone()
        for nsapi, sapi in ((5, 3), (6, 5), (15, 11)):
            s.do(phone, phone.activate, nsapi=nsapi, sapi=sapi)
            s.run(S)
        same([one.state for one in phone.contexts.values()], ["active"] * 3, "contexts")
        s.left(3)
        gone = phone.contexts.pop(6)
        gone.nsapi, gone.state, phone.contexts[9] = 9, "activating", gone
        request = bytearray(gone.request)
        request[2] = 9  # NSAPI 9 with the TI of NSAPI 6
        s.say(phone, bytes(request))
        s.run(S)
        same(sorted(nsapi for _, nsapi in s.ggsn.contexts), [5, 9, 15], "contexts of the GGSN")
        s.left(3)
        s.do(phone, phone.detach)
        s.run(S)
        s.left()


@case("what is refused, with its cause and a line of the log that says what to do")
def refused():
    with Session(apn='apn { name = "internet" }', most=9) as s:
        phone = s.phone()
        for request, cause, *words in (
                ({"apn": "other"}, 27, "missing or unknown APN", 'no apn { } is named "other"; there is internet'),
                ({"apn": None}, 27, "no apn { } has default = true"),
                ({"address": b"\1\x57"}, 28, "IPv6; Sluice has IPv4 only"), ({"address": b"\0\1"}, 28, "PPP"),
                ({"nsapi": 4}, 96, "NSAPI 4"), ({"sapi": 7}, 96, "SAPI 7"), ({"qos": b"\1\2"}, 96, "sm_activate_request")):
            s.run(11 * S)
            s.do(phone, phone.activate, **request)
            s.run(MS)
            same([one[2] for one in phone.refused], [cause], f"refusal of {request}")
            same(len(s.lines(f"IMSI {IMSI}: ACTIVATE REJECT {cause}", *words)), 1, f"lines of {request}")
            phone.refused.clear()
        for theirs, cause, words in ((199, 26, "no resources"), (211, 26, "larger pool"), (212, 26, "1024 contexts"),
                                     (200, 32, "fixed address"), (201, 96, ""), (202, 96, ""), (204, 38, ""),
                                     (205, 33, ""), (209, 29, "PAP"), (219, 27, ""), (220, 28, ""), (192, 30, "")):
            s.ggsn.cause = theirs
            s.run(11 * S)
            s.do(phone, phone.activate)
            s.run(MS)
            same([one[2] for one in phone.refused], [cause], f"refusal for {theirs}")
            right(s.lines(f"ACTIVATE REJECT {cause}", f"GGSN ggsn (192.0.2.2): it says {theirs}", words), f"line for {theirs}")
            phone.refused.clear()
            s.left()
        s.ggsn.cause = 128
        s.run(11 * S)
        s.do(phone, phone.activate)
        s.run(MS)
        s.left(1)
        while int(s.world.lua("return require('sluice.subscribers.ranges').left('pdps')")):
            other = s.phone(f"00101{len(s.phones):010}")
            for nsapi in range(5, 14):
                s.do(other, other.activate, nsapi=nsapi) if len(other.contexts) < 7 else None
                s.run(MS)
        last = s.phone("001010000009999")
        s.do(last, last.activate)
        s.run(MS)
        same([one[2] for one in last.refused], [26], "without room")
        right(s.lines("ACTIVATE REJECT 26", "raise room.pdps"), "line")


@case("the GGSN deletes a context: DEACTIVATE 36, repeated each T3395, five times at most")
def ggsn_deletes():
    with Session() as s:
        phone = s.phone()
        for lost in (0, 1, 4, 5):
            s.calm()
            s.do(phone, phone.activate)
            s.run(MS)
            theirs = s.ggsn.contexts[IMSI, 5]
            s.impair("lose", "down", DEACTIVATE, range(1, lost + 1))
            s.ggsn.ask(DELETE, theirs)
            s.ggsn.forget(theirs)
            began = s.world.now_ns
            s.run(MS)
            same(len(s.world.tunnels()), 0, "it leaves the dataplane at once")
            s.run(5 * T3395 + S)
            down = [t for t, way, octets in phone.messages if way == "down" and octets[1] == DEACTIVATE and t >= began]
            same([t // MS for t in down], [(began + lost * T3395) // MS] if lost < 5 else [], "when it came")
            same([one[1:] for one in phone.refused], [("deactivated", 36)] if lost < 5 else [], "cause")
            phone.refused.clear()
            if lost == 5:
                phone.lose(phone.contexts[5])
            s.left()
        s.do(phone, phone.activate)
        s.run(MS)
        theirs = s.ggsn.contexts[IMSI, 5]
        s.calm()
        s.impair("delay", "down", DEACTIVATE, ns=S)  # both at once: neither waits for ever
        s.ggsn.ask(DELETE, theirs)
        s.ggsn.forget(theirs)
        s.run(MS)
        s.do(phone, phone.deactivate, 5)
        s.run(10 * S)
        same(phone.contexts, {}, "after both have asked")
        s.left()


def indicate(s, teid, source):
    """A GTP-U error indication (29.281 7.3.1) for that TEID."""
    ies = b"\x10" + teid.to_bytes(4) + b"\x85\0\4" + bytes(map(int, source.split(".")))
    payload = b"\x32\x1a" + (4 + len(ies)).to_bytes(2) + bytes(8) + ies
    s.world.put("gn", wire.frame_of(wire.Datagram(source, 2152, GN, 2152, payload), wire.mac_of(source), wire.mac(GN_MAC)))
    s.world.run(0)


@case("an error indication for a phone's uplink: 39 to that phone, no DELETE, and it comes again; for another TEID: nothing",
      GGSN)
@case("the same from another host, which the GGSN's answer has named for data", "192.0.2.77")
def no_tunnel(data):
    with Session() as s:
        s.ggsn.data = data
        phones = [s.phone(f"00101000020000{i}") for i in range(2)]
        for phone in phones:
            s.do(phone, phone.activate)
        s.run(S)
        s.left(2)
        theirs = s.ggsn.contexts["001010000200000", 5]
        indicate(s, theirs.teid_data + 100, data)
        s.run(S)
        s.left(2)
        s.ggsn.forget(theirs)
        s.ggsn.received.clear()
        indicate(s, theirs.teid_data, data)
        indicate(s, theirs.teid_data, data)
        s.run(S)
        same([[one[1:] for one in phone.refused] for phone in phones], [[("deactivated", 39)], []], "refused")
        same(s.ggsn.times(DELETE), [], "DELETE REQUESTs")
        s.left(1)
        s.do(phones[0], phones[0].activate)
        s.run(S)
        s.left(2)


@case("a forged error indication: the context goes on, both ways, and costs one UPDATE in 10 s, however many come", GGSN)
@case("the same from another host, which the GGSN's answer has named for data", "192.0.2.77")
def forged(data):
    with Session() as s:
        s.ggsn.data = data
        phone = s.phone()
        s.do(phone, phone.activate)
        s.run(S)
        theirs, one = s.ggsn.contexts[IMSI, 5], phone.contexts[5]
        for turn in range(3):
            for number in range(50):
                indicate(s, theirs.teid_data, data)
                s.do(phone, phone.send, 5, npdu("203.0.113.9", number=number, source=one.address))
                s.world.down(theirs.teid_sgsn_data, npdu(one.address, 60, number), data)
                s.run(190 * MS)
            same(len(s.ggsn.times(UPDATE)), turn + 1, "UPDATE REQUESTs")
            same((len(s.world.npdus_up()), len(phone.packets)), (50 * (turn + 1),) * 2, "packets up and down")
            s.run(S)
        same((s.world.counted("indications_refuted", "contexts_lost", "uplinks_ended"), phone.refused), ((3, 0, 0), []), "counted")
        right(len(s.lines("NSAPI 5, GGSN ggsn", "it has the context")) == 3, s.world.log()[-800:])
        s.left(1)
        s.run(10 * S)
        s.ggsn.forget(theirs)  # and a true one behind all these
        indicate(s, theirs.teid_data, data)
        s.run(MS)
        same([one[1:] for one in phone.refused], [("deactivated", 39)], "refused")
        s.left()


@case("what the GGSN answers to the question, or does not: lost, doubled, late, with another cause, TEID or restart counter")
def questions():
    for way, lost in itertools.product(("up", "down"), range(1, 4)):
        with Session() as s:
            phone = s.phone()
            s.do(phone, phone.activate)
            s.run(S)
            s.ggsn.lose(way, UPDATE + (way == "down"), times=lost)
            indicate(s, s.ggsn.contexts[IMSI, 5].teid_data, GGSN)
            s.run(16 * S)
            same((phone.refused, s.world.counted("indications_refuted")), ([], (1,)), f"{way}, lost {lost} times")
            s.left(1)
    for what, spoil, ends in (
            ("as it is", lambda g: None, False), ("with its TEID", lambda g: g.update_ies.append((TEID_DATA, (0xD0001).to_bytes(4))), False),
            ("another TEID", lambda g: g.update_ies.append((TEID_DATA, (0xD0002).to_bytes(4))), True),
            ("its restart counter", lambda g: g.update_ies.append((RECOVERY, b"\7")), False),
            ("another restart counter", lambda g: g.update_ies.append((RECOVERY, b"\x09")), True),
            ("not supported", lambda g: setattr(g, "cause_of_update", 200), True),
            ("non-existent", lambda g: setattr(g, "cause_of_update", 192), True),
            ("system failure", lambda g: setattr(g, "cause_of_update", 204), True),
            ("no answer", lambda g: g.auto.remove(UPDATE), True),
            ("doubled", lambda g: g.double("down", UPDATE + 1, ns=S), False),
            ("late", lambda g: g.delay("down", UPDATE + 1, 7 * S), False)):
        with Session() as s:
            phone = s.phone()
            s.do(phone, phone.activate)
            s.run(S)
            theirs = s.ggsn.contexts[IMSI, 5]
            same(theirs.teid_data, 0xD0001, "its TEID")
            spoil(s.ggsn)
            indicate(s, theirs.teid_data, GGSN)
            s.run(21 * S)
            same([one[1:] for one in phone.refused], [("deactivated", 39)] if ends else [], what)
            if ends:
                s.ggsn.contexts.clear(), s.ggsn.by_teid.clear()
            s.left(0 if ends else 1)


@case("the context ends while the GGSN is asked, by either side: the answer is nothing, and nothing is left")
def meanwhile():
    for how in ("phone", "ggsn", "detach", "power"):
        with Session() as s:
            phone = s.phone()
            s.do(phone, phone.activate)
            s.run(S)
            theirs = s.ggsn.contexts[IMSI, 5]
            s.ggsn.delay("down", UPDATE + 1, 7 * S)
            indicate(s, theirs.teid_data, GGSN)
            s.run(MS)
            if how == "ggsn":
                s.ggsn.ask(DELETE, theirs)
                s.ggsn.forget(theirs)
            else:
                s.do(phone, {"phone": lambda ns: phone.deactivate(ns, 5), "detach": phone.detach,
                             "power": lambda ns: phone.detach(ns, power_off=True)}[how])
            s.run(10 * S)
            same((s.world.counted("indications_refuted"), len(s.ggsn.times(UPDATE))), ((0,), 1), how)
            s.left()


@case("a GGSN that has restarted: the first error indication ends the contexts of all its phones, without waiting for ECHO")
def restart_by_indication():
    with Session() as s:
        phones = [s.phone(f"00101000030000{i}") for i in range(5)]
        for phone in phones:
            s.do(phone, phone.activate)
        s.run(S)
        teid = s.ggsn.contexts[phones[2].imsi, 5].teid_data
        s.ggsn.restart()
        s.ggsn.received.clear()
        began = s.world.now_ns
        indicate(s, teid, GGSN)
        s.run(S)
        same([[one[1:] for one in phone.refused] for phone in phones], [[("deactivated", 39)]] * 5, "refused")
        right(max(phone.refused[0][0] for phone in phones) - began <= 4 * 20 * MS + MS, "20 ms apart")
        same((len(s.ggsn.times(UPDATE)), len(s.ggsn.times(ECHO))), (1, 1), "what the GGSN was asked")
        s.left()


@case("a GGSN that restarts, or goes: 39 to all its phones, 50 a second, once each; and they come again")
def restarts():
    with Session(most=60) as s:
        phones = [s.phone(f"0010100001{i:05}") for i in range(60)]
        for phone in phones:
            s.do(phone, phone.activate)
        s.run(S)
        s.left(60)
        for how in ("restart", "silence"):
            for phone in phones:
                phone.refused.clear()
            if how == "restart":
                s.ggsn.restart()
            else:
                s.ggsn.alive = False
            s.ggsn.received.clear()
            s.world.run_until(s.world.now_ns + 100 * S, lambda: not s.world.tunnels())
            began = s.world.now_ns
            s.run(3 * S)
            same([[one[1:] for one in phone.refused] for phone in phones], [[("deactivated", 39)]] * 60, "refused")
            times = sorted(phone.refused[0][0] for phone in phones)
            right(times[-1] - began >= 59 * 20 * MS and times[-1] - began < 2 * S, f"{times[-1] - began} ns for 60")
            same(s.ggsn.times(DELETE), [], "DELETE REQUESTs")
            if how == "silence":
                s.do(phones[0], phones[0].activate)
                s.run(MS)
                same(phones[0].refused[-1][1:], ("activate", 38), "at once, while it is down")
                right(s.lines("ACTIVATE REJECT 38", "answers no GTP-C on UDP 2123"), "line")
                s.ggsn.alive = True
                s.ggsn.contexts.clear(), s.ggsn.by_teid.clear()
                s.run(6 * S)
            s.left()
            for phone in phones:
                s.do(phone, phone.activate)
            s.run(2 * S)
            s.left(60)


@case("attach and detach inside activate, a new attach with contexts: nothing of the old ones stays")
def inside():
    with Session() as s:
        for what in ("attach", "detach", "power off", "late"):
            phone = s.phone()
            s.ggsn.faults.clear(), s.ggsn.seen.clear()
            s.ggsn.delay("down", CREATE + 1, 2 * S)
            s.do(phone, phone.activate)
            s.run(S if what != "late" else 3 * S)
            if what in ("attach", "late"):
                phone.contexts.clear(), phone.timers.clear()
                s.do(phone, phone.attach)
            else:
                s.do(phone, phone.detach, power_off=what == "power off")
            s.run(5 * S)
            same(phone.state, "registered" if what in ("attach", "late") else "deregistered", what)
            same(len(s.ggsn.contexts), 0, f"contexts of the GGSN after {what}")
            s.left()
            s.do(phone, phone.detach)
            s.run(S)
            s.phones.clear()


@case("a phone that is nobody asks for a context: it is told to attach")
def unattached():
    with Session() as s:
        phone = s.phone(attach=False)
        phone.tlli, phone.state = 0x78001234, "registered"
        s.do(phone, phone.activate)
        s.run(S)
        same([octets for _, way, octets in phone.messages if way == "down"][:1], [bytes.fromhex("080501250a")], "answer")
        same(s.ggsn.times(CREATE), [], "CREATE REQUESTs")


@case("what is wrong or not there: STATUS, a refusal, or nothing, as the clauses say")
def wrong():
    with Session() as s:
        phone = s.phone()
        s.do(phone, phone.activate)
        s.run(MS)
        real, phone.layer3 = phone.layer3, lambda octets: phone.messages.append((0, "down", octets))
        for octets, answer in (
                ("3a4624", "ba5551"), ("3a4a", "ba5551"), ("3a47", None), ("3a5561", None), ("0a4a", "8a4c20"),
                ("2a4d05030103010000", "aa4f60"),
                ("2a4d0503030b921f0110", "aa4f20"), ("0a42", "8a5561"), ("0a99", "8a5561"), ("7a4624", None),
                ("1a41", "9a4360"), ("1a4105", "9a4360"), ("0a45", "8a5560")):
            before = len(phone.messages)
            s.say(phone, bytes.fromhex(octets))
            s.run(MS)
            found = [m.hex() for _, way, m in phone.messages[before:] if way == "down"]
            same(found, [answer] if answer else [], f"answer to {octets}")
        s.left(1)
        s.say(phone, bytes.fromhex("0a46"))  # cut short, but it means one thing
        s.run(MS)
        same(last_down(phone).hex(), "8a47", "answer")
        s.left()
        phone.layer3 = real
        phone.contexts.clear()
        s.do(phone, phone.activate)
        s.run(MS)
        s.left(1)
        s.say(phone, bytes.fromhex("0a5551"))  # it does not know the TI
        s.run(S)
        s.left()


@case("the operator ends a context")
def operator():
    with Session() as s:
        phone = s.phone()
        s.do(phone, phone.activate)
        s.run(MS)
        same(s.world.ctl(f"deactivate {IMSI} 6")[0], False, "one that is not there")
        same(s.world.ctl(f"deactivate {IMSI} 5")[0], True, "one that is")
        s.run(S)
        same((phone.refused[-1][1:], phone.contexts), (("deactivated", 36), {}), "what the phone has heard")
        s.left()


main()
