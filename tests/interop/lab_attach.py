"""`./run lab --attach`: phones attach to Sluice over osmo-pcu, get addresses of `sluice ggsn` by GTP-C, and one downloads.
What is measured is how long each step takes; it fails if one does not come. The delays that lab.py shows then are of
lab_traffic.py."""

import sys
import time

from bts_chain import SERVER, check_books
from harness import right
from lab_traffic import PREFIX, say
from phone_chain import IMSI, PhoneChain

PHONES, OCTETS = 2, 200000
DOWNLOAD_S = 300  # at most, with one time slot


def download(chain):
    """Seconds of TCP's content, which has to come octet for octet."""
    return chain.transfer(0, OCTETS, True, DOWNLOAD_S)


def check(chain):
    """All parts agree at the end."""
    bts, ggsn = chain.bts.finish(), chain.ggsn.finish()
    summary = chain.sgsn.finish()
    check_books(bts)
    for ms in bts["ms"]:
        phone = ms["phone"]
        right(phone["state"] == "attached" and phone["messages_odd"] == phone["frames_bad"] == 0, f"a phone: {phone}")
    gtpc = ggsn["gtpc"]
    right(gtpc["created"] >= PHONES and gtpc["odd"] == gtpc["other"] == gtpc["strangers"] == 0, f"the GGSN: {gtpc}")
    return summary


def attach(args):
    """{step: seconds}; each is told when it is done, but for JSON."""
    start_s = time.monotonic()
    pdchs, = args.pdchs
    say(f"{pdchs} PDCHs: Linux, Sluice, osmo-pcu, sluice ggsn and {PHONES} phones begin, in network namespaces")
    figures = {}

    def step(name, what):
        figures[name] = round(time.monotonic() - start_s, 2)
        print(f"{figures[name]:7.2f} s  {what}", file=sys.stderr if args.json else sys.stdout, flush=True)

    with PhoneChain(IMSI, PHONES, "--pdchs", pdchs, variant=args.variant, sets=args.set, codel=args.codel,
                    prefix=PREFIX, cc=args.cc) as chain:
        step("up_s", "all parts run")
        chain.until(chain.are_attached, "the phones have addresses")
        step("attached_s", f"attached: {', '.join(chain.addresses)}")
        for phone in range(PHONES):
            chain.until(lambda ms=phone: chain.pings([ms], 5), f"a ping of phone {phone}")
        step("pinged_s", f"each answered a ping of {SERVER}")
        took_s = download(chain)
        figures["download_kbit_s"] = round(OCTETS * 8 / took_s / 1000, 1)
        step("downloaded_s", f"{OCTETS // 1000} kB octet for octet, {figures['download_kbit_s']} kbit/s")
        check(chain)
    return figures
