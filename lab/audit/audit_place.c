// Where the auditor finds ends, NSEs, cells, MSs and LLEs, and makes them. A hash of a longer key
// is the table's: two keys with one hash are told apart by asking for the next number.
#include <string.h>

#include "dataplane/wire/address.h"
#include "lab/audit/audit_parts.h"
#include "lab/engine/need.h"

static bool room(struct audit *audit, uint32_t *count, uint32_t most)
{
    if (*count == most) {
        audit->counts[AUDIT_too_many]++;
        return false;
    }
    ++*count;
    return true;
}

// ---- Pairs of ends ----

static bool same_end(const struct audit_end *a, const struct audit_end *b)
{
    return a->port == b->port && address_same(&a->address, &b->address);
}

static uint64_t mixed(uint64_t key)
{
    key = (key ^ key >> 32) * 0xd6e8feb86659fd93ULL;
    return (key ^ key >> 32) * 0xd6e8feb86659fd93ULL;
}

static uint64_t end_key(const struct audit_end *end)
{
    uint64_t high, low;
    memcpy(&high, end->address.octet, 8);
    memcpy(&low, end->address.octet + 8, 8);
    return mixed(mixed(high) + mixed(low ^ (uint64_t)end->port << 48));
}

static int side_of(const struct audit_pair *pair, const struct audit_end *from,
                   const struct audit_end *to, bool gre)
{
    for (int i = 0; i < 2; i++)
        if (pair->gre == gre && same_end(&pair->end[i], from) && same_end(&pair->end[!i], to))
            return i;
    return -1;
}

struct audit_pair *audit_pair_of(struct audit *audit, const struct audit_end *from,
                                 const struct audit_end *to, bool gre, bool make, int *sender)
{
    // The same for both directions; the sum, as two ends that are the same would cancel out by XOR.
    uint64_t key = end_key(from) + end_key(to) + gre;
    struct bss_link *link;
    for (; (link = bss_table_find(&audit->pairs_table, key)); key++) {
        struct audit_pair *pair = BSS_OWNER(link, struct audit_pair, link);
        *sender = side_of(pair, from, to, gre);
        if (*sender >= 0)
            return pair;
    }
    if (!make || !room(audit, &audit->pair_count, AUDIT_PAIRS_MAX))
        return NULL;
    struct audit_pair *pair = need(calloc(1, sizeof *pair));
    *pair = (struct audit_pair){.end = {*from, *to}, .gre = gre, .sgsn = -1};
    bss_table_put(&audit->pairs_table, &pair->link, key);
    *audit->pairs_end = pair;
    audit->pairs_end = &pair->next;
    *sender = 0;
    return pair;
}

// ---- What was learned ----

static int sgsn_by_votes(const uint64_t votes[2])
{
    return votes[0] == votes[1] ? -1 : votes[1] > votes[0];
}

// A pair that has no votes of its own: an end that is an SGSN elsewhere is one here.
static int sgsn_by_others(const struct audit *audit, const struct audit_pair *pair)
{
    uint64_t votes[2] = {0};
    for (const struct audit_pair *other = audit->pairs; other; other = other->next)
        for (int i = 0; i < 2 && other->number; i++)
            for (int j = 0; j < 2; j++)
                if (address_same(&pair->end[i].address, &other->end[j].address)) {
                    votes[i] += other->votes[j];
                    votes[!i] += other->votes[!j];
                }
    return sgsn_by_votes(votes);
}

static struct audit_nse *nse_of(struct audit *audit, bool has_nsei, uint16_t nsei,
                                const struct ipv6_address *address)
{
    for (struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        if (nse->has_nsei == has_nsei &&
            (has_nsei ? nse->nsei == nsei : address_same(&nse->address, address)))
            return nse;
    struct audit_nse *nse = need(calloc(1, sizeof *nse));
    *nse = (struct audit_nse){.has_nsei = has_nsei, .nsei = nsei, .address = *address};
    nse->number = (uint16_t)audit->nse_count++;
    *audit->nses_end = nse;
    audit->nses_end = &nse->next;
    return nse;
}

// The one NSEI that other NS-VCs of that BSS have. False: they have none, or several.
static bool nsei_by_address(const struct audit *audit, const struct ipv6_address *bss,
                            uint16_t *nsei)
{
    bool found = false;
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        if (!pair->number || !pair->has_nsei || pair->sgsn < 0 ||
            !address_same(&pair->end[!pair->sgsn].address, bss))
            continue;
        if (found && *nsei != pair->nsei)
            return false;
        found = true;
        *nsei = pair->nsei;
    }
    return found;
}

static void place(struct audit *audit, struct audit_pair *pair)
{
    const struct ipv6_address *bss = &pair->end[pair->sgsn < 0 ? 0 : !pair->sgsn].address;
    uint16_t nsei = pair->nsei;
    bool known = pair->has_nsei || (pair->sgsn >= 0 && nsei_by_address(audit, bss, &nsei));
    pair->nse = nse_of(audit, known, nsei, bss);
    pair->nse->seen[0] += pair->learned[pair->sgsn != 1];
    pair->nse->seen[1] += pair->learned[pair->sgsn == 1];
}

void audit_places_begin(struct audit *audit)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->good > pair->bad && room(audit, &audit->nsvc_count, AUDIT_NSVCS_MAX))
            pair->number = audit->nsvc_count;
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        if (!pair->number)
            continue;
        pair->sgsn = sgsn_by_votes(pair->votes);
        if (pair->sgsn < 0)
            pair->sgsn = sgsn_by_others(audit, pair);
    }
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->number)
            place(audit, pair);
    for (struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        nse->blind = nse->one_way = !nse->seen[0] || !nse->seen[1];
}

// ---- Cells, MSs, LLEs ----

struct audit_bvc *audit_bvc_of(struct audit *audit, struct audit_nse *nse, uint16_t bvci)
{
    uint64_t key = (uint64_t)nse->number << 16 | bvci;
    struct bss_link *link = bss_table_find(&audit->bvcs_table, key);
    if (link)
        return BSS_OWNER(link, struct audit_bvc, link);
    if (!room(audit, &audit->bvc_count, AUDIT_BVCS_MAX))
        return NULL;
    struct audit_bvc *bvc = need(calloc(1, sizeof *bvc));
    *bvc = (struct audit_bvc){.nse = nse, .bvci = bvci};
    bss_table_put(&audit->bvcs_table, &bvc->link, key);
    *audit->bvcs_end = bvc;
    audit->bvcs_end = &bvc->next;
    return bvc;
}

static uint64_t ms_key(const struct audit_nse *nse, uint32_t tlli)
{
    return (uint64_t)nse->number << 32 | tlli;
}

struct audit_ms *audit_ms_find(struct audit *audit, const struct audit_nse *nse, uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&audit->mss_table, ms_key(nse, tlli));
    return link ? BSS_OWNER(link, struct audit_ms, link) : NULL;
}

struct audit_ms *audit_ms_of(struct audit *audit, struct audit_nse *nse, uint32_t tlli)
{
    struct audit_ms *ms = audit_ms_find(audit, nse, tlli);
    if (ms || !room(audit, &audit->ms_count, AUDIT_MSS_MAX))
        return ms;
    ms = need(calloc(1, sizeof *ms));
    *ms = (struct audit_ms){.nse = nse, .tlli = tlli};
    bss_table_put(&audit->mss_table, &ms->link, ms_key(nse, tlli));
    *audit->mss_end = ms;
    audit->mss_end = &ms->next;
    return ms;
}

void audit_ms_rename(struct audit *audit, struct audit_ms *ms, uint32_t tlli)
{
    bss_table_remove(&audit->mss_table, &ms->link);
    ms->tlli = tlli;
    bss_table_put(&audit->mss_table, &ms->link, ms_key(ms->nse, tlli));
}

struct audit_left *audit_left_of(struct audit *audit, const struct audit_nse *nse, uint16_t bvci,
                                 uint32_t tlli, bool make)
{
    uint64_t key = (uint64_t)nse->number << 48 | (uint64_t)bvci << 32 | tlli;
    struct bss_link *link = bss_table_find(&audit->left_table, key);
    if (link)
        return BSS_OWNER(link, struct audit_left, link);
    if (!make || !room(audit, &audit->left_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_left *left = need(calloc(1, sizeof *left));
    bss_table_put(&audit->left_table, &left->link, key);
    return left;
}

struct audit_lle *audit_lle_of(struct audit *audit, uint32_t tlli, uint8_t sapi, bool make)
{
    uint64_t key = (uint64_t)tlli << 4 | sapi;
    struct bss_link *link = bss_table_find(&audit->lles_table, key);
    if (link)
        return BSS_OWNER(link, struct audit_lle, link);
    if (!make || !room(audit, &audit->lle_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_lle *lle = need(calloc(1, sizeof *lle));
    *lle = (struct audit_lle){.tlli = tlli, .sapi = sapi};
    bss_table_put(&audit->lles_table, &lle->link, key);
    return lle;
}

struct audit_pfc *audit_pfc_of(struct audit *audit, struct audit_ms *ms, uint8_t pfi, bool make)
{
    struct audit_pfc *pfc = ms->pfcs;
    while (pfc && pfc->pfi != pfi)
        pfc = pfc->next;
    if (pfc || !make || !room(audit, &audit->pfc_count, AUDIT_MSS_MAX))
        return pfc;
    pfc = need(calloc(1, sizeof *pfc));
    *pfc = (struct audit_pfc){.next = ms->pfcs, .pfi = pfi};
    ms->pfcs = pfc;
    return pfc;
}

void audit_sample(struct audit *audit, struct histogram **histogram, uint64_t value)
{
    if (!*histogram && audit->histogram_count == AUDIT_HISTOGRAMS_MAX) {
        audit->counts[AUDIT_samples_unlisted]++;
        return;
    }
    if (!*histogram) {
        *histogram = need(calloc(1, sizeof **histogram));
        audit->histogram_count++;
    }
    histogram_add(*histogram, value);
}

// ---- A pause, the end ----

static void forget_answers(struct audit_pair *pair)
{
    pair->state = NSVC_UNKNOWN;
    memset(pair->asked, 0, sizeof pair->asked);
    memset(pair->alive_unanswered, 0, sizeof pair->alive_unanswered);
}

void audit_places_pause(struct audit *audit)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        forget_answers(pair);
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        audit_flow_reset(audit, bvc);
        bvc->had_reset = false;
        bvc->state = BVC_UNKNOWN;
        memset(bvc->asked_by, 0, sizeof bvc->asked_by);
    }
    for (struct audit_ms *ms = audit->mss; ms; ms = ms->next) {
        ms->suspended = ms->resuming = ms->known = false;
        ms->unanswered = NULL;
    }
    for (uint32_t i = 0; i < audit->left_table.buckets; i++)
        for (struct bss_link *link = audit->left_table.bucket[i]; link; link = link->next)
            *BSS_OWNER(link, struct audit_left, link) = (struct audit_left){.link = *link};
}

static void free_table(struct bss_table *table, size_t link_at)
{
    for (uint32_t i = 0; i < table->buckets; i++)
        for (struct bss_link *link = table->bucket[i], *next; link; link = next) {
            next = link->next;
            free((char *)link - link_at);
        }
    bss_table_release(table);
}

void audit_places_end(struct audit *audit)
{
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        free(bvc->lifetimes_ms);
        free(bvc->ack_delays_ns);
    }
    for (struct audit_nse *nse = audit->nses, *next; nse; nse = next) {
        next = nse->next;
        free(nse);
    }
    free_table(&audit->pairs_table, offsetof(struct audit_pair, link));
    free_table(&audit->bvcs_table, offsetof(struct audit_bvc, link));
    free_table(&audit->mss_table, offsetof(struct audit_ms, link));
    free_table(&audit->lles_table, offsetof(struct audit_lle, link));
    free_table(&audit->left_table, offsetof(struct audit_left, link));
}
