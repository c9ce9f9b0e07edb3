// Where the auditor finds ends, NSEs, cells, MSs and LLEs, and makes them. A hash of a longer key
// is the table's: two keys with one hash are told apart by asking for the next number.
#include <string.h>

#include "dataplane/wire/address.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define SAPIS       16u
#define OLD_TLLI_NS (60 * S_IN_NS)

bool audit_room(struct audit *audit, uint32_t *count, uint32_t most)
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

uint64_t audit_key_of(const struct ipv6_address *address, uint64_t more)
{
    uint64_t word[2];
    memcpy(word, address->octet, sizeof word);
    uint64_t key = bss_hash(&bss_hash_key, word[0]);
    key = bss_hash(&bss_hash_key, key ^ word[1]);
    return bss_hash(&bss_hash_key, key ^ more);
}

static uint64_t end_key(const struct audit_end *end)
{
    return audit_key_of(&end->address, end->port);
}

static int side_of(const struct audit_pair *pair, const struct audit_end *from,
                   const struct audit_end *to, bool frame_relay)
{
    for (int i = 0; i < 2; i++)
        if (pair->frame_relay == frame_relay && same_end(&pair->end[i], from) &&
            same_end(&pair->end[!i], to))
            return i;
    return -1;
}

// The same for both directions; the sum, as two ends that are the same would cancel out by XOR.
static uint64_t pair_key(const struct audit_end *from, const struct audit_end *to, bool frame_relay)
{
    return end_key(from) + end_key(to) + frame_relay;
}

// All pairs, as a list.
struct audit_pair *audit_pairs_take(struct audit *audit)
{
    struct audit_pair *first = audit->pairs;
    bss_table_release(&audit->pairs_table);
    audit->pairs = NULL;
    audit->pairs_end = &audit->pairs;
    audit->pair_count = 0;
    return first;
}

void audit_pair_put(struct audit *audit, struct audit_pair *pair)
{
    pair->next = NULL;
    uint64_t key = pair_key(&pair->end[0], &pair->end[1], pair->frame_relay);
    while (bss_table_find(&audit->pairs_table, key))
        key++;
    bss_table_put(&audit->pairs_table, &pair->link, key);
    *audit->pairs_end = pair;
    audit->pairs_end = &pair->next;
    audit->pair_count++;
}

// Those that never decoded as NS make room for others: all at once, and not again before as many
// have asked as there may be. False: there is none.
static bool evict(struct audit *audit)
{
    if (audit->evict_in > 0) {
        audit->evict_in--;
        return false;
    }
    audit->evict_in = AUDIT_PAIRS_MAX;
    uint32_t before = audit->pair_count;
    struct audit_pair *pair = audit_pairs_take(audit);
    for (struct audit_pair *next; pair; pair = next) {
        next = pair->next;
        if (pair->good > pair->bad || audit->options.port)
            audit_pair_put(audit, pair);
        else
            free(pair);
    }
    audit_copies_forget_sides(audit);
    if (before - audit->pair_count > AUDIT_PAIRS_MAX / 8)
        audit->evict_in = 0;
    return audit->pair_count < before;
}

struct audit_pair *audit_pair_of(struct audit *audit, const struct audit_end *from,
                                 const struct audit_end *to, bool frame_relay, bool make,
                                 int *sender)
{
    uint64_t key = pair_key(from, to, frame_relay);
    struct bss_link *link;
    for (; (link = bss_table_find(&audit->pairs_table, key)); key++) {
        struct audit_pair *pair = BSS_OWNER(link, struct audit_pair, link);
        *sender = side_of(pair, from, to, frame_relay);
        if (*sender >= 0)
            return pair;
    }
    if (make && audit->pair_count == AUDIT_PAIRS_MAX && evict(audit))
        return audit_pair_of(audit, from, to, frame_relay, make, sender);
    if (!make || !audit_room(audit, &audit->pair_count, AUDIT_PAIRS_MAX))
        return NULL;
    struct audit_pair *pair = need(calloc(1, sizeof *pair));
    *pair = (struct audit_pair){
        .end = {*from, *to}, .frame_relay = frame_relay, .sgsn = -1, .id = audit->pair_ids++};
    audit->pair_count--; // audit_pair_put() counts it
    audit_pair_put(audit, pair);
    *sender = 0;
    return pair;
}

// ---- Cells, MSs, LLEs ----

struct audit_bvc *audit_bvc_of(struct audit *audit, struct audit_nse *nse, uint16_t bvci)
{
    uint64_t key = (uint64_t)nse->number << 16 | bvci;
    struct bss_link *link = bss_table_find(&audit->bvcs_table, key);
    if (link) {
        audit_fresh_bvc(audit, BSS_OWNER(link, struct audit_bvc, link));
        return BSS_OWNER(link, struct audit_bvc, link);
    }
    if (!audit_room(audit, &audit->bvc_count, AUDIT_BVCS_MAX))
        return NULL;
    struct audit_bvc *bvc = need(calloc(1, sizeof *bvc));
    *bvc = (struct audit_bvc){.nse = nse,
                              .bvci = bvci,
                              .met_pauses = audit->all.pauses,
                              .met_steps = audit->all.steps,
                              .met_resets = nse->resets,
                              .met_blinds = nse->blinds};
    bss_table_put(&audit->bvcs_table, &bvc->link, key);
    *audit->bvcs_end = bvc;
    audit->bvcs_end = &bvc->next;
    return bvc;
}

static uint64_t lle_key(const struct audit *audit, uint32_t tlli, uint8_t sapi)
{
    return (uint64_t)audit->at.pair->nse->sgsn << 36 | (uint64_t)tlli << 4 | sapi;
}

static uint64_t ms_key(const struct audit_nse *nse, uint32_t tlli)
{
    return (uint64_t)nse->number << 32 | tlli;
}

static struct audit_ms *by_old_tlli(const struct audit *audit, const struct audit_nse *nse,
                                    uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&audit->old_tllis_table, ms_key(nse, tlli));
    struct audit_ms *ms = link ? BSS_OWNER(link, struct audit_ms, old_link) : NULL;
    return ms && audit->last_ns - ms->renamed_ns <= OLD_TLLI_NS ? ms : NULL;
}

struct audit_ms *audit_ms_find(struct audit *audit, const struct audit_nse *nse, uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&audit->mss_table, ms_key(nse, tlli));
    struct audit_ms *ms =
        link ? BSS_OWNER(link, struct audit_ms, link) : by_old_tlli(audit, nse, tlli);
    if (ms)
        audit_fresh_ms(audit, ms);
    return ms;
}

// FLOW-CONTROLs that were sent under the new TLLI already: they are newer than what the MS has.
// Since each of them as much was given back to the one bucket as to the other.
static void hand_over_asked(struct audit_asked *from, struct audit_asked *to, uint64_t from_total,
                            uint64_t to_total)
{
    struct audit_flow **end = &from->newest;
    if (!from->newest)
        return;
    for (; *end; end = &(*end)->older) {
        uint64_t since = from_total - (*end)->given_before;
        (*end)->given_before = to_total > since ? to_total - since : 0;
    }
    *end = to->newest;
    *to = *from;
    *from = (struct audit_asked){0};
}

// Values of packet flows that are in force under the new TLLI are the newer ones.
static void hand_over_pfcs(struct audit *audit, struct audit_ms *from, struct audit_ms *to)
{
    for (struct audit_pfc *pfc = from->pfcs, *next; pfc; pfc = next) {
        next = pfc->next;
        struct audit_pfc *old = audit_pfc_of(audit, to, pfc->pfi, false);
        if (old && pfc->bucket.set) {
            old->bucket = pfc->bucket;
            old->since_ns = pfc->since_ns;
        }
        if (old) {
            free(pfc);
            audit->pfc_count--;
        } else {
            pfc->ms = to;
            pfc->next = to->pfcs;
            to->pfcs = pfc;
        }
    }
    from->pfcs = NULL;
}

void audit_ms_replace(struct audit *audit, struct audit_ms *other, struct audit_ms *ms)
{
    bss_table_remove(&audit->mss_table, &other->link);
    if (other->has_old)
        bss_table_remove(&audit->old_tllis_table, &other->old_link);
    if (other->bucket.given_back)
        audit_bucket_give_back(&ms->bucket, audit->at.time_ns, other->bucket.given_back);
    for (int kind = 0; kind < FLOW_KINDS; kind++)
        hand_over_asked(&other->asked[kind], &ms->asked[kind], other->bucket.given_total,
                        ms->bucket.given_total);
    hand_over_pfcs(audit, other, ms);
    ms->discarded_octets += other->discarded_octets;
    audit_ms_leave(audit, other);
    ms->pdus_up += other->pdus_up;
    ms->heard = other->heard ? other->heard : ms->heard;
    if (other->heard_frame > ms->heard_frame)
        ms->heard_frame = other->heard_frame;
    ms->suspended &= other->pdus_up == 0;
    other->replaced = true;
    audit->replaced_count++;
    other->of_bvc_next = audit->replaced;
    audit->replaced = other;
}

// The room of one that was replaced stays in the list of all, and is the next new MS's.
static struct audit_ms *ms_again(struct audit *audit)
{
    struct audit_ms *ms = audit->replaced;
    struct audit_ms *next = ms->next;
    audit->replaced = ms->of_bvc_next;
    audit->replaced_count--;
    audit_pfcs_end(audit, ms);
    *ms = (struct audit_ms){.next = next};
    return ms;
}

static struct audit_ms *ms_new(struct audit *audit)
{
    if (!audit_room(audit, &audit->ms_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_ms *ms = need(calloc(1, sizeof *ms));
    *audit->mss_end = ms;
    audit->mss_end = &ms->next;
    return ms;
}

struct audit_ms *audit_ms_of(struct audit *audit, struct audit_nse *nse, uint32_t tlli)
{
    struct audit_ms *ms = audit_ms_find(audit, nse, tlli);
    if (ms)
        return ms;
    ms = audit->replaced ? ms_again(audit) : ms_new(audit);
    if (!ms)
        return NULL;
    ms->nse = nse;
    ms->tlli = tlli;
    ms->met_pauses = audit->all.pauses;
    ms->met_steps = audit->all.steps;
    bss_table_put(&audit->mss_table, &ms->link, ms_key(nse, tlli));
    return ms;
}

static uint64_t heard_key(const struct audit_nse *nse, uint32_t tlli)
{
    return (uint64_t)nse->sgsn << 32 | tlli;
}

struct audit_heard *audit_heard_of(struct audit *audit, const struct audit_nse *nse, uint32_t tlli,
                                   bool make)
{
    uint64_t key = heard_key(nse, tlli);
    struct bss_link *link = bss_table_find(&audit->heard_table, key);
    if (link)
        return BSS_OWNER(link, struct audit_heard, link);
    if (!make || !audit_room(audit, &audit->heard_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_heard *heard = need(calloc(1, sizeof *heard));
    bss_table_put(&audit->heard_table, &heard->link, key);
    return heard;
}

static void rename_heard(struct audit *audit, const struct audit_nse *nse, uint32_t from,
                         uint32_t to)
{
    struct audit_heard *heard = audit_heard_of(audit, nse, from, false);
    if (!heard || bss_table_find(&audit->heard_table, heard_key(nse, to)))
        return;
    bss_table_remove(&audit->heard_table, &heard->link);
    bss_table_put(&audit->heard_table, &heard->link, heard_key(nse, to));
}

// Its LLEs go on with their numbers.
static void rename_lles(struct audit *audit, uint32_t from, uint32_t to)
{
    for (uint8_t sapi = 0; sapi < SAPIS; sapi++) {
        struct audit_lle *lle = audit_lle_of(audit, from, sapi, false);
        if (!lle || audit_lle_of(audit, to, sapi, false))
            continue;
        bss_table_remove(&audit->lles_table, &lle->link);
        lle->tlli = to;
        bss_table_put(&audit->lles_table, &lle->link, lle_key(audit, to, sapi));
    }
}

void audit_ms_rename(struct audit *audit, struct audit_ms *ms, uint32_t tlli)
{
    if (ms->has_old)
        bss_table_remove(&audit->old_tllis_table, &ms->old_link);
    ms->has_old = true;
    ms->renamed_ns = audit->last_ns;
    bss_table_put(&audit->old_tllis_table, &ms->old_link, ms->link.key);
    rename_lles(audit, ms->tlli, tlli);
    rename_heard(audit, ms->nse, ms->tlli, tlli);
    bss_table_remove(&audit->mss_table, &ms->link);
    ms->tlli = tlli;
    bss_table_put(&audit->mss_table, &ms->link, ms_key(ms->nse, tlli));
}

struct audit_left *audit_left_of(struct audit *audit, const struct audit_nse *nse, uint16_t bvci,
                                 uint32_t tlli, bool make)
{
    uint64_t key = (uint64_t)nse->number << 48 | (uint64_t)bvci << 32 | tlli;
    struct bss_link *link = bss_table_find(&audit->left_table, key);
    if (link) {
        struct audit_left *left = BSS_OWNER(link, struct audit_left, link);
        if (left->met_pauses != audit->all.pauses)
            *left = (struct audit_left){.link = *link, .met_pauses = audit->all.pauses};
        return left;
    }
    if (!make || !audit_room(audit, &audit->left_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_left *left = need(calloc(1, sizeof *left));
    left->met_pauses = audit->all.pauses;
    bss_table_put(&audit->left_table, &left->link, key);
    return left;
}

struct audit_lle *audit_lle_of(struct audit *audit, uint32_t tlli, uint8_t sapi, bool make)
{
    uint64_t key = lle_key(audit, tlli, sapi);
    struct bss_link *link = bss_table_find(&audit->lles_table, key);
    if (link) {
        audit_llc_pause(audit, BSS_OWNER(link, struct audit_lle, link));
        return BSS_OWNER(link, struct audit_lle, link);
    }
    if (!make || !audit_room(audit, &audit->lle_count, AUDIT_MSS_MAX))
        return NULL;
    struct audit_lle *lle = need(calloc(1, sizeof *lle));
    *lle = (struct audit_lle){.tlli = tlli, .sapi = sapi, .met_pauses = audit->all.pauses};
    bss_table_put(&audit->lles_table, &lle->link, key);
    return lle;
}

struct audit_pfc *audit_pfc_of(struct audit *audit, struct audit_ms *ms, uint8_t pfi, bool make)
{
    struct audit_pfc *pfc = ms->pfcs;
    while (pfc && pfc->pfi != pfi)
        pfc = pfc->next;
    if (pfc || !make || !audit_room(audit, &audit->pfc_count, AUDIT_MSS_MAX))
        return pfc;
    pfc = need(calloc(1, sizeof *pfc));
    *pfc = (struct audit_pfc){.next = ms->pfcs, .ms = ms, .pfi = pfi};
    ms->pfcs = pfc;
    return pfc;
}

void audit_pfcs_end(struct audit *audit, struct audit_ms *ms)
{
    for (struct audit_pfc *pfc = ms->pfcs, *next; pfc; pfc = next) {
        next = pfc->next;
        free(pfc);
        audit->pfc_count--;
    }
    ms->pfcs = NULL;
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

// ---- The end ----

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
        free(bvc->defaults);
    }
    for (struct audit_nse *nse = audit->nses, *next; nse; nse = next) {
        next = nse->next;
        free(nse);
    }
    bss_table_release(&audit->named_table);
    free_table(&audit->pairs_table, offsetof(struct audit_pair, link));
    free_table(&audit->bvcs_table, offsetof(struct audit_bvc, link));
    bss_table_release(&audit->old_tllis_table);
    for (struct audit_ms *ms = audit->mss, *next; ms; ms = next) {
        next = ms->next;
        free(ms);
    }
    bss_table_release(&audit->mss_table);
    for (uint32_t i = 0; i < audit->lles_table.buckets; i++)
        for (struct bss_link *link = audit->lles_table.bucket[i]; link; link = link->next)
            audit_llc_end(BSS_OWNER(link, struct audit_lle, link));
    free_table(&audit->lles_table, offsetof(struct audit_lle, link));
    free_table(&audit->left_table, offsetof(struct audit_left, link));
    free_table(&audit->heard_table, offsetof(struct audit_heard, link));
}
