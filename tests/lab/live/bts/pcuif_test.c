// The PCU socket's messages, by octets typed from the interface's layout: version 10 as
// osmo-pcu 1.1.0 speaks it, 12 as 1.5 does.
#include "lab/live/bts/pcuif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"
#include "tests/lab/live/bts/hex.h"

static uint8_t b[PCUIF_OCTETS_MOST], wanted[PCUIF_OCTETS_MOST];

static const struct pcuif_cell cell = {
    .version = 10,
    .pdchs = 4,
    .coding = 2,
    .nsei = 101,
    .nsvci = 102,
    .bvci = 103,
    .local_port = 23001,
    .remote_port = 23000,
    .remote_address = 0xc6336401,
    .area = {.mcc = 262, .mnc = 7, .mnc_digits = 2, .lac = 0x1234, .rac = 0x56}};

static void expect(uint32_t at, const char *text)
{
    uint32_t n = hex(text, wanted);
    assert_memory_equal(b + at, wanted, n);
}

// Header, version, flags (active, CS-1, CS-2), carrier 0 with its mask and its slots.
static void test_info_begins(void **state)
{
    (void)state;
    assert_int_equal(pcuif_put_info(&cell, b), 1006);
    expect(0, "32000000 0a000000 01000300 6703 f0 00 00000000 07 00 00 00 00 0000000000000000 07");
    expect(12 + 112, "0000 00"); // the next carrier
}

// Behind eight carriers of 112 octets: BSIC, RAI, NSE, timers, cell, NS-VCs.
static void test_info_ends(void **state)
{
    (void)state;
    pcuif_put_info(&cell, b);
    expect(908, "3f 0601 0700 00 3412 5600 6500 03030303 1e030a 0303030303 0a030a030a03 6700");
    expect(940, "3200 01 6700 14 05 05 a0 05 0a 04 08 04 fa00 fa00 02 01");
    expect(960, "6600 0000 d959 0000 d859 0000 04 00 c6336401");
}

static void test_info_of_a_network_with_three_digits(void **state)
{
    struct pcuif_cell american = cell;
    (void)state;
    american.area = (struct bssgp_area){.mcc = 310, .mnc = 17, .mnc_digits = 3, .lac = 1, .rac = 2};
    pcuif_put_info(&american, b);
    expect(908, "3f 3601 1100 01 0100 0200");
}

static void test_info_of_version_12_names_a_model(void **state)
{
    struct pcuif_cell later = cell;
    (void)state;
    later.version = 12;
    assert_int_equal(pcuif_put_info(&later, b), 1007);
    expect(4, "0c000000");
    assert_int_equal(b[1006], 5);
}

static void test_versions_by_text(void **state)
{
    static const struct {
        const char *text;
        uint8_t version;
    } row[] = {{"1.1.0", 10}, {"1.2.0", 10}, {"1.3.1", 11}, {"1.4.0", 12},   {"1.5.2", 12},
               {"2.0", 12},   {"0.9.1", 10}, {"", 10},      {"unknown", 10}, {"1.99999999999", 12}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct octets text = {(const uint8_t *)row[i].text, (uint32_t)strlen(row[i].text)};
        assert_int_equal(pcuif_version_of(text), row[i].version);
    }
}

// Frame 1048 begins the first block of a quarter of a 52-multiframe.
static void test_clock_messages(void **state)
{
    const uint8_t block[] = {0x40, 0x07};
    (void)state;
    assert_int_equal(pcuif_put_ready(21, 7, b), 4 + 13);
    expect(0, "10000000 05 000000 15000000 6703 00 07 05");
    assert_int_equal(pcuif_put_block(1048, 6, (struct octets){block, 2}, 20, b), 4 + 180);
    expect(0, "02000000 05 02 4007");
    expect(168, "18040000 6703 00 06 02 c4 0000 0000 c800");
    assert_int_equal(pcuif_put_access(1048, 0x7a, b), 4 + 15);
    expect(0, "22000000 01 7a00 0000 18040000 6703 00 01 00 00");
}

// The first frames of the blocks of a 52-multiframe (45.002 6.3.2.2.1).
static void test_block_numbers(void **state)
{
    static const uint8_t frame[] = {0, 4, 8, 13, 17, 21, 26, 30, 34, 39, 43, 47};
    (void)state;
    for (uint8_t i = 0; i < 12; i++)
        assert_int_equal(pcuif_block_number(52 * 1000 + frame[i]), i);
}

// ---- From the PCU ----

static uint8_t in[1007];

static int decode(struct pcuif *message, const char *text, uint32_t n)
{
    memset(in, 0, sizeof in);
    hex(text, in);
    return pcuif_decode(message, in, n);
}

static void test_a_text_and_an_activation(void **state)
{
    struct pcuif m;
    (void)state;
    assert_int_equal(decode(&m, "70000000 00 312e312e30", 1006), 0);
    assert_int_equal(m.kind, PCUIF_TEXT);
    assert_int_equal(m.octets.n, 5);
    assert_int_equal(decode(&m, "40000000 01 00 06", 1006), 0);
    assert_int_equal(m.kind, PCUIF_ACTIVATE);
    assert_true(m.on);
    assert_int_equal(m.slot, 6);
    assert_int_equal(wire_fault_err(decode(&m, "40000000 01 00 08", 1006)), WIRE_RANGE);
    assert_int_equal(wire_fault_err(decode(&m, "40000000 01 01 06", 1006)), WIRE_RANGE);
}

static void test_a_block(void **state)
{
    struct pcuif m;
    (void)state;
    decode(&m, "00000000 05 17 47942b", 1006);
    hex("18040000 6703 00 06 02", in + 168);
    assert_int_equal(pcuif_decode(&m, in, 1006), 0);
    assert_int_equal(m.kind, PCUIF_BLOCK);
    assert_int_equal(m.octets.n, 23);
    assert_ptr_equal(m.octets.at, in + 6);
    assert_int_equal(m.fn, 1048);
    assert_int_equal(m.slot, 6);
    in[175] = 8;
    assert_int_equal(wire_fault_err(pcuif_decode(&m, in, 1006)), WIRE_RANGE);
    in[5] = 163;
    assert_int_equal(wire_fault_err(pcuif_decode(&m, in, 1006)), WIRE_LENGTH);
    assert_int_equal(wire_fault_err(pcuif_decode(&m, in, 183)), WIRE_TRUNCATED);
}

// Version 10: three digits of a paging group before the message, whose confirmation has its octets.
static void test_the_pch_of_version_10(void **state)
{
    struct pcuif m;
    (void)state;
    assert_int_equal(
        decode(&m, "00000000 03 1a 303031 2d063f300ee3677d84351c00dc0000001800032b2b2b2b", 1006),
        0);
    assert_int_equal(m.kind, PCUIF_CCCH);
    assert_int_equal(m.octets.n, 23);
    assert_int_equal(m.octets.at[0], 0x2d);
    assert_true(m.confirm && !m.numbered);
    assert_int_equal(pcuif_put_confirm(&m, b), 4 + 180);
    expect(0, "01000000 03 17 2d063f300ee3677d84351c00dc0000001800032b2b2b2b");
}

// Version 12: a number, 17 octets of IMSI, the message, whether to confirm; AGCH without the IMSI.
static void test_the_ccch_of_version_12(void **state)
{
    struct pcuif m;
    (void)state;
    assert_int_equal(decode(&m,
                            "00000000 08 2d 010000c0 3030313031303030303030303030310000 "
                            "2d063f300ee3677d84351c00dc0000001800032b2b2b2b 01",
                            1007),
                     0);
    assert_int_equal(m.kind, PCUIF_CCCH);
    assert_int_equal(m.octets.at[1], 0x06);
    assert_true(m.confirm && m.numbered);
    assert_int_equal(m.number, 0xc0000001);
    assert_int_equal(pcuif_put_confirm(&m, b), 4 + 5);
    expect(0, "11000000 08 010000c0");
    assert_int_equal(
        decode(&m, "00000000 09 1c 02000000 2d063f100de3677a046d0000c840300b2b2b2b2b2b2b2b 00",
               1007),
        0);
    assert_false(m.confirm);
    assert_int_equal(m.number, 2);
    assert_int_equal(m.octets.at[7], 0x7a);
    assert_int_equal(wire_fault_err(decode(&m, "00000000 08 2c", 1007)), WIRE_TRUNCATED);
    assert_int_equal(wire_fault_err(decode(&m, "00000000 02 16", 1007)), WIRE_LENGTH);
}

static void test_random_messages_stay_in_bounds(void **state)
{
    static const uint8_t type[] = {0x00, 0x40, 0x70};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t n = (uint32_t)random_in(0, 260);
        uint8_t *message = malloc(n + 1);
        struct pcuif m;
        random_fill(message + 1, n);
        if (n)
            message[1] = i % 4 ? type[i % 4 - 1] : message[1];
        if (pcuif_decode(&m, message + 1, n) == 0 && m.octets.n > 0) {
            assert_true(m.octets.at > message + 4);
            assert_true(m.octets.at + m.octets.n <= message + 1 + n);
            assert_true(m.slot < PCUIF_SLOTS);
            assert_true(m.kind != PCUIF_CCCH || m.octets.n == PCUIF_CCCH_OCTETS);
        }
        free(message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info_begins),
        cmocka_unit_test(test_info_ends),
        cmocka_unit_test(test_info_of_a_network_with_three_digits),
        cmocka_unit_test(test_info_of_version_12_names_a_model),
        cmocka_unit_test(test_versions_by_text),
        cmocka_unit_test(test_clock_messages),
        cmocka_unit_test(test_block_numbers),
        cmocka_unit_test(test_a_text_and_an_activation),
        cmocka_unit_test(test_a_block),
        cmocka_unit_test(test_the_pch_of_version_10),
        cmocka_unit_test(test_the_ccch_of_version_12),
        cmocka_unit_test(test_random_messages_stay_in_bounds),
    };
    return cmocka_run_group_tests_name("lab/live/bts/pcuif", tests, NULL, NULL);
}
