// IP identifications, while learning. Many hosts count them for each host that they send to, each
// protocol by itself or all together: then a number that is missing is a packet that the capture
// lacks, and none is where either way of counting has none. A host that counts for all alike, or
// not at all, says nothing: its gaps are many, and larger than what is lost by chance. Nor does one
// with several counters, between which the numbers go back and forth.
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define STEPS_LEAST 16u
#define AHEAD_MOST  1000u // a step beyond that, either way, is another beginning
#define BACK_MOST   16u   // one step in so many goes back, or is another beginning
#define GAPS_MOST   16u   // of more gaps than one in so many steps
#define GAP_LARGE   2     // the mean is that at most, in packets

// Of one way of counting.
struct count {
    bool any;
    uint16_t last;
    uint64_t steps, ones, gaps, back; // of these: by one, by more; back, or to another beginning
    int64_t missing;
    uint64_t last_ns, from_ns, to_ns; // of its last packet; between which they are missing
};

// From a host to another one.
struct audit_path {
    struct bss_link link;
    uint8_t protocol; // of Gb
    struct count gb, all;
};

static uint64_t key_of(const struct ipv6_address *from, const struct ipv6_address *to)
{
    return audit_key_of(from, 1) + 3 * audit_key_of(to, 2);
}

static struct audit_path *find(const struct audit *audit, uint64_t key)
{
    struct bss_link *link = bss_table_find(&audit->paths_table, key);
    return link ? BSS_OWNER(link, struct audit_path, link) : NULL;
}

static struct audit_path *path_of(struct audit *audit, uint64_t key)
{
    struct audit_path *path = find(audit, key);
    if (path || !audit_room(audit, &audit->path_count, 2 * AUDIT_PAIRS_MAX))
        return path;
    path = need(calloc(1, sizeof *path));
    bss_table_put(&audit->paths_table, &path->link, key);
    return path;
}

static void note_missing(struct count *count, uint64_t now_ns)
{
    count->from_ns = count->to_ns ? count->from_ns : count->last_ns;
    count->to_ns = now_ns;
}

static void step(struct count *count, uint16_t id, uint64_t now_ns)
{
    int16_t by = (int16_t)(uint16_t)(id - count->last);
    bool far = by > (int)AHEAD_MOST || by < -(int)AHEAD_MOST;
    if (count->any && by == 0) // a copy, or none counts
        return;
    count->steps += count->any;
    count->ones += count->any && by == 1;
    count->back += count->any && (far || by < 0);
    if (count->any && !far)
        count->missing += by > 0 ? by - 1 : -1; // one that comes late
    if (count->any && !far && by > 1) {
        count->gaps++;
        note_missing(count, now_ns);
    }
    if (!count->any || far || by > 0)
        count->last = id;
    count->any = true;
    count->last_ns = now_ns;
}

static void take(struct audit_path *path, const struct audit *audit)
{
    step(&path->all, audit->ip_id, audit->packet_ns);
    if (audit->ip_protocol == path->protocol)
        step(&path->gb, audit->ip_id, audit->packet_ns);
}

void audit_ids_packet(struct audit *audit, const struct ipv6_address *from,
                      const struct ipv6_address *to)
{
    struct audit_path *path = find(audit, key_of(from, to));
    if (path)
        take(path, audit);
}

void audit_ids_learn(struct audit *audit, struct audit_pair *pair, int from)
{
    struct audit_path **path = &pair->path[from];
    if (*path)
        return;
    *path = path_of(audit, key_of(&pair->end[from].address, &pair->end[!from].address));
    if (!*path || (*path)->protocol)
        return;
    (*path)->protocol = audit->ip_protocol;
    take(*path, audit); // its first packet
}

static bool counts(const struct count *count)
{
    bool lost = count->gaps * GAPS_MOST <= count->steps ||
                count->missing <= (int64_t)(count->gaps * GAP_LARGE);
    return count->steps >= STEPS_LEAST && count->ones * 4 >= count->steps * 3 && lost &&
           count->back * BACK_MOST <= count->steps;
}

static bool is_whole(const struct count *count)
{
    return counts(count) && count->missing <= 0;
}

// NULL: no way of counting says that some are missing, or one says that none is.
static const struct count *lacking(const struct audit_path *path)
{
    if (!path || is_whole(&path->gb) || is_whole(&path->all))
        return NULL;
    return counts(&path->gb) ? &path->gb : counts(&path->all) ? &path->all : NULL;
}

// Those between ends of Gb.
void audit_ids_judge(struct audit *audit)
{
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        for (int from = 0; from < 2; from++) {
            const struct count *count = lacking(pair->path[from]);
            if (count)
                audit_lacks(audit, AUDIT_PROOF, count->from_ns, count->to_ns);
        }
}

void audit_ids_end(struct audit *audit)
{
    for (uint32_t i = 0; i < audit->paths_table.buckets; i++)
        for (struct bss_link *link = audit->paths_table.bucket[i], *next; link; link = next) {
            next = link->next;
            free(BSS_OWNER(link, struct audit_path, link));
        }
    bss_table_release(&audit->paths_table);
}
