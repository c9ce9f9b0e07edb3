// What libosmocore finds in the PDUs that our encoders wrote: every element that it holds to be
// mandatory, at the place and with the octets where a plain walk of this test finds it. The library
// is linked into the osmocore tests and nothing else.

// It names a function and its information elements as we do: its function gets another name, its
// elements are hidden by ours.
#define tlv_encode osmocore_tlv_encode
#include <osmocom/core/application.h>
#include <osmocom/core/logging.h>
#include <osmocom/core/msgb.h>
#include <osmocom/gprs/gprs_bssgp.h>
#include <osmocom/gprs/gprs_bssgp2.h>
#include <osmocom/gprs/gprs_bssgp_bss.h>
#include <osmocom/gsm/gsm48.h>
#include <osmocom/gsm/tlv.h>

#undef tlv_encode

#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/random_pdu.h"
#include "tests/dataplane/wire/typed.h"

#define ROUNDS 2000

// The library hands up what it receives; nothing is received here.
int bssgp_prim_cb(struct osmo_prim_hdr *oph, void *ctx)
{
    (void)oph, (void)ctx;
    return 0;
}

#define UNITDATA_FIXED_OCTETS 8

// It takes no LSA list without an identity, no QoS profile of less than 14 octets, and wants three
// octets of eMLPP priority, where 11.3.13 has one.
static void lengthen(const struct wire_pdu *pdu, union wire_any *any)
{
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        struct octets *octets = (struct octets *)((char *)any + pdu->fields[i].offset);
        bool is_short = strcmp(pdu->fields[i].name, "lsa_list") == 0 ||
                        strcmp(pdu->fields[i].name, "abqp") == 0;
        if (is_short)
            *octets = (struct octets){random_payload, 16};
        if (strcmp(pdu->fields[i].name, "emlpp") == 0)
            *((bool *)any + pdu->fields[i].has_offset) = false;
    }
}

// A plain walk: tag, one octet of length with its top bit set or two without, value. The library
// has to have the first element of each tag, there and as long, and no other.
static void expect_elements(const struct wire_pdu *pdu, const struct tlv_parsed *parsed,
                            const uint8_t *b, uint32_t n)
{
    struct tlv_p_entry found[256] = {0};
    uint32_t i = 0;
    while (i < n) {
        uint8_t tag = b[i++];
        bool is_short = b[i] & 0x80;
        uint16_t octets = (uint16_t)(is_short ? b[i] & 0x7f : b[i] << 8 | b[i + 1]);
        i += is_short ? 1 : 2;
        if (!found[tag].val)
            found[tag] = (struct tlv_p_entry){octets, b + i};
        i += octets;
    }
    assert_int_equal(i, n);
    for (uint32_t tag = 0; tag < 256; tag++)
        if (parsed->lv[tag].val != found[tag].val || parsed->lv[tag].len != found[tag].len)
            fail_msg("%s: libosmogb finds element %02x elsewhere", pdu->name, tag);
}

static bool is_element(const struct octets *octets, const struct tlv_parsed *parsed)
{
    for (uint32_t tag = 0; tag < 256; tag++)
        if (parsed->lv[tag].val && parsed->lv[tag].len == octets->n &&
            memcmp(parsed->lv[tag].val, octets->at, octets->n) == 0)
            return true;
    return false;
}

// What the struct has as octets is the value of an element as it is.
static void expect_octets_read(const struct wire_pdu *pdu, const union wire_any *any,
                               const struct tlv_parsed *parsed)
{
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        const struct field *f = &pdu->fields[i];
        const void *at = any_field_at(f, any);
        if (at && f->kind == FIELD_OCTETS && !is_element(at, parsed))
            fail_msg("%s: libosmogb reads other octets of %s", pdu->name, f->name);
    }
}

static void test_every_pdu_is_read(void **state)
{
    static uint8_t b[8192];
    union wire_any any;
    struct tlv_parsed parsed;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < wire_pdu_count * ROUNDS; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i / ROUNDS];
        if (!pdu->group || strcmp(pdu->group, "bssgp") != 0)
            continue;
        random_pdu(pdu, &any, 300);
        lengthen(pdu, &any);
        if (is_pdu(pdu, "bssgp_flow_control_pfc") && any.bssgp_flow_control_pfc.flows.n < 2)
            continue; // it wants more than one flow's octets
        int n = pdu->encode(&any, b, sizeof b), fixed = pdu->type < 2 ? UNITDATA_FIXED_OCTETS : 1;
        int result = osmo_tlv_prot_parse(&osmo_pdef_bssgp, &parsed, 1, pdu->type, b + fixed,
                                         (unsigned int)(n - fixed), 0, 0, DLGLOBAL, pdu->name);
        if (result < 0)
            fail_msg("%s: libosmogb says %d", pdu->name, result);
        expect_elements(pdu, &parsed, b + fixed, (uint32_t)(n - fixed));
        expect_octets_read(pdu, &any, &parsed);
    }
}

static void test_dl_unitdata_is_read(void **state)
{
    static uint8_t b[8192];
    const struct wire_pdu *pdu = typed_pdu("bssgp_dl_unitdata");
    struct tlv_parsed parsed;
    union wire_any any;
    char imsi[32];
    (void)state;
    random_begin();
    for (int i = 0; i < ROUNDS; i++) {
        const struct bssgp_dl_unitdata *dl = &any.bssgp_dl_unitdata;
        random_pdu(pdu, &any, 1700);
        int n = pdu->encode(&any, b, sizeof b);
        assert_true(bssgp_tlv_parse(&parsed, b + 8, n - 8) > 0);
        assert_int_equal(tlvp_val16be(&parsed, 0x16), dl->lifetime_ms / 10);
        assert_int_equal(TLVP_LEN(&parsed, 0x0e), dl->llc_pdu.n);
        assert_memory_equal(TLVP_VAL(&parsed, 0x0e), dl->llc_pdu.at, dl->llc_pdu.n);
        assert_int_equal(TLVP_PRESENT(&parsed, 0x1f) != 0, dl->has_old_tlli);
        if (dl->has_old_tlli)
            assert_int_equal(tlvp_val32be(&parsed, 0x1f), dl->old_tlli);
        if (!dl->has_imsi || strlen(dl->imsi.text) < 6) // it takes no shorter ones
            continue;
        struct osmo_mobile_identity mi;
        assert_int_equal(osmo_mobile_identity_decode(&mi, TLVP_VAL(&parsed, 0x0d),
                                                     (uint8_t)TLVP_LEN(&parsed, 0x0d), true),
                         0);
        snprintf(imsi, sizeof imsi, "%s", mi.imsi);
        assert_string_equal(imsi, dl->imsi.text);
    }
}

static void test_cell_identifiers(void **state)
{
    const struct wire_pdu *pdu = typed_pdu("bssgp_ul_unitdata");
    static uint8_t b[8192];
    union wire_any any;
    struct gprs_ra_id ra;
    (void)state;
    random_begin();
    for (int i = 0; i < ROUNDS; i++) {
        random_pdu(pdu, &any, 50);
        const struct bssgp_area *cell = &any.bssgp_ul_unitdata.cell;
        assert_true(pdu->encode(&any, b, sizeof b) > 0);
        assert_int_equal(bssgp_parse_cell_id(&ra, b + 10), cell->ci);
        assert_int_equal(ra.mcc, cell->mcc);
        assert_int_equal(ra.mnc, cell->mnc);
        assert_int_equal(ra.mnc_3_digits, cell->mnc_digits == 3);
        assert_int_equal(ra.lac, cell->lac);
        assert_int_equal(ra.rac, cell->rac);
    }
}

static int set_up(void **state)
{
    static const struct log_info no_categories = {0};
    (void)state;
    osmo_init_logging2(NULL, &no_categories);
    log_set_log_level(osmo_stderr_target, LOGL_ERROR);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pdu_is_read),
        cmocka_unit_test(test_dl_unitdata_is_read),
        cmocka_unit_test(test_cell_identifiers),
    };
    return cmocka_run_group_tests_name("wire/osmocore_read", tests, set_up, NULL);
}
