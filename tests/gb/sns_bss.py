"""A BSS with the IP sub-network service (TS 48.016 6, 7.4b), and what its tests share."""

import codec
from bss import Bss
from world import HEAD, NS_PORT, S, ms, same

NSEI, TLLI = 101, 0xC0000001
A, B, C, SIX = "198.51.100.2", "198.51.100.3", "198.51.100.4", "2001:db8:1::2"
OURS4, OURS6 = ("198.51.100.1", NS_PORT, 1, 1), ("2001:db8:1::1", NS_PORT, 1, 1)
PROV_NS, RETRIES = 3 * S, 3
TEST_NS, ALIVE_NS, ALIVE_RETRIES = 30 * S, 3 * S, 10
NEIGHBOUR_NS = S // 10  # how long a new NS-VC waits for its neighbour's address

BAD_IP4, BAD_IP6, BAD_NSVCS, BAD_WEIGHTS, UNKNOWN_ENDPOINT, UNKNOWN_ADDRESS = range(0x0E, 0x14)
SEMANTIC, INCOMPATIBLE, PROTOCOL, MISSING = 0x08, 0x0A, 0x0B, 0x0D


def end(address, signalling=1, data=1, port=NS_PORT):
    return (address, port, signalling, data)


CONFIG = HEAD + f"""
nse {{ nsei = {NSEI}, ns = "sns", bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=64)} }} }}
"""


class SnsBss(Bss):
    """`ends`: its endpoints, as on the wire. It repeats like a real one, each Tsns-prov."""

    def __init__(self, world, ends, cells=None, nsei=NSEI):
        super().__init__(world, nsei, [(n, e[0], e[1]) for n, e in enumerate(ends, 1)], cells or {},
                         patience_ns=PROV_NS)
        self.ends, self.configured = ends, False
        self.auto.add("sns_config")

    def of(self, family):
        return [e for e in self.ends if (":" in e[0]) == (family == 6)] or None

    def size(self, **other):
        counts = {"ip4_endpoints": self.of(4) and len(self.of(4)),
                  "ip6_endpoints": self.of(6) and len(self.of(6))}
        self.ns("sns_size", **{"nsei": self.nsei, "reset_flag": 1, "nsvcs": len(self.ends)}
                | counts | other)

    def config(self, **other):
        self.ns("sns_config", **{"nsei": self.nsei, "end_flag": 1, "ip4": self.of(4),
                                 "ip6": self.of(6)} | other)

    def start(self, *_):
        self.follow, self.configured, self.signalling_up = True, False, False
        self.begin("size", self.size)

    def restart(self):
        self.waiting.clear()
        for one in self.nsvcs:
            one.blocked = True
        self.start()

    def settle(self, record):
        super().settle(record)
        key = {"sns_size_ack": "size", "sns_config_ack": "config"}.get(record.pdu.name)
        self.waiting.pop(key, None)

    def take_sns_size_ack(self, _, pdu):
        if self.follow and pdu["cause"] is None and not self.configured:
            self.begin("config", self.config)

    def answer_sns_config(self, nsvc, pdu):
        self.ns("sns_config_ack", nsvc=nsvc, nsei=pdu["nsei"])
        self.configured = True

    def answer_ns_alive(self, nsvc, pdu):
        """The first one makes the NS-VC usable."""
        super().answer_ns_alive(nsvc, pdu)
        nsvc.blocked = not self.configured
        if self.follow and not self.signalling_up and 0 not in [
                key[1] for key in self.waiting if isinstance(key, tuple)]:
            self.reset_bvc(0)


def silent(world, ends):
    """It answers nothing by itself."""
    bss = SnsBss(world, ends)
    bss.auto.clear()
    return bss


def sized(world, ends, **size):
    """A silent BSS that has got as far as SNS-SIZE-ACK."""
    bss = silent(world, ends)
    bss.size(**size)
    bss.expect("sns_size_ack", within=S, nsei=NSEI, cause=None)
    return bss


def configured(world, ends, **size):
    """One all of whose NS-VCs are up, and that answers the test."""
    bss = sized(world, ends, **size)
    bss.config()
    bss.expect("sns_config_ack", at=world.now_ns, nsei=NSEI, cause=None)
    bss.expect("sns_config", at=world.now_ns, nsei=NSEI, end_flag=1)
    bss.auto.add("ns_alive")
    bss.ns("sns_config_ack", nsei=NSEI)
    world.run(S)
    same(picture(world), expected(bss.ends), "NS-VCs")
    bss.inbox.clear()
    return bss


def expected(ends, state="unblocked"):
    return {(e[0], e[1]): (state, e[2], e[3]) for e in ends}


def picture(world, nsei=NSEI):
    """{(address, port): (state, signalling weight, data weight)} of the NSE's NS-VCs."""
    text = world.lua(
        f"local n, t = require 'sluice.core.network'.nse_of_nsei[{nsei}], {{}} "
        "for _, v in ipairs(n.nsvcs) do t[#t + 1] = v.endpoint .. '|' .. v.state .. '|' .."
        " v.signalling_weight .. '|' .. v.data_weight end return table.concat(t, ' ')")
    rows = [row.split("|") for row in text.split()]
    return {(address.removeprefix("::ffff:"), int(port)): (state, int(signalling), int(data))
            for address, port, state, signalling, data in rows}


def sns_state(world):
    return world.lua(f"local n = require 'sluice.core.network'.nse_of_nsei[{NSEI}] "
                     "return n.sns and n.sns.name or 'none'")


def octets(name, **fields):
    return codec.build(name, **fields)
