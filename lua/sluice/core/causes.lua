-- The causes of NS (TS 48.016 10.3.2) and BSSGP (TS 48.018 11.3.8), of RADIO-STATUS (11.3.29) and
-- RA-CAPABILITY-UPDATE-ACK (11.3.30), by name.
local causes = {
    ns = {
        transit_network_failure = 0x00, o_and_m = 0x01, equipment_failure = 0x02,
        nsvc_blocked = 0x03, nsvc_unknown = 0x04, bvci_unknown = 0x05,
        semantically_incorrect = 0x08, incompatible_with_state = 0x0a, protocol_error = 0x0b,
        invalid_essential = 0x0c, missing_essential = 0x0d, invalid_ip4_endpoints = 0x0e,
        invalid_ip6_endpoints = 0x0f, invalid_nsvcs = 0x10, invalid_weights = 0x11,
        unknown_endpoint = 0x12, unknown_address = 0x13, test_failed = 0x14,
    },
    bssgp = {
        processor_overload = 0x00, equipment_failure = 0x01, transit_network_failure = 0x02,
        capacity = 0x03, unknown_ms = 0x04, bvci_unknown = 0x05, cell_congestion = 0x06,
        sgsn_congestion = 0x07, o_and_m = 0x08, bvci_blocked = 0x09, pfc_create_failure = 0x0a,
        pfc_preempted = 0x0b, abqp_not_supported = 0x0c, semantically_incorrect = 0x20,
        invalid_mandatory = 0x21, missing_mandatory = 0x22, missing_conditional = 0x23,
        unexpected_conditional = 0x24, conditional_error = 0x25, not_compatible_with_state = 0x26,
        protocol_error = 0x27, not_compatible_with_features = 0x28, pfc_queuing = 0x2d,
    },
    radio = {
        contact_lost = 0, link_insufficient = 1, reselection_ordered = 2, reselection_prepare = 3,
        reselection_failure = 4,
    },
    ra_update = { ok = 0, tlli_unknown = 1, no_capabilities = 2 },
}

-- The name of a cause in a group such as causes.bssgp; "cause 0xNN" for an unknown one.
function causes.text(group, number)
    for name, each in next, group do
        if each == number then
            return name
        end
    end
    return ("cause 0x%02x"):format(number)
end

return causes
