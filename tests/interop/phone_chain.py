"""The chain of bts_chain.py with phones that attach: `sluice bts --phone` and `sluice ggsn --pool`, with Sluice or
osmo-sgsn between them. TLLIs, addresses and contexts are what the parts agree on; no file has them."""

import network
import osmo
from bts_chain import Chain
from harness import ROOT, Running, new_folder, program, same

CONFIG = ROOT / "config/osmopcu-attach.lua"
TEXT = CONFIG.read_text().replace('"recommended.lua"', f'"{ROOT}/config/recommended.lua"')
IMSI = "001010000000001"  # the first of those without a key
KEYED = "001010000000101"  # a phone that the file has a key of
K, OPC = bytes(range(16)), bytes(range(16, 32))  # which is this
POOL, FIRST_PLACE = "10.64.0.0/24", 2  # the first address is the device's
AREA, OTHER_AREA = "001-01-1-1", "001-01-1-2"


def config_of_two(area=AREA):
    """The configuration with a second NSE, whose cell is in that area."""
    head, nse = TEXT.split("\nnse {")
    nse = f"\nnse {{\n    areas = {{ \"{AREA}\" }},{nse}"
    other = nse
    for one, another in (("nsei = 101", "nsei = 201"), ("nsvci = 102", "nsvci = 202"), ("= 23001", "= 23002"),
                         ("bvci = 103", "bvci = 203"), (AREA, area)):
        same(other.count(one), 1, f"{one} in {CONFIG}")
        other = other.replace(one, another)
    return head + nse + other


def check_phone(ms):
    """Of a BTS's report: it has attached once, has had one context, and has wondered at nothing."""
    same([ms["phone"][key] for key in ("state", "attaches", "contexts", "frames_bad", "messages_odd", "messages_unexpected")],
         ["attached", 1, 1, 0, 0, 0], f"the phone {ms}")


class PhoneChain(Chain):
    """Phones with running IMSIs in the first cell. All addresses of the pool are at the phones' end; which one is whose,
    the BTS says."""

    def __init__(self, imsi, phones, *options, osmo_sgsn=None, prefix="sluice-phone", of_sluice=CONFIG, **more):
        """osmo_sgsn: whom an osmo-sgsn in place of Sluice takes (osmo.py)."""
        network.needs(*(["osmo-sgsn"] if osmo_sgsn else []), *(["osmo-hlr"] if osmo_sgsn not in (None, osmo.ANYBODY) else []))
        super().__init__(*options, mss=1, prefix=prefix, **more)
        self.of_sluice = of_sluice
        self.imsi, self.phones, self.osmo_sgsn, self.addresses = imsi, phones, osmo_sgsn, []
        self.sets = self.sets[1:]  # the file has no MS

    def address_of(self, ms):
        return self.addresses[ms]

    def begin(self):
        names = [f"{self.prefix}-{role}" for role in ("sgsn", "far", "phones", "internet")]
        self.ours, self.far, gn, gb = network.veth(names=names[:2])
        self.ms, self.gi = map(network.namespace, names[2:])
        network.Host(self.far).configure()
        self.devices()
        network.must("ip", "-n", self.ms, "route", "add", "local", POOL, "dev", "lo")
        self.folder = new_folder()
        self.sockets = [self.folder / f"pcu_bts{cell}" for cell in range(len(self.pcus))]
        self.start_ggsn()
        if self.osmo_sgsn:
            self.start_osmo()
        else:
            self.devices_of_sluice = f"gn.device={gn}", f"gb.device={gb}"
            self.start_sluice()
        self.start_phones()
        for cell in range(len(self.pcus)):
            self.start_pcu(cell)

    def wait_for_ping(self, ms=0):
        self.until(self.are_attached, "the phones have addresses")
        super().wait_for_ping(ms)

    def start_ggsn(self):
        self.ggsn = self.start("ggsn", program(), "ggsn", "--pool", POOL, "--dns", "203.0.113.9", "--netns", self.gi,
                               "--tun", "gi", "--json")

    def start_sluice(self):
        self.sgsn = Running(self.of_sluice, *self.devices_of_sluice, *self.sets, before=network.within(self.ours),
                            variant=self.variant)

    def start_osmo(self):
        for device, address in ("gn", network.GN4), ("gb", network.GB4):
            network.must("ip", "-n", self.ours, "addr", "add", f"{address}/24", "dev", device)
        if self.osmo_sgsn != osmo.ANYBODY:
            self.start_with("osmo-hlr", osmo.HLR, "-l", self.folder / "hlr.db")
            osmo.add_subscriber(self.ours, KEYED, K, OPC, self.said)
        self.start_with("osmo-sgsn", osmo.SGSN.format(folder=self.folder, gn=network.GN4, ggsn=network.GGSN4, gb=network.GB4,
                                                      who=self.osmo_sgsn))

    def start_with(self, name, config, *words):
        path = self.folder / f"{name}.cfg"
        path.write_text(config)
        self.start(name, name, "-c", path, *words, namespace=self.ours)

    def start_phones(self):
        """The file has the numbers of the cell."""
        file = self.sgsn.config if self.sgsn else CONFIG
        sockets = [word for path in self.sockets for word in ("--socket", path)]
        self.bts = self.start("bts", program(), "bts", file, *sockets, "--netns", self.ms,
                              "--tun", "ms", "--phone", f"{self.imsi},{self.phones}", "--json", *self.options)
        self.until(lambda: "waiting" in self.bts.err.read_text(), "the BTS listens")

    def said(self):
        texts = [path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("*.err"))]
        return "\n".join(texts) + (self.sgsn.said() if self.sgsn else "")

    def attached_anew(self):
        """How many phones have had an address, then none, and now one again."""
        lines = self.bts.err.read_text().splitlines()
        anew = [[line for line in lines if line.startswith(f"MS {int(self.imsi) + phone:0{len(self.imsi)}}: ")]
                for phone in range(self.phones)]
        return sum(sum(": attached, 10." in line for line in one) > 1 for one in anew)

    def are_attached(self):
        """Each has an address. A later line of the BTS is the newer one."""
        said = [line.split() for line in self.bts.err.read_text().splitlines()]
        found = {words[1]: words[3] if words[2] == "attached," and len(words) == 4 else None
                 for words in said if len(words) >= 3 and words[0] == "MS"}
        first = int(self.imsi)
        self.addresses = [found.get(f"{first + phone:0{len(self.imsi)}}:") for phone in range(self.phones)]
        return None not in self.addresses
