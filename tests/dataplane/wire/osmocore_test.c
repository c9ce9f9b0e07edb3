// The codecs against libosmocore's, on random structs: what it builds has to be what we build,
// octet for octet, and it has to find in our PDUs every element that it holds to be mandatory. The
// library is linked into this test and nothing else.

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

#define ROUNDS 2000
#define NSEI   17

static uint8_t sent[4096]; // what libosmogb handed down last
static uint32_t sent_octets;
static struct bssgp_bvc_ctx *bvc;

// The library hands up what it receives; nothing is received here.
int bssgp_prim_cb(struct osmo_prim_hdr *oph, void *ctx)
{
    (void)oph, (void)ctx;
    return 0;
}

static void keep(struct msgb *msg)
{
    sent_octets = msgb_length(msg);
    memcpy(sent, msgb_data(msg), sent_octets);
    msgb_free(msg);
}

static int keep_sent(void *ctx, struct msgb *msg)
{
    (void)ctx;
    keep(msg);
    return 0;
}

static void expect_sent(const struct wire_pdu *pdu, const union wire_any *any)
{
    static uint8_t b[4096];
    int n = pdu->encode(any, b, sizeof b);
    if (n < 0)
        fail_msg("%s: %s", pdu->name, wire_err_name(wire_fault_err(n)));
    if ((uint32_t)n != sent_octets)
        fail_msg("%s: %d octets, libosmogb has %u", pdu->name, n, sent_octets);
    for (uint32_t i = 0; i < sent_octets; i++)
        if (b[i] != sent[i])
            fail_msg("%s: octet %u is %02x, libosmogb has %02x", pdu->name, i, b[i], sent[i]);
}

static struct gprs_ra_id ra_of(const struct bssgp_area *area)
{
    return (struct gprs_ra_id){.mcc = area->mcc,
                               .mnc = area->mnc,
                               .mnc_3_digits = area->mnc_digits == 3,
                               .lac = area->lac,
                               .rac = area->rac};
}

// --- PDUs that it builds -------------------------------------------------------------------------
// Each has the library build the PDU of a struct; what it cannot say goes out of the struct.

static void build_suspend(union wire_any *any)
{
    struct gprs_ra_id ra = ra_of(&any->bssgp_suspend.routeing_area);
    bssgp_tx_suspend(NSEI, any->bssgp_suspend.tlli, &ra);
}

static void build_resume(union wire_any *any)
{
    struct gprs_ra_id ra = ra_of(&any->bssgp_resume.routeing_area);
    bssgp_tx_resume(NSEI, any->bssgp_resume.tlli, &ra, any->bssgp_resume.suspend_reference);
}

static void build_ra_capability_update(union wire_any *any)
{
    bssgp_tx_ra_capa_upd(bvc, any->bssgp_ra_capability_update.tlli,
                         any->bssgp_ra_capability_update.tag);
}

static void build_radio_status(union wire_any *any)
{
    struct bssgp_radio_status *pdu = &any->bssgp_radio_status;
    if (pdu->has_tlli)
        bssgp_tx_radio_status_tlli(bvc, pdu->cause, pdu->tlli);
    else if (pdu->has_tmsi)
        bssgp_tx_radio_status_tmsi(bvc, pdu->cause, pdu->tmsi);
    else
        bssgp_tx_radio_status_imsi(bvc, pdu->cause, pdu->imsi.text);
    // 10.3.3 has a radio cause (0x19); libosmogb 1.7 writes a cause, and tshark takes ours.
    assert_int_equal(sent[sent_octets - 3], 0x07);
    sent[sent_octets - 3] = 0x19;
}

// Of the number of octets affected, the last element of FLUSH-LL-ACK, libosmogb 1.7 writes the
// upper three octets of four; 11.3.41 has 24 bits, and tshark takes ours.
static void mend_octets_affected(uint32_t octets)
{
    const uint8_t right[3] = {(uint8_t)(octets >> 16), (uint8_t)(octets >> 8), (uint8_t)octets};
    uint8_t *at = sent + sent_octets - sizeof right;
    assert_memory_equal(at, ((const uint8_t[]){0, right[0], right[1]}), sizeof right);
    memcpy(at, right, sizeof right);
}

static void build_flush_ll_ack(union wire_any *any)
{
    struct bssgp_flush_ll_ack *pdu = &any->bssgp_flush_ll_ack;
    pdu->action &= 1;
    pdu->has_new_bvci = pdu->action == 1;
    pdu->has_nsei = false;
    bssgp_tx_flush_ll_ack(bvc, pdu->tlli, pdu->action, pdu->new_bvci, pdu->octets);
    mend_octets_affected(pdu->octets);
}

static void build_llc_discarded(union wire_any *any)
{
    struct bssgp_llc_discarded *pdu = &any->bssgp_llc_discarded;
    pdu->bvci = bvc->bvci;
    pdu->has_pfi = false;
    bssgp_tx_llc_discarded(bvc, pdu->tlli, pdu->frames, pdu->octets);
}

static void build_bvc_block(union wire_any *any)
{
    keep(bssgp2_enc_bvc_block(any->bssgp_bvc_block.bvci,
                              (enum gprs_bssgp_cause)any->bssgp_bvc_block.cause));
}

static void build_bvc_unblock(union wire_any *any)
{
    keep(bssgp2_enc_bvc_unblock(any->bssgp_bvc_unblock.bvci));
}

// libosmogb 1.7 writes the feature bitmap once more where the extended one belongs.
static void build_bvc_reset(union wire_any *any)
{
    struct bssgp_bvc_reset *pdu = &any->bssgp_bvc_reset;
    pdu->extended_features = pdu->features;
    pdu->has_extended_features = pdu->has_features;
    struct gprs_ra_id ra = ra_of(&pdu->cell);
    keep(bssgp2_enc_bvc_reset(pdu->bvci, (enum gprs_bssgp_cause)pdu->cause,
                              pdu->has_cell ? &ra : NULL, pdu->cell.ci,
                              pdu->has_features ? &pdu->features : NULL,
                              pdu->has_extended_features ? &pdu->extended_features : NULL));
}

static void build_bvc_reset_ack(union wire_any *any)
{
    struct bssgp_bvc_reset_ack *pdu = &any->bssgp_bvc_reset_ack;
    pdu->extended_features = pdu->features;
    pdu->has_extended_features = pdu->has_features;
    struct gprs_ra_id ra = ra_of(&pdu->cell);
    keep(bssgp2_enc_bvc_reset_ack(pdu->bvci, pdu->has_cell ? &ra : NULL, pdu->cell.ci,
                                  pdu->has_features ? &pdu->features : NULL,
                                  pdu->has_extended_features ? &pdu->extended_features : NULL));
}

// It counts octets a second: a unit of rate is 12.5 of them.
static struct bssgp2_flow_ctrl flow_of(uint8_t tag, uint64_t bmax_octets, uint64_t r_bit_per_s)
{
    return (struct bssgp2_flow_ctrl){
        .tag = tag, .bucket_size_max = bmax_octets, .bucket_leak_rate = r_bit_per_s / 8};
}

static void build_flow_control_ms(union wire_any *any)
{
    struct bssgp_flow_control_ms *pdu = &any->bssgp_flow_control_ms;
    pdu->r_bit_per_s -= pdu->r_bit_per_s % (200 * flow_unit(wire_pdu_of("bssgp", 0x28), any));
    struct bssgp2_flow_ctrl fc = flow_of(pdu->tag, pdu->bmax_octets, pdu->r_bit_per_s);
    enum bssgp_fc_granularity granularity = (enum bssgp_fc_granularity)pdu->granularity;
    fc.u.ms.tlli = pdu->tlli;
    fc.bucket_full_ratio_present = pdu->has_full_percent;
    fc.bucket_full_ratio = pdu->full_percent;
    keep(bssgp2_enc_fc_ms(&fc, pdu->has_granularity ? &granularity : NULL));
}

static void build_flow_control_bvc(union wire_any *any)
{
    struct bssgp_flow_control_bvc *pdu = &any->bssgp_flow_control_bvc;
    uint64_t step = 200 * flow_unit(wire_pdu_of("bssgp", 0x26), any);
    pdu->r_bit_per_s -= pdu->r_bit_per_s % step;
    pdu->r_default_bit_per_s -= pdu->r_default_bit_per_s % step;
    struct bssgp2_flow_ctrl fc = flow_of(pdu->tag, pdu->bmax_octets, pdu->r_bit_per_s);
    enum bssgp_fc_granularity granularity = (enum bssgp_fc_granularity)pdu->granularity;
    fc.u.bvc.bmax_default_ms = pdu->bmax_default_octets;
    fc.u.bvc.r_default_ms = pdu->r_default_bit_per_s / 8;
    fc.bucket_full_ratio_present = pdu->has_full_percent;
    fc.bucket_full_ratio = pdu->full_percent;
    fc.u.bvc.measurement_present = pdu->has_measured_delay_ms;
    fc.u.bvc.measurement = pdu->measured_delay_ms;
    keep(bssgp2_enc_fc_bvc(&fc, pdu->has_granularity ? &granularity : NULL));
}

static void build_flow_control_bvc_ack(union wire_any *any)
{
    keep(bssgp2_enc_fc_bvc_ack(any->bssgp_flow_control_bvc_ack.tag));
}

static void build_flow_control_ms_ack(union wire_any *any)
{
    keep(bssgp2_enc_fc_ms_ack(any->bssgp_flow_control_ms_ack.tlli,
                              any->bssgp_flow_control_ms_ack.tag));
}

static const struct {
    const char *pdu;
    void (*build)(union wire_any *any);
} builders[] = {
    {"bssgp_suspend", build_suspend},
    {"bssgp_resume", build_resume},
    {"bssgp_ra_capability_update", build_ra_capability_update},
    {"bssgp_radio_status", build_radio_status},
    {"bssgp_flush_ll_ack", build_flush_ll_ack},
    {"bssgp_llc_discarded", build_llc_discarded},
    {"bssgp_bvc_block", build_bvc_block},
    {"bssgp_bvc_unblock", build_bvc_unblock},
    {"bssgp_bvc_reset", build_bvc_reset},
    {"bssgp_bvc_reset_ack", build_bvc_reset_ack},
    {"bssgp_flow_control_bvc", build_flow_control_bvc},
    {"bssgp_flow_control_bvc_ack", build_flow_control_bvc_ack},
    {"bssgp_flow_control_ms", build_flow_control_ms},
    {"bssgp_flow_control_ms_ack", build_flow_control_ms_ack},
};

static const struct wire_pdu *pdu_named(const char *name)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++)
        if (is_pdu(&wire_pdus[i], name))
            return &wire_pdus[i];
    fail_msg("no PDU is called %s", name);
    return NULL;
}

static void test_same_octets(void **state)
{
    union wire_any any;
    (void)state;
    random_begin();
    for (size_t i = 0; i < COUNT(builders) * ROUNDS; i++) {
        const struct wire_pdu *pdu = pdu_named(builders[i / ROUNDS].pdu);
        random_pdu(pdu, &any, 100);
        sent_octets = 0;
        builders[i / ROUNDS].build(&any);
        expect_sent(pdu, &any);
    }
}

// --- What it reads -------------------------------------------------------------------------------

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
    }
}

// NS elements with tag and length, by the library's reader of such.
static void test_ns_reset_is_read(void **state)
{
    struct ns_reset pdu;
    struct tlv_parsed parsed;
    uint8_t b[32];
    (void)state;
    random_begin();
    for (int i = 0; i < ROUNDS; i++) {
        pdu = (struct ns_reset){(uint8_t)random_next(), (uint16_t)random_next(),
                                (uint16_t)random_next()};
        int n = ns_reset_encode(&pdu, b, sizeof b);
        assert_int_equal(tlv_parse(&parsed, &tvlv_att_def, b + 1, n - 1, 0, 0), 3);
        assert_int_equal(*TLVP_VAL(&parsed, 0), pdu.cause);
        assert_int_equal(tlvp_val16be(&parsed, 1), pdu.ns_vci);
        assert_int_equal(tlvp_val16be(&parsed, 4), pdu.nsei);
    }
}

static void test_dl_unitdata_is_read(void **state)
{
    static uint8_t b[8192];
    const struct wire_pdu *pdu = pdu_named("bssgp_dl_unitdata");
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
    const struct wire_pdu *pdu = pdu_named("bssgp_ul_unitdata");
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
    bssgp_set_bssgp_callback(keep_sent, NULL);
    bvc = btsctx_alloc(2, NSEI);
    return bvc ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_octets),      cmocka_unit_test(test_every_pdu_is_read),
        cmocka_unit_test(test_ns_reset_is_read), cmocka_unit_test(test_dl_unitdata_is_read),
        cmocka_unit_test(test_cell_identifiers),
    };
    return cmocka_run_group_tests_name("wire/osmocore", tests, set_up, NULL);
}
