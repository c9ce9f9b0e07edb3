// Every NS and SNS PDU that our encoder writes, read by libosmocore's reader of elements: it finds
// the elements that the struct has and no other, each with the octets that 48.016 clause 10.3 gives
// to the field's value, and where a plain walk finds it. libosmogb 1.7 keeps its table of NS
// elements to itself, so the table here is ours; the reading is the library's.
//
// Left out of the library's reading, for it reads no element without a tag: the transaction of
// SNS-ACK, SNS-ADD, SNS-CHANGEWEIGHT and SNS-DELETE, and the end flag of SNS-CONFIG. They are
// compared by their offset.
#define tlv_encode osmocore_tlv_encode // the library names a function as we do
#include <osmocom/gsm/tlv.h>
#undef tlv_encode

#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/random_pdu.h"

#define ROUNDS       2000
#define TAGS         12
#define PAYLOAD_MOST 2000

struct found {
    const uint8_t *at; // NULL: not there
    uint32_t octets;
};

// Those with a tag and no length. An IP address is a kind, 1 for IPv4 and 2 for IPv6, and the
// address.
static uint32_t fixed_octets(uint8_t tag, uint8_t first)
{
    static const uint8_t octets[TAGS] = {[7] = 2, [8] = 2, [9] = 2, [10] = 1};
    return tag == 11 ? (first == 1 ? 5 : 17) : octets[tag];
}

static uint32_t plain_walk(struct found *found, const uint8_t *b, uint32_t n)
{
    uint32_t elements = 0, i = 0;
    memset(found, 0, TAGS * sizeof *found);
    for (; i < n; elements++) {
        uint8_t tag = b[i++];
        assert_in_range(tag, 0, TAGS - 1);
        uint32_t octets = fixed_octets(tag, b[i]);
        if (octets == 0) {
            octets = b[i] & 0x7f;
            if (!(b[i++] & 0x80))
                octets = octets << 8 | b[i++];
        }
        assert_null(found[tag].at);
        found[tag] = (struct found){b + i, octets};
        i += octets;
    }
    assert_int_equal(i, n);
    return elements;
}

static int osmocore_walk(struct tlv_parsed *parsed, const uint8_t *b, uint32_t n, bool ip4)
{
    struct tlv_definition table = {0};
    for (uint8_t tag = 0; tag < TAGS; tag++) {
        uint8_t octets = (uint8_t)fixed_octets(tag, ip4 ? 1 : 2);
        table.def[tag].type = octets ? TLV_TYPE_FIXED : TLV_TYPE_TvLV;
        table.def[tag].fixed_len = octets;
    }
    return tlv_parse(parsed, &table, b, (int)n, 0, 0);
}

// --- What stands on the wire for a field ---------------------------------------------------------

static const struct {
    const char *field;
    bool is_list;
    uint8_t tag;
} tags[] = {
    {"cause", false, 0},         {"ns_vci", false, 1},      {"pdu_in_error", false, 2},
    {"bvci", false, 3},          {"nsei", false, 4},        {"ip4_endpoints", true, 5},
    {"ip6_endpoints", true, 6},  {"max_ns_vcs", false, 7},  {"ip4_endpoints", false, 8},
    {"ip6_endpoints", false, 9}, {"reset_flag", false, 10}, {"address", false, 11},
};

static uint8_t tag_of(const struct field *field)
{
    for (size_t i = 0; i < COUNT(tags); i++)
        if (strcmp(tags[i].field, field->name) == 0 &&
            tags[i].is_list == (field->kind == FIELD_LIST))
            return tags[i].tag;
    fail_msg("the test knows no tag of %s", field->name);
    return 0;
}

static uint32_t put_number(uint8_t *b, uint64_t value, uint32_t octets)
{
    for (uint32_t i = 0; i < octets; i++)
        b[i] = (uint8_t)(value >> 8 * (octets - 1 - i));
    return octets;
}

static const uint8_t ip4_mapped[12] = {[10] = 0xff, [11] = 0xff};

static bool is_ip4(const void *address)
{
    return memcmp(address, ip4_mapped, sizeof ip4_mapped) == 0;
}

static uint32_t put_address(uint8_t *b, const uint8_t *address)
{
    bool ip4 = is_ip4(address);
    b[0] = ip4 ? 1 : 2;
    memcpy(b + 1, address + (ip4 ? 12 : 0), ip4 ? 4 : 16);
    return ip4 ? 5 : 17;
}

static uint32_t put_endpoints4(uint8_t *b, const struct ns_ip4_endpoints *list)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < list->n; i++) {
        n += put_number(b + n, list->item[i].address, 4);
        n += put_number(b + n, list->item[i].udp_port, 2);
        n += put_number(b + n, list->item[i].signalling_weight, 1);
        n += put_number(b + n, list->item[i].data_weight, 1);
    }
    return n;
}

static uint32_t put_endpoints6(uint8_t *b, const struct ns_ip6_endpoints *list)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < list->n; i++) {
        memcpy(b + n, list->item[i].address.octet, 16);
        n += 16 + put_number(b + n + 16, list->item[i].udp_port, 2);
        n += put_number(b + n, list->item[i].signalling_weight, 1);
        n += put_number(b + n, list->item[i].data_weight, 1);
    }
    return n;
}

static uint32_t put_value(uint8_t *b, uint8_t tag, const struct field *field, const void *any)
{
    const void *at = any_field_at(field, any);
    const struct octets *octets = at;
    switch (tag) {
    case 2:
        memcpy(b, octets->at, octets->n);
        return octets->n;
    case 5:
        return put_endpoints4(b, at);
    case 6:
        return put_endpoints6(b, at);
    case 11:
        return put_address(b, at);
    default:
        return put_number(b, field_get(field, any), tag == 0 || tag == 10 ? 1 : 2);
    }
}

// --- The comparison ------------------------------------------------------------------------------

static uint32_t untagged_offset(const struct wire_pdu *pdu, const char **field)
{
    static const char *const with_transaction[] = {"sns_ack", "sns_add", "sns_changeweight",
                                                   "sns_delete"};
    *field = "transaction";
    for (size_t i = 0; i < COUNT(with_transaction); i++)
        if (is_pdu(pdu, with_transaction[i]))
            return 5;
    *field = is_pdu(pdu, "sns_config") ? "end_flag" : "";
    return 1;
}

// Takes the octet without a tag out of the PDU, if it has one. How many octets are left.
static uint32_t take_untagged(const struct wire_pdu *pdu, const void *any, uint8_t *b, uint32_t n)
{
    const char *name;
    uint32_t offset = untagged_offset(pdu, &name);
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        if (strcmp(pdu->fields[i].name, name) != 0)
            continue;
        assert_int_equal(b[offset], field_get(&pdu->fields[i], any));
        memmove(b + offset, b + offset + 1, n - offset - 1);
        return n - 1;
    }
    return n;
}

static void expect_element(const struct wire_pdu *pdu, const struct field *field, const void *any,
                           const struct tlv_parsed *parsed, const struct found *found)
{
    static uint8_t value[65536];
    uint8_t tag = tag_of(field);
    uint32_t n = put_value(value, tag, field, any);
    const struct tlv_p_entry *read = &parsed->lv[tag];
    if (!read->val || read->val != found[tag].at || read->len != found[tag].octets)
        fail_msg("%s: libosmocore does not find %s where it is", pdu->name, field->name);
    if (read->len != n || memcmp(read->val, value, n) != 0)
        fail_msg("%s: libosmocore reads other octets of %s", pdu->name, field->name);
}

static void expect_elements(const struct wire_pdu *pdu, const void *any, const uint8_t *b,
                            uint32_t n, bool ip4)
{
    struct found found[TAGS];
    struct tlv_parsed parsed;
    uint32_t elements = plain_walk(found, b, n), fields = 0;
    assert_int_equal(osmocore_walk(&parsed, b, n, ip4), elements);
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        const struct field *f = &pdu->fields[i];
        if (!any_field_at(f, any) || !strcmp(f->name, "transaction") ||
            !strcmp(f->name, "end_flag"))
            continue;
        expect_element(pdu, f, any, &parsed, found);
        fields++;
    }
    assert_int_equal(elements, fields);
}

// A random address is never IPv4's; every other one becomes one.
static bool some_ip4(const struct wire_pdu *pdu, union wire_any *any, uint32_t round)
{
    bool ip4 = is_pdu(pdu, "sns_delete") && round % 2;
    if (ip4)
        memcpy(any->sns_delete.address.octet, ip4_mapped, sizeof ip4_mapped);
    return ip4;
}

static void expect_pdu(const struct wire_pdu *pdu)
{
    static uint8_t b[8192];
    union wire_any any;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        random_pdu(pdu, &any, PAYLOAD_MOST);
        bool ip4 = some_ip4(pdu, &any, i);
        int n = pdu->encode(&any, b, sizeof b);
        assert_true(n > 0);
        assert_int_equal(b[0], pdu->type);
        uint32_t left = take_untagged(pdu, &any, b, (uint32_t)n);
        expect_elements(pdu, &any, b + 1, left - 1, ip4);
    }
}

static void test_every_pdu_is_read(void **state)
{
    uint32_t pdus = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        if (!pdu->group || strcmp(pdu->group, "ns") != 0 || is_pdu(pdu, "ns_unitdata"))
            continue;
        expect_pdu(pdu);
        pdus++;
    }
    assert_int_equal(pdus, 17); // table 10.3.7.1 without NS-UNITDATA
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pdu_is_read),
    };
    return cmocka_run_group_tests_name("wire/osmocore_ns", tests, NULL, NULL);
}
