// Between learning and judging: which pairs of ends are NS-VCs, which end is the SGSN, and which
// NSE and SGSN each belongs to. NS-VCs with one NSEI and an address in common are one NSE; without
// one they are two, as at two SGSNs. Of the IP sub-network service the endpoints say whose they
// are. NSEs with an address of the SGSN in common are at one SGSN, and there a TLLI is one MS.
#include "dataplane/wire/address.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define SURE_PDUS 3u // an NS-VC of so many is numbered before what may be none

// ---- Endpoints of the IP sub-network service ----

// By address and port. Two NSEs' is nobody's, as those of the SGSN are.
struct endpoint {
    struct bss_link link;
    uint16_t nsei;
    bool several;
};

static struct endpoint *endpoint_of(const struct audit *audit, const struct ipv6_address *address,
                                    uint16_t port)
{
    struct bss_link *link = bss_table_find(&audit->endpoints_table, audit_key_of(address, port));
    return link ? BSS_OWNER(link, struct endpoint, link) : NULL;
}

void audit_whose_endpoint(struct audit *audit, uint16_t nsei, const struct ipv6_address *address,
                          uint16_t port)
{
    struct endpoint *endpoint = endpoint_of(audit, address, port);
    if (endpoint)
        endpoint->several |= endpoint->nsei != nsei;
    if (endpoint || !audit_room(audit, &audit->endpoint_count, AUDIT_PAIRS_MAX))
        return;
    endpoint = need(calloc(1, sizeof *endpoint));
    endpoint->nsei = nsei;
    bss_table_put(&audit->endpoints_table, &endpoint->link, audit_key_of(address, port));
}

// ---- Roles ----

static int sgsn_by_votes(const uint64_t votes[2])
{
    return votes[0] == votes[1] ? -1 : votes[1] > votes[0];
}

// A pair that has no votes of its own: an end that is an SGSN elsewhere is one here.
static int sgsn_by_others(const struct audit *audit, const struct audit_pair *pair)
{
    uint64_t votes[2] = {0};
    for (const struct audit_pair *other = audit->pairs; other; other = other->next)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                if (address_same(&pair->end[i].address, &other->end[j].address)) {
                    votes[i] += other->votes[j];
                    votes[!i] += other->votes[!j];
                }
    return sgsn_by_votes(votes);
}

static const struct audit_end *bss_of(const struct audit_pair *pair)
{
    return &pair->end[pair->sgsn < 0 ? 0 : !pair->sgsn];
}

// The one NSEI that other NS-VCs of that BSS have. False: they have none, or several.
static bool nsei_by_address(const struct audit *audit, const struct ipv6_address *bss,
                            uint16_t *nsei)
{
    bool found = false;
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        if (!pair->has_nsei || pair->sgsn < 0 || !address_same(&bss_of(pair)->address, bss))
            continue;
        if (found && *nsei != pair->nsei)
            return false;
        found = true;
        *nsei = pair->nsei;
    }
    return found;
}

static bool nsei_of(const struct audit *audit, const struct audit_pair *pair, uint16_t *nsei)
{
    const struct audit_end *bss = bss_of(pair);
    const struct endpoint *endpoint = endpoint_of(audit, &bss->address, bss->port);
    *nsei = pair->nsei;
    if (pair->has_nsei)
        return true;
    if (endpoint && !endpoint->several && !pair->frame_relay) {
        *nsei = endpoint->nsei;
        return true;
    }
    return pair->sgsn >= 0 && nsei_by_address(audit, &bss->address, nsei);
}

// ---- Groups ----

// The first pair that had the key.
struct first {
    struct bss_link link;
    struct audit_pair *pair;
};

static struct audit_pair *root(struct audit_pair *pair)
{
    while (pair->group != pair)
        pair = pair->group = pair->group->group;
    return pair;
}

// Pairs with the same key are of one group; its root is its first pair.
static void join(struct bss_table *table, struct audit_pair *pair, uint64_t key)
{
    struct bss_link *link = bss_table_find(table, key);
    if (!link) {
        struct first *first = need(calloc(1, sizeof *first));
        first->pair = pair;
        bss_table_put(table, &first->link, key);
        return;
    }
    struct audit_pair *one = root(pair), *other = root(BSS_OWNER(link, struct first, link)->pair);
    if (one->number < other->number)
        other->group = one;
    else
        one->group = other;
}

static void end_table(struct bss_table *table)
{
    for (uint32_t i = 0; i < table->buckets; i++)
        for (struct bss_link *link = table->bucket[i], *next; link; link = next) {
            next = link->next;
            free(BSS_OWNER(link, struct first, link));
        }
    bss_table_release(table);
}

static void begin_groups(struct audit *audit)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        pair->group = pair;
}

#define NO_NSEI 0x10000u

static struct audit_nse *make_nse(struct audit *audit, const struct audit_pair *pair, bool known)
{
    struct audit_nse *nse = need(calloc(1, sizeof *nse));
    *nse = (struct audit_nse){.has_nsei = known,
                              .nsei = pair->nsei,
                              .address = bss_of(pair)->address,
                              .number = (uint16_t)audit->nse_count++,
                              .features = {-1, -1}};
    *audit->nses_end = nse;
    audit->nses_end = &nse->next;
    return nse;
}

static void add_to_nse(struct audit *audit, struct audit_pair *pair, bool known)
{
    struct audit_pair *first = root(pair);
    pair->nse = first == pair ? make_nse(audit, pair, known) : first->nse;
    const struct ipv6_address *sgsn = &pair->end[pair->sgsn == 1].address;
    if (!known && !address_same(sgsn, &first->end[first->sgsn == 1].address))
        pair->nse->mixed = true;
    pair->nse->seen[0] += pair->learned[pair->sgsn != 1];
    pair->nse->seen[1] += pair->learned[pair->sgsn == 1];
}

static void make_nses(struct audit *audit)
{
    struct bss_table table = {0};
    begin_groups(audit);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        uint16_t nsei;
        pair->known = nsei_of(audit, pair, &nsei);
        uint32_t of = pair->known ? nsei : NO_NSEI;
        for (int i = 0; i < 2; i++)
            if (pair->known || &pair->end[i] == bss_of(pair))
                join(&table, pair, audit_key_of(&pair->end[i].address, of));
        pair->nsei_of = nsei;
    }
    end_table(&table);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        pair->nsei = pair->nsei_of;
        add_to_nse(audit, pair, pair->known);
    }
}

static void find_sgsns(struct audit *audit)
{
    struct bss_table table = {0};
    begin_groups(audit);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        join(&table, pair, audit_key_of(&pair->end[pair->sgsn == 1].address, NO_NSEI));
        join(&table, pair, pair->nse->number);
    }
    end_table(&table);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        pair->nse->sgsn = root(pair)->number;
}

// ---- All of it ----

// Of datagrams in one direction some decode as NS by chance. A line tells itself what it is.
static bool is_sure(const struct audit *audit, const struct audit_pair *pair)
{
    return pair->told || pair->frame_relay || audit->options.port ||
           (pair->learned[0] && pair->learned[1]);
}

static uint64_t key_of_end(const struct audit_pair *pair, int end)
{
    return audit_key_of(&pair->end[end].address, pair->end[end].port);
}

// The other NS-VCs of an end that has a sure one are sure, too.
static void make_sure(struct audit *audit)
{
    struct bss_table ends = {0};
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        pair->group = pair;
        pair->sure = pair->good > pair->bad && is_sure(audit, pair);
        for (int end = 0; pair->sure && end < 2; end++)
            join(&ends, pair, key_of_end(pair, end));
    }
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        pair->sure |= pair->good > pair->bad && (bss_table_find(&ends, key_of_end(pair, 0)) ||
                                                 bss_table_find(&ends, key_of_end(pair, 1)));
    end_table(&ends);
}

static void number(struct audit *audit, uint64_t least)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (!pair->number && pair->sure && pair->good >= least &&
            audit_room(audit, &audit->nsvc_count, AUDIT_NSVCS_MAX))
            pair->number = audit->nsvc_count;
}

// Only NS-VCs stay, in the order of the capture.
static void keep_nsvcs(struct audit *audit)
{
    struct audit_pair *pair = audit_pairs_take(audit);
    uint32_t count = 0;
    for (struct audit_pair *one = pair; one; one = one->next)
        if (one->other_side && !one->other_side->number)
            one->other_side = NULL;
    for (struct audit_pair *next; pair; pair = next) {
        next = pair->next;
        if (!pair->number) {
            free(pair);
            continue;
        }
        pair->number = ++count;
        audit_pair_put(audit, pair);
    }
}

static void note_shared_nseis(struct audit *audit)
{
    static uint8_t seen[65536];
    uint32_t shared = 0;
    for (const struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        if (nse->has_nsei)
            shared += seen[nse->nsei]++ == 1;
    for (const struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        seen[nse->nsei] = 0;
    if (shared)
        audit_note(audit,
                   "NSEIs at ends that have no address in common: %u; each is taken for several "
                   "NSEs",
                   shared);
}

void audit_whose(struct audit *audit)
{
    make_sure(audit);
    number(audit, SURE_PDUS);
    number(audit, 1);
    keep_nsvcs(audit);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        pair->sgsn = sgsn_by_votes(pair->votes);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->sgsn < 0)
            pair->sgsn = sgsn_by_others(audit, pair);
    make_nses(audit);
    audit_copies_find_sides(audit);
    audit_ns_names(audit);
    find_sgsns(audit);
    note_shared_nseis(audit);
    for (struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        nse->blind = nse->one_way = !nse->seen[0] || !nse->seen[1];
}

void audit_whose_end(struct audit *audit)
{
    end_table(&audit->endpoints_table);
}
