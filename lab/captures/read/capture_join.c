// See capture_join.h. A piece that overlaps others, or that goes on behind the end, makes the
// datagram none: its first fragment stands for it.
#include "lab/captures/read/capture_join.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/address.h"

#define WAIT_NS     (S_IN_NS / 5)
#define PACKETS     64u
#define OCTETS_MOST (4u << 20)
#define PIECES      64u
#define IP_MOST     65535u

struct piece {
    uint32_t at, captured, length;
};

struct waiting {
    struct capture_joined packet; // of the first fragment, once that is there
    bool has_first, open, broken; // open: pieces are missing
    uint32_t pieces, sum, total;  // total: 0 until the last piece has come
    struct piece piece[PIECES];
    uint8_t *octets;
    uint32_t room; // up to the end of the last of them
    uint32_t first_captured, first_length;
};

struct capture_join {
    struct waiting *row[PACKETS];
    uint32_t first, count, octets;
    struct waiting *given; // the last that was handed out
};

struct capture_join *capture_join_create(void)
{
    return calloc(1, sizeof(struct capture_join));
}

static void end(struct waiting *one)
{
    if (one)
        free(one->octets);
    free(one);
}

void capture_join_destroy(struct capture_join *join)
{
    if (!join)
        return;
    for (uint32_t i = 0; i < join->count; i++)
        end(join->row[(join->first + i) % PACKETS]);
    end(join->given);
    free(join);
}

// ---- Pieces ----

static bool is_of(const struct waiting *one, const struct capture_ip *ip)
{
    const struct capture_ip *other = &one->packet.ip;
    return one->open && other->fragment_id == ip->fragment_id && other->protocol == ip->protocol &&
           address_same(&other->source, &ip->source) &&
           address_same(&other->destination, &ip->destination);
}

static bool overlaps(const struct waiting *one, uint32_t at, uint32_t length)
{
    for (uint32_t i = 0; i < one->pieces; i++)
        if (at < one->piece[i].at + one->piece[i].length && one->piece[i].at < at + length)
            return true;
    return false;
}

static bool make_room(struct capture_join *join, struct waiting *one, uint32_t octets)
{
    if (octets <= one->room)
        return true;
    uint8_t *more = realloc(one->octets, octets);
    if (!more)
        return false;
    memset(more + one->room, 0, octets - one->room);
    join->octets += octets - one->room;
    one->octets = more;
    one->room = octets;
    return true;
}

static bool keep(struct capture_join *join, struct waiting *one, const struct capture_ip *ip)
{
    const struct capture_view *view = &ip->payload;
    uint32_t to = ip->fragment_at + view->length;
    bool beyond = (one->total && to > one->total) || (!ip->more && to < one->room);
    if (one->pieces == PIECES || to > IP_MOST || beyond ||
        overlaps(one, ip->fragment_at, view->length) || !make_room(join, one, to))
        return false;
    if (view->captured) // else there may be no room
        memcpy(one->octets + ip->fragment_at, view->octets, view->captured);
    one->piece[one->pieces++] = (struct piece){ip->fragment_at, view->captured, view->length};
    one->sum += view->length;
    if (!ip->more)
        one->total = to;
    return true;
}

// The same piece once more, as of a packet that was captured twice.
static bool is_there(const struct waiting *one, const struct capture_ip *ip)
{
    for (uint32_t i = 0; i < one->pieces; i++)
        if (one->piece[i].at == ip->fragment_at && one->piece[i].length == ip->payload.length)
            return true;
    return false;
}

// How many octets from the beginning on were captured.
static uint32_t captured_of(const struct waiting *one)
{
    uint32_t end_at = 0;
    for (uint32_t turn = 0; turn < one->pieces; turn++)
        for (uint32_t i = 0; i < one->pieces; i++)
            if (one->piece[i].at == end_at && one->piece[i].captured)
                end_at += one->piece[i].captured;
    return end_at;
}

static void close_whole(struct waiting *one)
{
    one->open = false;
    one->packet.joined = true;
    one->packet.ip.fragment = false;
    one->packet.ip.payload = (struct capture_view){one->octets, captured_of(one), one->total};
}

static void add_piece(struct capture_join *join, struct waiting *one, const struct capture_ip *ip)
{
    if (is_there(one, ip))
        return;
    one->broken |= !keep(join, one, ip);
    if (ip->first && !one->has_first) {
        one->packet.ip = *ip;
        one->has_first = true;
        one->first_captured = ip->payload.captured;
        one->first_length = ip->payload.length;
    }
    if (!one->broken && one->has_first && one->total && one->sum == one->total)
        close_whole(one);
}

// ---- In and out ----

static struct waiting *add(struct capture_join *join, const struct capture_joined *packet)
{
    struct waiting *one = join->count < PACKETS ? calloc(1, sizeof *one) : NULL;
    if (!one)
        return NULL;
    one->packet = *packet;
    join->row[(join->first + join->count++) % PACKETS] = one;
    return one;
}

static void add_whole(struct capture_join *join, const struct capture_joined *packet)
{
    struct waiting *one = add(join, packet);
    const struct capture_view *view = &packet->ip.payload;
    if (!one || !make_room(join, one, view->captured + 1))
        return;
    memcpy(one->octets, view->octets, view->captured);
    one->packet.ip.payload.octets = one->octets;
    one->has_first = true;
}

bool capture_join_take(struct capture_join *join, const struct capture_joined *packet)
{
    if (!packet->ip.fragment && join->count == 0)
        return false;
    if (!packet->ip.fragment) {
        add_whole(join, packet);
        return true;
    }
    for (uint32_t i = 0; i < join->count; i++) {
        struct waiting *one = join->row[(join->first + i) % PACKETS];
        if (is_of(one, &packet->ip)) {
            add_piece(join, one, &packet->ip);
            return true;
        }
    }
    struct waiting *one = add(join, packet);
    if (one) {
        one->open = true;
        add_piece(join, one, &packet->ip);
    }
    return true;
}

static bool waits(const struct capture_join *join, const struct waiting *one, uint64_t now_ns)
{
    return one->open && now_ns != UINT64_MAX && join->count < PACKETS &&
           join->octets < OCTETS_MOST && now_ns <= one->packet.stamp_ns + WAIT_NS;
}

// The first fragment's own octets: those behind it may not be there.
static void stand_alone(struct waiting *one)
{
    if (one->open)
        one->packet.ip.payload =
            (struct capture_view){one->octets, one->first_captured, one->first_length};
}

bool capture_join_next(struct capture_join *join, uint64_t now_ns, struct capture_joined *out)
{
    end(join->given);
    join->given = NULL;
    while (join->count > 0) {
        struct waiting *one = join->row[join->first];
        if (waits(join, one, now_ns))
            return false;
        join->first = (join->first + 1) % PACKETS;
        join->count--;
        join->octets -= one->room;
        if (!one->has_first || !one->octets) {
            end(one);
            continue;
        }
        stand_alone(one);
        join->given = one;
        *out = one->packet;
        return true;
    }
    return false;
}
