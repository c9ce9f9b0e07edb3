#!/usr/bin/python3
"""A crowd of phones with keys and contexts over bad air: in the end both ends agree, and over the whole of it libosmogsm
deciphers all that was enciphered, no two frames have one key and INPUT, and no RAND comes twice."""

from phone_crowd import Sessions
from phone_keys_world import Keyed
from harness import often
from world import case, main


class KeyedSessions(Sessions):
    HARMED = (*Sessions.HARMED, ("down", "authentication_request"), ("up", "authentication_response"),
              ("up", "update_complete"), ("down", "reallocation_command"), ("up", "reallocation_complete"))

    GTPC_HARMED = 0  # a CREATE whose answers are all lost stays at the GGSN, which is no matter of keys

    def new(self, number):
        one = super().new(number)
        one.card.kind = "sim" if number % 3 == 2 else "usim"
        return one

    def step(self, one):
        chance = self.chance.random()
        if one.state == "registered" and chance < 0.1:
            self.net.world.ctl(f"{'authenticate' if chance < 0.06 else 'reallocate'} {one.imsi}")
        else:
            super().step(one)

    def settled(self):
        for one in self.phones:  # one that a late RAND has kept off the network tries again
            one.is_barred = False
        super().settled()


for SEED in range(often(2, 20)):
    @case(f"a crowd with keys and contexts over bad air agrees with Sluice and GGSN once all is good, seed {SEED}", SEED)
    def crowd(seed):
        with Keyed() as net:
            KeyedSessions(net, seed, 12).run(often(400, 2000))
            print(f"# {len(net.air)} messages, {sum(said.is_lost for said in net.air)} lost; "
                  f"{len(net.enciphered)} enciphered frames; {len(net.rands())} RANDs; "
                  f"{sum(one.llc.resets for one in net.phones)} Resets")


main()
