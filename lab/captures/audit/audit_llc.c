// LLC frames (TS 44.064): the FCS of frames that are not enciphered, and the order of an LLE's UI
// frames by N(U), which counts modulo 512. A number that is missing may still come: then it was
// overtaken. It is a gap when the LLE is 128 numbers further.
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define SAPIS     16u
#define WINDOW    32u
#define LATE_MOST 128u // so far behind a missing number may still come
#define LATES     16u  // in a row
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
    struct audit_at at = {.pair = gap->pair, .time_ns = gap->time_ns, .frame = gap->frame};
    audit_lacks(audit, AUDIT_PROOF, gap->since_ns, gap->time_ns);
    audit_find_at(audit, AUDIT_RULE_nu_gap, AUDIT_SGSN, &at, bvci_of(lle), &lle->tlli,
                  "SAPI %u: %u from N(U) %u on are missing in front of this one", lle->sapi,
                  gap->count, gap->first);
}

static void drop_gap(struct audit_lle *lle, uint32_t i)
{
    for (lle->gaps--; i < lle->gaps; i++)
        lle->gap[i] = lle->gap[i + 1];
}

// How far its last number is behind the next one.
static uint32_t age_of(const struct audit_lle *lle, const struct audit_gap *gap)
{
    return (lle->next_nu - (gap->first + gap->count + gap->filled - 1)) & NU_MASK;
}

static void report_old_gaps(struct audit *audit, struct audit_lle *lle)
{
    while (lle->gaps && (age_of(lle, &lle->gap[0]) > LATE_MOST || lle->gaps == AUDIT_GAPS)) {
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

static void note_gap(struct audit *audit, struct audit_lle *lle, uint16_t skipped)
{
    if (lle->gaps == lle->gap_room) {
        lle->gap_room = lle->gap_room ? lle->gap_room * 2 : 1;
        lle->gap = need(realloc(lle->gap, lle->gap_room * sizeof *lle->gap));
    }
    lle->gap[lle->gaps++] = (struct audit_gap){.first = lle->next_nu,
                                               .count = skipped,
                                               .pair = audit->at.pair,
                                               .time_ns = audit->at.time_ns,
                                               .frame = audit->at.frame,
                                               .since_ns = lle->last_ns};
}

// The gap in which the number is missing. One that was counted there already is found again: it is
// as if another one were missing.
static struct audit_gap *gap_with(struct audit_lle *lle, uint16_t nu)
{
    for (uint32_t i = 0; i < lle->gaps; i++) {
        struct audit_gap *gap = &lle->gap[i];
        if (((nu - gap->first) & NU_MASK) < gap->count + gap->filled)
            return gap;
    }
    return NULL;
}

// ---- Out of order ----

typedef void late_fn(struct audit *audit, const struct audit_lle *lle,
                     const struct audit_late *late);

static void end_late(struct audit *audit, struct audit_lle *lle, late_fn *each)
{
    if (!lle->late.open)
        return;
    struct audit_late late = lle->late;
    lle->late = (struct audit_late){0};
    each(audit, lle, &late);
    for (struct audit_late *older; (older = late.older); free(older)) {
        late = *older;
        each(audit, lle, &late);
    }
}

static void drop_one(struct audit *audit, const struct audit_lle *lle,
                     const struct audit_late *late)
{
    (void)lle;
    (void)late;
    audit->counts[AUDIT_findings_unsure]++;
}

// The numbers go on from there, so these began again.
static void drop_late(struct audit *audit, struct audit_lle *lle)
{
    end_late(audit, lle, drop_one);
}

static void report_one(struct audit *audit, const struct audit_lle *lle,
                       const struct audit_late *late)
{
    char by[64] = "";
    // Where it was no gap nobody knows which one has overtaken it.
    if (late->by_frame)
        snprintf(by, sizeof by, ": overtaken by frame %llu", (unsigned long long)late->by_frame);
    // Stamps so near to each other do not tell which one was sent first.
    uint64_t near_ns = audit->disorder_ns + audit->options.tolerance_ns;
    if (near_ns && late->at.time_ns - late->by_ns <= near_ns) {
        audit->counts[AUDIT_findings_unsure]++;
        return;
    }
    struct audit_finding *finding =
        audit_find_at(audit, AUDIT_RULE_llc_out_of_order, AUDIT_SGSN, &late->at, bvci_of(lle),
                      &lle->tlli, "SAPI %u, N(U) %u%s", lle->sapi, late->at.nu, by);
    if (finding)
        finding->alone = !late->by_frame;
}

static void report_late(struct audit *audit, struct audit_lle *lle)
{
    end_late(audit, lle, report_one);
}

static void restart(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    flush_gaps(audit, lle);
    lle->any = true;
    lle->seen = 1;
    lle->was_back = false;
    lle->next_nu = (nu + 1) & NU_MASK;
}

static void advance(struct audit *audit, struct audit_lle *lle, uint16_t nu, uint16_t skipped)
{
    report_late(audit, lle);
    if (skipped)
        note_gap(audit, lle, skipped);
    uint32_t shift = skipped + 1u;
    lle->seen = (shift < WINDOW ? lle->seen << shift : 0) | 1;
    lle->was_back = false;
    lle->next_nu = (nu + 1) & NU_MASK;
    report_old_gaps(audit, lle);
}

static void restarts(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    audit_find(audit, AUDIT_RULE_nu_restart, bvci_of(lle), &lle->tlli,
               "SAPI %u, N(U) %u where %u was next", lle->sapi, nu, lle->next_nu);
    drop_late(audit, lle);
    restart(audit, lle, nu);
}

static void overtaken(struct audit *audit, struct audit_lle *lle, uint16_t nu,
                      struct audit_gap *gap)
{
    struct audit_late late = {.open = true, .at = audit->at, .by_ns = audit->at.time_ns};
    late.at.nu = nu;
    // Several in a row may be the first of those that began again, as one may.
    if (lle->late.open && lle->late.count < LATES && nu == ((lle->late.at.nu + 1) & NU_MASK)) {
        late.count = lle->late.count + 1;
        late.older = need(malloc(sizeof *late.older));
        *late.older = lle->late;
        lle->late.open = false;
    }
    report_late(audit, lle);
    lle->late = late;
    if (!gap)
        return;
    lle->late.by_frame = gap->frame;
    lle->late.by_ns = gap->time_ns;
    gap->filled++;
    if (!--gap->count)
        drop_gap(lle, (uint32_t)(gap - lle->gap));
}

// Of a number that was there before and one that was not, in that order or the other: then they
// begin again, and some are missing.
static bool goes_up(uint16_t from_nu, uint16_t to_nu)
{
    return ((to_nu - from_nu) & NU_MASK) < WINDOW;
}

// Not in turn. Two such in a row that were both there before, or in no gap, began again.
// It has come before.
static void repeated(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    if (goes_up(lle->late.at.nu, nu))
        drop_late(audit, lle);
    report_late(audit, lle);
    audit_find(audit, AUDIT_RULE_llc_repeated, bvci_of(lle), &lle->tlli, "SAPI %u, N(U) %u",
               lle->sapi, nu);
}

static void behind(struct audit *audit, struct audit_lle *lle, uint16_t nu, uint32_t back)
{
    uint32_t bit = back <= WINDOW ? 1u << (back - 1) : 0;
    bool again = lle->seen & bit;
    struct audit_gap *gap = again ? NULL : gap_with(lle, nu);
    bool goes_on = lle->was_back && nu == ((lle->back_nu + 1) & NU_MASK);
    if (goes_on && (!gap || !lle->late.open)) {
        restarts(audit, lle, nu);
        return;
    }
    bool begins = !again && lle->was_back && lle->back_again && goes_up(lle->back_nu, nu);
    lle->was_back = true;
    lle->back_again = again;
    lle->back_nu = nu;
    lle->seen |= bit;
    if (again)
        repeated(audit, lle, nu);
    else
        overtaken(audit, lle, nu, gap);
    if (begins)
        drop_late(audit, lle);
}

static void order(struct audit *audit, struct audit_lle *lle, uint16_t nu)
{
    uint16_t ahead = (nu - lle->next_nu) & NU_MASK;
    uint32_t back = LLC_NU_COUNT - ahead;
    bool elsewhere = lle->nse != audit->at.pair->nse;
    lle->nse = audit->at.pair->nse;
    if (!lle->any || (ahead && (lle->may_restart || elsewhere))) {
        lle->may_restart = false;
        report_late(audit, lle);
        restart(audit, lle, nu);
    } else if (ahead && (back <= WINDOW || (back <= LATE_MOST && gap_with(lle, nu)))) {
        behind(audit, lle, nu, back);
    } else if (nu == 0 && ahead > WINDOW) {
        report_late(audit, lle);
        restarts(audit, lle, nu);
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
    lle->last_ns = audit->at.time_ns;
}

static void wrong_fcs(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli, uint32_t n)
{
    audit_find(audit, audit->at.down ? AUDIT_RULE_fcs_down : AUDIT_RULE_fcs_up, bvc->bvci, &tlli,
               "%u octets", n);
}

// XID with Reset, from either side: the numbers of all the MS's LLEs begin at 0 (clause 8.5.3.1).
static void xid(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli, const uint8_t *b,
                uint32_t n)
{
    struct llc_xid frame;
    int fault = llc_xid_decode(&frame, b, n);
    if (fault < 0 && wire_fault_err(fault) == WIRE_FCS)
        wrong_fcs(audit, bvc, tlli, n);
    if (fault < 0 || !frame.reset)
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
        wrong_fcs(audit, bvc, tlli, n);
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
            xid(audit, bvc, tlli, b, n);
        else if (captured >= LLC_UI_HEADER_OCTETS)
            audit->counts[AUDIT_not_ui]++;
        return;
    }
    if (whole)
        check_fcs(audit, bvc, tlli, b, n);
    if (audit->at.down)
        ui(audit, bvc, tlli, b);
}

static void forget(struct audit *audit, struct audit_lle *lle)
{
    report_late(audit, lle);
    flush_gaps(audit, lle);
    lle->any = false;
}

void audit_llc_pause(struct audit *audit, struct audit_lle *lle)
{
    if (lle->met_pauses == audit->all.pauses)
        return;
    lle->met_pauses = audit->all.pauses;
    forget(audit, lle);
}

void audit_llc_finish(struct audit *audit)
{
    for (uint32_t i = 0; i < audit->lles_table.buckets; i++)
        for (struct bss_link *link = audit->lles_table.bucket[i]; link; link = link->next)
            forget(audit, BSS_OWNER(link, struct audit_lle, link));
}

void audit_llc_end(struct audit_lle *lle)
{
    for (struct audit_late *late = lle->late.older, *older; late; late = older) {
        older = late->older;
        free(late);
    }
    free(lle->gap);
}
