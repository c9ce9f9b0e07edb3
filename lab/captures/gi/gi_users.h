// What each address, or each user at it, has sent and received, for background traffic and for what
// passes to a user between two times. Every address is kept, as nobody knows before its first SYN
// whether it is a user's; one that has no flow and is silent is forgotten.
#ifndef SLUICE_GI_USERS_H
#define SLUICE_GI_USERS_H

#include "lab/captures/gi/gi_packet.h"
#include "lab/captures/gi/gi_table.h"

// What has come to a user behind here, by when it passed here: packets of a user keep their order,
// so what passed before the last that is known to have come has come, too, or is lost. us: modulo
// 2^32; 0: nothing is known.
struct gi_order {
    uint32_t came_us;
};

struct gi_user {
    struct gi_node node; // touched_ns: its last packet
    // In one word, so that one addition counts both: below, octets of IP to it, modulo 2^40; above,
    // packets both ways, modulo 2^24, and one more for each TB.
    uint64_t passed;
    // Of its flows down: how often something was lost or out of order, or may have been, and octets
    // that were lost behind here, modulo 2^32.
    uint32_t troubles;
    uint32_t heard_us; // its last segment of TCP, modulo 2^32
    struct gi_order order;
    uint32_t lost_octets;
    struct ipv6_address address;
    uint32_t flows;   // that live
    uint32_t number;  // of the user, if tunnels tell users apart; 0: none
    uint32_t teid[2]; // of its last packet, of the last one to it; 0: none
};

#define GI_USER_OCTETS_BITS 40
#define GI_USER_PACKET      (1ull << GI_USER_OCTETS_BITS)

static inline uint32_t gi_user_packets(const struct gi_user *user)
{
    return (uint32_t)(user->passed >> GI_USER_OCTETS_BITS);
}

// Octets to it from one state of `passed` to a later one: less than 1 TB.
static inline uint64_t gi_user_octets_between(uint64_t from, uint64_t to)
{
    return (to - from) % GI_USER_PACKET;
}

// By octets; less than half of that are between them.
static inline bool gi_user_passed_later(uint64_t passed, uint64_t than)
{
    return (int64_t)((passed - than) << (64 - GI_USER_OCTETS_BITS)) > 0;
}

// `passed` as it was with a segment to it, as to octets, of which the record has 32 bits: less than
// 4 GB have passed since.
static inline uint64_t gi_user_passed_with(const struct gi_user *user, uint32_t octets)
{
    return user->passed - ((uint32_t)user->passed - octets);
}

// What each packet needs is in half a line of the cache, from there on.
#define GI_USER_BEFORE offsetof(struct gi_user, node.touched_ns)
static_assert(offsetof(struct gi_user, address) == GI_USER_BEFORE + GI_LINE_OCTETS / 2 &&
                  sizeof(struct gi_user) % (GI_LINE_OCTETS / 2) == 0,
              "halves of lines of the cache");

// Lists of the table: with no flow, they end by silence; with flows they stay.
enum { GI_USERS_IDLE, GI_USERS_BUSY };

struct gi_users {
    struct gi_table table;
    uint32_t most;   // from here on one that has no flow is forgotten for each that comes
    uint64_t *early; // counts these
};

void gi_users_create(struct gi_users *users, uint32_t most, uint64_t *early);
void gi_users_destroy(struct gi_users *users);
struct gi_user *gi_users_get(struct gi_users *users, const struct gi_end *end, uint64_t now_ns);
// Nobody asks who of the busy was silent longest, so their list has no order.
static inline void gi_users_touch(struct gi_users *users, struct gi_user *user, uint64_t now_ns)
{
    if (gi_table_list(&user->node) != GI_USERS_BUSY)
        gi_table_touch(&users->table, &user->node, user->flows ? GI_USERS_BUSY : GI_USERS_IDLE,
                       now_ns);
}
// A packet from one to the other has passed.
static inline void gi_users_count(struct gi_users *users, struct gi_user *from, struct gi_user *to,
                                  uint32_t ip_octets, uint64_t now_ns)
{
    from->passed += GI_USER_PACKET;
    to->passed += GI_USER_PACKET + ip_octets;
    from->node.touched_ns = to->node.touched_ns = now_ns;
    gi_users_touch(users, from, now_ns);
    gi_users_touch(users, to, now_ns);
}
// A flow of it begins or has ended.
void gi_users_hold(struct gi_user *user);
void gi_users_let_go(struct gi_users *users, struct gi_user *user);
// Forgets the silent.
void gi_users_expire(struct gi_users *users, uint64_t now_ns);

#endif
