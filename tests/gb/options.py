#!/usr/bin/python3
"""What DL-UNITDATA says of the MS besides (TS 48.018 clause 10.2.1): the IMSI by default, in user
data, in LLC frames of the SGSN's own and in CREATE-BSS-PFC, for a BSS pages an MS in paging group 0
otherwise; and how a reload changes that, as far as there is room."""

from bss import Bss
from llc_ms import NULL, u_frame
from pfc_world import PFC, say
from world import HEAD, World, case, main, npdu, nsvc, right, same

BSS, TLLI, IMSI, CREATE = "198.51.100.2", 0xC0000001, "001010000000009", "bssgp_create_bss_pfc"
ALL = 'ra_capability = "12d3c20400", drx = 7, priority = 42,'
WITHOUT = "send_imsi = false,"


def config(more="", imsi=IMSI):
    """Two MSs in a cell; N201-U is another than the default, so that XID proposes it."""
    return HEAD + f"""
nse {{
    nsei = 101, {nsvc(101, BSS)},
    bvc {{ bvci = 2, ms {{
        imsi = "{imsi}", tlli = {TLLI:#x}, count = 2, n201_u = "900 octets", {more}
        pdp {{ nsapi = 5, class = "background", address = "10.0.0.1", pfi = 8 }},
    }} }},
}}
"""


def begin(world):
    bss = Bss(world, 101, [(101, BSS)], {2: 80000}, features=PFC)
    bss.up()
    return bss


def elements(pdu):
    """But those that are the PDU's own."""
    own = {"v_tlli", "qos", "lifetime", "llc", "tlli", "pfi", "pft", "abqp", "t10"}
    return {name: value for name, value in pdu.fields.items() if name not in own}


def of_npdu(bss, member=0):
    bss.dl.clear()
    bss.world.down(bss.world.teid(TLLI + member), npdu(f"10.0.0.{1 + member}", 100))
    bss.world.run(0)
    same(len(bss.dl), 1, "DL-UNITDATA")
    return elements(bss.dl[0].pdu.sdu)


def of_all(bss, member=0):
    """Of an N-PDU; of XID, which begins when control first hears the MS; of CREATE-BSS-PFC."""
    world, tlli, found = bss.world, TLLI + member, [of_npdu(bss, member)]
    bss.uplink_llc(2, tlli, u_frame(1, NULL))
    world.run(0)
    same(bss.dl[1].pdu.sdu["llc"][1] >> 5, 0b111, "a U frame")
    say(bss, "download_bss_pfc", tlli=tlli)
    return found + [elements(bss.dl[1].pdu.sdu),
                    elements(bss.expect(CREATE, at=world.now_ns, tlli=tlli))]


@case("a plain file's MSs: user data, LLC frames and packet flows say the IMSI of each")
def plain():
    with World(config()) as world:
        bss = begin(world)
        for member, imsi in enumerate((IMSI, "001010000000010")):
            same(of_all(bss, member), 3 * [{"imsi": imsi}], f"MS {member}")


@case("send_imsi = false: none of them does; what else the file has is said all the same")
def without():
    with World(config(WITHOUT)) as world:
        same(of_all(begin(world)), 3 * [{}], "nothing else")
    with World(config(WITHOUT + ALL)) as world:
        said = {"ra_capability": bytes.fromhex("12d3c20400"), "drx": 7, "priority": 42}
        flow = {name: said[name] for name in ("ra_capability", "priority")}
        same(of_all(begin(world)), [said, said, flow], "the others")


def reloads(world, text):
    done, answer = world.reload(text)
    right(done, f"the reload was refused: {answer}")


@case("a reload switches the IMSI off and on, and may bring the longest one, whatever was there")
def switched():
    with World(config(WITHOUT, imsi="001010")) as world:
        bss = begin(world)
        reloads(world, config(imsi="001010"))
        same(of_npdu(bss), {"imsi": "001010"}, "on")
        reloads(world, config(WITHOUT, imsi="001010"))
        same(of_npdu(bss), {}, "off")
        reloads(world, config())
        same(of_npdu(bss), {"imsi": IMSI}, "the longest")


@case("a reload may bring what is as long as the longest that was there, and no octet more")
def room():
    with World(config("drx = 7,")) as world:  # 10 and 4 octets
        bss = begin(world)
        reloads(world, config(WITHOUT + 'ra_capability = "' + 12 * "11" + '",'))
        same(of_npdu(bss), {"ra_capability": 12 * b"\x11"}, "14 octets")
        done, answer = world.reload(config("drx = 7, priority = 1,"))
        right(not done and "nse[1].bvc[1].ms[1].imsi: 17 octets of options in DL-UNITDATA; an MS has room"
              " for 14, the most at the start; more needs a restart" in answer, answer)
        same(of_npdu(bss), {"ra_capability": 12 * b"\x11"}, "what is in force")


main()
