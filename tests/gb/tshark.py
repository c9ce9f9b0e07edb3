#!/usr/bin/python3
"""A second opinion on every PDU that the procedures send: Wireshark's dissectors read the captures
of long sessions, in which each of them comes, and find nothing malformed."""

import codec
import frames as wire
from bss import ANSWERED, Bss
from sns_bss import CONFIG as SNS_CONFIG
from sns_bss import NSEI, SIX, A, C, configured, end
import tshark_json
from world import HEAD, S, World, case, main, ms, new_folder, npdu, nsvc, same

BSS, TLLI = "198.51.100.2", 0xC0000001
CONFIG = HEAD + f"""
nse {{
    nsei = 101, {nsvc(1, BSS)},
    bvc {{ bvci = 2, {ms("001010000000001", TLLI, pdp_more="pfi = 9")} }}, bvc {{ bvci = 3 }},
}}
"""


def session(world):
    """NS and BVC procedures in both directions, flow control at each level, and what is wrong."""
    bss = Bss(world, 101, [(1, BSS)], {2: 80000, 3: 80000}, features=0x27, extended=2)
    world.run(35 * S)  # the SGSN resets
    bss.auto.clear()
    bss.ns("ns_block", cause=1, nsvci=1)
    bss.ns("ns_unblock")
    world.ctl("nsvc 101 1 block")
    world.run(S)
    bss.ns("ns_block_ack", nsvci=1)
    bss.auto = set(ANSWERED)
    world.ctl("nsvc 101 1 unblock")
    world.run(S)
    bss.signalling_up = False
    bss.up()
    full = {"full": 10}
    bss.flow(2, **full, granularity=0)
    bss.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=7, ms_bmax=50, r=500, **full)
    bss.send(2, "bssgp_flow_control_pfc", tlli=TLLI, tag=8, ms_bmax=50, r=500, **full,
             flows=[{"pfi": 9, "bmax": 50, "r": 500, "full": 0}])
    bss.send(2, "bssgp_flow_control_ms", tlli=0x12345678, tag=9, ms_bmax=50, r=500, **full)
    bss.send(0, "bssgp_bvc_block", bvci=3, cause=8)
    bss.send(0, "bssgp_bvc_unblock", bvci=3)
    bss.send(0, "bssgp_suspend", tlli=TLLI, rai=codec.RAI)
    number = bss.expect("bssgp_suspend_ack", within=S)["suspend_reference"]
    bss.send(0, "bssgp_resume", tlli=TLLI, rai=codec.RAI, suspend_reference=number)
    bss.send(0, "bssgp_suspend", tlli=0x12345678, rai=codec.RAI)
    bss.send(0, "bssgp_resume", tlli=0x12345678, rai=codec.RAI, suspend_reference=0)
    bss.send(0, "bssgp_ra_capability_update", tlli=TLLI, tag=3)
    bss.send(2, "bssgp_ra_capability_update", tlli=TLLI, tag=3)
    bss.send(2, "bssgp_download_bss_pfc", tlli=TLLI, pfi=9)
    bss.send(999, "bssgp_flow_control_bvc", tag=1, bmax=1, r=1, bmax_default=1, r_default=1)
    bss.datagram(bss.nsvcs[0], b"\x7f")
    bss.ns("ns_alive")
    world.ctl("bvc 101 3 reset")
    world.run(20 * S)
    for number in range(6):
        world.down(world.teid(TLLI), npdu("10.0.0.1", 60 + 250 * number, number))
    bss.uplink(2, TLLI, npdu("203.0.113.9", 700, source="10.0.0.1"))
    bss.send_octets(2, codec.ul_unitdata(0x12345678, codec.llc_ui(1, 0, b"\x08\x01"),
                                         codec.cell(0x102)))
    world.run(20 * S)
    bss.uplink(3, TLLI, npdu("203.0.113.9", 700, source="10.0.0.1"))  # it has moved: FLUSH-LL
    world.run(20 * S)
    return bss


def packet_flows(world):
    """Packet flow contexts, paging, and what a DL-UNITDATA says besides."""
    bss = Bss(world, 101, [(1, BSS)], {2: 80000, 3: 80000}, features=0x27, extended=2)
    bss.up()
    bss.send(2, "bssgp_download_bss_pfc", tlli=TLLI, pfi=9)
    world.run(S)
    bss.send(2, "bssgp_modify_bss_pfc", tlli=TLLI, pfi=9,
             abqp=bss.expect("bssgp_create_bss_pfc")["abqp"])
    bss.send(2, "bssgp_delete_bss_pfc_req", tlli=TLLI, pfi=9, cause=0x0B)
    world.run(60 * S)
    world.down(world.teid(TLLI), npdu("10.0.0.1"))  # for an MS in standby
    world.run(S)
    bss.uplink(2, TLLI, npdu("203.0.113.9", source="10.0.0.1"))
    xid = bytes.fromhex("01fb1605f4")  # a command of SAPI 1: N201-U of 1520?
    bss.uplink_llc(2, TLLI, xid + codec.fcs(xid))
    sabm = bytes.fromhex("033f")
    bss.uplink_llc(2, TLLI, sabm + codec.fcs(sabm))
    world.run(10 * S)
    return bss


def sub_network(world):
    """The IP sub-network service over both families."""
    bss = configured(world, [end(A), end(SIX)])
    bss.ns("sns_add", nsei=NSEI, transaction=1, ip4=[end(C)])
    bss.ns("sns_changeweight", nsei=NSEI, transaction=2, ip4=[end(A, 3, 2)])
    bss.ns("sns_delete", nsei=NSEI, transaction=3, ip6=[end(SIX)])
    bss.ns("sns_delete", nsei=NSEI, transaction=4, ip6=[end(SIX)])  # which is gone
    bss.ns("sns_size", nsei=NSEI, reset_flag=1, nsvcs=0, ip4_endpoints=1)
    world.run(S)
    return bss


SESSIONS = {
    "NS, BVCs, flow control, MSs": (session, CONFIG, (), """
        ns_reset ns_unblock ns_block ns_block_ack ns_unblock_ack ns_reset_ack ns_alive ns_alive_ack
        ns_status bssgp_bvc_reset bssgp_bvc_reset_ack bssgp_bvc_block_ack bssgp_bvc_unblock_ack
        bssgp_flow_control_bvc_ack bssgp_flow_control_ms_ack bssgp_flow_control_pfc_ack
        bssgp_status bssgp_suspend_ack bssgp_suspend_nack bssgp_resume_ack bssgp_resume_nack
        bssgp_ra_capability_update_ack bssgp_dl_unitdata bssgp_flush_ll"""),
    "packet flows, paging, LLC": (packet_flows, CONFIG, ("gb.ready=44 s",), """
        bssgp_create_bss_pfc bssgp_modify_bss_pfc_ack bssgp_delete_bss_pfc bssgp_paging_ps
        bssgp_dl_unitdata"""),
    "the sub-network service": (sub_network, SNS_CONFIG, (), """
        sns_size_ack sns_config sns_config_ack sns_ack ns_alive"""),
}


def second_opinion(play, config, sets, wanted):
    with World(config, *sets) as world:
        received = play(world).received
        names = {(r.pdu.sdu or r.pdu).name for r in received}
        print(f"# {len(received)} PDUs: {' '.join(sorted(names))}")
        same(set(wanted.split()) - names, set(), "PDUs that did not come")
        path = world.folder / "gb.pcap"
        wire.write_pcap(path, [(f.time_ns, f.octets) for f in world.frames
                               if f.side == "gb" and not f.to_us and wire.read_udp(f.octets)])
        same(tshark_json.complaints(path), [], "complaints")
        read = tshark_json.gb_frames(path)
        same([(f["ns_pdu_type"], f["bssgp_pdu_type"]) for f in read],
             [(r.pdu.octets[0], r.pdu.octets[4] if r.pdu.sdu else None) for r in received],
             "types of PDUs")


@case("tshark complains of a PDU that is cut short")
def can_complain():
    path = new_folder() / "gb.pcap"
    pdu = codec.unitdata(2, codec.build("bssgp_flow_control_ms_ack", tlli=TLLI, tag=1))
    for octets, complaints in (pdu, False), (pdu[:-1], True):
        datagram = wire.Datagram("192.0.2.1", 23000, "192.0.2.2", 23000, octets)
        frame = wire.frame_of(datagram, bytes(6), bytes(6))
        wire.write_pcap(path, [(0, frame)])
        same(tshark_json.complaints(path) != [], complaints, "complaints")


for title, arguments in SESSIONS.items():
    case(f"tshark reads every PDU of a session, and complains of nothing: {title}",
         *arguments)(second_opinion)

main()
