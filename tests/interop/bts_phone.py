#!/usr/bin/python3
"""Phones of `sluice bts` before an SGSN that is none of ours: they attach over osmo-pcu to osmo-sgsn, get contexts and
addresses of `sluice ggsn --pool`, answer pings, and one downloads octet for octet; and one with a card does, of which
osmo-hlr has the keys. Needs root, osmo-pcu, osmo-sgsn and osmo-hlr, and takes a minute, for it is real time."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import osmo  # noqa: E402
from bts_chain import check_books  # noqa: E402
from harness import case, main, same  # noqa: E402
from moving import USER_SAPI, Frames  # noqa: E402
from phone_chain import FIRST_PLACE, KEYED, PhoneChain, check_phone  # noqa: E402

IMSI, PHONES, OCTETS = "262420123456789", 3, 100000


@case(f"{PHONES} phones attach to osmo-sgsn, get addresses of our GGSN's pool and answer pings; one downloads {OCTETS // 1000} kB")
def attach():
    with PhoneChain(IMSI, PHONES, osmo_sgsn=osmo.ANYBODY) as chain:
        chain.until(chain.are_attached, "the phones have their addresses")
        same(sorted(chain.addresses), [f"10.64.0.{FIRST_PLACE + phone}" for phone in range(PHONES)], "addresses")
        for phone in range(PHONES):
            chain.until(lambda ms=phone: chain.pings([ms], 5), f"a ping of phone {phone}")
        print(f"# {OCTETS // 1000} kB in {chain.transfer(0, OCTETS, True, 120):.1f} s")
        bts, ggsn = chain.bts.finish(), chain.ggsn.finish()
    check_books(bts)
    for ms in bts["ms"]:
        check_phone(ms)
    same([ggsn["gtpc"][key] for key in ("created", "odd", "other", "strangers")], [PHONES, 0, 0, 0], "the GGSN")


@case("a phone with a card attaches to osmo-sgsn, which has its keys from osmo-hlr; enciphered by GEA4 it downloads octet for octet")
def card():
    with PhoneChain(KEYED, 1, osmo_sgsn=osmo.subscribers_with(4)) as chain:
        chain.until(chain.are_attached, "the phone has its address")
        chain.until(lambda: chain.pings([0], 5), "a ping")
        frames = Frames(chain)
        print(f"# {OCTETS // 2000} kB in {chain.transfer(0, OCTETS // 2, True, 120):.1f} s")
        both = [frame for way in frames.read() for frame in way]
        same({(frame.sapi, frame.is_enciphered) for frame in both}, {(USER_SAPI, 1)}, "SAPI, and whether it is enciphered")
        bts = chain.bts.finish()
    check_books(bts)
    check_phone(*bts["ms"])


main()
