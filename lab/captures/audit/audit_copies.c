// A packet that was captured twice, as by a mirror of two ports: the same octets and the same IP
// identification within some ms. Hosts that leave the identification 0 may send two packets that
// are the same: there it is a copy only if two in five of what goes that way look like one.
//
// An NS-VC that was captured on both sides of what translates its addresses is two pairs of ends,
// and nearly all UNITDATAs of the one come on the other as well, both ways: then one that was on
// the one is a copy on the other.
#include <string.h>

#include "dataplane/wire/ns.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define COPY_NS     (20 * MS_IN_NS)
#define SLOTS       16384u // by default
#define HEAD_OCTETS 64u
#define TAIL_OCTETS 16u
#define TWINS_LEAST 8u // that look like copies

#define LONG_OCTETS 12u // of a UNITDATA that is hardly the same as another one by chance

struct elsewhere {
    uint64_t key, time_ns;
    struct audit_pair *pair;
    int from;
};

struct audit_copies {
    uint32_t slots;
    struct elsewhere *other; // by octets alone
    struct {
        uint64_t key, time_ns;
    } slot[];
};

static uint64_t mixed(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0xd6e8feb86659fd93ULL;
    return key ^ key >> 32;
}

static uint64_t of_octets(uint64_t key, const uint8_t *octets, uint32_t n)
{
    uint64_t part;
    for (; n >= sizeof part; n -= sizeof part, octets += sizeof part) {
        memcpy(&part, octets, sizeof part);
        key = mixed(key, part);
    }
    part = 0;
    memcpy(&part, octets, n);
    return mixed(key, part);
}

// An LLC PDU's number is in front, its FCS at the end.
static uint64_t of_ends(uint64_t key, const struct audit_at *at)
{
    uint32_t head = at->captured < HEAD_OCTETS ? at->captured : HEAD_OCTETS;
    uint32_t tail = at->captured - head < TAIL_OCTETS ? at->captured - head : TAIL_OCTETS;
    key = of_octets(key, at->octets, head);
    return of_octets(key, at->octets + at->captured - tail, tail);
}

static uint64_t key_of(const struct audit *audit, const struct audit_at *at)
{
    uint64_t key = mixed(at->pair->id, (uint64_t)at->length << 1 | (at->from & 1));
    return of_ends(mixed(key, audit->ip_id), at);
}

static uint64_t apart(uint64_t one_ns, uint64_t other_ns)
{
    return one_ns > other_ns ? one_ns - other_ns : other_ns - one_ns;
}

static struct audit_copies *need_copies(struct audit *audit)
{
    struct audit_copies *copies = audit->copies;
    if (!copies) {
        uint32_t slots = audit->options.copies ? audit->options.copies : SLOTS;
        copies = need(calloc(1, sizeof *copies + slots * sizeof copies->slot[0]));
        copies->slots = slots;
        copies->other = need(calloc(slots, sizeof *copies->other));
        audit->copies = copies;
    }
    return copies;
}

static bool was_there(struct audit *audit, const struct audit_at *at)
{
    struct audit_copies *copies = need_copies(audit);
    uint64_t key = key_of(audit, at), now_ns = audit->packet_ns;
    uint64_t *slot_key = &copies->slot[key % copies->slots].key;
    uint64_t *slot_ns = &copies->slot[key % copies->slots].time_ns;
    bool same = *slot_key == key && apart(now_ns, *slot_ns) <= COPY_NS;
    *slot_key = key;
    *slot_ns = now_ns;
    return same;
}

static void note_other(struct audit_pair *pair, int from, struct audit_pair *other)
{
    if (!pair->other_side)
        pair->other_side = other;
    pair->on_other_side[from] += pair->other_side == other;
}

// True: it came within some ms on another pair, `*other`, from that end of it.
static bool was_elsewhere(struct audit *audit, const struct audit_at *at, uint64_t key,
                          struct audit_pair **other, int *from)
{
    struct audit_copies *copies = need_copies(audit);
    struct elsewhere *one = &copies->other[key % copies->slots];
    bool same = one->key == key && apart(audit->packet_ns, one->time_ns) <= COPY_NS;
    if (same && one->pair != at->pair) {
        *other = one->pair;
        *from = one->from;
        return true;
    }
    if (!same)
        *one = (struct elsewhere){key, audit->packet_ns, at->pair, at->from};
    return false;
}

static void learn_sides(struct audit *audit, const struct audit_at *at)
{
    struct audit_pair *other;
    int from;
    at->pair->unitdatas++;
    if (!was_elsewhere(audit, at, of_ends(at->length, at), &other, &from))
        return;
    note_other(at->pair, at->from, other);
    note_other(other, from, at->pair);
}

static bool is_unitdata(const struct audit_at *at, uint32_t least)
{
    return at->captured >= least && at->octets[0] == NS_UNITDATA_TYPE;
}

void audit_copies_learn(struct audit *audit, const struct audit_at *at)
{
    at->pair->twins[at->from] += was_there(audit, at);
    if (is_unitdata(at, LONG_OCTETS))
        learn_sides(audit, at);
}

// Pairs have gone.
void audit_copies_forget_sides(struct audit *audit)
{
    if (audit->copies)
        memset(audit->copies->other, 0, audit->copies->slots * sizeof *audit->copies->other);
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        pair->other_side = NULL;
        pair->on_other_side[0] = pair->on_other_side[1] = pair->unitdatas = 0;
    }
}

// An end that sends all twice on two NS-VCs does not so for the other end, and these have two
// NS-VCIs.
static bool are_sides(const struct audit_pair *pair, const struct audit_pair *other)
{
    const uint64_t *on = pair->on_other_side;
    bool same_name = !pair->has_nsvci || !other->has_nsvci || pair->nsvci == other->nsvci;
    return other->nse == pair->nse && same_name && on[0] >= TWINS_LEAST / 2 &&
           on[1] >= TWINS_LEAST / 2 && (on[0] + on[1]) * 10 >= pair->unitdatas * 9;
}

void audit_copies_find_sides(struct audit *audit)
{
    uint32_t found = 0;
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        struct audit_pair *other = pair->other_side;
        if (!other || other->number > pair->number || !are_sides(pair, other))
            continue;
        pair->is_side = other->is_side = true;
        found++;
    }
    if (found)
        audit_note(audit,
                   "NS-VCs that were captured on both sides of a NAT or a relay: %u; what was on "
                   "the one counts not again on the other",
                   found);
}

void audit_copies_begin(struct audit *audit)
{
    if (audit->copies)
        free(audit->copies->other);
    free(audit->copies);
    audit->copies = NULL;
}

bool audit_is_copy(struct audit *audit, const struct audit_at *at)
{
    const struct audit_pair *pair = at->pair;
    struct audit_pair *other;
    int from;
    if (pair->is_side && is_unitdata(at, 1) &&
        was_elsewhere(audit, at, of_ends(mixed(pair->nse->number, at->length), at), &other,
                      &from)) {
        audit->counts[AUDIT_copies]++;
        return true;
    }
    if (pair->twins[at->from] == 0)
        return false;
    uint64_t twins = pair->twins[at->from];
    bool twice = twins >= TWINS_LEAST && twins * 5 >= pair->learned[at->from] * 2;
    bool copy = was_there(audit, at) && (audit->ip_id || twice);
    audit->counts[AUDIT_copies] += copy;
    return copy;
}
