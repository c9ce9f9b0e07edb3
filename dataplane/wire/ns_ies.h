// The information elements of NS (TS 48.016 clause 10.3), each declared once: tag, format, coding,
// least and most octets of its value, then kind, range and meaning of its field.
#ifndef SLUICE_WIRE_NS_IES_H
#define SLUICE_WIRE_NS_IES_H

#include "dataplane/wire/ns_values.h"

#define NS_PDU_IN_ERROR_MAX 0x7fff

// Elements without a tag. In a PDU where such an element follows an NSEI with tag and length, that
// NSEI is treated as four fixed octets.
#define NS_IE_V_NSEI        0, IE_V, ns_first_nsei, 4, 4, U16, 0, 0xffff, "NSEI"
#define NS_IE_V_TRANSACTION 0, IE_V, ie_uint, 1, 1, U8, 0, 255, "transaction, echoed by the answer"
#define NS_IE_V_END_FLAG \
    0, IE_V, ie_low_bits, 1, 1, BOOL, 0, 1, "the last of its sender's SNS-CONFIG"

#define NS_IE_CAUSE  0x00, IE_TLV, ie_uint, 1, 1, U8, 0, 255, "cause, 10.3.2"
#define NS_IE_NS_VCI 0x01, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "NS-VCI"
#define NS_IE_PDU_IN_ERROR                                                           \
    0x02, IE_TLV, ie_octets, 1, NS_PDU_IN_ERROR_MAX, OCTETS, 1, NS_PDU_IN_ERROR_MAX, \
        "the NS PDU in error"
#define NS_IE_BVCI 0x03, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "BVCI"
#define NS_IE_NSEI 0x04, IE_TLV, ie_uint, 2, 2, U16, 0, 0xffff, "NSEI"
#define NS_IE_IP4_ENDPOINTS                                                                      \
    0x05, IE_TLV, ns_ip4_list, NS_IP4_ENDPOINT_OCTETS, NS_ENDPOINTS_MAX *NS_IP4_ENDPOINT_OCTETS, \
        NS_IP4_ENDPOINTS, 1, NS_ENDPOINTS_MAX, "IPv4 endpoints"
#define NS_IE_IP6_ENDPOINTS                                                                      \
    0x06, IE_TLV, ns_ip6_list, NS_IP6_ENDPOINT_OCTETS, NS_ENDPOINTS_MAX *NS_IP6_ENDPOINT_OCTETS, \
        NS_IP6_ENDPOINTS, 1, NS_ENDPOINTS_MAX, "IPv6 endpoints"
#define NS_IE_MAX_NS_VCS 0x07, IE_TV, ie_uint, 2, 2, U16, 0, 0xffff, "most NS-VCs the sender takes"
#define NS_IE_IP4_COUNT  0x08, IE_TV, ie_uint, 2, 2, U16, 0, 0xffff, "how many IPv4 endpoints it has"
#define NS_IE_IP6_COUNT  0x09, IE_TV, ie_uint, 2, 2, U16, 0, 0xffff, "how many IPv6 endpoints it has"
#define NS_IE_RESET_FLAG \
    0x0a, IE_TV, ie_low_bits, 1, 1, BOOL, 0, 1, "forget what was configured before"
#define NS_IE_ADDRESS \
    0x0b, IE_TV, ns_address, 5, 17, IPV6, 0, 0, "all endpoints of it; IPv4 as ::ffff:a.b.c.d"

#endif
