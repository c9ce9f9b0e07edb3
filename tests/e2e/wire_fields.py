"""What tshark calls the fields of each PDU and what it makes of their values; what it shows in no
field, as octets; and the order of the elements. For wire_tshark.py.
"""

import ipaddress

# --- What tshark calls a field --------------------------------------------------------------------
# A mapping takes the value and its PDU and gives pairs (field of tshark, value there). Numbers and
# booleans are compared as numbers, texts without colons.


def plain(*names, by=lambda value: value):
    return lambda value, pdu: [(name, by(value)) for name in names]


def half(*rows):
    """Bits of one number: (field, shift, mask)."""
    return lambda value, pdu: [(name, value >> shift & mask) for name, shift, mask in rows]


def nothing(value, pdu):
    """A payload that is judged by itself, or that tshark shows in no field."""
    return []


def record(**mappings):
    return lambda value, pdu: [pair for name in value for pair in mappings[name](value[name], pdu)]


def each(mapping):
    return lambda value, pdu: [pair for item in value for pair in mapping(item, pdu)]


def address4(name):
    return plain(name, by=lambda value: str(ipaddress.IPv4Address(value)))


def address6(name):
    return plain(name, by=lambda value: str(ipaddress.IPv6Address(value)))


def flow(name):
    return lambda value, pdu: [(name, value // (100 * 10 ** pdu.get("granularity", 0)))]


def qos(value, pdu):
    code, granularity = peak_code(value["peak_bit_per_s"])
    # tshark 4.0 masks the granularity and compares it without a shift, so that it shows no rate for
    # any but the first; OCTETS has the rates.
    peak = [] if granularity else [("bssgp.peak_bit_rate", code)]
    return [*peak, ("bssgp.peak_rate_gran", granularity), ("bssgp.cr_bit", value["not_ack"]),
            ("bssgp.t_bit", value["user_data"]), ("bssgp.a_bit", value["rlc_unack"]),
            ("bssgp.precedence", value["precedence"])]


def peak_code(bit_per_s):
    granularity = next(g for g in range(4) if bit_per_s // 10 ** (2 + g) <= 0xFFFF)
    return bit_per_s // 10 ** (2 + granularity), granularity


def area(kind):
    return record(mcc=plain(f"e212.{kind}.mcc"), mnc=plain(f"e212.{kind}.mnc"), mnc_digits=nothing,
                  lac=plain("gsm_a.lac"), rac=plain("gsm_a.gm.gmm.rac"), ci=plain("bssgp.ci"))


def gprs_timer(unit_name, value_name):
    def mapping(value, pdu):
        if value == 0xFFFFFFFF:
            return [(unit_name, 7), (value_name, 0)]
        unit = next(u for u, s in enumerate((2, 60, 360)) if value % s == 0 and value // s < 32)
        return [(unit_name, unit), (value_name, value // (2, 60, 360)[unit])]
    return mapping


def xid_octets(kind, octets, unit=1):
    def mapping(value, pdu):
        return [("llcgprs.xidtype", kind),
                *(("llcgprs.xidbyte", one) for one in (value // unit).to_bytes(octets, "big"))]
    return mapping


def entities():
    def one(entity, pdu):
        pairs = [("llcgprs.l3xiddcomppbit", "algorithm" in entity),
                 ("llcgprs.l3xidentity", entity["entity"])]
        if "algorithm" in entity:
            pairs.append(("llcgprs.l3xidalgoid", entity["algorithm"]))
        if "nsapis" in entity:
            pairs += [(f"sndcpxid.nsapi{n}", entity["nsapis"] >> n & 1) for n in range(5, 16)]
        return pairs
    return each(one)


QOS_ = "gsm_a.gm.sm.qos."
PLAIN_RATE_MOST = 8640000  # bit/s; a rate above has octets of its own behind octet 12


def octet_12(name):
    """In the last octet of the R99 form, which is left out when it and all behind it are 0."""
    def there(pdu):
        rates = (pdu[key] for key in pdu if key.endswith("bit_per_s"))
        return (pdu["signalling"] or pdu["source_statistics"]
                or any(rate > PLAIN_RATE_MOST for rate in rates))
    return lambda value, pdu: [(QOS_ + name, value)] if there(pdu) else []


def tcp_kinds(pdu):
    """The kinds of all options in their order; the padding is in front of the window scale or, on what is
    no SYN, of all."""
    octets = sum(size for size, there in ((4, "mss_octets" in pdu), (2, pdu["sack_permitted"]),
                                          (10, "timestamps" in pdu), (3, "window_scale" in pdu),
                                          (2, pdu["sack"])) if there)
    padding = [1] * (-octets % 4)
    kinds = [2] * ("mss_octets" in pdu) + ([] if "window_scale" in pdu else padding)
    kinds += [4] * pdu["sack_permitted"] + [8] * ("timestamps" in pdu)
    kinds += padding + [3] if "window_scale" in pdu else []
    return kinds + [5] * bool(pdu["sack"])


GM, SM = "gsm_a.gm.gmm.", "gsm_a.gm.sm."


def capability(value, pdu):
    """The ciphers, the release and packet flows; the first octet may be the only one."""
    octets = bytes.fromhex(value)
    pairs = [(GM + "net_cap.gea1", octets[0] >> 7), (GM + "net_cap.rev", octets[0] & 1)]
    if len(octets) > 1:
        pairs += [(GM + "net_cap." + name, octets[1] >> bit & 1)
                  for name, bit in (("pfc", 7), ("gea2", 6), ("gea3", 5), ("gea4", 4))]
    return pairs


def npdu_numbers(value, pdu):
    """One: NSAPI, eight bits of its number, four spare ones."""
    return [(GM + "nsapi", int(value, 16) >> 4 & 255)]


def old_area(value, pdu):
    """Behind the cell of the BSSGP PDU around it (wire_frames.py)."""
    cell = {"mcc": 262, "mnc": 42, "lac": 0x1234, "rac": 0x56}
    return area("rai")(cell, pdu) + area("rai")(value, pdu)


def qos_of_context(value, pdu):
    """Two of its octets; all of them are judged as an abqp."""
    octets = bytes.fromhex(value)
    return [(QOS_ + "reliability_cls", octets[0] & 7), (QOS_ + "max_bitrate_downl", octets[6])]


def qos_of_gtp(value, pdu):
    octets = bytes.fromhex(value)
    return [("gtp.qos_al_ret_priority", octets[0]), ("gtp.qos_reliability", octets[1] & 7)]


def address_of_context(name):
    return lambda value, pdu: [(name, str(ipaddress.IPv4Address(int(value, 16))))] if value else []


BSS_TIMER = gprs_timer("bssgp.unit_val", "bssgp.gprs_timer")
GM_TIMER = gprs_timer(GM + "gprs_timer_unit", GM + "gprs_timer_value")
GM_TIMER_2 = gprs_timer(GM + "gprs_timer2_unit", GM + "gprs_timer2_value")
DRX = half((GM + "split_pg_cycle_code", 8, 255), (GM + "cn_spec_drx_cycle_len_coef", 4, 15),
           (GM + "split_on_ccch", 3, 1), (GM + "non_drx_timer", 0, 7))
IDENTITY = record(imsi=plain("e212.imsi"), imei=plain("gsm_a.imei"), imeisv=plain("gsm_a.imeisv"),
                  tmsi=plain("3gpp.tmsi"))
TLLI, CAUSE, BVCI = plain("gsm_a.rr.tlli"), plain("bssgp.cause"), plain("bssgp.bvci")
NS_CAUSE, PFI = plain("nsip.cause"), plain("gsm_a.gm.sm.packet_flow_id")
ENDPOINT = {"udp_port": plain("nsip.ip_element.udp_port"),
            "signalling_weight": plain("nsip.ip_element.signalling_weight"),
            "data_weight": plain("nsip.ip_element.data_weight")}
ENDPOINTS = {"ip4_endpoints": each(record(address=address4("nsip.ipv4_address"), **ENDPOINT)),
             "ip6_endpoints": each(record(address=address6("nsip.ipv6_address"), **ENDPOINT))}

# Mappings for all PDUs whose names begin so; the longest beginning that has the field decides.
FIELDS = {
    "ether": {"destination": plain("eth.dst"), "source": plain("eth.src"),
              "vlan_tci": half(("vlan.priority", 13, 7), ("vlan.dei", 12, 1), ("vlan.id", 0, 4095)),
              "type": lambda value, pdu: [("eth.type", 0x8100), ("vlan.etype", value)]
              if "vlan_tci" in pdu else [("eth.type", value)],
              "payload": nothing},
    "arp": {"operation": plain("arp.opcode"), "sender_mac": plain("arp.src.hw_mac"),
            "sender_address": address4("arp.src.proto_ipv4"),
            "target_mac": plain("arp.dst.hw_mac"),
            "target_address": address4("arp.dst.proto_ipv4")},
    "ipv4": {"tos": plain("ip.dsfield"), "id": plain("ip.id"), "dont_fragment": plain("ip.flags.df"),
             "more_fragments": plain("ip.flags.mf"),
             "fragment_offset": plain("ip.frag_offset"),
             "ttl": plain("ip.ttl"), "protocol": plain("ip.proto"), "source": address4("ip.src"),
             "destination": address4("ip.dst"), "payload": nothing},
    "icmp_echo": {"reply": plain("icmp.type", by=lambda value: 0 if value else 8),
                  "identifier": plain("icmp.ident"), "sequence": plain("icmp.seq"),
                  "payload": nothing},
    "ipv6": {"traffic_class": plain("ipv6.tclass"), "flow_label": plain("ipv6.flow"),
             "next_header": lambda value, pdu: [("ipv6.nxt", 44), ("ipv6.fraghdr.nxt", value)]
             if "fragment" in pdu else [("ipv6.nxt", value)],
             "hop_limit": plain("ipv6.hlim"), "source": plain("ipv6.src"),
             "destination": plain("ipv6.dst"), "payload": nothing,
             "fragment": record(offset=plain("ipv6.fraghdr.offset"),
                                more_fragments=plain("ipv6.fraghdr.more"),
                                id=plain("ipv6.fraghdr.ident"))},
    "icmpv6": {"checksum": nothing},
    "icmpv6_echo": {"reply": plain("icmpv6.type", by=lambda value: 129 if value else 128),
                    "identifier": plain("icmpv6.echo.identifier"),
                    "sequence": plain("icmpv6.echo.sequence_number"), "payload": nothing},
    "icmpv6_neighbour_solicitation": {
        "target": plain("icmpv6.nd.ns.target_address"),
        "source_mac": plain("icmpv6.opt.src_linkaddr")},
    "icmpv6_neighbour_advertisement": {
        "router": plain("icmpv6.nd.na.flag.r"), "solicited": plain("icmpv6.nd.na.flag.s"),
        "override": plain("icmpv6.nd.na.flag.o"), "target": plain("icmpv6.nd.na.target_address"),
        "target_mac": plain("icmpv6.opt.target_linkaddr")},
    "udp": {"source_port": plain("udp.srcport"), "destination_port": plain("udp.dstport"),
            "checksum": plain("udp.checksum"), "payload": nothing},
    "tcp": {"source_port": plain("tcp.srcport"), "destination_port": plain("tcp.dstport"),
            "sequence": plain("tcp.seq_raw"), "acknowledgement": plain("tcp.ack_raw"),
            "flags": plain("tcp.flags"), "window": plain("tcp.window_size_value"),
            "checksum": plain("tcp.checksum"), "urgent": plain("tcp.urgent_pointer"),
            "mss_octets": plain("tcp.options.mss_val"),
            "window_scale": plain("tcp.options.wscale.shift"),
            "sack_permitted": lambda value, pdu: [("tcp.option_kind", kind) for kind in tcp_kinds(pdu)],
            "timestamps": record(value=plain("tcp.options.timestamp.tsval"),
                                 echo=plain("tcp.options.timestamp.tsecr")),
            "sack": each(record(left=plain("tcp.options.sack_le"),
                                right=plain("tcp.options.sack_re"))),
            "payload": nothing},
    "gtpu": {"type": plain("gtp.message"), "teid": plain("gtp.teid"),
             "sequence": plain("gtp.seq_number"), "npdu_number": plain("gtp.npdu_number"),
             "extension_type": plain("gtp.ext_hdr.next", by=lambda value: value),
             "extensions": lambda value, pdu: [("gtp.ext_hdr.udp_port", int(value[2:6], 16)),
                                               ("gtp.ext_hdr.next", int(value[6:], 16))],
             "payload": nothing},
    "gtpu_echo_response": {"restart_counter": plain("gtp.recovery")},
    "gtpu_error_indication": {"teid": plain("gtp.teid_data"),
                              "ipv4_address": address4("gtp.gsn_ipv4"),
                              "ipv6_address": plain("gtp.gsn_ipv6")},
    "gtpu_supported_extensions": {
        "types": lambda value, pdu: [("gtp.ext_hdr_type", one) for one in bytes.fromhex(value)]},
    "ns": {"cause": NS_CAUSE, "ns_vci": plain("nsip.ns_vci"), "nsei": plain("nsip.nsei"),
           "bvci": plain("nsip.bvci"), "pdu_in_error": nothing, **ENDPOINTS},
    "ns_unitdata": {"request_change_flow": plain("nsip.control_bits.r"),
                    "confirm_change_flow": plain("nsip.control_bits.c"), "sdu": nothing},
    "sns": {"nsei": plain("nsip.nsei"), "transaction": plain("nsip.transaction_id"),
            "cause": NS_CAUSE, **ENDPOINTS, "end_flag": plain("nsip.end_flag.flag"),
            "max_ns_vcs": plain("nsip.max_num_ns_vc"), "reset_flag": plain("nsip.reset_flag.flag"),
            "address": address6("nsip.ipv6_address")},
    "sns_size": {"ip4_endpoints": plain("nsip.num_ip4_endpoints"),
                 "ip6_endpoints": plain("nsip.num_ip6_endpoints")},
    "llc": {"cr": plain("llcgprs.cr"), "sapi": plain("llcgprs.sapib"), "pf": plain("llcgprs.pf"),
            "command": plain("llcgprs.ucom"), "info": nothing},
    "llc_ui": {"nu": plain("llcgprs.nu"), "enciphered": plain("llcgprs.e"),
               "protect_all": plain("llcgprs.pm")},
    "llc_xid": {"reset": lambda value, pdu: [("llcgprs.xidtype", 12)] if value else [],
                "version": xid_octets(0, 1), "iov_ui": xid_octets(1, 4), "iov_i": xid_octets(2, 4),
                "t200_ms": xid_octets(3, 2, 100), "n200": xid_octets(4, 1),
                "n201_u_octets": xid_octets(5, 2), "n201_i_octets": xid_octets(6, 2),
                "md_octets": xid_octets(7, 2, 16), "mu_octets": xid_octets(8, 2, 16),
                "kd": xid_octets(9, 1), "ku": xid_octets(10, 1),
                "layer3": lambda value, pdu: [("llcgprs.xidtype", 11)]},
    "sndcp_unitdata": {"first": plain("sndcp.f"), "more": plain("sndcp.m"),
                       "nsapi": plain("sndcp.nsapib"), "segment": plain("sndcp.segment"),
                       "dcomp": lambda value, pdu: [("sndcp.dcomp", value)] if pdu["first"] else [],
                       "pcomp": lambda value, pdu: [("sndcp.pcomp", value)] if pdu["first"] else [],
                       "npdu_number": plain("sndcp.npdu"), "data": nothing},
    "sndcp_xid": {"version": plain("llcgprs.l3xidparvalue"),
                  "data_compression": entities(),
                  "protocol_compression": entities()},
    "abqp": {"delay_class": plain(QOS_ + "delay_cls"), "reliability": plain(QOS_ + "reliability_cls"),
             "peak_throughput": plain(QOS_ + "peak_throughput"),
             "precedence": plain(QOS_ + "prec_class"),
             "mean_throughput": plain(QOS_ + "mean_throughput"),
             "traffic_class": plain(QOS_ + "traffic_cls"),
             "delivery_order": plain(QOS_ + "del_order"),
             "erroneous_sdus": plain(QOS_ + "del_of_err_sdu"), "residual_ber": plain(QOS_ + "ber"),
             "sdu_error_ratio": plain(QOS_ + "sdu_err_rat"),
             "handling_priority": plain(QOS_ + "traff_hdl_pri"),
             "signalling": octet_12("signalling_ind"),
             "source_statistics": octet_12("source_stat_desc"), "sdu_octets": nothing, "transfer_delay_ms": nothing,
             "mbr_up_bit_per_s": nothing, "mbr_down_bit_per_s": nothing,
             "gbr_up_bit_per_s": nothing, "gbr_down_bit_per_s": nothing},
    "bssgp": {
        "tlli": TLLI, "old_tlli": TLLI, "qos": qos, "cause": CAUSE, "bvci": BVCI, "old_bvci": BVCI,
        "new_bvci": BVCI, "pfi": PFI, "lifetime_ms": plain("bssgp.delay_val", by=lambda v: v // 10),
        "measured_delay_ms": plain("bssgp.delay_val", by=lambda v: v // 10),
        "ra_capability": plain("gsm_a.gm.gmm.acc_cap_struct_len", by=lambda value: 0x3D),
        "priority": half(("gsm_a.bssmap.pci", 6, 1), ("gsm_a_bssmap.priority_level", 2, 15),
                         ("gsm_a.bssmap.qa", 1, 1), ("gsm_a.bssmap.pvi", 0, 1)),
        "drx": DRX,
        "imsi": plain("e212.imsi"), "tmsi": plain("gsm_a.tmsi"), "p_tmsi": plain("gsm_a.tmsi"),
        "lsa_information": plain("gsm_a.bssmap.lsa_inf_prio", by=lambda value: 10),
        "lsa_list": plain("gsm_a.bssmap.lsa_id", by=lambda value: 0xAABBCC),
        "service_utran_cco": half(("bssgp.serv_eutran_cco", 3, 3), ("bssgp.serv_utran_cco", 0, 7)),
        # The index is the octet plus 1; tshark adds it in eight bits.
        "subscriber_profile": plain("bssgp.sub_prof_id_f_rat_freq_prio",
                                    by=lambda value: value + 1 & 0xff),
        "redirection": plain("bssgp.redir_indiction_reroute_reject_cause"),
        "redirected": plain("bssgp.redir_complete_outcome"), "redirect_attempt": nothing,
        "send_state": plain("bssgp.unconfim_send_state_var"), "sci": plain("bssgp.sci"),
        "ggsn_location": plain("bssgp.ggsn_pgw_location"),
        "edrx": plain("bssgp.edrx_cycle_value"), "attach_indicator": nothing,
        "coverage_class": half(("bssgp.ec_dl_coverage_class", 3, 7),
                               ("bssgp.ec_ul_coverage_class", 0, 7)),
        "selected_plmn": nothing, "alignment": nothing, "llc_pdu": plain("bssgp.llc_data"),
        "cell": area("rai"), "routeing_area": area("rai"), "old_routeing_area": area("rai"),
        "location_area": area("lai"), "bss_area": plain("bssgp.bss_ind"),
        "abqp": lambda value, pdu: [(QOS_ + "max_bitrate_downl", int(value[12:14], 16))],
        "channel_needed": half(("gsm_a.rr.chnl_needed_ch1", 0, 3),
                               ("gsm_a.rr.chnl_needed_ch2", 2, 3)),
        "emlpp": nothing, "tag": plain("bssgp.tag"), "nsei": nothing,
        "suspend_reference": plain("bssgp.suspend_ref_no"),
        "features": half(*((f"bssgp.{name}", bit, 1) for bit, name in enumerate(
            "pfc cbl inr lcs rim pfcfc enhancedradiostatus mbms".split()))),
        "extended_features": plain("bssgp.extended_feature_bitmap"),
        "bmax_octets": flow("bssgp.bucket_size"), "r_bit_per_s": flow("bssgp.r"),
        "bmax_default_octets": flow("bssgp.bmax"),
        "r_default_bit_per_s": flow("bssgp.r_default_ms"),
        "full_percent": plain("bssgp.bucket_full_ratio"),
        "granularity": plain("bssgp.flow_control_gran"),
        "flows": each(record(pfi=PFI, bmax_octets=flow("bssgp.bmax_pfc"),
                             r_bit_per_s=flow("bssgp.r_pfc"), full_percent=plain("bssgp.b_pfc"))),
        "action": plain("bssgp.flush_action"), "octets": plain("bssgp.no_of_oct"),
        "frames": plain("bssgp.llc_frames_disc"), "pdu_in_error": plain("bssgp.pdu_data",
                                                                        by=lambda v: v[2:]),
        "packet_flow_timer_s": BSS_TIMER, "t10_s": BSS_TIMER},
    "gmm": {
        "net_capability": capability, "cksn": plain("gsm_a.key_seq"), "drx": DRX,
        "attach_type": half((GM + "for", 3, 1), (GM + "type_of_attach", 0, 7)),
        "update_type": half((GM + "for", 3, 1), (GM + "update_type", 0, 7)),
        "detach_type": half((GM + "type_of_detach", 0, 7)),
        "identity": IDENTITY, "p_tmsi": plain("3gpp.tmsi"), "imeisv": plain("gsm_a.imeisv"),
        "old_area": old_area, "area": area("rai"),
        "ra_capability": plain(GM + "acc_cap_struct_len", by=lambda value: 0x3D),
        "old_signature": plain(GM + "ptmsi_sig"), "signature": plain(GM + "ptmsi_sig"),
        "tmsi_status": plain(GM + "tmsi_flag"), "force_standby": plain(GM + "force_to_standby"),
        "result": half((GM + "fop", 3, 1), (GM + "res_of_attach", 0, 7)),
        "ready_timer_s": GM_TIMER, "t3312_s": GM_TIMER, "t3302_s": GM_TIMER_2, "t3346_s": GM_TIMER_2,
        "priority_sms": plain("gsm_a.gm.radio_priority_pdp"),
        "priority_tom8": plain("gsm_a.gm.radio_priority_tom8"), "cause": plain(GM + "cause"),
        "equivalent_plmns": lambda value, pdu: [("e212.mcc", 262), ("e212.mnc", 42)],
        "network_features": half(*((GM + name, bit, 1) for bit, name in enumerate(
            "emc_bs ims_vops mbms lcs_molr".split()))),
        "npdu_numbers": npdu_numbers,
        "pdp_status": lambda value, pdu: [(GM + "nsapi", value >> n & 1) for n in range(16)],
        "algorithm": plain(GM + "type_of_ciph_alg"), "imeisv_request": plain(GM + "imeisv_req"),
        "reference": plain(GM + "ac_ref_nr"), "rand": plain("gsm_a.dtap.rand"),
        "autn": plain("gsm_a.dtap.autn"), "res": plain("gsm_a.dtap.sres"),
        "res_rest": plain("gsm_a.dtap.xres"), "auts": plain("gsm_a.dtap.auts"),
        "type": plain(GM + "type_of_identity"),
        "full_name": plain("gsm_a.dtap.text_string", by=lambda value: "A"),
        "short_name": plain("gsm_a.dtap.text_string", by=lambda value: "B"),
        "time_zone": nothing, "time": nothing, "daylight_saving": plain("gsm_a.dtap.dst_adjustment")},
    "gmm_detach_request_up": {
        "detach_type": half((GM + "power_off", 3, 1), (GM + "type_of_detach", 0, 7)),
        "signature": plain(GM + "ptmsi_sig2")},
    "gmm_update_accept": {"result": half((GM + "update_result", 0, 7))},
    "sm": {
        "ti": half(("gsm_a.dtap.ti_flag", 3, 1), ("gsm_a.dtap.tio", 0, 7)),
        "nsapi": plain(GM + "nsapi"), "sapi": plain(SM + "llc_sapi"), "qos": qos_of_context,
        "address": record(organisation=plain(SM + "pdp_type_org"), type=plain(SM + "pdp_type_number"),
                          address=address_of_context(SM + "ip4_address")),
        "apn": plain(SM + "apn", by=lambda value: "internet"),
        "options": plain(SM + "pco_pid", by=lambda value: 0x8021),
        "priority": plain("gsm_a.gm.radio_priority_pdp"), "cause": plain(SM + "cause"), "pfi": PFI,
        "tear_down": plain(SM + "tdi"), "tft": plain(SM + "tft.pkt_flt", by=lambda value: 0),
        "linked_ti": plain("gsm_a.gm.ti_value", by=lambda value: int(value, 16) >> 4)},
    "gtpc": {
        "teid": plain("gtp.teid"), "sequence": plain("gtp.seq_number"), "cause": plain("gtp.cause"),
        "imsi": plain("e212.imsi"), "reorder": plain("gtp.reorder"), "recovery": plain("gtp.recovery"),
        "area": record(mcc=plain("e212.rai.mcc"), mnc=plain("e212.rai.mnc"), mnc_digits=nothing,
                       lac=plain("gtp.lac"), rac=plain("gtp.rai_rac")),
        "selection": plain("gtp.sel_mode"), "teid_data": plain("gtp.teid_data"),
        "teid_control": plain("gtp.teid_cp"), "tear_down": plain("gtp.tear_ind"),
        "nsapi": plain("gtp.nsapi"), "charging_id": plain("gtp.chrg_id"),
        "address": record(organisation=plain("gtp.user_addr_pdp_org"),
                          type=plain("gtp.user_addr_pdp_type"),
                          address=address_of_context("gtp.user_ipv4")),
        "apn": plain("gtp.apn", by=lambda value: "internet"),
        "options": plain(SM + "pco_pid", by=lambda value: 0x8021),
        "control_address": address4("gtp.gsn_ipv4"), "data_address": address4("gtp.gsn_ipv4"),
        "msisdn": plain("e164.msisdn"), "qos": qos_of_gtp, "rat": plain("gtp.ext_rat_type"),
        "location": lambda value, pdu: [("e212.cgi.mcc", 262), ("e212.cgi.mnc", 42),
                                        ("gtp.lac", 0x1234), ("gtp.cgi_ci", 0x5678)],
        "imeisv": plain("gtp.ext_imeisv")},
    "sm_activate_accept": {"cause": plain(SM + "cause_2")},
    "bssgp_radio_status": {"cause": plain("bssgp.ra_cause")},
    "bssgp_ra_capability_update_ack": {"cause": plain("bssgp.ra_cap_upd_cause")},
}

# --- What tshark shows in no field, or wrongly ----------------------------------------------------


def number(octets):
    return lambda value, pdu: value.to_bytes(octets, "big")


def flow_octets(value, pdu):
    return (value // (100 * 10 ** pdu.get("granularity", 0))).to_bytes(2, "big")


def qos_octets(value, pdu):
    code, granularity = peak_code(value["peak_bit_per_s"])
    bits = (granularity << 6 | value["not_ack"] << 5 | value["user_data"] << 4
            | value["rlc_unack"] << 3 | value["precedence"])
    return code.to_bytes(2, "big") + bytes([bits])


def flows_octets(value, pdu):
    flows = (bytes([flow["pfi"]]) + flow_octets(flow["bmax_octets"], pdu)
             + flow_octets(flow["r_bit_per_s"], pdu)
             + bytes([flow["full_percent"]] if "full_percent" in flow else [])
             for flow in value)
    return bytes([len(value)]) + b"".join(flows)


def in_hex(value, pdu):
    return bytes.fromhex(value)


def ns_address_octets(value, pdu):
    address = ipaddress.IPv6Address(value)
    return b"\1" + address.ipv4_mapped.packed if address.ipv4_mapped else b"\2" + address.packed


def endpoints_octets(octets):
    def of(value, pdu):
        return b"".join(ipaddress.ip_address(one["address"]).packed.rjust(octets, b"\0")
                        + one["udp_port"].to_bytes(2, "big")
                        + bytes([one["signalling_weight"], one["data_weight"]]) for one in value)
    return of


# Field of a PDU of elements: its octets.
OCTETS = {
    "qos": qos_octets, "nsei": number(2), "emlpp": number(1), "tmsi": number(4),
    "redirect_attempt": number(1), "selected_plmn": in_hex, "attach_indicator": number(1),
    "alignment": lambda value, pdu: bytes(value), "llc_pdu": in_hex, "abqp": in_hex,
    "ra_capability": in_hex, "lsa_information": in_hex, "lsa_list": in_hex,
    "pdu_in_error": in_hex, "flows": flows_octets, "r_bit_per_s": flow_octets,
    "full_percent": number(1), "granularity": number(1), "sns_delete.address": ns_address_octets,
    "sns_delete.ip4_endpoints": endpoints_octets(4),
    "sns_delete.ip6_endpoints": endpoints_octets(16),
}

# PDU: the field that tshark 4.0 reads nothing behind, itself included or not, and why. What is
# behind must be in OCTETS.
STOPS = {
    "bssgp_dl_unitdata": ("attach_indicator", "it knows no attach indicator and gives up"),
    "bssgp_paging_cs": ("emlpp", "it does not look behind channel needed"),
    "bssgp_flow_control_pfc": ("r_bit_per_s", "it expects the leak rate under the tag 0x3b"),
    "sns_delete": ("address", "an IPv6 address is a fault of its own making"),
}
# PDU: the field that makes it complain without cause (None: it always does), and its words; a
# pattern of the whole text, for line numbers are not the same in each tshark.
COMPLAINTS = {
    "bssgp_dl_unitdata": ("attach_indicator", [
        r"Unknown - aborting dissection",
        r"Missing Mandatory element \(0x0e\) LLC-PDU, rest of dissection is suspect"]),
    "bssgp_flow_control_pfc": ("r_bit_per_s", [
        r"Missing Mandatory element \(0x52\) PFC Flow Control parameters, "
        r"rest of dissection is suspect"]),
    "bssgp_flush_ll": ("nsei", [r"Not dissected yet"]),
    "bssgp_flush_ll_ack": ("nsei", [r"Not dissected yet"]),
    "sns_delete": ("address", [
        r"\./epan/proto\.c:\d+: field nsip\.ipv4_address is not of type FT_IPv6"]),
    "llc_u": (None, [r"No Information Field"]),  # DM, DISC and UA have none
}
