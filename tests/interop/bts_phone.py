#!/usr/bin/python3
"""Phones of `sluice bts` before an SGSN that is none of ours: they attach over osmo-pcu to osmo-sgsn, get contexts and
addresses of `sluice ggsn --pool`, answer pings, and one downloads octet for octet. Needs root, osmo-pcu and osmo-sgsn,
and takes most of a minute, for it is real time."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import network  # noqa: E402
from bts_chain import Chain, check_books  # noqa: E402
from harness import case, main, new_folder, program, same  # noqa: E402

IMSI, POOL, PHONES = 262420123456789, "10.64.0.0/24", 3
OCTETS = 100000

SGSN_CONFIG = """line vty
 no login
sgsn
 gtp state-dir {folder}
 gtp local-ip 192.0.2.1
 ggsn 0 remote-ip 192.0.2.2
 ggsn 0 gtp-version 1
 apn * ggsn 0
 authentication optional
 auth-policy accept-all
ns
 timer tns-test 30
 timer tns-alive 3
 timer tns-alive-retries 10
 bind udp local
  listen 198.51.100.1 23000
  accept-ipaccess
bssgp
"""


class PhoneChain(Chain):
    """The same chain with osmo-sgsn in Sluice's place, and all addresses of the pool at the phones' end."""

    def __init__(self):
        network.needs("osmo-sgsn")
        super().__init__("--phone", f"{IMSI},{PHONES}", mss=1, prefix="sluice-phone")
        self.addresses = []

    def begin(self):
        names = [f"{self.prefix}-{role}" for role in ("sgsn", "far", "phones", "internet")]
        self.ours, self.far, _, _ = network.veth(names=names[:2])
        for device, address in ("gn", network.GN4), ("gb", network.GB4):
            network.must("ip", "-n", self.ours, "addr", "add", f"{address}/24", "dev", device)
        self.ms, self.gi = map(network.namespace, names[2:])
        network.Host(self.far).configure()
        self.devices()
        network.must("ip", "-n", self.ms, "route", "add", "local", POOL, "dev", "lo")
        self.folder = new_folder()
        self.sockets = [self.folder / "pcu_bts0"]
        self.start_sgsn()
        self.ggsn = self.start("ggsn", program(), "ggsn", "--pool", POOL, "--dns", "203.0.113.9", "--netns", self.gi,
                               "--tun", "gi", "--json")
        self.bts = self.start("bts", program(), "bts", self.config, "--socket", self.sockets[0], "--netns", self.ms,
                              "--tun", "ms", "--json", "--set", "nse.bvc.ms.count=1", *self.options)
        self.until(lambda: "waiting" in self.bts.err.read_text(), "the BTS listens")
        self.start_pcu()

    def start_sgsn(self):
        path = self.folder / "osmo-sgsn.cfg"
        path.write_text(SGSN_CONFIG.format(folder=self.folder))
        self.osmo = self.start("osmo-sgsn", "osmo-sgsn", "-c", path, namespace=self.ours)

    def said(self):
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("*.err")))

    def address_of(self, ms):
        return self.addresses[ms]

    def are_attached(self):
        said = [line.split() for line in self.bts.err.read_text().splitlines()]
        found = {words[1]: words[3] for words in said if len(words) == 4 and words[2] == "attached,"}
        self.addresses = [found.get(f"{IMSI + phone}:") for phone in range(PHONES)]
        return None not in self.addresses


@case(f"{PHONES} phones attach to osmo-sgsn, get addresses of our GGSN's pool and answer pings; one downloads {OCTETS // 1000} kB")
def attach():
    with PhoneChain() as chain:
        chain.until(chain.are_attached, "the phones have their addresses")
        same(sorted(chain.addresses), [f"10.64.0.{2 + phone}" for phone in range(PHONES)], "addresses")
        for phone in range(PHONES):
            chain.until(lambda ms=phone: chain.pings([ms], 5), f"a ping of phone {phone}")
        print(f"# {OCTETS // 1000} kB in {chain.transfer(0, OCTETS, True, 120):.1f} s")
        bts, ggsn = chain.bts.finish(), chain.ggsn.finish()
    check_books(bts)
    for ms in bts["ms"][:PHONES]:
        same([ms["phone"][key] for key in ("state", "attaches", "contexts", "frames_bad", "messages_odd", "messages_unexpected")],
             ["attached", 1, 1, 0, 0, 0], f"the phone {ms}")
    same([ggsn["gtpc"][key] for key in ("created", "odd", "other", "strangers")], [PHONES, 0, 0, 0], "the GGSN")


main()
