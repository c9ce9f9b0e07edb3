// The short way to read a UL-UNITDATA against the table's decoder: what it takes the table takes
// too, with the same TLLI and LLC PDU; and it takes the PDUs that a BSS sends.
#include "dataplane/up/up_parts.h"
#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/random_pdu.h"

#define ROUNDS 300000u

static uint32_t plain;

// True if it was a UL-UNITDATA. The octets lie at the end of a page, so a look behind them is seen.
static bool judge(const uint8_t *octets, uint32_t n)
{
    struct bssgp_ul_unitdata pdu;
    uint32_t tlli = 0, plain_tlli;
    struct octets llc, plain_llc;
    const uint8_t *b = page_end_copy(octets, n);
    int fault = bssgp_ul_unitdata_decode(&pdu, b, n);
    int ours = up_bssgp(b, n, &tlli, &llc);
    assert_int_equal(ours, fault < 0 ? fault : 0);
    bool is_plain = up_bssgp_plain(b, n, &plain_tlli, &plain_llc);
    plain += is_plain;
    if (fault < 0) {
        assert_false(is_plain);
        return false;
    }
    assert_int_equal(tlli, pdu.tlli);
    assert_ptr_equal(llc.at, pdu.llc_pdu.at);
    assert_int_equal(llc.n, pdu.llc_pdu.n);
    return true;
}

// Most without the rare elements; then octets of the head are changed, and some are cut off.
static uint32_t random_ul_unitdata(uint8_t *b, uint32_t room)
{
    struct bssgp_ul_unitdata pdu;
    const struct wire_pdu *wire = wire_pdu_of("bssgp", 0x01);
    random_fields(wire->fields, wire->field_count, &pdu, 300);
    pdu.cell.mcc %= 1000;
    pdu.cell.mnc_digits = 2 + random_next() % 2;
    pdu.cell.mnc %= pdu.cell.mnc_digits == 2 ? 100 : 1000;
    if (random_next() % 8)
        pdu.has_lsa_list = pdu.has_redirect_attempt = pdu.has_imsi = pdu.has_send_state =
            pdu.has_selected_plmn = pdu.has_coverage_class = false;
    int n = bssgp_ul_unitdata_encode(&pdu, b, room);
    assert_true(n > 0);
    return (uint32_t)n;
}

static void the_short_way_reads_what_the_table_reads(void **state)
{
    uint8_t b[2048];
    uint32_t good = 0;
    (void)state;
    random_begin();
    plain = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t n = random_ul_unitdata(b, sizeof b);
        assert_true(judge(b, n));
        for (uint64_t changes = random_in(1, 3); changes > 0; changes--)
            b[random_in(0, n < 40 ? n - 1 : 40)] = (uint8_t)random_next();
        good += judge(b, n);
        good += judge(b, (uint32_t)random_in(0, n));
        random_fill(b, 40);
        judge(b, n);
    }
    assert_true(plain > ROUNDS / 2); // the table alone would pass as well
    assert_true(good > ROUNDS / 8);
}

#define FIXED 0x01, 0xc0, 0x00, 0x00, 0x07, 0x00, 0x00, 0x04
#define CELL  0x08, 0x88, 0x62, 0xf2, 0x10, 0x00, 0x01, 0x02, 0x00, 0x05

// As they come from a BSS, and what is nearly so. The second is what the short way says.
static void pdus_of_a_bss_go_the_short_way(void **state)
{
    static const struct {
        bool plain, good;
        uint32_t n;
        uint8_t b[40];
    } cases[] = {
        {true, true, 22, {FIXED, CELL, 0x0e, 0x82, 0xaa, 0xbb}},
        {true, true, 23, {FIXED, CELL, 0x0e, 0x00, 0x02, 0xaa, 0xbb}},
        {true, true, 20, {FIXED, CELL, 0x0e, 0x80}},
        {true, true, 25, {FIXED, CELL, 0x28, 0x81, 0x01, 0x0e, 0x82, 0xaa, 0xbb}},
        {true, true, 25, {FIXED, CELL, 0x00, 0x81, 0x00, 0x0e, 0x82, 0xaa, 0xbb}},
        {true, true, 27, {FIXED, CELL, 0x28, 0x81, 0x01, 0x00, 0x80, 0x0e, 0x82, 0xaa, 0xbb}},
        {false, true, 25, {FIXED, CELL, 0x0e, 0x82, 0xaa, 0xbb, 0x28, 0x81, 0x01}},
        {false, true, 25, {FIXED, 0x28, 0x81, 0x01, CELL, 0x0e, 0x82, 0xaa, 0xbb}},
        {false, false, 26, {FIXED, CELL, 0x00, 0x84, 0, 0, 0, 0, 0x0e, 0x80}},
        {false, false, 25, {FIXED, CELL, 0x28, 0x80, 0x0e, 0x82, 0xaa, 0xbb}},
        {false, false, 22, {FIXED, CELL, 0x0e, 0x83, 0xaa, 0xbb}},
        {false, false, 18, {FIXED, CELL}},
        {false, false, 19, {FIXED, CELL, 0x0e}},
        {false, false, 12, {FIXED, 0x0e, 0x82, 0xaa, 0xbb}}, // no cell
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plain = 0;
        assert_int_equal(judge(cases[i].b, cases[i].n), cases[i].good);
        assert_int_equal(plain, cases[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_short_way_reads_what_the_table_reads),
        cmocka_unit_test(pdus_of_a_bss_go_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
