#!/usr/bin/python3
"""Phones attach to Sluice over osmo-pcu, between two Linux hosts: they get addresses of `sluice ggsn --pool` by GTP-C,
answer pings, and one downloads octet for octet; Sluice starts again, then the GGSN, and the phones come back. Needs root
and osmo-pcu, and takes a minute, for it is real time."""

import itertools
import json
import pathlib
import secrets
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from bts_chain import check_books  # noqa: E402
from harness import PATIENCE, case, check_sound, has_started, main, program, right, same  # noqa: E402
from instance import client  # noqa: E402
from moving import USER_SAPI, Frames  # noqa: E402
from phone_chain import FIRST_PLACE, KEYED, TEXT, PhoneChain, check_phone  # noqa: E402

IMSI, PHONES, OCTETS = "001010000000001", 3, 100000
BACK_S = (15 + 5) * PATIENCE  # T3311, and what a machine takes


def wait_for_pings(chain):
    chain.until(chain.are_attached, "the phones have addresses")
    for phone in range(chain.phones):
        chain.until(lambda ms=phone: chain.pings([ms], 5), f"a ping of phone {phone}")


@case(f"{PHONES} phones attach, get addresses by GTP-C and answer pings; {OCTETS // 1000} kB come octet for octet; all counts add up")
def attach():
    with PhoneChain(IMSI, PHONES) as chain:
        wait_for_pings(chain)
        same(sorted(chain.addresses), [f"10.64.0.{FIRST_PLACE + phone}" for phone in range(PHONES)], "addresses")
        print(f"# {OCTETS // 1000} kB in {chain.transfer(0, OCTETS, True, 120):.1f} s")
        bts, ggsn, summary = chain.bts.finish(), chain.ggsn.finish(), chain.sgsn.finish()
    check_books(bts)
    check_sound(summary)
    for ms in bts["ms"]:
        check_phone(ms)
    same([ggsn["gtpc"][key] for key in ("created", "odd", "other", "strangers")], [PHONES, 0, 0, 0], "the GGSN")


OF_FILE = "001010000001000"
WITH_MS = TEXT.replace("bvc { bvci = 103 }", f"""bvc {{
    bvci = 103,
    ms {{ imsi = "{OF_FILE}", pdp {{ nsapi = 5, class = "background", address = "10.0.0.1" }} }},
}}""")


def scraped():
    """The metrics of phones, {name: value}, at an address of loopback that nobody else has."""
    address = "127." + ".".join(str(1 + secrets.randbelow(254)) for _ in range(3)) + ":9464"
    metrics = subprocess.Popen([program(), "metrics", "--listen", address], stderr=subprocess.PIPE, encoding="utf-8")
    has_started(metrics)
    try:
        with urllib.request.urlopen(metrics.stderr.readline().split()[-1]) as answer:
            lines = [line.split() for line in answer.read().decode().splitlines() if line.startswith("sluice_phones_")]
            return {name: int(value) for name, value in lines}
    finally:
        metrics.kill()
        metrics.wait()


@case("stats, top and the metrics show phones beside an MS of the file")
def live_view():
    with PhoneChain(IMSI, PHONES, of_sluice=WITH_MS) as chain:
        wait_for_pings(chain)
        imsis = [f"{int(IMSI) + phone:015}" for phone in range(PHONES)]
        whole = json.loads(client("stats", "--json", "--mss"))
        same(whole["info"]["phones"], {"attaching": 0, "attached": PHONES, "contexts": PHONES}, "phones")
        same(sorted(one["imsi"] for one in whole["mss"]), [*imsis, OF_FILE], "MSs")
        for imsi in imsis:
            one = json.loads(client("stats", "--ms", imsi, "--json"))
            same((one["imsi"], one["state"]), (imsi, "up"), "--ms of a phone")
            right(one["down_octets"] > 0, f"it has had pings: {one}")
            right(imsi in client("stats", "--ms", imsi), "as text")
        same(json.loads(client("stats", "--ms", OF_FILE, "--json"))["down_octets"], 0, "the file's MS has had nothing")
        client("stats", "--ms", f"{int(IMSI) + PHONES:015}", status=1)  # nobody
        right(all(imsi in client("stats", "--cell", "101-103") for imsi in (*imsis, OF_FILE)), "the cell's MSs")
        same(scraped(), {f"sluice_phones_{name}": n for name, n in whole["info"]["phones"].items()}, "metrics")
        said = f"phones: {PHONES} attached, 0 attaching, {PHONES} contexts"
        right(said in client("top").splitlines()[0], client("top"))
        client("ctl", "detach", imsis[0])
        chain.until(lambda: f"phones: {PHONES - 1} attached, 0 attaching, {PHONES - 1} contexts" in client("top"),
                    "one is detached")
        right("no such MS" in client("stats", "--ms", imsis[0], status=1), "--ms of one that has gone")
        right(imsis[1] in client("stats", "--ms", imsis[1]), "--ms of one that is still there")


def come_back(chain, what):
    """Each phone says something, which nobody answers for; then it attaches, and is pinged at its new address."""
    before = time.monotonic()

    def have_come_back():
        for phone in range(chain.phones):
            chain.speak(phone)
        return chain.attached_anew() == chain.phones
    chain.until(have_come_back, f"all phones have an address again after {what}")
    wait_for_pings(chain)
    took_s = time.monotonic() - before
    print(f"# {what}: pings again after {took_s:.1f} s")
    right(took_s < BACK_S, f"{took_s:.1f} s until pings were answered")


def counts_of(ms):
    return [ms["phone"][key] for key in ("attaches", "contexts", "frames_bad", "messages_odd")]


@case("Sluice starts again: phones that say something are told to attach, and ping again", IMSI, PHONES)
@case("Sluice starts again: a phone with a card, too", KEYED, 1)
def sluice_restarts(imsi, phones):
    with PhoneChain(imsi, phones) as chain:
        wait_for_pings(chain)
        chain.sgsn.kill()
        chain.start_sluice()
        chain.until(chain.are_cells_up, "the cell is up")
        come_back(chain, "a restart of Sluice")
        gtpc, bts = chain.ggsn.finish()["gtpc"], chain.bts.finish()
    check_books(bts)
    same([counts_of(ms) for ms in bts["ms"]], [[2, 2, 0, 0]] * phones, "attaches, contexts, bad and odd messages")
    same([gtpc[key] for key in ("restarted", "replaced", "contexts")], [phones, 0, phones], "contexts that ended, and those there are")


@case("the GGSN starts again: phones that say something get other contexts, and ping again", IMSI, PHONES)
@case("the GGSN starts again: a phone with a card, too", KEYED, 1)
def ggsn_restarts(imsi, phones):
    with PhoneChain(imsi, phones) as chain:
        wait_for_pings(chain)
        chain.ggsn.kill()
        chain.start_ggsn()
        come_back(chain, "a restart of the GGSN")
        gtpc, bts = chain.ggsn.finish()["gtpc"], chain.bts.finish()
    check_books(bts)
    same([counts_of(ms) for ms in bts["ms"]], [[1, 2, 0, 0]] * phones, "attaches, contexts, bad and odd messages")
    same(gtpc["contexts"], phones, "contexts of the GGSN")
    right(gtpc["indications"] > 0, f"no error indication: {gtpc}")


@case("osmo-pcu is killed and starts again under a phone with a key that is pinged: it answers again, and N(U) goes on")
def pcu_restarts():
    with PhoneChain(KEYED, 1) as chain:
        wait_for_pings(chain)
        frames = Frames(chain)
        chain.until(lambda: chain.pings([0], 5), "another ping")
        chain.pings([0], 0)
        chain.pcus[0].kill()
        same(chain.pings([0], 1), {}, "answers without a PCU")
        chain.start_pcu()
        start = time.monotonic()
        chain.until(lambda: chain.pings([0], 1), "a ping")
        took_s = time.monotonic() - start
        up, down = frames.read()
        bts, summary = chain.bts.finish(), chain.sgsn.finish()
    print(f"# a restart of osmo-pcu: a ping again after {took_s:.1f} s")
    right(took_s < BACK_S, f"{took_s:.1f} s until a ping was answered")
    for seen in down, [frame for frame, _ in itertools.groupby(up)]:  # up again: what no PCU has acknowledged
        right(len(seen) > 1, f"too few frames: {seen}")
        same(seen, [seen[0]._replace(sapi=USER_SAPI, is_enciphered=1, number=seen[0].number + i) for i in range(len(seen))],
             "no signalling, enciphered, no gap")
    check_books(bts)
    check_sound(summary)
    check_phone(*bts["ms"])


main()
