// A packet that was captured twice, as by a mirror of two ports: the same octets and the same IP
// identification within some ms. Hosts that leave the identification 0 may send two packets that
// are the same: there it is a copy only if two in five of what goes that way look like one.
#include <string.h>

#include "lab/audit/audit_parts.h"
#include "lab/engine/need.h"

#define COPY_NS     (20 * MS_IN_NS)
#define SLOTS       16384u
#define HEAD_OCTETS 64u
#define TAIL_OCTETS 16u
#define TWINS_LEAST 8u // that look like copies

struct audit_copies {
    struct {
        uint64_t key, time_ns;
    } slot[SLOTS];
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
static uint64_t key_of(const struct audit *audit, const struct audit_at *at)
{
    uint64_t key = mixed((uint64_t)(uintptr_t)at->pair, (uint64_t)at->length << 1 | (at->from & 1));
    key = mixed(key, audit->ip_id);
    uint32_t head = at->captured < HEAD_OCTETS ? at->captured : HEAD_OCTETS;
    uint32_t tail = at->captured - head < TAIL_OCTETS ? at->captured - head : TAIL_OCTETS;
    key = of_octets(key, at->octets, head);
    return of_octets(key, at->octets + at->captured - tail, tail);
}

static bool was_there(struct audit *audit, const struct audit_at *at)
{
    if (!audit->copies)
        audit->copies = need(calloc(1, sizeof *audit->copies));
    uint64_t key = key_of(audit, at), now_ns = audit->packet_ns;
    uint64_t *slot_key = &audit->copies->slot[key % SLOTS].key;
    uint64_t *slot_ns = &audit->copies->slot[key % SLOTS].time_ns;
    uint64_t since_ns = now_ns > *slot_ns ? now_ns - *slot_ns : *slot_ns - now_ns;
    bool same = *slot_key == key && since_ns <= COPY_NS;
    *slot_key = key;
    *slot_ns = now_ns;
    return same;
}

void audit_copies_learn(struct audit *audit, const struct audit_at *at)
{
    at->pair->twins[at->from] += was_there(audit, at);
}

void audit_copies_begin(struct audit *audit)
{
    free(audit->copies);
    audit->copies = NULL;
}

bool audit_is_copy(struct audit *audit, const struct audit_at *at)
{
    const struct audit_pair *pair = at->pair;
    if (pair->twins[at->from] == 0)
        return false;
    uint64_t twins = pair->twins[at->from];
    bool twice = twins >= TWINS_LEAST && twins * 5 >= pair->learned[at->from] * 2;
    bool copy = was_there(audit, at) && (audit->ip_id || twice);
    audit->counts[AUDIT_copies] += copy;
    return copy;
}
