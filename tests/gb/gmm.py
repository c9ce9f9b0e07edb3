#!/usr/bin/python3
"""Phones attach, move and detach (lua/sluice/gmm), in clear: each message by its octets, each timer to the ns, and
after each procedure nothing of it is left. Both sides' losses and repetitions are here by what the SGSN sees of
them; phone.py is a whole phone."""

import re

import codec
from bss import Bss
from gmm_world import (CELL, COLLECT, COMPLETE, DETACH, DETACH_ACCEPT, IDENTITY_REQUEST, IMSI, IMSI_DETACH, OTHER_BSS,
                       POWER_OFF, RA_CAPABILITY, RANDOM, SECOND, T3322, T3350, T3370, ZERO, Handset, Network, accept,
                       attach_request, config, identity_response, tmsi, update_request)
from world import GGSN, MS, S, case, main, ms, new_folder, right, same

SECOND_IMSI = "001010000000002"
STATUS = bytes.fromhex("0820")
ACCEPTED_DETACH = bytes.fromhex("080600")
TOLD = bytes.fromhex("080501250a")  # attach again, cause 10
NOBODY = (0, 0, 0, 0)
ONE = (1, 1, 0, 0)


@case("a phone attaches: identity, ACCEPT to the old TLLI, COMPLETE on the new one; a place while it is there")
def attaches():
    with Network() as network:
        free = network.free()
        phone = Handset(network)
        phone.say(attach_request(tmsi(0xC1234567), area="62f224432101"))
        asked = network.one(IDENTITY_REQUEST, tlli=RANDOM)
        same((asked.nu, asked.imsi, network.left()), (0, None, (0, 0, 1, 0)), "N(U), IMSI, what there is")
        phone.identify()
        accepted = network.one(tlli=RANDOM)
        phone.p_tmsi = int.from_bytes(accepted.message[-4:])
        same(accepted.message.hex(), accept(phone.p_tmsi).hex(), "ACCEPT")
        same((accepted.nu, accepted.imsi, accepted.ra_capability), (1, IMSI, bytes.fromhex(RA_CAPABILITY)), "its frame")
        same((network.left(), int(free) - int(network.free())), ((1, 1, 1, 1), 1), "what there is")
        same(network.counted("attaches"), (0,), "attaches")
        phone.complete()
        network.none()
        same((network.left(), network.counted("attaches")), (ONE, (1,)), "what there is")
        right(network.lines(f"IMSI {IMSI}", "attached in cell 101-2", f"P-TMSI 0x{phone.p_tmsi:08x}"), "the log")
        good, text = network.world.ctl(f"phone {IMSI}")
        right(good and f"P-TMSI 0x{phone.p_tmsi:08x}" in text and "READY" in text and "101-2" in text, text)
        phone.say(DETACH)
        same(network.one(ACCEPTED_DETACH, tlli=phone.tlli).nu, 2, "N(U) goes on")
        same((network.left(), network.free(), network.counted("detaches")), (NOBODY, free, (1,)), "what is left")
        network.world.run(3600 * S)
        network.none()


@case("a phone that says its IMSI is not asked for it; combined attach is GPRS only; timers of the file")
def with_imsi():
    with Network(attach='who = "listed", t3312 = "12 s"') as network:
        phone = Handset(network)
        phone.say(phone.request(kind=3))
        accepted = network.one(name="accept")
        phone.p_tmsi = int.from_bytes(accepted.message[-6:-2])
        same(accepted.message.hex(), accept(phone.p_tmsi, t3312=6, cause=b"\x25\x10").hex(), "ACCEPT")
        phone.complete()
        same(network.left(), ONE, "what there is")


@case("IDENTITY REQUEST five times, 6 s apart; then nothing of it is left")
def t3370():
    with Network() as network:
        phone = Handset(network)
        start = network.world.now_ns
        phone.say(attach_request(tmsi(0xC1234567)))
        network.world.run(5 * T3370 - 1)
        found = network.came()
        same([(one.time_ns - start, one.message, one.nu) for one in found],
             [(n * T3370, IDENTITY_REQUEST, n) for n in range(5)], "what was asked")
        same(network.left(), (0, 0, 1, 0), "what there is")
        network.world.run(1)
        same(network.left(), NOBODY, "what is left")
        phone.identify()
        network.none()  # a late answer; the phone says by itself what it wants
        network.world.run(60 * S)
        network.none()
        same(network.left(), NOBODY, "what is left")


@case("ACCEPT five times, 6 s apart; then the phone counts as attached, and is told nothing more")
def t3350():
    with Network() as network:
        phone = Handset(network)
        start = network.world.now_ns
        accepted = phone.attach(complete=False)
        network.world.run(5 * T3350 - 1)
        found = network.came()
        same([(one.time_ns - start, one.message, one.nu, one.tlli) for one in found],
             [(n * T3350, accepted.message, 1 + n, RANDOM) for n in range(1, 5)], "what was sent")
        same((network.left(), network.counted("attaches")), ((1, 1, 1, 1), (0,)), "what there is")
        network.world.run(1)
        same((network.left(), network.counted("attaches")), (ONE, (1,)), "what there is")
        phone.complete()
        network.none()
        phone.say(DETACH)
        network.one(ACCEPTED_DETACH)
        same(network.left(), NOBODY, "what is left")


@case("the same REQUEST again: the last message again, T3350 anew, the count not")
def again():
    with Network() as network:
        phone = Handset(network)
        request = attach_request(tmsi(0xC1234567))
        phone.say(request)
        network.world.run(S)
        phone.say(request)
        same([one.message for one in network.came()], [IDENTITY_REQUEST] * 2, "asked")
        phone.identify()
        accepted = network.one(name="accept")
        at = network.world.now_ns
        network.world.run(5 * S)
        phone.say(request)
        same(network.one(name="accept").message, accepted.message, "ACCEPT")
        network.world.run(5 * T3350)
        same([one.time_ns - at for one in network.came()], [5 * S + n * T3350 for n in range(1, 5)], "repeated")
        same(network.left(), ONE, "what there is")


@case("another REQUEST starts over, with another P-TMSI; the phone is one all the time, and late answers are dropped")
def other_request():
    with Network() as network:
        free = network.free()
        phone = Handset(network)
        first = phone.attach(complete=False)
        phone.say(attach_request(phone.identity(), drx="0b00"))
        second = network.one(name="accept", tlli=RANDOM)
        right(second.message[-4:] != first.message[-4:], "the same P-TMSI")
        same((first.nu, second.nu), (1, 2), "N(U) goes on: the phone's LLC has not begun anew")
        same((network.left(), int(free) - int(network.free())), ((1, 1, 1, 1), 1), "what there is")
        phone.say(identity_response(phone.identity()))
        network.none()
        phone.p_tmsi = int.from_bytes(second.message[-4:])
        phone.complete()
        phone.say(COMPLETE)
        phone.say(identity_response(phone.identity()))
        network.none()
        same((network.left(), network.counted("attaches")), (ONE, (1,)), "what there is")
        network.world.run(60 * S)
        network.none()


@case("two phones on TLLI 80000000: the second ends the attempt of the first, which tries again; neither is the other")
def two_on_one():
    with Network() as network:
        one, two = Handset(network, IMSI, ZERO), Handset(network, SECOND_IMSI, ZERO)
        one.attach(complete=False)
        two.nu = 10
        two.say(two.request())
        accepted = network.one(name="accept", tlli=ZERO)
        same(accepted.imsi, SECOND_IMSI, "who is accepted")
        two.p_tmsi = int.from_bytes(accepted.message[-4:])
        network.world.run(20 * S)
        same({found.imsi for found in network.came()}, {SECOND_IMSI}, "who gets ACCEPTs")
        two.complete()
        same(network.left(), (2, 2, 0, 0), "what there is: the first may have got its ACCEPT")
        one.nu = 20
        one.say(one.request(), tlli=ZERO)
        same(network.one(name="accept").imsi, IMSI, "the first again")
        same(network.left(), (2, 2, 1, 1), "what there is")
        two.say(identity_response(two.identity()), tlli=ZERO, nu=21)
        network.none()
        same(network.left(), (1, 1, 0, 0), "both answered under one TLLI: the attempt ends")
        same(network.world.ctl(f"phone {SECOND_IMSI}")[0], True, "the second is attached")
        same(network.world.ctl(f"phone {IMSI}")[0], False, "the first is not")


@case("a second attach of the IMSI from elsewhere takes nothing from the first before it says who it is")
def elsewhere():
    with Network() as network:
        free = int(network.free())
        one, two = Handset(network), Handset(network, tlli=0x78000777, bvci=SECOND)
        one.attach()
        two.say(attach_request(tmsi(0xC1234567)))
        network.one(IDENTITY_REQUEST, tlli=two.tlli)
        same((network.left(), free - int(network.free())), ((1, 1, 1, 0), 1), "what there is")
        two.identify()
        accepted = network.one(name="accept")
        same((accepted.bvci, network.left(), free - int(network.free())), (SECOND, (1, 1, 1, 1), 1), "what there is")
        two.p_tmsi = int.from_bytes(accepted.message[-4:])
        two.complete()
        one.say(update_request(codec.RAI, kind=3))
        found = network.came()
        same([(f.is_reset or f.name, f.bvci) for f in found], [(True, CELL), ("update_reject", CELL)], "the first")
        same(network.left(), ONE, "what there is")


@case("a phone that attaches again by its P-TMSI is not asked; its old TLLI is not valid any more, nor are its numbers")
def again_by_p_tmsi():
    with Network() as network:
        phone = Handset(network)
        phone.attach()
        old = phone.p_tmsi
        area = codec.RAI.hex()
        for number, top in enumerate((0xc0000000, 0x80000000)):
            phone.tlli = old & 0x3fffffff | top
            phone.say(attach_request(tmsi(old), area=area))
            accepted = network.one(name="accept", tlli=phone.tlli)
            same((accepted.imsi, accepted.nu), (IMSI, 2 + number), "IMSI, and N(U), which goes on")
            phone.p_tmsi = int.from_bytes(accepted.message[-4:])
            right(phone.p_tmsi != old, "a new P-TMSI")
            phone.complete()
            same(network.left(), ONE, "what there is")
            old = phone.p_tmsi
        phone.say(attach_request(tmsi(old), area="62f224432101"))
        network.one(IDENTITY_REQUEST)


@case("detach: by the phone, with power off, of the IMSI only, inside attach, and again when it is nobody")
def detaches():
    with Network() as network:
        phone = Handset(network)
        phone.attach()
        phone.say(IMSI_DETACH)
        network.one(ACCEPTED_DETACH)
        same(network.left(), ONE, "GPRS stays")
        phone.say(POWER_OFF)
        network.none()
        same(network.left(), NOBODY, "what is left")
        phone.say(POWER_OFF)
        network.none()
        phone.say(DETACH)
        found = network.came()
        same([one.is_reset or one.message for one in found], [True, ACCEPTED_DETACH], "nobody's")
        same(found[1].nu, 0, "N(U) behind the Reset")
        phone = Handset(network, tlli=0x78000055)
        phone.say(attach_request(tmsi(0xC1234567)))
        phone.say(DETACH)
        same([one.message for one in network.came()], [IDENTITY_REQUEST, ACCEPTED_DETACH], "inside attach")
        same(network.left(), NOBODY, "what is left")
        phone.attach(complete=False)
        phone.say(DETACH)
        network.one(ACCEPTED_DETACH, tlli=phone.tlli)
        same(network.left(), NOBODY, "what is left")
        network.world.run(60 * S)
        network.none()


@case("ctl detach: five REQUESTs, 6 s apart, until the phone accepts; then it is nobody")
def by_us():
    for answers in 0, 1, 5:
        with Network() as network:
            phone = Handset(network)
            phone.attach()
            good, text = network.world.ctl(f"detach {IMSI}{' again' if answers else ''}")
            right(good, text)
            message = bytes.fromhex("080501" if answers else "080502")
            first = network.one(message, tlli=phone.tlli)
            network.world.run_until(first.time_ns + max(answers, 1) * T3322 - 1)
            if answers == 1:
                network.none()
                phone.say(DETACH_ACCEPT)
            else:
                network.world.run_until(first.time_ns + 5 * T3322 - 1)
                same([(f.time_ns - first.time_ns, f.message) for f in network.came()],
                     [(n * T3322, message) for n in range(1, 5)], "repeated")
                same(network.left(), (1, 1, 0, 1), "what there is")
                network.world.run(1)
            same((network.left(), network.counted("detaches")), (NOBODY, (1,)), "what is left")
            network.world.run(60 * S)
            network.none()
    with Network() as network:
        same(network.world.ctl(f"detach {IMSI}")[0], False, "nobody to detach")


@case("the phone detaches, or attaches, while we detach it")
def collide():
    with Network() as network:
        phone = Handset(network)
        phone.attach()
        network.world.ctl(f"detach {IMSI}")
        network.came()
        phone.say(DETACH)
        network.one(ACCEPTED_DETACH)
        same(network.left(), NOBODY, "what is left")
        phone = Handset(network)
        phone.attach()
        network.world.ctl(f"detach {IMSI}")
        network.came()
        phone.say(phone.request())
        phone.p_tmsi = int.from_bytes(network.one(name="accept").message[-4:])
        phone.complete()
        same(network.left(), ONE, "attached")
        network.world.run(60 * S)
        network.none()


@case("routeing area update: in its cell, in another one, by a foreign TLLI; a P-TMSI in another area is nobody's")
def updates():
    with Network() as network:
        phone = Handset(network)
        phone.attach()
        answer = bytes.fromhex("08090049") + codec.RAI + bytes.fromhex("1716")
        for kind, cause in ((0, ""), (3, ""), (1, "2510"), (2, "2510")):
            phone.say(update_request(codec.RAI, kind=kind))
            network.one(answer + bytes.fromhex(cause), tlli=phone.tlli)
        phone.bvci = SECOND
        phone.say(update_request(codec.RAI))
        same(network.one(answer).bvci, SECOND, "where it is")
        phone.bvci = CELL
        foreign = phone.tlli & 0x3fffffff | 0x80000000
        phone.say(update_request(codec.RAI, more=bytes.fromhex("32020000")), tlli=foreign)
        same(network.one(answer + bytes.fromhex("32020000"), tlli=foreign).bvci, CELL, "where it is")
        phone.say(bytes.fromhex("080a"))
        network.none()
        same(network.world.lua("local p = require('sluice.phones.store').phones[1] "
                               "return (require('dp').ms_cell(p.ms_id)) == p.bvc.id"), "true", "its cell")
        same((network.left(), network.counted("updates", "updates_refused")), (ONE, (6, 0)), "counts")
        phone.say(update_request(bytes.fromhex("62f224432101")), tlli=foreign)
        found = network.came()
        same([one.is_reset or one.message.hex() for one in found], [True, "080b0a00"], "another area's")
        same(network.left(), ONE, "what there is")
        phone.say(update_request(codec.RAI, ra_capability="1234"))
        network.came()
        phone.say(update_request(codec.RAI, ra_capability="1234"))
        last = network.one(name="update_accept")
        same((last.ra_capability, last.drx), (b"\x12\x34", 0x0a00), "what the BSS is told: what it left out stays")
        phone.say(POWER_OFF)
        same(network.left(), NOBODY, "what is left")


@case("an unknown phone is told to attach: behind a Reset, unless its TLLI is random; STATUS and ACCEPT are not answered")
def unknown():
    with Network() as network:
        for tlli in 0xC0123456, 0x80123456:
            phone = Handset(network, tlli=tlli)
            for message, right_ in ((update_request(codec.RAI), "080b0a00"), (COMPLETE, TOLD.hex()),
                                    (bytes.fromhex("0a4101"), TOLD.hex()), (DETACH, ACCEPTED_DETACH.hex())):
                phone.say(message)
                found = network.came()
                same([one.is_reset or one.message.hex() for one in found], [True, right_], f"{message.hex()}")
                same((found[0].llc[2:5].hex(), found[1].nu), ("30" + found[0].llc[3:5].hex(), 0), "type 12, and N(U)")
            for message in (STATUS + b"\x62", DETACH_ACCEPT, POWER_OFF, bytes.fromhex("087f")):
                phone.say(message)
                network.none()
            network.bss.uplink_llc(CELL, tlli, codec.llc_ui(3, 0, bytes(30)))
            network.world.run(0)
            same([one.is_reset or one.message for one in network.came()], [True, TOLD], "user data")
        phone = Handset(network)
        phone.say(COMPLETE)
        network.one(TOLD, tlli=RANDOM)
        same(network.left(), NOBODY, "what is left")


@case("a phone of before our restart: update, REJECT 10 behind a Reset, attach; its numbers begin anew")
def restart():
    with Network() as network:
        phone = Handset(network, tlli=0xC7654321)
        phone.nu = 300
        phone.say(update_request(codec.RAI, kind=3))
        same([one.is_reset or one.message.hex() for one in network.came()], [True, "080b0a00"], "told")
        phone.nu, phone.tlli = 0, 0x87654321
        phone.say(attach_request(tmsi(0xC7654321), area=codec.RAI.hex()))
        network.one(IDENTITY_REQUEST)
        phone.nu = 0  # the Reset has come
        phone.identify()
        phone.p_tmsi = int.from_bytes(network.one(name="accept").message[-4:])
        phone.complete()
        same(network.left(), ONE, "attached")


@case("STATUS by clause 8: unknown types, wrong elements, messages of another state; a wrong REQUEST is refused")
def wrong():
    with Network() as network:
        phone = Handset(network)
        phone.attach()
        for message, answer in ((bytes.fromhex("087f"), "082061"), (bytes.fromhex("0813"), "082060"),
                                (bytes.fromhex("081300"), "082062"), (bytes.fromhex("08160119"), "082060"),
                                (bytes.fromhex("080801"), "080b6000"), (bytes.fromhex("080102"), "080460"),
                                (STATUS + b"\x61", None), (bytes.fromhex("0816") + b"\x01\x00", None)):
            phone.say(message)
            same([one.message.hex() for one in network.came()], [answer] if answer else [], message.hex())
        same(network.left(), ONE, "what there is")
        stranger = Handset(network, tlli=0x78009999)
        stranger.say(bytes.fromhex("080102"))
        network.one(bytes.fromhex("080460"))
        same(network.left(), ONE, "what there is")


@case("who may attach: listed, by network, nobody else; each refusal is a line with IMSI, cause and what to do")
def who():
    stranger, foreign = "001010000009999", "262010000000001"
    with Network() as network:
        phone = Handset(network, stranger)
        phone.say(phone.request())
        network.one(bytes.fromhex("080407"))
        right(network.lines(f"IMSI {stranger}", "ATTACH REJECT 7 (GPRS not allowed)", "no phone { } has it",
                            f'phone {{ imsi = "{stranger}" }}', '"001-01"'), network.world.log())
        phone.say(phone.request(drx="0b00"))
        network.one(bytes.fromhex("080407"))
        same(len(network.lines("ATTACH REJECT")), 1, "lines within 10 s")
        network.world.run(11 * S)
        phone.say(phone.request(drx="0c00"))
        same(len(network.lines("ATTACH REJECT")), 2, "lines")
        same((network.left(), network.counted("attaches_refused")), (NOBODY, (3,)), "what is left")
        good, text = network.world.ctl("phones refused")
        right(good and text.count(stranger) >= 2 and text.startswith("2 refusals"), text)
        good, text = network.world.ctl(f"phone {stranger}")
        right(not good and "REJECT 7" in text, text)
    own = ms(stranger, 0xC0000001)
    with Network(config(attach='who = "open", networks = { "001-01" }', phones="").replace(
            "bvc { bvci = 2 }", f"bvc {{ bvci = 2, {own} }}", 1)) as network:
        phone = Handset(network, stranger)
        phone.say(phone.request())
        network.one(bytes.fromhex("080407"))
        right(network.lines(f"IMSI {stranger}", "ATTACH REJECT 7 (GPRS not allowed)",
                            "an ms { } of the file has this IMSI; remove it"), network.world.log())
    with Network(attach='who = "open", networks = { "001-01" }', phones="") as network:
        Handset(network, stranger).attach()
        phone = Handset(network, foreign, tlli=0x78000333)
        phone.say(phone.request())
        network.came()
        right(network.lines(foreign, "not among attach.networks, 001-01"), network.world.log())
        same(network.left(), ONE, "what there is")


def pages(network, words):
    """Lines of all pages, without headings, and how many pages."""
    lines, count, more = [], 0, words
    while more:
        good, text = network.world.ctl(more)
        heading, *shown = text.split("\n")
        right(good and len(text) < 4096 and len(shown) > 1, f"{more}: {heading}")
        found = re.fullmatch(rf"(\d+) more: sluice ctl ({words} (\d+))", shown[-1])
        more = found and found[2]
        lines += shown[:-1] if found else shown
        same(int(found[3]) if found else len(lines) + 1, len(lines) + 1, "where the next page begins")
        count += 1
    return lines, count


@case("ctl phones, and its refusals, in pages: each phone once, whole lines, and the last line says how to go on")
def listed():
    with Network(attach='who = "open", networks = { "001-01" }', phones="") as network:
        phones = [Handset(network, f"00101{number:010}", 0x78000000 + number) for number in range(1, 131)]
        for phone in phones:
            phone.attach()
        same(network.world.ctl("phones refused"), (True, "none was refused"), "before a refusal")
        same(network.world.lua("for _, usage in ipairs(require('program').requests) do if not require('sluice.core.requests')"
                               ".words[usage:match '^%S+'] then return usage end end return 'none'"), "none",
             "a request of the table that nobody answers")
        lines, count = pages(network, "phones")
        same(sorted(line.split()[1] for line in lines), [phone.imsi + ":" for phone in phones], "phones")
        right(count == 3 and all(line.endswith("in cell 101-2") for line in lines), f"{count} pages, {lines[0]}")
        refused = [Handset(network, f"262010000000{number:03}", 0x78001000 + number) for number in range(1, 51)]
        for phone in refused:
            phone.say(phone.request())
        lines, count = pages(network, "phones refused")
        right(count > 2, f"{count} pages of refusals")
        same([line.split()[4] for line in lines], [phone.imsi + ":" for phone in reversed(refused)], "refused, the last first")
        for wrong in ("phones 0", "phones -1", "phones x", "phones 1 1", "phones refused x", "phones refused 1 1"):
            same(network.world.ctl(wrong), (False, "usage: phones [FROM], or phones refused [FROM]"), wrong)
        network.world.lua("require('sluice.phones.refusals').note('262019999999999', ('x'):rep(5000), 7, 'y')")
        good, text = network.world.ctl("phones refused")
        same((good, len(text.split("\n")), text.split("\n")[-1]), (True, 3, "50 more: sluice ctl phones refused 2"), "a long one")
        same(network.world.ctl("phones 200"), (True, "130 attached, 0 about to attach"), "behind the last one")


@case("in a network whose MNC has three digits: attached and updated in its area; the line of a refusal names it in full")
def three_digits():
    before, codec.RAI = codec.RAI, bytes.fromhex("130014" "1234" "56")
    try:
        with Network(attach='who = "open", networks = { "310-410" }', phones="") as network:
            phone = Handset(network, "310410000000001")
            right(codec.RAI in phone.attach().message, "the area of the ACCEPT")
            phone.say(update_request(codec.RAI))
            network.one(bytes.fromhex("08090049") + codec.RAI + bytes.fromhex("1716"), tlli=phone.tlli)
        with Network() as network:
            for imsi, name in ("310410000000001", "310-410"), ("001010000009999", "001-01"):
                phone = Handset(network, imsi, tlli=0x78000000 + int(imsi) % 1000)
                phone.say(phone.request())
                network.one(bytes.fromhex("080407"))
                right(network.lines(f"IMSI {imsi}", f'networks = {{ "{name}" }}'), network.world.log())
    finally:
        codec.RAI = before


@case("no place: REJECT 22 with what to raise; and the place of one that goes is the next one's")
def full():
    with Network(attach='who = "listed", most = 2', more="room { mss = 2, pdps = 4 }") as network:
        phones = [Handset(network, f"00101000000000{n}", 0x78000000 + n) for n in range(1, 4)]
        phones[0].attach()
        phones[1].attach()
        phones[2].say(phones[2].request())
        network.one(bytes.fromhex("080416"))
        right(network.lines("ATTACH REJECT 22 (congestion)", "room for 2 MSs", "attach.most"), network.world.log())
        same(network.left(), (2, 2, 0, 0), "what there is")
        phones[0].say(POWER_OFF)
        phones[2].attach()
        same(network.left(), (2, 2, 0, 0), "what there is")


@case("an RA capability of 0 octets is none, and one of 49 is left out of DL-UNITDATA with a line")
def capability():
    with Network() as network:
        for n, octets in ((1, 0), (2, 49), (3, 48)):
            phone = Handset(network, f"00101000000000{n}", 0x78000000 + n)
            phone.say(phone.request(ra_capability="17" * octets))
            accepted = network.one(name="accept")
            same(accepted.ra_capability, b"\x17" * 48 if octets == 48 else None, f"of {octets}")
        same(len(network.lines("49 octets is kept out")) > 0, True, "the line")


@case("a phone that says nothing for READY, T3312 and 8 min is nobody then; one that is heard stays")
def reach():
    limit = (44 + 60 + 480) * S
    with Network(attach='who = "listed", t3312 = "60 s"') as network:
        silent, heard = Handset(network), Handset(network, SECOND_IMSI, 0x78000002)
        silent.attach()
        start = network.world.now_ns
        heard.attach()
        for _ in range(5):
            network.world.run(100 * S)
            heard.say(update_request(codec.RAI, kind=3))
        network.came()
        network.world.run_until(start + limit - S)
        same(network.left(), (2, 2, 0, 0), "what there is")
        network.world.run(2 * S)
        same((network.left(), network.counted("detaches_implicit")), (ONE, (1,)), "one is gone")
        same(network.world.ctl(f"phone {SECOND_IMSI}")[0], True, "which")
        network.world.run(3 * limit)
        same((network.left(), network.counted("detaches_implicit")), (NOBODY, (2,)), "both are gone")
        network.none()


@case("two phones that got a place under one TLLI and were never heard again are nobody after that time, too")
def reach_of_two():
    with Network(attach='who = "listed", t3312 = "60 s"') as network:
        Handset(network, IMSI, ZERO).attach(complete=False)
        two = Handset(network, SECOND_IMSI, ZERO)
        two.nu = 10
        two.say(two.request())
        same(network.left(), (2, 2, 1, 1), "what there is")
        network.world.run((44 + 60 + 480 + 60) * S)
        same((network.left(), network.counted("detaches_implicit")), (NOBODY, (2,)), "what is left")


@case("attempts: an NSE has half of what the others leave, and so many a second; the rest is not answered")
def limits():
    with Network(attach='who = "listed", attempts = 16, rate = 100') as network:
        for n in range(12):
            Handset(network, tlli=0x78000000 + n).say(attach_request(tmsi(0xC1234567)))
        same((len(network.came()), network.left(), network.counted("attempts_shed")), (8, (0, 0, 8, 0), (4,)), "half")
        right(network.lines("NSE 101", "attach.attempts is 16"), network.world.log())
        network.world.run(60 * S)
        same(network.left(), NOBODY, "what is left")
    with Network(attach='who = "listed", rate = 10') as network:
        for n in range(50):
            Handset(network, tlli=0x78000000 + n).say(COMPLETE)
        same((len(network.came()), network.counted("attempts_shed")), (20, (30,)), "a burst of 2 s")
        network.world.run(500 * MS)
        for n in range(50):
            Handset(network, tlli=0x78000000 + n).say(COMPLETE)
        same(len(network.came()), 5, "half a second more")
    with Network(attach='who = "listed"') as network:
        for n in range(250):
            Handset(network, tlli=0x78000000 + n).say(COMPLETE)
        same((len(network.came()), network.counted("attempts_shed")), (200, (50,)), "a burst without `rate`")


@case("a reload: a phone that left the file is told to detach, others stay; a removed cell's phones are nobody")
def reloaded():
    with Network() as network:
        one, two = Handset(network), Handset(network, SECOND_IMSI, 0x78000002, bvci=SECOND)
        one.attach()
        two.attach()
        network.came()
        less = config(phones=f'phone {{ imsi = "{SECOND_IMSI}" }}')
        good, text = network.world.reload(less)
        right(good, text)
        network.one(bytes.fromhex("080501"), tlli=one.tlli)
        one.say(DETACH_ACCEPT)
        same(network.left(), ONE, "what there is")
        good, text = network.world.reload(less.replace("bvc { bvci = 3 }", ""))
        right(good, text)
        same(network.left(), NOBODY, "what is left")
        good, text = network.world.reload(less.replace('who = "listed"', 'who = "listed", most = 77'))
        right(not good and "attach.most" in text and "restart" in text, text)
        good, text = network.world.reload(re.sub(r"(?m)^(attach|phone) {.*$", "", less))
        right(not good and "attach { }, which is in force, is missing" in text, text)


@case("a reload: attach { } that was not there at the start is refused at its own line")
def reloaded_attach():
    with Network(re.sub(r"(?m)^(attach|phone) {.*$", "", config())) as network:
        good, text = network.world.reload(config())
        right(not good and "attach.who: attach { } is not in force; to add it needs a restart" in text, text)


BLOCKS = """timers { t2 = "3 s" }
log { level = "info" }
apn { name = "internet", class = "background" }
apn { name = "other" }"""
NAMED_CHANGES = (  # in the file, by which other text, and what the reload says
    ('t2 = "3 s"', 't2 = "4 s"', "timers { } changed"),
    ('t2 = "3 s"', "t2_retries = 1", "timers { } changed"),
    ('level = "info"', 'level = "debug"', "log { } changed"),
    ('class = "background"', 'class = "streaming"', "apn { } changed"),
    ('apn { name = "other" }', "", "apn { } changed"),
    ('"262-42", "001-01"', '"262-42"', "attach { } changed"),
    ("count = 20", "count = 21", "phone { } changed"),
    (f'imsi = "{IMSI}"', 'imsi = "001010000000002"', "phone { } changed"),
    ("gn {", 'gn { from = { "192.0.2.2" },', "gn.from changed"),
    ("gb {", "gb { capture = true,", "gb.capture changed"),
)


@case("a reload names what changed without records in the dataplane, there and back; the same file changes nothing")
def named_changes():
    text = config('who = "open", networks = { "262-42", "001-01" }, ciphers = { "gea4", "none" }', more=BLOCKS).replace(
        f'address = "{GGSN}"', f'address = "{GGSN}", control = "{GGSN}"')
    with Network(text) as network:
        same(network.world.reload(text), (True, "no changes"), "the same")
        for old, new, said in NAMED_CHANGES:
            right(old in text, old)
            same(network.world.reload(text.replace(old, new)), (True, said), new)
            same(network.world.reload(text), (True, said), f"{old} again")
        several = text.replace('"3 s"', '"4 s"').replace("count = 20", "count = 10").replace("bvc { bvci = 3 }", "")
        same(network.world.reload(several), (True, "1 cell removed, timers { } changed, phone { } changed"), "several")


@case("with an MS of the file beside it, whose GMM is not answered")
def beside_file():
    ms = 'bvc { bvci = 2, ms { imsi = "001010000000900", tlli = 0xc0000900 } }'
    with Network(config(two=True).replace("bvc { bvci = 2 }", ms, 1)) as network:
        other = Bss(network.world, 102, [(2, OTHER_BSS)], {2: 80000})
        other.up()
        Handset(network).attach()
        Handset(network, tlli=0xC0000900).say(update_request(codec.RAI))
        network.none()
        other.uplink_llc(CELL, 0xC0000900, codec.llc_ui(3, 0, bytes(30)))
        network.world.run(0)
        same(network.came(other), [], "to its TLLI where it is not: it is somebody's")
        same(network.left(), ONE, "what there is")


@case("a frame under the new TLLI stands for a COMPLETE that was lost; the old TLLI is nobody's then")
def lost_complete():
    with Network() as network:
        phone = Handset(network)
        phone.attach(complete=False)
        phone.tlli = phone.p_tmsi
        phone.say(update_request(codec.RAI))
        network.one(name="update_accept", tlli=phone.tlli)
        same((network.left(), network.counted("attaches")), (ONE, (1,)), "what there is")
        network.world.run(60 * S)
        network.none()
        phone.say(COMPLETE, tlli=RANDOM)
        same([one.is_reset or one.message for one in network.came()], [True, TOLD], "under the old one")


@case("the BSS restarts while a phone attaches, and when it is attached: it goes on, and nothing is asked anew")
def bss_restarts():
    with Network() as network:
        phone = Handset(network)
        phone.say(attach_request(tmsi(0xC1234567)))
        network.one(IDENTITY_REQUEST)
        network.bss.restart()
        network.world.run(S)
        phone.identify()
        phone.p_tmsi = int.from_bytes(network.one(name="accept").message[-4:])
        network.bss.restart()
        network.world.run(S)
        phone.complete()
        same(network.left(), ONE, "attached")
        network.bss.restart()
        network.world.run(S)
        phone.say(update_request(codec.RAI, kind=3))
        network.one(name="update_accept", tlli=phone.tlli)
        phone.say(DETACH)
        network.one(ACCEPTED_DETACH)
        same(network.left(), NOBODY, "what is left")


@case("an update in a cell of another NSE, under the foreign TLLI: the phone is there then, with all that it has")
def another_nse():
    with Network(config(two=True)) as network:
        other = Bss(network.world, 102, [(2, OTHER_BSS)], {2: 80000})
        other.up()
        phone = Handset(network)
        phone.attach()
        phone.bss = other
        phone.say(update_request(codec.RAI), tlli=phone.tlli & 0x3fffffff | 0x80000000)
        same(network.one(name="update_accept", bss=other).imsi, IMSI, "IMSI")
        network.none()
        phone.say(update_request(codec.RAI, kind=3))
        network.one(name="update_accept", tlli=phone.tlli, bss=other)
        right("in cell 102-2" in network.world.ctl(f"phone {IMSI}")[1], "where it is")
        phone.say(DETACH)
        network.one(ACCEPTED_DETACH, bss=other)
        same(network.left(), NOBODY, "what is left")


@case("attach() of the policy may refuse, with a cause, and do nothing else")
def by_policy():
    script = """function attach(event)
        if event.imsi == "001010000000002" then return { refuse = 15 } end
        if event.imsi == "001010000000003" then return { refuse = 1 } end
        if event.imsi == "001010000000004" then error("no") end
        log(table.concat({ event.imsi, event.nsei, event.bvci, event.mcc, event.mnc, event.lac, event.rac }, " "))
    end"""
    path = new_folder() / "policy.lua"
    path.write_text(script)
    with Network(more=f'policy {{ script = "{path}" }}') as network:
        for n, answer in ((1, "accept"), (2, "reject"), (3, "accept"), (4, "accept")):
            phone = Handset(network, f"00101000000000{n}", 0x78000000 + n)
            phone.say(phone.request())
            found = network.one(name=answer)
            if answer == "reject":
                same(found.message.hex(), "08040f", "cause")
        right(network.lines("policy: 001010000000001 101 2 262 42 4660 86"), network.world.log())
        right(network.lines("ATTACH REJECT 15 (no suitable cells here)", "policy"), network.world.log())
        same(network.counted("hook_faults", "attaches_refused"), (2, 1), "counts")


@case("a thousand phones that attach and go: what each takes, and nothing is left")
def memory():
    attach = 'who = "open", networks = { "001-01" }, rate = 100000, attempts = 100000'
    with Network(attach=attach, phones="") as network:
        def some(first, n, away):
            phones = [Handset(network, f"00101{number:010}", 0x78000000 + number) for number in range(first, first + n)]
            for phone in phones:
                phone.say(phone.request(), run=False)
            network.world.run(60 * S)
            found = {down.tlli: down for down in network.came() if down.name == "accept"}
            for phone in phones:
                phone.tlli = int.from_bytes(found[phone.tlli].message[-4:])
                phone.say(COMPLETE, run=False)
            network.world.run(S)
            for phone in phones if away else ():
                phone.say(POWER_OFF, run=False)
            network.world.run(S)
            same(network.left()[2:], (0, 0), "attempts and runs")

        def octets():
            network.world.lua(COLLECT)
            return network.world.lua_octets()

        some(0, 300, True)
        before = octets()
        for first in 1000, 2000, 3000:
            some(first, 300, True)
        left = octets() - before
        some(5000, 300, False)
        each = (octets() - before - left) / 300
        print(f"# {left} octets are left of 900 phones; one that is there takes {each:.0f}")
        same(network.left(), (300, 300, 0, 0), "what there is")
        right(left < 4096, f"{left} octets left")
        right(each < 3000, f"{each} octets each")


main()
