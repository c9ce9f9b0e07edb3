"""Phones with cards, for phone_world.py: test keys, which are no operator's, in the configuration and in the cards."""

from phone_card import Card
from phone_contexts_world import SESSIONS, Net
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

    def agree(self, one):
        super().agree(one)
        if one.state == "registered":
            same(self.cipher_of(one), {0: "no cipher", 3: "gea3", 4: "gea4"}[one.gea], "cipher of both")

    def cipher_of(self, one):
        return self.world.ctl(f"phone {one.imsi}")[1].splitlines()[1].split(", ")[2]
