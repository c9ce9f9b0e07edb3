"""In which order the elements of each BSSGP and NS PDU stand, and where they are in its octets. For
wire_tshark.py.
"""

import re

# --- The order of the elements --------------------------------------------------------------------
# PDU: its fields in their order, as FIELD=TAG in hexadecimal, or FIELD/OCTETS where there is no
# tag. Typed from a digest of the standards; rows marked (*) are not in it, or not whole: they
# repeat the code's order, judged by tshark or libosmocore only, and guard it against change.

ENDS = " ip4_endpoints=05 ip6_endpoints=06"
PAGED = " bvci=04 location_area=10 routeing_area=1b bss_area=02"

ORDERS = {
    "bssgp_dl_unitdata":
        "tlli/4 qos/3 lifetime_ms=16 ra_capability=13 priority=17 drx=0a imsi=0d old_tlli=1f "
        "pfi=28 lsa_information=27 service_utran_cco=3d subscriber_profile=81 redirection=88 "
        "redirected=89 send_state=8a sci=8c ggsn_location=8d edrx=92 coverage_class=98 "
        "old_routeing_area=9b attach_indicator=9c alignment=00 llc_pdu=0e",
    "bssgp_ul_unitdata":  # (*) between PFI and LLC PDU
        "tlli/4 qos/3 cell=08 pfi=28 lsa_list=26 redirect_attempt=87 imsi=0d send_state=8a "
        "selected_plmn=8e coverage_class=98 alignment=00 llc_pdu=0e",
    "bssgp_ra_capability": "tlli=1f ra_capability=13",  # (*)
    "bssgp_paging_ps": "imsi=0d drx=0a" + PAGED + " pfi=28 abqp=3a qos=18 p_tmsi=20",  # (*)
    "bssgp_paging_cs":  # (*)
        "imsi=0d drx=0a" + PAGED + " tlli=1f channel_needed=09 emlpp=0b tmsi=20",
    "bssgp_ra_capability_update": "tlli=1f tag=1e",  # (*)
    "bssgp_ra_capability_update_ack": "tlli=1f tag=1e imsi=0d cause=1a ra_capability=13",  # (*)
    "bssgp_radio_status": "tlli=1f tmsi=20 imsi=0d cause=19",
    "bssgp_suspend": "tlli=1f routeing_area=1b",
    "bssgp_suspend_ack": "tlli=1f routeing_area=1b suspend_reference=1d",
    "bssgp_suspend_nack": "tlli=1f routeing_area=1b cause=07",  # (*) the cause
    "bssgp_resume": "tlli=1f routeing_area=1b suspend_reference=1d",
    "bssgp_resume_ack": "tlli=1f routeing_area=1b",
    "bssgp_resume_nack": "tlli=1f routeing_area=1b cause=07",  # (*) the cause
    "bssgp_bvc_block": "bvci=04 cause=07",
    "bssgp_bvc_block_ack": "bvci=04",
    "bssgp_bvc_reset": "bvci=04 cause=07 cell=08 features=3b extended_features=69",
    "bssgp_bvc_reset_ack": "bvci=04 cell=08 features=3b extended_features=69",  # (*) the cell
    "bssgp_bvc_unblock": "bvci=04",
    "bssgp_bvc_unblock_ack": "bvci=04",
    "bssgp_flow_control_bvc":
        "tag=1e bmax_octets=05 r_bit_per_s=03 bmax_default_octets=01 r_default_bit_per_s=1c "
        "full_percent=3c measured_delay_ms=06 granularity=7e",
    "bssgp_flow_control_bvc_ack": "tag=1e",
    "bssgp_flow_control_ms":
        "tlli=1f tag=1e bmax_octets=12 r_bit_per_s=03 full_percent=3c granularity=7e",
    "bssgp_flow_control_ms_ack": "tlli=1f tag=1e",
    "bssgp_flow_control_pfc":  # (*) where the flows stand among the others
        "tlli=1f tag=1e bmax_octets=12 r_bit_per_s=03 full_percent=3c flows=52 granularity=7e",
    "bssgp_flow_control_pfc_ack": "tlli=1f tag=1e",
    "bssgp_flush_ll": "tlli=1f old_bvci=04 new_bvci=04 nsei=3e",
    "bssgp_flush_ll_ack": "tlli=1f action=0c new_bvci=04 octets=25 nsei=3e",
    "bssgp_llc_discarded": "tlli=1f frames=0f bvci=04 octets=25 pfi=28",
    "bssgp_status": "cause=07 bvci=04 pdu_in_error=15",
    "bssgp_download_bss_pfc": "tlli=1f pfi=28",
    "bssgp_create_bss_pfc":
        "tlli=1f imsi=0d pfi=28 packet_flow_timer_s=29 abqp=3a service_utran_cco=3d "
        "ra_capability=13 priority=17 t10_s=29",
    "bssgp_create_bss_pfc_ack": "tlli=1f pfi=28 abqp=3a cause=07",
    "bssgp_create_bss_pfc_nack": "tlli=1f pfi=28 cause=07",
    "bssgp_modify_bss_pfc": "tlli=1f pfi=28 abqp=3a",
    "bssgp_modify_bss_pfc_ack": "tlli=1f pfi=28 packet_flow_timer_s=29 abqp=3a",
    "bssgp_delete_bss_pfc": "tlli=1f pfi=28",  # (*)
    "bssgp_delete_bss_pfc_ack": "tlli=1f pfi=28",  # (*)
    "bssgp_delete_bss_pfc_req": "tlli=1f pfi=28 cause=07",  # (*)
    "ns_unitdata": None,  # four octets without tags, each of which tshark shows
    "ns_reset": "cause=00 ns_vci=01 nsei=04",
    "ns_reset_ack": "ns_vci=01 nsei=04",
    "ns_block": "cause=00 ns_vci=01",
    "ns_block_ack": "ns_vci=01",  # (*)
    "ns_unblock": "", "ns_unblock_ack": "", "ns_alive": "", "ns_alive_ack": "",
    "ns_status": "cause=00 ns_vci=01 bvci=03" + ENDS + " pdu_in_error=02",  # (*)
    "sns_ack": "nsei=04 transaction/1 cause=00" + ENDS,  # (*), as all of SNS
    "sns_add": "nsei=04 transaction/1" + ENDS,
    "sns_changeweight": "nsei=04 transaction/1" + ENDS,
    "sns_config": "end_flag/1 nsei=04" + ENDS,
    "sns_config_ack": "nsei=04 cause=00",
    "sns_delete": "nsei=04 transaction/1 address=0b" + ENDS,
    "sns_size": "nsei=04 reset_flag=0a max_ns_vcs=07 ip4_endpoints=08 ip6_endpoints=09",
    "sns_size_ack": "nsei=04 cause=00",
}
# Tags of NS whose elements have no length.
NS_LENGTHS = {0x07: 2, 0x08: 2, 0x09: 2, 0x0A: 1}


def value_octets(octets, at, tag, is_ns):
    """Where the value behind a tag begins and ends."""
    if is_ns and tag in NS_LENGTHS:
        return at, at + NS_LENGTHS[tag]
    if is_ns and tag == 0x0B:
        return at, at + {1: 5, 2: 17}[octets[at]]
    if octets[at] & 0x80:
        return at + 1, at + 1 + (octets[at] & 0x7F)
    return at + 2, at + 2 + int.from_bytes(octets[at:at + 2], "big")


def elements(name, octets, pdu):
    """What ORDERS wants for the fields that are there, [(field, tag)], and what stands there, [(tag,
    value)]; a tag of None is no tag. Of the row the reading takes nothing but where an element
    without a tag stands."""
    row = [re.fullmatch(r"(\w+)([=/])(\w+)", word).groups() for word in ORDERS[name].split()]
    wanted = [(field, int(what, 16) if sign == "=" else None)
              for field, sign, what in row if field in pdu]
    fixed = {at: int(what) for at, (_, sign, what) in enumerate(row) if sign == "/"}
    found, at = [], 1
    while at < len(octets):
        if len(found) in fixed:
            tag, begin, end = None, at, at + fixed[len(found)]
        else:
            tag = octets[at]
            begin, end = value_octets(octets, at + 1, tag, not name.startswith("bssgp"))
        found.append((tag, octets[begin:end]))
        at = end
    return wanted, found
