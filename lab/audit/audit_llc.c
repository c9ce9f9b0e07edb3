// LLC frames (TS 44.064): the FCS of frames that are not enciphered, and the order of an LLE's UI
// frames by N(U), which counts modulo 512. A number that is missing may still come: then it was
// overtaken. It is a gap when the LLE is 32 numbers further.
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"
#include "lab/audit/audit_parts.h"

#define SAPIS     16u
#define WINDOW    32u
#define NU_MASK   (LLC_NU_COUNT - 1)
#define U_FORMAT  0xe0
#define U_COMMAND 0x0f

static int32_t bvci_of(const struct audit_lle *lle)
{
    return lle->bvc ? lle->bvc->bvci : -1;
}

static void report_gap(struct audit *audit, const struct audit_lle *lle,
                       const struct audit_gap *gap)
{
    if (gap->count)
        audit_find_at(audit, AUDIT_RULE_nu_gap, AUDIT_SGSN, &gap->at, bvci_of(lle), &lle->tlli,
                      "SAPI %u: %u from N(U) %u on are missing in front of this one", lle->sapi,
                      gap->count, gap->first);
}

static void drop_gap(struct audit_lle *lle, uint32_t i)
{
    for (lle->gaps--; i < lle->gaps; i++)
        lle->gap[i] = lle->gap[i + 1];
}

static void report_old_gaps(struct audit *audit, struct audit_lle *lle)
{
    while (lle->gaps && ((lle->next_nu - lle->gap[0].first) & NU_MASK) > WINDOW) {
        report_gap(audit, lle, &lle->gap[0]);
        drop_gap(lle, 0);
    }
}

static void flush_gaps(struct audit *audit, struct audit_lle *lle)
{
    for (uint32_t i = 0; i < lle->gaps; i++)
        report_gap(audit, lle, &lle->gap[i]);
    lle->gaps = 0;
}

static void restart(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    flush_gaps(audit, lle);
    lle->any = true;
    lle->seen = 1;
    lle->next_nu = (nu + 1) & NU_MASK;
}

static void advance(struct audit *audit, struct audit_lle *lle, uint16_t nu, uint16_t skipped)
{
    if (skipped && lle->gaps == AUDIT_GAPS) {
        report_gap(audit, lle, &lle->gap[0]);
        drop_gap(lle, 0);
    }
    if (skipped)
        lle->gap[lle->gaps++] =
            (struct audit_gap){.first = lle->next_nu, .count = skipped, .at = audit->at};
    uint32_t shift = skipped + 1u;
    lle->seen = (shift < WINDOW ? lle->seen << shift : 0) | 1;
    lle->next_nu = (nu + 1) & NU_MASK;
    report_old_gaps(audit, lle);
}

// One number of a gap has come. A gap is cut where it came: what is before it in the gap is older.
static struct audit_at fill_gap(struct audit_lle *lle, uint16_t nu)
{
    for (uint32_t i = 0; i < lle->gaps; i++) {
        struct audit_gap *gap = &lle->gap[i];
        uint16_t at = (nu - gap->first) & NU_MASK;
        if (at >= gap->count + gap->filled)
            continue;
        gap->filled++;
        gap->count--;
        struct audit_at overtaking = gap->at;
        if (!gap->count)
            drop_gap(lle, i);
        return overtaking;
    }
    return (struct audit_at){0};
}

static void behind(struct audit *audit, struct audit_lle *lle, uint16_t nu, uint32_t back)
{
    uint32_t bit = 1u << (back - 1);
    if (lle->seen & bit) {
        audit_find(audit, AUDIT_RULE_llc_repeated, bvci_of(lle), &lle->tlli, "SAPI %u, N(U) %u",
                   lle->sapi, nu);
        return;
    }
    lle->seen |= bit;
    struct audit_at overtaking = fill_gap(lle, nu);
    // Where it was no gap, or is none any more, nobody knows which one has overtaken it.
    char by[64] = "";
    if (overtaking.frame)
        snprintf(by, sizeof by, ": overtaken by frame %llu", (unsigned long long)overtaking.frame);
    else
        overtaking.time_ns = audit->at.time_ns;
    if (audit->disorder_ns && audit->at.time_ns - overtaking.time_ns <= audit->disorder_ns) {
        audit->counts[AUDIT_findings_unsure]++;
        return;
    }
    audit_find(audit, AUDIT_RULE_llc_out_of_order, bvci_of(lle), &lle->tlli, "SAPI %u, N(U) %u%s",
               lle->sapi, nu, by);
}

static void order(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    uint16_t ahead = (nu - lle->next_nu) & NU_MASK;
    uint32_t back = LLC_NU_COUNT - ahead;
    bool elsewhere = lle->nse != audit->at.pair->nse;
    lle->nse = audit->at.pair->nse;
    if (!lle->any || (ahead && (lle->may_restart || elsewhere))) {
        lle->may_restart = false;
        restart(audit, lle, nu);
    } else if (nu == 0 && ahead > WINDOW && back > WINDOW) {
        audit_find(audit, AUDIT_RULE_nu_restart, bvci_of(lle), &lle->tlli,
                   "SAPI %u, where N(U) %u was next", lle->sapi, lle->next_nu);
        restart(audit, lle, nu);
    } else if (ahead && back <= WINDOW) {
        behind(audit, lle, nu, back);
    } else {
        lle->may_restart = false;
        advance(audit, lle, nu, ahead);
    }
}

static void ui(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli, const uint8_t *b)
{
    bool cr;
    uint8_t sapi;
    if (llc_address_decode(b[0], &cr, &sapi) < 0)
        return;
    struct audit_lle *lle = audit_lle_of(audit, tlli, sapi, true);
    if (!lle)
        return;
    lle->bvc = bvc;
    order(audit, lle, (uint16_t)((b[1] & 7) << 6 | b[2] >> 2));
}

// XID with Reset, from either side: the numbers of all the MS's LLEs begin at 0 (clause 8.5.3.1).
static void xid(struct audit *audit, uint32_t tlli, const uint8_t *b, uint32_t n)
{
    struct llc_xid frame;
    if (llc_xid_decode(&frame, b, n) < 0 || !frame.reset)
        return;
    for (uint8_t sapi = 0; sapi < SAPIS; sapi++) {
        struct audit_lle *lle = audit_lle_of(audit, tlli, sapi, false);
        if (lle)
            lle->may_restart = true;
    }
}

static void check_fcs(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli,
                      const uint8_t *b, uint32_t n)
{
    if (b[2] & LLC_BIT_E)
        audit->counts[AUDIT_enciphered]++;
    else if (!llc_ui_fcs_good(b, n))
        audit_find(audit, audit->at.down ? AUDIT_RULE_fcs_down : AUDIT_RULE_fcs_up, bvc->bvci,
                   &tlli, "%u octets", n);
}

void audit_llc(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli, const uint8_t *b,
               uint32_t captured, uint32_t n)
{
    if (n == 0)
        return;
    audit->counts[AUDIT_cut_llc] += captured < n;
    bool whole = captured == n && n >= LLC_UI_HEADER_OCTETS + LLC_FCS_OCTETS;
    if (captured < LLC_UI_HEADER_OCTETS || (b[1] & LLC_UI_FORMAT_MASK) != LLC_UI_FORMAT) {
        if (whole && (b[1] & U_FORMAT) == U_FORMAT && (b[1] & U_COMMAND) == LLC_U_XID)
            xid(audit, tlli, b, n);
        else if (captured >= LLC_UI_HEADER_OCTETS)
            audit->counts[AUDIT_not_ui]++;
        return;
    }
    if (whole)
        check_fcs(audit, bvc, tlli, b, n);
    if (audit->at.down)
        ui(audit, bvc, tlli, b);
}

void audit_llc_pause(struct audit *audit)
{
    for (uint32_t i = 0; i < audit->lles_table.buckets; i++)
        for (struct bss_link *link = audit->lles_table.bucket[i]; link; link = link->next) {
            struct audit_lle *lle = BSS_OWNER(link, struct audit_lle, link);
            flush_gaps(audit, lle);
            lle->any = false;
        }
}

void audit_llc_finish(struct audit *audit)
{
    audit_llc_pause(audit);
}
