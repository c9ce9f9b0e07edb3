// Every PDU alike, by the table of all: random structs survive the wire, truncated octets and small
// buffers are refused in bounds, a payload may lie in the buffer that is written; and every fault
// has a name and comes up. What a PDU looks like on the wire is in the tests of its own.
#include "dataplane/wire/pdus.h"

#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/random_pdu.h"
#include "tests/dataplane/wire/typed.h"

#define ROUND_TRIPS 10000
#define THOROUGH    100 // PDUs of which every truncation or every small buffer is tried
#define ROOM        140000
#define PAYLOAD_MAX 1700

// --- Round trips ---------------------------------------------------------------------------------

static void expect_round_trip(const struct wire_pdu *pdu, uint32_t payload_most)
{
    static uint8_t b[ROOM], again[ROOM];
    union wire_any sent, received;
    random_pdu(pdu, &sent, payload_most);
    int n = pdu->encode(&sent, b, sizeof b);
    if (n < 0)
        fail_msg("%s: encode: %s", pdu->name, wire_err_name(wire_fault_err(n)));
    if (pdu->group)
        assert_int_equal(b[pdu->type_at], pdu->type);
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
    random_fill(random_payload, sizeof random_payload);
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

// The last octets of a PDU are its payload; NULL if there are none in this one.
static struct octets *payload_of(const struct wire_pdu *pdu, union wire_any *any)
{
    for (uint32_t i = pdu->field_count; i-- > 0;)
        if (pdu->fields[i].kind == FIELD_OCTETS)
            return any_field_at(&pdu->fields[i], any)
                       ? (struct octets *)((char *)any + pdu->fields[i].offset)
                       : NULL;
    return NULL;
}

static void expect_encode_in_place(const struct wire_pdu *pdu, uint32_t offset)
{
    static uint8_t expected[ROOM], b[ROOM];
    union wire_any any;
    random_pdu(pdu, &any, 300);
    int n = pdu->encode(&any, expected, sizeof expected);
    struct octets *at = payload_of(pdu, &any);
    if (!at)
        return;
    memcpy(b + offset, at->at, at->n);
    at->at = b + offset;
    uint32_t room = (uint32_t)n > offset + at->n ? (uint32_t)n : offset + at->n;
    assert_int_equal(pdu->encode(&any, b, room), n);
    assert_memory_equal(b, expected, (size_t)n);
}

// The payload lies anywhere in the buffer that is written, most often at its start.
static void test_encode_in_place(void **state)
{
    (void)state;
    random_begin();
    random_fill(random_payload, sizeof random_payload);
    for (uint32_t i = 0; i < wire_pdu_count * ROUND_TRIPS; i++)
        expect_encode_in_place(&wire_pdus[i / ROUND_TRIPS], i % 2 ? 0 : (uint32_t)random_in(0, 40));
}

// --- The table and the faults --------------------------------------------------------------------

static void expect_described(const char *what, const struct field *fields, uint32_t count,
                             uint32_t octets)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        if (strlen(f->help) == 0 || f->offset >= octets || f->least > f->most)
            fail_msg("%s.%s: no help, outside the struct, or an empty range", what, f->name);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(fields[k].name, f->name) == 0)
                fail_msg("%s.%s is there twice", what, f->name);
        if ((f->kind == FIELD_RECORD || f->kind == FIELD_LIST) != (f->record != NULL))
            fail_msg("%s.%s: a record without a table, or a table without a record", what, f->name);
        if (f->record)
            expect_described(f->name, f->record->fields, f->record->count, f->record->octets);
    }
}

// No two PDUs have one name, nor one type within a group; a type finds its PDU.
static void test_table_is_sound(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        assert_true(strlen(pdu->help) > 0);
        assert_true(pdu->struct_octets <= sizeof(union wire_any));
        expect_described(pdu->name, pdu->fields, pdu->field_count, pdu->struct_octets);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(wire_pdus[k].name, pdu->name);
        if (pdu->group && wire_pdu_of(pdu->group, pdu->type) != pdu)
            fail_msg("%s: type 0x%02x finds another", pdu->name, pdu->type);
    }
    assert_ptr_equal(wire_pdu_of("bssgp", 0x99), NULL);
    assert_ptr_equal(wire_pdu_of("no group", 0), NULL);
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
    {"gtpu", "EXTENSION", 11, 12, {0x34, 0xff, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0x85}},
    {"bssgp_radio_status",
     "UNEXPECTED_IE",
     16,
     16,
     {0x0a, 0x1f, 0x84, 1, 2, 3, 4, 0x20, 0x84, 1, 2, 3, 4, 0x19, 0x81, 0}},
    {"bssgp_radio_status", "MISSING_CONDITIONAL", 4, 4, {0x0a, 0x19, 0x81, 0}},
    {"bssgp_radio_status", "CONDITIONAL_IE", 2, 4, {0x0a, 0x1f, 0x81, 0}},
    {"bssgp_dl_unitdata", "MISSING_IE", 12, 12, {0, 0, 0, 0, 0, 0, 0, 0, 0x16, 0x82, 0, 0}},
};

static void test_every_fault_comes_up(void **state)
{
    bool met[WIRE_ERR_COUNT] = {[WIRE_OK] = true};
    union wire_any any = {0};
    uint8_t b[4];
    (void)state;
    for (size_t i = 0; i < COUNT(faulty); i++) {
        const struct faulty *f = &faulty[i];
        int result = typed_pdu(f->pdu)->decode(&any, page_end_copy(f->octets, f->n), f->n);
        assert_true(result < 0);
        assert_string_equal(wire_err_name(wire_fault_err(result)), f->fault);
        assert_int_equal(wire_fault_offset(result), f->offset);
        met[wire_fault_err(result)] = true;
    }
    memset(&any, 0, sizeof any);
    EXPECT_FAULT(typed_pdu("sndcp_unitdata")->encode(&any, b, sizeof b), RANGE, 0);
    EXPECT_FAULT(typed_pdu("udp")->encode(&any, b, sizeof b), NO_ROOM, 4);
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
        cmocka_unit_test(test_table_is_sound),       cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_every_truncation),     cmocka_unit_test(test_every_changed_octet),
        cmocka_unit_test(test_every_small_buffer),   cmocka_unit_test(test_encode_in_place),
        cmocka_unit_test(test_every_fault_comes_up), cmocka_unit_test(test_fault_texts),
        cmocka_unit_test(test_fault_numbers),
    };
    return cmocka_run_group_tests_name("wire/pdus", tests, NULL, NULL);
}
