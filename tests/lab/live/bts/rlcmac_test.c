// RLC/MAC blocks: octets that osmo-pcu 1.1.0 sent and, for what it did not send, octets composed
// bit by bit from TS 44.060.
#include "lab/live/bts/rlcmac.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"
#include "tests/lab/live/bts/hex.h"

static uint8_t b[64];

// ---- Data blocks ----

static void decode_data(struct rlcmac_data *data, const char *text)
{
    assert_int_equal(rlcmac_data_decode(data, b, hex(text, b)), 0);
}

// osmo-pcu: the first, a middle and the last block of a ping of 84 octets.
static void test_an_llc_pdu_of_three_blocks(void **state)
{
    struct rlcmac_data data;
    (void)state;
    decode_data(&data, "07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    assert_int_equal(data.tfi, 0);
    assert_int_equal(data.bsn, 0);
    assert_false(data.final);
    assert_int_equal(data.pieces, 1);
    assert_int_equal(data.piece[0].octets.n, 30);
    assert_false(data.piece[0].ends);
    decode_data(&data, "070005191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353600");
    assert_int_equal(data.bsn, 2);
    decode_data(&data, "0700061137bca3532b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
    assert_int_equal(data.bsn, 3);
    assert_int_equal(data.pieces, 1);
    assert_int_equal(data.piece[0].octets.n, 4);
    assert_true(data.piece[0].ends);
    assert_int_equal(data.piece[0].octets.at[0], 0x37);
}

static void test_the_last_block(void **state)
{
    struct rlcmac_data data;
    (void)state;
    decode_data(&data, "0f01347543c0012b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
    assert_true(data.final);
    assert_int_equal(data.bsn, 0x1a);
    assert_int_equal(data.piece[0].octets.n, 29);
    assert_true(data.piece[0].ends);
}

// Two PDUs end and a third begins: lengths 7 and 11 with M, in CS-1 (44.060 annex B).
static void test_three_pieces(void **state)
{
    struct rlcmac_data data;
    (void)state;
    decode_data(&data, "00 02 0a 1e 17 01020304050607 0102030405 aabbccddeeff");
    assert_int_equal(data.tfi, 1);
    assert_int_equal(data.bsn, 5);
    assert_int_equal(data.pieces, 3);
    assert_int_equal(data.piece[0].octets.n, 7);
    assert_int_equal(data.piece[1].octets.n, 5);
    assert_int_equal(data.piece[2].octets.n, 6);
    assert_true(data.piece[0].ends && data.piece[1].ends && !data.piece[2].ends);
    assert_int_equal(data.piece[2].octets.at[0], 0xaa);
}

// 10.4.14: length 0 says that the PDU goes on, though it would fit without a length indicator.
static void test_length_zero(void **state)
{
    struct rlcmac_data data;
    (void)state;
    decode_data(&data, "00 00 00 01 01020304050607080910111213141516171819");
    assert_int_equal(data.pieces, 1);
    assert_int_equal(data.piece[0].octets.n, 19);
    assert_false(data.piece[0].ends);
}

// Without a length indicator a PDU ends with the TBF's last block.
static void test_the_last_block_is_full(void **state)
{
    struct rlcmac_data data;
    (void)state;
    decode_data(&data, "00 01 01 0102030405060708091011121314151617181920");
    assert_int_equal(data.pieces, 1);
    assert_true(data.piece[0].ends);
}

static void test_lengths_that_cannot_be(void **state)
{
    static const struct {
        const char *octets;
        enum wire_err err;
    } row[] = {
        {"00 00 00 51 01020304050607080910111213141516171819", WIRE_LENGTH},     // 20 of 19 octets
        {"00 00 00 04 01020304050607080910111213141516171819", WIRE_RESERVED},   // M = 0, E = 0
        {"00 00 00 02 07 0203040506070809101112131415161718 19", WIRE_RESERVED}, // 0, not the last
        {"00 00 00 0606060606060606060606060606060606060606", WIRE_TRUNCATED},   // no end
        {"00 00 00 07 0102", WIRE_LENGTH},                                       // no coding scheme
    };
    struct rlcmac_data data;
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int fault = rlcmac_data_decode(&data, b, hex(row[i].octets, b));
        assert_true(fault < 0);
        assert_int_equal(wire_fault_err(fault), row[i].err);
    }
}

// ---- Control blocks ----

static void decode_control(struct rlcmac_control *control, const char *text)
{
    assert_int_equal(rlcmac_control_decode(control, b, hex(text, b)), 0);
}

static void test_downlink_assignments(void **state)
{
    struct rlcmac_control c;
    (void)state;
    decode_control(&c, "4f0858000000200f1e6cf040208208032b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_DOWNLINK_ASSIGNMENT);
    assert_int_equal(c.to.by, RLCMAC_BY_TLLI);
    assert_int_equal(c.to.value, 0xc0000001);
    assert_int_equal(c.slots, 0x0f);
    assert_true(c.has_tfi && !c.is_new);
    assert_int_equal(c.tfi, 0);
    decode_control(&c, "4f0821087403cd9e280410400b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.to.by, RLCMAC_BY_DOWN_TFI);
    assert_int_equal(c.to.value, 1);
    assert_int_equal(c.slots, 0x0e);
    assert_true(c.is_new);
    assert_int_equal(c.tfi, 2);
    assert_true(rlcmac_head(b[0]).polls);
    assert_int_equal(rlcmac_head(b[0]).after_blocks, 3);
    assert_int_equal(rlcmac_head(b[0]).usf, 7);
}

static void test_an_uplink_assignment(void **state)
{
    struct rlcmac_control c;
    (void)state;
    decode_control(&c, "4f28580000002679b3a200040b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_UPLINK_ASSIGNMENT);
    assert_int_equal(c.to.value, 0xc0000001);
    assert_int_equal(c.coding, 1);
    assert_int_equal(c.tfi, 0);
    assert_int_equal(c.slots, 0x02);
    assert_int_equal(c.usf[6], 0);
}

static void test_an_uplink_ack(void **state)
{
    struct rlcmac_control c;
    (void)state;
    decode_control(&c, "4f2400610000000000000003f8000000214b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_UPLINK_ACK);
    assert_int_equal(c.to.by, RLCMAC_BY_UP_TFI);
    assert_int_equal(c.coding, 1);
    assert_true(c.final && c.has_tlli && c.may_ask);
    assert_int_equal(c.ssn, 4);
    assert_true(c.bitmap == 0xf);
    assert_int_equal(c.tlli, 0xc0000001);
}

// By hand: a polling request to a downlink TFI of 9 (11.2.12), a release of uplink TFI 3 (11.2.26),
// rejections by TLLI with 5 s and by downlink TFI 2 with 10 times 20 ms (11.2.1).
static void test_other_messages(void **state)
{
    struct rlcmac_control c;
    (void)state;
    decode_control(&c, "4810522b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_POLLING);
    assert_int_equal(c.to.by, RLCMAC_BY_DOWN_TFI);
    assert_int_equal(c.to.value, 9);
    decode_control(&c, "402007032b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_RELEASE);
    assert_int_equal(c.to.by, RLCMAC_BY_UP_TFI);
    assert_int_equal(c.to.value, 3);
    assert_true(c.up && !c.down);
    decode_control(&c, "408460000000c14b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_REJECT);
    assert_int_equal(c.to.by, RLCMAC_BY_TLLI);
    assert_int_equal(c.to.value, 0xc0000001);
    assert_int_equal(c.wait_ms, 5000);
    decode_control(&c, "4084e2854b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.to.by, RLCMAC_BY_DOWN_TFI);
    assert_int_equal(c.to.value, 2);
    assert_int_equal(c.wait_ms, 200);
    decode_control(&c, "47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(c.type, RLCMAC_DUMMY);
}

// Direct encoding of a hopping sequence, and an uplink assignment of a single block.
static void test_messages_that_are_not_supported(void **state)
{
    static const char *const row[] = {
        "4f0858000000200f1f6cf02b2b2b2b2b2b2b2b2b2b2b2b",
        "4f28580000002679b3d82b2b2b2b2b2b2b2b2b2b2b2b2b",
    };
    struct rlcmac_control c;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int fault = rlcmac_control_decode(&c, b, hex(row[i], b));
        assert_int_equal(wire_fault_err(fault), WIRE_EXTENSION);
    }
}

static void test_random_blocks_stay_in_bounds(void **state)
{
    static const uint32_t octets[] = {23, 34, 40, 54};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 300000; i++) {
        struct rlcmac_data data;
        struct rlcmac_control control;
        uint32_t n = octets[i % 4];
        uint8_t *block = malloc(n); // its end is its end
        random_fill(block, n);
        if (rlcmac_data_decode(&data, block, n) == 0)
            for (uint32_t p = 0; p < data.pieces; p++)
                assert_true(data.piece[p].octets.at >= block + 3 && data.piece[p].octets.n > 0 &&
                            data.piece[p].octets.at + data.piece[p].octets.n <= block + n);
        rlcmac_control_decode(&control, block, n);
        free(block);
    }
}

// ---- What MSs send ----

static void expect(const uint8_t *found, const char *text)
{
    uint32_t n = hex(text, b);
    assert_memory_equal(found, b, n);
}

// 11.2.6: TFI 5, not final, SSN 4, bits for BSN 0 to 3 but 2; then with a request for 100 octets.
static void test_a_downlink_ack(void **state)
{
    uint8_t found[RLCMAC_CONTROL_OCTETS];
    struct rlcmac_down_ack ack = {.tfi = 5, .ssn = 4, .bitmap = 0xd};
    (void)state;
    rlcmac_put_down_ack(&ack, found);
    // 000010 00101 0 0000100 0..01101 0 101000 000 000000 00000000
    expect(found, "4008a08000000000000001aa00000b2b2b2b2b2b2b2b2b");
    ack.asks = true;
    ack.ask_octets = 100;
    rlcmac_put_down_ack(&ack, found);
    // 1 0001 00 0 1 0000000001100100 101000 000 000000 00000000
    expect(found, "4008a08000000000000001b110064a00000b2b2b2b2b2b");
}

static void test_the_other_answers(void **state)
{
    uint8_t found[RLCMAC_CONTROL_OCTETS];
    (void)state;
    rlcmac_put_control_ack(0xc0000001, found); // 000001 TLLI 11
    expect(found, "4007000000072b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    rlcmac_put_dummy(0xc0000001, found); // 000011 TLLI
    expect(found, "400f000000072b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    rlcmac_put_resource_request(0xc0000001, 100, found);
    // 000101 0 1 TLLI 0 0001 00 0 1 0000000001100100 0 101000 0 00000000
    expect(found, "4015c000000108803228002b2b2b2b2b2b2b2b2b2b2b2b");
}

static void test_the_header_of_a_data_block(void **state)
{
    uint8_t found[3];
    (void)state;
    rlcmac_put_head(&(struct rlcmac_up){.countdown = 15, .tfi = 9, .bsn = 100}, true, found);
    expect(found, "3c 13 c9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_llc_pdu_of_three_blocks),
        cmocka_unit_test(test_the_last_block),
        cmocka_unit_test(test_three_pieces),
        cmocka_unit_test(test_length_zero),
        cmocka_unit_test(test_the_last_block_is_full),
        cmocka_unit_test(test_lengths_that_cannot_be),
        cmocka_unit_test(test_downlink_assignments),
        cmocka_unit_test(test_an_uplink_assignment),
        cmocka_unit_test(test_an_uplink_ack),
        cmocka_unit_test(test_other_messages),
        cmocka_unit_test(test_messages_that_are_not_supported),
        cmocka_unit_test(test_random_blocks_stay_in_bounds),
        cmocka_unit_test(test_a_downlink_ack),
        cmocka_unit_test(test_the_other_answers),
        cmocka_unit_test(test_the_header_of_a_data_block),
    };
    return cmocka_run_group_tests_name("lab/live/bts/rlcmac", tests, NULL, NULL);
}
