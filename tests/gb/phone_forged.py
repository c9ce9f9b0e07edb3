#!/usr/bin/python3
"""Messages in the name of a GGSN, by somebody else: a restart that was none."""

import ggsn
from phone_contexts_world import Net
from phone_crowd import attached
from phone_world import MS, S
from world import GGSN, case, main, same


def victim(net, **more):
    one = attached(net, **more)
    net.active(one)
    net.ping(one)
    return one


def updated(net, recovery):
    return net.ggsn.ask(ggsn.UPDATE, None, (ggsn.RECOVERY, bytes([recovery])), (ggsn.NSAPI, b"\5"),
                        (ggsn.NODE, ggsn.ipv4(GGSN)), (ggsn.NODE, ggsn.ipv4(GGSN)), teid=0x12345678)


@case("UPDATE in the GGSN's name with another restart counter: the GGSN is asked by ECHO, once, and contexts go on")
def restart():
    with Net() as net:
        one = victim(net)
        before = len(net.ggsn.times(ggsn.ECHO))
        net.ggsn.auto.discard(ggsn.ECHO)
        for recovery in (8, 99, 8):
            updated(net, recovery)
            net.world.run(MS)
        echo = [message for message in net.ggsn.received if message.type == ggsn.ECHO][-1]
        same(len(net.ggsn.times(ggsn.ECHO)) - before, 1, "ECHOs")
        net.ggsn.auto.add(ggsn.ECHO)
        net.ggsn.transmit(net.ggsn.echo(echo))
        net.world.run(S)
        same(one.refused, [], "what the phone was told")
        net.agree(one)
        net.ping(one)
        updated(net, net.ggsn.recovery)
        net.world.run(S)
        same(len(net.ggsn.times(ggsn.ECHO)) - before, 1, "ECHOs after the counter that is known")


@case("a GGSN that has restarted and says so by UPDATE: its contexts end with the answer to ECHO, not a minute later")
def restarted():
    with Net() as net:
        one = victim(net)
        net.ggsn.restart()
        updated(net, net.ggsn.recovery)
        net.world.run(S)
        same([cause for _, _, cause in one.refused], [39], "what the phone was told")
        net.active(one)
        net.ping(one)


main()
