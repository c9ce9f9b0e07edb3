#!/usr/bin/python3
"""Packet flows of phones' contexts: a phone and a BSS that know them get a PFI by the context's class (TS 24.008
10.5.6.11), and what goes down, CREATE-BSS-PFC and FLOW-CONTROL-PFC are of that flow (TS 48.018)."""

import codec
from session_world import CELL, IMSI, Session, subscribed
from world import MS, S, case, main, npdu, right, same

APNS = 'apn { name = "internet", default = true } apn { name = "video", class = "streaming" }'
PFC, PFC_FC = 0x01, 0x20
KNOWS, ONE_OCTET, NOT = b"\xe5\xe0", b"\xe5", b"\xe5\x60"  # MS network capability: bit 8 of its second octet
# As a phone asks, by class: octet 6 has the traffic class, octet 11 the priority.
QOS = [bytes.fromhex(f"13911f{octet}97404074{priority}0000") for octet, priority in
       (("32", "00"), ("52", "00"), ("72", "01"), ("72", "02"), ("72", "03"), ("92", "00"))]
INTERACTIVE_2 = QOS[3]
# By class, from 8 on in their order: what the file's contexts have by hand.
STREAMING, FIRST, SECOND = 10, 11, 12
# Octets 3 to 13 of the profiles, by hand, from 10.5.6.5: see pfc_world.py.
PROFILES = {STREAMING: "0b 92 1f 53 96 fe fe 74 80 ff ff", FIRST: "0b 92 1f 73 96 fe fe 74 01 ff ff"}


FLOWS = """
local s, t = require('sluice.subscribers.registry'), {};
for i, one in ipairs(s.slots(require('sluice.phones.store').phones[1].ms_id)) do t[i] = one.class end;
return table.concat(t, ' ')
""".replace("\n", " ")


def session(features=PFC | PFC_FC):
    s = Session(apn=APNS, features=features, more=subscribed("conversational"))
    s.bss.auto -= {"bssgp_create_bss_pfc"}
    return s


def active(s, phone, nsapi=5, **request):
    s.do(phone, phone.activate, nsapi=nsapi, **request)
    s.run(MS)
    same(phone.contexts[nsapi].state, "active", f"NSAPI {nsapi}\n{s.world.log()[-1500:]}")
    return phone.contexts[nsapi]


def down(s, phone, nsapi, octets=60, ns=S):
    """Sends one; the PFIs of the DL-UNITDATAs with user data that have come since."""
    context, theirs = phone.contexts[nsapi], s.ggsn.contexts[phone.imsi, nsapi]
    before = len(s.bss.dl)
    s.world.down(theirs.teid_sgsn_data, npdu(context.address, octets))
    s.run(ns)
    return [one.pdu.sdu["pfi"] for one in s.bss.dl[before:] if one.pdu.sdu["llc"][0] & 15 != 1]


def say(s, phone, name, **fields):
    """The names and fields of what the BSS gets for it, but user data."""
    s.bss.inbox.clear()
    s.bss.send(CELL, "bssgp_" + name, tlli=phone.tlli, **fields)
    s.run(0)
    return [one.pdu.sdu for one in s.bss.inbox if one.pdu.sdu and one.pdu.sdu.name != "bssgp_dl_unitdata"]


@case("each context has the PFI of its class: in the ACCEPT, in DL-UNITDATA, in CREATE-BSS-PFC, and none when it has ended")
def by_class():
    with session() as s:
        phone = s.phone()
        for nsapi, pfi, request in ((5, FIRST, {}), (6, STREAMING, {"apn": "video"}), (7, SECOND, {"qos": INTERACTIVE_2})):
            same(active(s, phone, nsapi, **request).pfi, bytes([pfi]), f"PFI of NSAPI {nsapi}, in the ACCEPT")
            same(down(s, phone, nsapi), [pfi], "in DL-UNITDATA")
        for pfi, profile in PROFILES.items():
            asked, = say(s, phone, "download_bss_pfc", pfi=pfi)
            same((asked.name, asked["pfi"], asked["tlli"]), ("bssgp_create_bss_pfc", pfi, phone.tlli), "the answer")
            same(asked["abqp"].hex(" "), profile, f"the profile of PFI {pfi}")
        right("PFI 10: creating" in s.world.ctl(f"pfc {IMSI}")[1], s.world.ctl(f"pfc {IMSI}"))
        s.do(phone, phone.deactivate, 6)
        s.run(MS)
        same(say(s, phone, "download_bss_pfc", pfi=STREAMING), [], "it has ended: no answer (48.018 8a.1.1)")
        right("PFI 10:" not in s.world.ctl(f"pfc {IMSI}")[1], s.world.ctl(f"pfc {IMSI}"))
        same(down(s, phone, 5), [FIRST], "the others go on")
        s.do(phone, phone.detach)
        s.run(20 * S)  # no T7 without its phone
        s.left()


@case("a BSS or a phone without packet flows: no PFI in the ACCEPT nor in DL-UNITDATA")
def not_known():
    for features, capability, has in ((PFC, KNOWS, True), (0, KNOWS, False), (PFC, NOT, False), (PFC, ONE_OCTET, False)):
        with session(features) as s:
            phone = s.phone(net_capability=capability)
            same(active(s, phone).pfi, bytes([FIRST]) if has else None, f"{features}, {capability.hex()}: PFI")
            same(down(s, phone, 5), [FIRST if has else None], "in DL-UNITDATA")
            s.do(phone, phone.detach)
            s.run(S)
            s.left()


@case("two contexts of a class are one packet flow, which FLOW-CONTROL-PFC stops; the other class goes on; it ends with its last")
def shared():
    with session() as s:
        phone = s.phone()
        same([active(s, phone, nsapi).pfi for nsapi in (5, 6)], [bytes([FIRST])] * 2, "PFIs of one class")
        active(s, phone, 7, apn="video")
        say(s, phone, "flow_control_pfc", tag=1, ms_bmax=6000, r=8000, flows=[{"pfi": FIRST, "bmax": 6000, "r": 0}])
        same([down(s, phone, nsapi) for nsapi in (5, 6, 7)], [[], [], [STREAMING]], "what goes while the flow has R = 0")
        s.do(phone, phone.deactivate, 5)
        s.run(S)
        asked, = say(s, phone, "download_bss_pfc", pfi=FIRST)
        same(asked.name, "bssgp_create_bss_pfc", "NSAPI 6 has it still")
        s.do(phone, phone.deactivate, 6)
        s.run(S)
        same(say(s, phone, "download_bss_pfc", pfi=FIRST), [], "nobody has it")
        active(s, phone, 5)
        same(down(s, phone, 5), [FIRST], "a new one of the class begins with the MS's values")
        s.do(phone, phone.detach)
        s.run(20 * S)
        s.left()


def with_features(s, features):
    """The BSS resets all, and says which features it has now."""
    s.bss.features = features
    for bvci in 0, CELL:
        s.bss.reset_bvc(bvci)
        s.run(5 * S)


@case("the most packet flows of a phone: 7 contexts, by class and with or without a PFI; as often as they come and go")
def full():
    with session(0) as s:
        phone = s.phone()
        for turn in range(3):
            with_features(s, 0)
            for nsapi in range(5, 9):
                right(active(s, phone, nsapi, qos=QOS[nsapi - 5]).pfi is None, "without a PFI")
            with_features(s, PFC)
            for nsapi in range(9, 12):
                same(active(s, phone, nsapi, qos=QOS[nsapi - 9]).pfi, bytes([nsapi]), "PFI")
            same(len(s.world.lua(FLOWS).split()), 7, f"flows of turn {turn}")
            same([down(s, phone, nsapi) for nsapi in range(5, 12)], [[None]] * 4 + [[9], [10], [11]], "each has its own")
            for nsapi in list(phone.contexts):
                s.do(phone, phone.deactivate, nsapi)
                s.run(MS)
        s.do(phone, phone.detach)
        s.run(S)
        s.left()


@case("the BSS restarts without packet flows, and with them again: contexts of before go on, new ones follow the BSS")
def restarted():
    with session() as s:
        phone = s.phone()
        active(s, phone, 5)
        for features, wanted in ((0, None), (PFC, bytes([STREAMING]))):
            with_features(s, features)
            s.do(phone, phone.update)
            s.run(S)
            same(phone.state, "registered", "its update")
            right(len(down(s, phone, 5)) == 1, "the context of before")
            same(active(s, phone, 6, apn="video").pfi, wanted, f"a new context, features {features:#x}")
            s.do(phone, phone.deactivate, 6)
            s.run(MS)
        same(codec.RAI, phone.rai, "where it is")
        s.do(phone, phone.detach)
        s.run(S)
        s.left()


main()
