"""Phones with cards, for phone_world.py: test keys, which are no operator's, in the configuration and in the cards."""

from phone_card import Card
from phone_contexts_world import SESSIONS, Net
from phone_llc import fcs
from phone_world import opened
from world import same

K, OPC = bytes(range(16)), bytes(range(16, 32))
COUNT = 100
CIPHERS = ("gea4", "gea3")  # the default
OPEN = "001010000000999"  # a phone { } without keys
ALL_GEAS = b"\xe5\xf0"  # MS network capability
FIRST = "001010000000001"


def config(ciphers):
    names = ", ".join(f'"{name}"' for name in ciphers)
    return SESSIONS.replace('attach { who = "open", networks = { "001-01" }',
                            f"attach {{ ciphers = {{ {names} }}").replace(
        "nse {", f'phone {{ imsi = "{FIRST}", count = {COUNT}, k = "{K.hex()}", opc = "{OPC.hex()}" }}\n'
                  f'phone {{ imsi = "{OPEN}" }}\nnse {{', 1)


def k_of(imsi):
    """The last 32 bits count up with the IMSI."""
    return K[:12] + (int.from_bytes(K[12:], "big") + int(imsi) - int(FIRST) & 0xFFFFFFFF).to_bytes(4, "big")


UDP_CHECKSUM = slice(14 + 20 + 6, 14 + 20 + 8)


def replaced(frame, by):
    """Without a UDP checksum, which was over the other octets."""
    octets = bytearray(frame)
    for before, after in by.items():
        octets = octets.replace(before, after)
    if octets != frame:
        octets[UDP_CHECKSUM] = bytes(2)
    return bytes(octets)


class Keyed(Net):
    """Its phones have cards; at the end all that was enciphered is deciphered by libosmogsm, and no INPUT comes twice."""

    def __init__(self, ciphers=CIPHERS, *sets, more="", **others):
        self.config = config(ciphers) + more
        super().__init__(*sets, **others)

    def phone(self, imsi=None, *, kind="usim", k=None, seq=0, **more):
        one = super().phone(imsi, **{"net_capability": ALL_GEAS, **more})
        one.card = Card(k or k_of(one.imsi), OPC, kind, seq)
        return one

    def nothing_left(self):
        super().nothing_left()
        self.check_inputs()

    def rands(self, seen=()):
        """Of all requests on the air, none of which was seen; a repetition of one has its reference, too."""
        requests = {said.octets for said in self.air if said.name == "authentication_request"}
        found = {octets[5:21] for octets in requests}
        same((len(found), found & set(seen)), (len(requests), set()), "RANDs, and those that have come before")
        return found | set(seen)

    def write_opened(self, path):
        """The capture of Gb, with each frame in the clear that libosmogsm has deciphered."""
        plain, frames = {}, self.world.frames
        for one, way, llc in self.enciphered:
            octets = bytearray(opened(one, way, llc)[0])
            octets[2] &= 0xFD  # E
            covered = octets[:-3] if octets[2] & 1 else octets[:-3][:7]
            plain[llc] = bytes(octets[:-3]) + fcs(covered)
        self.world.frames = [frame._replace(octets=replaced(frame.octets, plain)) for frame in frames]
        self.world.write_pcap(path)
        self.world.frames = frames

    def agree(self, one):
        super().agree(one)
        if one.state == "registered":
            same(self.cipher_of(one), {0: "no cipher", 3: "gea3", 4: "gea4"}[one.gea], "cipher of both")

    def cipher_of(self, one):
        return self.world.ctl(f"phone {one.imsi}")[1].splitlines()[1].split(", ")[2]
