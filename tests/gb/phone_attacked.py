#!/usr/bin/python3
"""Random sequences: phones with cards attach, move, activate, send and detach over bad air, the GGSN loses, deletes and
restarts, the file is reloaded; and somebody sends at random what anybody may send: messages of GMM and SM in the clear
under any TLLI in any cell, and GTP-C with the GGSN's address. After each sequence two bystanders have noticed nothing,
each phone gets in with a context and a ping, and nothing is left over; at the end Lua has no more memory than before."""

import random

import codec
import frames as wire
import ggsn
from harness import often
from phone_keys_world import FIRST
from phone_message import GMM, SM, lv, mobile_identity, tlv
from phone_moves_world import AREAS, MovingCard, MovingKeyed
from phone_world import MS, S
from world import GGSN, GN, GN_MAC, case, main, right, same

SEEDS, SEQUENCES, STEPS = often(3, 60), 6, 60
TRIES_OVER = 120 * S  # of all procedures
GROWTH_MOST = 40000  # octets of Lua, such as the last 64 refusals
FEW = f'imsi = "{FIRST}", count = 3'
ALL = f'imsi = "{FIRST}", count = 100'
HARMED = (("up", "attach_request"), ("down", "attach_accept"), ("up", "attach_complete"), ("up", "authentication_response"),
          ("down", "authentication_request"), ("up", "update_request"), ("down", "update_accept"), ("up", "update_complete"),
          ("up", "activate_request"), ("down", "activate_accept"), ("down", "deactivate_request"))
HALF_MADE = """
local store, path = require 'sluice.phones.store', require('sluice.gtpc.path').list[1]
local runs, contexts, open = 0, 0, 0
for _, phone in ipairs(store.phones) do
    runs = runs + #phone.runs
    for nsapi = 5, 15 do contexts = contexts + (phone.contexts[nsapi] and 1 or 0) end
end
for _ in next, path.open do open = open + 1 end
return table.concat({ #store.phones, require('sluice.phones.attempts').n, #require('sluice.subscribers.single').records,
    runs, contexts, require('sluice.gtpc.contexts').count, open, path.flying }, ' ')
""".replace("\n", " ")


class Attack:
    def __init__(self, net, seed):
        self.net, self.chance, self.text = net, random.Random(seed), net.world.config.read_text()
        self.bystanders = [self.new(net.bss, 2), self.new(net.other, 3)]
        self.victims = [self.new(self.chance.choice((net.bss, net.other)), self.chance.choice((2, 3, 4))) for _ in range(3)]
        for one in self.bystanders:
            self.has_context(one)

    def new(self, bss, bvci):
        one = self.net.phone(bvci=bvci, bss=bss, is_impatient=self.chance.random() < 0.5)
        one.cell_rai = AREAS[bvci]
        return one

    # ---- What anybody may send ----

    def tlli(self, one):
        p_tmsi = int.from_bytes(one.p_tmsi or b"\xc0\0\0\1", "big")
        return self.chance.choice((one.tlli or 0, one.tlli_before or 0, p_tmsi, p_tmsi & 0x3FFFFFFF | 0x80000000,
                                   0x78000000 | self.chance.getrandbits(27), self.chance.getrandbits(32)))

    def message(self, one):
        chance, area = self.chance, self.chance.choice((one.rai or AREAS[2], AREAS[3], self.chance.randbytes(6)))
        identity = chance.choice((b"\xf4" + (one.p_tmsi or bytes(4)), b"\xf4" + chance.randbytes(4), b"\xf0",
                                  mobile_identity(1, one.imsi), mobile_identity(1, "00101"), chance.randbytes(4)))
        tail = chance.choice((b"", b"\x19" + (one.signature or b"abc"), b"\x32\2\0\0", chance.randbytes(5)))
        capability, head = lv(chance.choice((b"", b"\x17\x19", bytes(51)))), chance.randrange(8) << 4
        return chance.choice((
            bytes((GMM, 1)) + lv(one.net_capability) + bytes((head | 1, 0, 0)) + lv(identity) + area + capability + tail,
            bytes((GMM, 8, head | chance.choice((0, 1, 3)))) + area + capability + tail,
            bytes((GMM, 0x13, chance.randrange(16))) + b"\x22" + chance.randbytes(4) + tail,
            bytes((GMM, 0x1C, chance.choice((20, 21)))) + chance.choice((b"", b"\x30\x0e" + chance.randbytes(14))),
            bytes((GMM, 0x16)) + lv(identity), bytes((GMM, 5, chance.choice((1, 2, 9)))),
            bytes((GMM, chance.randrange(64))) + chance.randbytes(3), b"", bytes((head | 5,)) + chance.randbytes(20),
            bytes((head | SM,)) + chance.randbytes(20),
            bytes((head | SM, 0x41, chance.choice((5, 6, 4)), 3)) + lv(chance.randbytes(chance.randrange(3, 255)))
            + lv(b"\1\x21") + tlv(0x28, chance.choice((b"\x08internet", b"\x63" + bytes(99), b"\1."))),
            bytes((head | SM, chance.choice((0x46, 0x47, 0x49, 0x4A, 0x55)))) + chance.randbytes(4)))

    def forge(self):
        one, chance = self.chance.choice(self.victims), self.chance
        tlli, octets, nu = self.tlli(one), self.message(one), chance.choice((0, 1, chance.randrange(512)))
        frame = codec.llc_ui(1, nu, octets)
        if chance.random() < 0.1:
            unnumbered = bytes((chance.choice((1, 3, 11)), chance.choice((0xFB, 0xEB)))) + octets[:9]
            frame = unnumbered + codec.fcs(unnumbered)
        chance.choice((self.net.bss, self.net.other)).uplink_llc(chance.choice((2, 3, 4)), tlli, frame)

    def datagram(self):
        """Its requests, and answers with a sequence number that nobody waits for."""
        chance = self.chance
        kind = chance.choice((ggsn.UPDATE, ggsn.UPDATE, ggsn.DELETE, ggsn.NOTIFY, ggsn.CREATE_RESPONSE, ggsn.CREATE, 240))
        ies = [(tag, value) for tag, value in (
            (ggsn.CAUSE, b"\x80"), (ggsn.RECOVERY, chance.randbytes(1)), (ggsn.TEID_CONTROL, chance.randbytes(4)),
            (ggsn.NSAPI, b"\5"), (ggsn.OPTIONS, bytes(chance.choice((1, 251, 252)))), (ggsn.NODE, chance.randbytes(4)),
            (ggsn.QOS, chance.randbytes(chance.choice((4, 12, 255))))) if chance.random() < 0.6]
        octets = ggsn.build(kind, chance.choice((0, chance.getrandbits(32))), chance.randrange(0x8000, 0x10000), *ies)
        frame = wire.Datagram(GGSN, chance.choice((2123, 40000)), GN, 2123, octets[:chance.choice((len(octets), 20))])
        self.net.world.put("gn", wire.frame_of(frame, wire.mac_of(GGSN), wire.mac(GN_MAC)))

    # ---- What happens besides ----

    def phone(self):
        one, chance, net = self.chance.choice(self.victims), self.chance, self.net
        now_ns, nsapi = net.world.now_ns, self.chance.choice((5, 6, 7))
        context = one.contexts.get(nsapi)
        if one.state == "deregistered" or one.state != "attaching" and chance.random() < 0.1:
            net.follow(one, one.attach(now_ns))
        elif chance.random() < 0.1:
            net.follow(one, one.detach(now_ns, power_off=chance.random() < 0.5))
        elif one.state == "registered" and chance.random() < 0.4:
            net.enters(one, chance.choice((net.bss, net.other)), chance.choice((2, 3, 4)))
        elif one.state == "registered" and not context:
            net.follow(one, one.activate(now_ns, nsapi=nsapi, sapi=chance.choice((3, 5, 9, 11))))
        elif one.state == "registered" and context.state == "active":
            net.follow(one, one.deactivate(now_ns, nsapi) if chance.random() < 0.3 else one.send(now_ns, nsapi, bytes(60)))

    def air(self):
        one, (way, name) = self.chance.choice(self.victims), self.chance.choice(HARMED)
        self.net.harm(way, name, self.chance.choice(("lose", "double", "delay")), self.chance.choice((1, 2, 5)),
                      nth=self.net.counts[way, name, one.imsi] + 1, ns=self.chance.choice((MS, S, 8 * S)), one=one)

    def theirs(self):
        """What the GGSN does with contexts of those that are attacked."""
        there, server = [one for one in self.net.ggsn.contexts.values()
                         if one.key[0] in [victim.imsi for victim in self.victims]], self.net.ggsn
        what = self.chance.choice(("delete", "forget", "lose", "late"))
        if what in ("lose", "late"):
            server.faults.append(("down", ggsn.CREATE_RESPONSE, {"lose": "lose", "late": "delay"}[what],
                                  [server.seen["down", ggsn.CREATE_RESPONSE] + 1], 6 * S))
        elif there:
            context = self.chance.choice(there)
            if what == "delete":
                server.ask(ggsn.DELETE, context)
            server.forget(context)

    def reload(self):
        """Two of those that are attacked are in no phone { } for a while, or a cell of both BSSs is gone."""
        text = self.text.replace(ALL, FEW) if self.chance.random() < 0.5 else self.text.replace(", bvc { bvci = 4 } }", " }")
        for each in (text, self.text):
            right(*self.net.world.reload(each, 60 * S))
            self.net.world.run(self.chance.choice((0, MS, 8 * S)))
        for bss in (self.net.bss, self.net.other):
            bss.reset_bvc(4)
            self.net.world.run(0)
            bss.flow(4)

    def operator(self):
        words = self.chance.choice(("authenticate {}", "reallocate {}", "detach {} again", "xid {} reset", "page {}"))
        self.net.world.ctl(words.format(self.chance.choice(self.victims).imsi))

    # ---- After each sequence ----

    def has_context(self, one):
        net = self.net
        if one.state != "registered":
            net.do(one, "attach")
            net.until("it is attached", lambda: one.state == "registered")
        if 5 not in one.contexts:
            net.active(one)
        net.ping(one)

    def settle(self):
        net = self.net
        net.harms.clear(), net.ggsn.faults.clear()
        net.world.run(TRIES_OVER)
        for one in self.bystanders:
            same((one.unexpected, one.refused, one.llc.resets), ([], [], 0), f"what {one.imsi} has noticed")
            net.agree(one)
            net.ping(one)
        for one in self.victims:
            one.is_barred = False
            if one.state != "deregistered":
                net.do(one, "detach", power_off=True)
            self.has_context(one)
            net.world.run(TRIES_OVER)
            net.agree(one)
            net.ping(one)
        phones = len(net.phones)
        same(net.world.lua(HALF_MADE), f"{phones} 0 {phones} 0 {phones} {phones} 0 0", "phones, attempts, MSs, procedures, "
             "contexts of both, requests")
        same(net.world.log_lines(" error "), [], "errors")

    def run(self):
        ways = (self.forge, self.phone, self.datagram, self.air, self.theirs, self.operator, self.reload)
        for _ in range(STEPS):
            self.chance.choices(ways, (30, 20, 6, 3, 3, 2, 1))[0]()
            self.net.world.run(self.chance.choice((0, 0, MS, 100 * MS, S, 3 * S, 7 * S)))
        self.settle()


for KIND, WITH in ((MovingKeyed, "with a key"), (MovingCard, "with a card but no cipher")):
    @case(f"phones {WITH}, {SEEDS} times {SEQUENCES} sequences", KIND)
    def attacked(kind):
        for seed in range(SEEDS):
            with kind(keeps=False) as net:
                attack, memory = Attack(net, seed), []
                for _ in range(SEQUENCES):
                    attack.run()
                    net.world.lua("collectgarbage() collectgarbage() return 1")
                    memory.append(net.world.lua_octets())
                right(memory[-1] - memory[1] < GROWTH_MOST, f"octets of Lua after each sequence: {memory}")


main()
