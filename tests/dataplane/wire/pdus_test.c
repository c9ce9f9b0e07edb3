// Every PDU alike, by the table of all: random structs survive the wire, truncated octets and small
// buffers are refused in bounds, a payload may lie in the buffer that is written; and every fault
// has a name and comes up. What a PDU looks like on the wire is in the tests of its own.
#include "dataplane/wire/pdus.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/any_pdu.h"
#include "tests/dataplane/wire/judge.h"

#define ROUND_TRIPS 10000
#define THOROUGH    100 // PDUs of which every truncation or every small buffer is tried
#define ROOM        70000
#define PAYLOAD_MAX 1700

static uint8_t payload[65536];

static bool is(const struct wire_pdu *pdu, const char *name)
{
    return strcmp(pdu->name, name) == 0;
}

// --- Random structs ------------------------------------------------------------------------------

static struct octets random_octets(const struct field *field, uint32_t most)
{
    if (most > field->most)
        most = (uint32_t)field->most;
    uint32_t n = (uint32_t)random_in(field->least, most);
    random_fill(payload, n < 64 ? n : 64);
    return (struct octets){payload, n};
}

static void random_field(const struct field *field, void *any, uint32_t payload_most)
{
    char *at = (char *)any + field->offset;
    if (field->has_offset != FIELD_ALWAYS)
        *((bool *)any + field->has_offset) = random_next() % 2;
    if (field->kind == FIELD_MAC)
        random_fill(at, sizeof(struct mac));
    else if (field->kind == FIELD_OCTETS)
        *(struct octets *)at = random_octets(field, payload_most);
    else
        field_set(field, any, random_in(field->least, field->most));
}

// What the wire cannot carry although each field is in its range.
static void make_sendable(const struct wire_pdu *pdu, union wire_any *any)
{
    if (is(pdu, "sndcp_unitdata") && !any->sndcp_unitdata.first)
        any->sndcp_unitdata.dcomp = any->sndcp_unitdata.pcomp = 0;
    if (is(pdu, "bssgp_dl_unitdata")) {
        static const uint32_t units[] = {100, 1000, 10000, 100000};
        any->bssgp_dl_unitdata.lifetime_ms -= any->bssgp_dl_unitdata.lifetime_ms % 10;
        any->bssgp_dl_unitdata.qos.peak_bit_per_s = random_in(0, 65535) * units[random_next() % 4];
    }
}

static void random_pdu(const struct wire_pdu *pdu, union wire_any *any, uint32_t payload_most)
{
    memset(any, 0, sizeof *any);
    for (uint32_t i = 0; i < pdu->field_count; i++)
        random_field(&pdu->fields[i], any, payload_most);
    make_sendable(pdu, any);
}

// --- Round trips ---------------------------------------------------------------------------------

static void expect_round_trip(const struct wire_pdu *pdu, uint32_t payload_most)
{
    static uint8_t b[ROOM], again[ROOM];
    union wire_any sent, received;
    random_pdu(pdu, &sent, payload_most);
    int n = pdu->encode(&sent, b, sizeof b);
    if (n < 0)
        fail_msg("%s: encode: %s", pdu->name, wire_err_name(wire_fault_err(n)));
    memset(&received, 0xee, sizeof received);
    int consumed = pdu->decode(&received, b, (uint32_t)n);
    if (consumed != n)
        fail_msg("%s: %d octets of %d: %s", pdu->name, consumed, n,
                 wire_err_name(wire_fault_err(consumed)));
    const char *different = any_pdu_difference(pdu, &sent, &received);
    if (different)
        fail_msg("%s: %s differs", pdu->name, different);
    assert_int_equal(pdu->encode(&received, again, sizeof again), n);
    assert_memory_equal(again, b, (size_t)n);
}

static void test_round_trips(void **state)
{
    (void)state;
    random_begin();
    random_fill(payload, sizeof payload);
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        for (int trip = 0; trip < ROUND_TRIPS; trip++)
            expect_round_trip(&wire_pdus[i], trip % 100 ? PAYLOAD_MAX : UINT16_MAX);
    }
}

// --- Bounds --------------------------------------------------------------------------------------

// Some PDUs are good at any length. Then their payload must be shorter too.
static void expect_in_bounds(const struct wire_pdu *pdu, const uint8_t *octets, uint32_t n)
{
    union wire_any any;
    const uint8_t *b = page_end_copy(octets, n);
    int consumed = pdu->decode(&any, b, n);
    if (consumed < 0) {
        assert_true(wire_fault_err(consumed) < WIRE_ERR_COUNT);
        assert_true(wire_fault_offset(consumed) <= n);
        return;
    }
    assert_true((uint32_t)consumed <= n);
    const char *outside = any_pdu_outside(pdu, &any, b, n);
    if (outside)
        fail_msg("%s: %s reaches beyond %u octets", pdu->name, outside, n);
}

static void test_every_truncation(void **state)
{
    static uint8_t b[ROOM];
    union wire_any any;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < wire_pdu_count * THOROUGH; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i / THOROUGH];
        random_pdu(pdu, &any, 300);
        int n = pdu->encode(&any, b, sizeof b);
        assert_true(n > 0);
        for (uint32_t shorter = 0; shorter < (uint32_t)n; shorter++)
            expect_in_bounds(pdu, b, shorter);
    }
}

// Any octet of a good PDU becomes any other: whatever the decoder says, it stays in bounds.
static void test_every_changed_octet(void **state)
{
    static uint8_t b[ROOM];
    union wire_any any;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        random_pdu(&wire_pdus[i], &any, 40);
        uint32_t n = (uint32_t)wire_pdus[i].encode(&any, b, sizeof b);
        for (uint32_t at = 0; at < n; at++) {
            for (int value = 0; value < 256; value++, b[at]++)
                expect_in_bounds(&wire_pdus[i], b, n);
        }
    }
}

static void test_every_small_buffer(void **state)
{
    static uint8_t b[ROOM];
    union wire_any any;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < wire_pdu_count * THOROUGH; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i / THOROUGH];
        random_pdu(pdu, &any, 300);
        uint32_t n = (uint32_t)pdu->encode(&any, b, sizeof b);
        for (uint32_t room = 0; room < n; room++)
            EXPECT_FAULT(pdu->encode(&any, page_end(room), room), NO_ROOM, room);
        assert_int_equal(pdu->encode(&any, page_end(n), n), n);
        assert_memory_equal(page_end(n), b, n);
    }
}

static struct octets *payload_of(const struct wire_pdu *pdu, union wire_any *any)
{
    for (uint32_t i = 0; i < pdu->field_count; i++)
        if (pdu->fields[i].kind == FIELD_OCTETS)
            return (struct octets *)((char *)any + pdu->fields[i].offset);
    fail_msg("%s has no payload", pdu->name);
    return NULL;
}

// The payload lies anywhere in the buffer that is written, most often at its start.
static void test_encode_in_place(void **state)
{
    static uint8_t expected[ROOM], b[ROOM];
    union wire_any any;
    (void)state;
    random_begin();
    random_fill(payload, sizeof payload);
    for (uint32_t i = 0; i < wire_pdu_count * ROUND_TRIPS; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i / ROUND_TRIPS];
        random_pdu(pdu, &any, 300);
        int n = pdu->encode(&any, expected, sizeof expected);
        struct octets *at = payload_of(pdu, &any);
        uint32_t offset = i % 2 ? 0 : (uint32_t)random_in(0, 40);
        memcpy(b + offset, at->at, at->n);
        at->at = b + offset;
        assert_int_equal(pdu->encode(&any, b, (uint32_t)n + offset), n);
        assert_memory_equal(b, expected, (size_t)n);
    }
}

// --- The table and the faults --------------------------------------------------------------------

static void test_table_names_every_pdu(void **state)
{
    static const char *const names[] = {"ether",  "ipv4",          "udp",
                                        "gtpu",   "ns_unitdata",   "bssgp_dl_unitdata",
                                        "llc_ui", "sndcp_unitdata"};
    (void)state;
    assert_int_equal(wire_pdu_count, COUNT(names));
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        assert_string_equal(pdu->name, names[i]);
        assert_true(strlen(pdu->help) > 0);
        assert_true(pdu->struct_octets <= sizeof(union wire_any));
        for (uint32_t f = 0; f < pdu->field_count; f++) {
            assert_true(strlen(pdu->fields[f].help) > 0);
            assert_true(pdu->fields[f].offset < pdu->struct_octets);
            assert_true(pdu->fields[f].least <= pdu->fields[f].most);
        }
    }
}

struct faulty {
    const char *pdu, *fault;
    uint32_t offset, n;
    uint8_t octets[24];
};

// One PDU for each fault that a decoder gives.
static const struct faulty faulty[] = {
    {"udp", "TRUNCATED", 3, 3, {0, 1, 2}},
    {"udp", "LENGTH", 4, 8, {0, 1, 0, 2, 0, 9, 0, 0}},
    {"gtpu", "VERSION", 0, 8, {0x50, 0xff}},
    {"ns_unitdata", "TYPE", 0, 4, {0x02, 0, 0, 0}},
    {"ipv4", "CHECKSUM", 10, 20, {0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17}},
    {"llc_ui", "FCS", 3, 6, {0x43, 0xc0, 0x01, 0, 0, 0}},
    {"sndcp_unitdata", "RESERVED", 0, 3, {0x24, 0, 0}},
    {"gtpu", "EXTENSION", 11, 12, {0x34, 0xff, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0xc0}},
    {"bssgp_dl_unitdata", "MISSING_IE", 12, 12, {0, 0, 0, 0, 0, 0, 0, 0, 0x16, 0x82, 0, 0}},
};

static const struct wire_pdu *pdu_of(const char *name)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++)
        if (is(&wire_pdus[i], name))
            return &wire_pdus[i];
    fail_msg("no PDU is called %s", name);
    return NULL;
}

static void test_every_fault_comes_up(void **state)
{
    bool met[WIRE_ERR_COUNT] = {[WIRE_OK] = true};
    union wire_any any = {0};
    uint8_t b[4];
    (void)state;
    for (size_t i = 0; i < COUNT(faulty); i++) {
        const struct faulty *f = &faulty[i];
        int result = pdu_of(f->pdu)->decode(&any, page_end_copy(f->octets, f->n), f->n);
        assert_true(result < 0);
        assert_string_equal(wire_err_name(wire_fault_err(result)), f->fault);
        assert_int_equal(wire_fault_offset(result), f->offset);
        met[wire_fault_err(result)] = true;
    }
    memset(&any, 0, sizeof any);
    EXPECT_FAULT(pdu_of("sndcp_unitdata")->encode(&any, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(pdu_of("udp")->encode(&any, b, sizeof b), NO_ROOM, 4);
    met[WIRE_RANGE] = met[WIRE_NO_ROOM] = true;
    for (uint32_t err = 0; err < WIRE_ERR_COUNT; err++)
        if (!met[err])
            fail_msg("no case here gives %s; add one", wire_err_name((enum wire_err)err));
}

static void test_fault_texts(void **state)
{
    (void)state;
    assert_string_equal(wire_err_name(WIRE_OK), "OK");
    assert_string_equal(wire_err_name(WIRE_FCS), "FCS");
    assert_string_equal(wire_err_text(WIRE_FCS), "wrong FCS");
    for (uint32_t err = 0; err < WIRE_ERR_COUNT; err++)
        assert_true(strlen(wire_err_text((enum wire_err)err)) > 0);
    assert_string_equal(wire_err_name(WIRE_ERR_COUNT), "UNKNOWN");
    assert_string_equal(wire_err_text(WIRE_ERR_COUNT), "unknown fault");
    assert_string_equal(wire_err_text((enum wire_err)255), "unknown fault");
}

// A fault is one negative number that gives back its cause and its offset, up to the largest
// packet.
static void test_fault_numbers(void **state)
{
    (void)state;
    for (uint32_t err = 1; err < WIRE_ERR_COUNT; err++) {
        for (uint32_t offset = 0; offset <= 65535; offset += 257) {
            int fault = wire_fault((enum wire_err)err, offset);
            assert_true(fault < 0);
            assert_int_equal(wire_fault_err(fault), err);
            assert_int_equal(wire_fault_offset(fault), offset);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_names_every_pdu), cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_every_truncation),      cmocka_unit_test(test_every_changed_octet),
        cmocka_unit_test(test_every_small_buffer),    cmocka_unit_test(test_encode_in_place),
        cmocka_unit_test(test_every_fault_comes_up),  cmocka_unit_test(test_fault_texts),
        cmocka_unit_test(test_fault_numbers),
    };
    return cmocka_run_group_tests_name("wire/pdus", tests, NULL, NULL);
}
