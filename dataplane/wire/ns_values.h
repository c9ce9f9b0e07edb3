// NS information elements with values other than integers (TS 48.016 clause 10.3), as described
// structs, and their coding. A PDU holds at most 32 endpoints of a kind here; a sender with more
// uses several SNS-CONFIG, the last with the end flag.
#ifndef SLUICE_WIRE_NS_VALUES_H
#define SLUICE_WIRE_NS_VALUES_H

#include "dataplane/wire/tlv.h"

#define NS_ENDPOINTS_MAX       32
#define NS_IP4_ENDPOINT_OCTETS 8
#define NS_IP6_ENDPOINT_OCTETS 20

#define NS_IP4_ENDPOINT_FIELDS(MUST, MAY, T)                                  \
    MUST(T, U32, address, 0, UINT32_MAX, "IPv4 address")                      \
    MUST(T, U16, udp_port, 0, 0xffff, "UDP port")                             \
    MUST(T, U8, signalling_weight, 0, 255, "share of the signalling, 0 none") \
    MUST(T, U8, data_weight, 0, 255, "share of the data, 0 none")
FIELD_STRUCT(ns_ip4_endpoint, NS_IP4_ENDPOINT_FIELDS);
FIELD_LIST_STRUCT(ns_ip4_endpoints, ns_ip4_endpoint, NS_ENDPOINTS_MAX);

#define NS_IP6_ENDPOINT_FIELDS(MUST, MAY, T)                                  \
    MUST(T, IPV6, address, 0, 0, "IPv6 address")                              \
    MUST(T, U16, udp_port, 0, 0xffff, "UDP port")                             \
    MUST(T, U8, signalling_weight, 0, 255, "share of the signalling, 0 none") \
    MUST(T, U8, data_weight, 0, 255, "share of the data, 0 none")
FIELD_STRUCT(ns_ip6_endpoint, NS_IP6_ENDPOINT_FIELDS);
FIELD_LIST_STRUCT(ns_ip6_endpoints, ns_ip6_endpoint, NS_ENDPOINTS_MAX);

extern const struct field_record ns_ip4_endpoint_record, ns_ip6_endpoint_record;

#define FIELD_TYPE_NS_IP4_ENDPOINTS struct ns_ip4_endpoints
#define FIELD_KIND_NS_IP4_ENDPOINTS FIELD_LIST, &ns_ip4_endpoint_record
#define FIELD_TYPE_NS_IP6_ENDPOINTS struct ns_ip6_endpoints
#define FIELD_KIND_NS_IP6_ENDPOINTS FIELD_LIST, &ns_ip6_endpoint_record

// ns_first_nsei is an NSEI with its tag and length, followed by an element without a tag.
extern const struct ie_coding ns_first_nsei, ns_ip4_list, ns_ip6_list, ns_address;

#endif
