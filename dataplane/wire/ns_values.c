// See ns_values.h.
#include "dataplane/wire/ns_values.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

static const struct field ip4_table[] = FIELD_TABLE(ns_ip4_endpoint, NS_IP4_ENDPOINT_FIELDS);
static const struct field ip6_table[] = FIELD_TABLE(ns_ip6_endpoint, NS_IP6_ENDPOINT_FIELDS);

const struct field_record ns_ip4_endpoint_record = FIELD_RECORD_OF(ns_ip4_endpoint, ip4_table);
const struct field_record ns_ip6_endpoint_record = FIELD_RECORD_OF(ns_ip6_endpoint, ip6_table);

#define TAG_NSEI 0x04
#define LENGTH_2 0x82

static int first_nsei_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                          uint32_t unit)
{
    (void)n, (void)unit;
    if (b[0] != TAG_NSEI)
        return wire_fault(WIRE_MISSING_IE, 0);
    if (b[1] != LENGTH_2)
        return wire_fault(WIRE_LENGTH, 1);
    field_set(field, owner, get_be16(b + 2));
    return 0;
}

static int first_nsei_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                          uint32_t unit)
{
    (void)unit;
    b[0] = TAG_NSEI;
    b[1] = LENGTH_2;
    put_be16(b + 2, (uint16_t)field_get(field, owner));
    return (int)octets;
}

const struct ie_coding ns_first_nsei = {first_nsei_get, first_nsei_put};

static int ip4_list_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    struct ns_ip4_endpoints *list = (struct ns_ip4_endpoints *)((char *)owner + field->offset);
    (void)unit;
    if (n % NS_IP4_ENDPOINT_OCTETS)
        return wire_fault(WIRE_LENGTH, 0);
    list->n = n / NS_IP4_ENDPOINT_OCTETS;
    for (uint32_t i = 0; i < list->n; i++, b += NS_IP4_ENDPOINT_OCTETS)
        list->item[i] = (struct ns_ip4_endpoint){get_be32(b), get_be16(b + 4), b[6], b[7]};
    return 0;
}

static int ip4_list_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    const struct ns_ip4_endpoints *list =
        (const struct ns_ip4_endpoints *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    if (list->n > NS_ENDPOINTS_MAX)
        return wire_fault(WIRE_RANGE, 0);
    for (uint32_t i = 0; i < list->n; i++, b += NS_IP4_ENDPOINT_OCTETS) {
        put_be32(b, list->item[i].address);
        put_be16(b + 4, list->item[i].udp_port);
        b[6] = list->item[i].signalling_weight;
        b[7] = list->item[i].data_weight;
    }
    return (int)(list->n * NS_IP4_ENDPOINT_OCTETS);
}

const struct ie_coding ns_ip4_list = {ip4_list_get, ip4_list_put};

static int ip6_list_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    struct ns_ip6_endpoints *list = (struct ns_ip6_endpoints *)((char *)owner + field->offset);
    (void)unit;
    if (n % NS_IP6_ENDPOINT_OCTETS)
        return wire_fault(WIRE_LENGTH, 0);
    list->n = n / NS_IP6_ENDPOINT_OCTETS;
    for (uint32_t i = 0; i < list->n; i++, b += NS_IP6_ENDPOINT_OCTETS) {
        memcpy(&list->item[i].address, b, sizeof list->item[i].address);
        list->item[i].udp_port = get_be16(b + 16);
        list->item[i].signalling_weight = b[18];
        list->item[i].data_weight = b[19];
    }
    return 0;
}

static int ip6_list_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    const struct ns_ip6_endpoints *list =
        (const struct ns_ip6_endpoints *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    if (list->n > NS_ENDPOINTS_MAX)
        return wire_fault(WIRE_RANGE, 0);
    for (uint32_t i = 0; i < list->n; i++, b += NS_IP6_ENDPOINT_OCTETS) {
        memcpy(b, &list->item[i].address, sizeof list->item[i].address);
        put_be16(b + 16, list->item[i].udp_port);
        b[18] = list->item[i].signalling_weight;
        b[19] = list->item[i].data_weight;
    }
    return (int)(list->n * NS_IP6_ENDPOINT_OCTETS);
}

const struct ie_coding ns_ip6_list = {ip6_list_get, ip6_list_put};

// IP Address (10.3.2b): a tag without a length; the first octet gives the address family, and so
// the length. An IPv4 address is stored as ::ffff:a.b.c.d (RFC 4291 2.5.5.2).
#define ADDRESS_IP4 1
#define ADDRESS_IP6 2

static const uint8_t ip4_mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_ip4_mapped(const uint8_t *address)
{
    return memcmp(address, ip4_mapped, sizeof ip4_mapped) == 0;
}

static int address_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                       uint32_t unit)
{
    uint8_t *address = (uint8_t *)owner + field->offset;
    (void)unit;
    if (b[0] == ADDRESS_IP4 && n == 1 + 4) {
        memcpy(address, ip4_mapped, sizeof ip4_mapped);
        memcpy(address + sizeof ip4_mapped, b + 1, 4);
        return 0;
    }
    if (b[0] != ADDRESS_IP6)
        return wire_fault(WIRE_RESERVED, 0);
    if (is_ip4_mapped(b + 1)) // would be encoded as an IPv4 address
        return wire_fault(WIRE_RESERVED, 1);
    memcpy(address, b + 1, sizeof(struct ipv6_address));
    return 0;
}

static int address_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                       uint32_t unit)
{
    const uint8_t *address = (const uint8_t *)owner + field->offset;
    (void)octets, (void)unit;
    bool ip4 = is_ip4_mapped(address);
    uint32_t skip = ip4 ? sizeof ip4_mapped : 0;
    uint32_t n = (uint32_t)sizeof(struct ipv6_address) - skip;
    b[0] = ip4 ? ADDRESS_IP4 : ADDRESS_IP6;
    memcpy(b + 1, address + skip, n);
    return (int)(1 + n);
}

const struct ie_coding ns_address = {address_get, address_put};
