"""What the tests of packet flow contexts share: profiles typed from 24.008 clause 10.5.6.5, a world
with one MS, and what a BSS says."""

import re

from bss import Bss
from world import HEAD, S, nsvc, right

BSS, TLLI, OTHER, IMSI = "198.51.100.2", 0xC0000001, 0xC0000077, "001010000000001"
T7_NS, RETRIES = 3 * S, 3
PFC, CBL, PFC_FC = 0x01, 0x02, 0x20
UNKNOWN_MS, INVALID_MANDATORY, NOT_IN_FEATURES = 0x04, 0x21, 0x28
CREATE, DELETE = "bssgp_create_bss_pfc", "bssgp_delete_bss_pfc"

# Class, rate of the context, and the profile's octets 3 to 13 (and 14), by hand: delay and
# reliability, peak and precedence, mean, class and order and erroneous SDUs, SDU size, rates up and
# down, error ratios, delay and priority, guaranteed rates up and down; signalling.
PROFILES = {
    8: ("background", None, "23 93 1f 93 96 fe fe 74 00 ff ff"),
    9: ("interactive-2", "64 kbit/s", "13 42 1f 73 96 40 40 74 02 ff ff"),
    10: ("conversational", "16 kbit/s", "0b 22 1f 33 96 10 10 74 28 10 10"),
    11: ("streaming", "71.9 kbit/s", "0b 42 1f 53 96 40 40 74 80 ff 40"),
    12: ("signalling", None, "0b 92 1f 73 96 fe fe 74 01 ff ff 10"),
    13: ("interactive-1", "600 bit/s", "0b 12 1f 73 96 01 01 74 01 ff ff"),
    14: ("interactive-3", "700 kbit/s", "1b 82 1f 73 96 81 81 74 03 ff ff"),
    127: ("background", "9 Mbit/s", "23 93 1f 93 96 fe fe 74 00 ff ff 00 04 00 04 00"),
}


def profile(pfi):
    return bytes.fromhex(PROFILES[pfi][2])


def context(nsapi, pfi, traffic_class, rate=None):
    return (f'pdp {{ nsapi = {nsapi}, class = "{traffic_class}", address = "10.0.{nsapi}.1", '
            + (f'rate = "{rate}", ' if rate else "") + (f"pfi = {pfi}" if pfi is not None else "")
            + " },")


def config(contexts, more="", gb=""):
    return HEAD.replace("gb {", f"gb {{ {gb}") + f"""
nse {{
    nsei = 101, {nsvc(101, BSS)},
    bvc {{ bvci = 2, ms {{ imsi = "{IMSI}", tlli = {TLLI:#x}, {more} {contexts} }} }},
    bvc {{ bvci = 3 }},
}}
"""


ONE = config(context(5, 8, "background"))


def begin(world, features=PFC, auto=False):
    bss = Bss(world, 101, [(101, BSS)], {2: 80000, 3: 80000}, features=features)
    bss.up()
    if not auto:
        bss.auto -= {CREATE, DELETE}
    return bss


def say(bss, name, *, bvci=2, tlli=TLLI, pfi=8, **fields):
    bss.send(bvci, "bssgp_" + name, tlli=tlli, pfi=pfi, **fields)
    bss.world.run(0)


def came(bss):
    """The names of what has come, and away with it."""
    names = [r.pdu.sdu.name for r in bss.inbox if r.pdu.sdu]
    bss.inbox.clear()
    return names


def states(world):
    good, text = world.ctl(f"pfc {IMSI}")
    right(good, text)
    return {int(pfi): state for pfi, state in re.findall(r"PFI (\d+): (\w+)", text)}


def state(world):
    return states(world)[8]


DOWN = {
    "download": ("download_bss_pfc", {}), "ack": ("create_bss_pfc_ack", {"abqp": profile(8)}),
    "nack": ("create_bss_pfc_nack", {"cause": 0x0A}),
    "modify": ("modify_bss_pfc", {"abqp": profile(8)}),
    "delete_req": ("delete_bss_pfc_req", {"cause": 0x0B}), "delete_ack": ("delete_bss_pfc_ack", {}),
}
MODIFY_ACK = "bssgp_modify_bss_pfc_ack"
