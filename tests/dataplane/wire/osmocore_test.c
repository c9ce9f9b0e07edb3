// The codecs against libosmocore's, on random structs: what it builds has to be what we build,
// octet for octet. The library is linked into the osmocore tests and nothing else.

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

static void test_same_octets(void **state)
{
    union wire_any any;
    (void)state;
    random_begin();
    for (size_t i = 0; i < COUNT(builders) * ROUNDS; i++) {
        const struct wire_pdu *pdu = typed_pdu(builders[i / ROUNDS].pdu);
        random_pdu(pdu, &any, 100);
        sent_octets = 0;
        builders[i / ROUNDS].build(&any);
        expect_sent(pdu, &any);
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
        cmocka_unit_test(test_same_octets),
    };
    return cmocka_run_group_tests_name("wire/osmocore", tests, set_up, NULL);
}
