// See gi_users.h.
#include "lab/captures/gi/gi_users.h"

#include "dataplane/base/units.h"
#include "lab/captures/gi/gi_hash.h"

// Longer than the silence that a set-up without background traffic needs.
#define SILENT_NS (60 * S_IN_NS)

void gi_users_create(struct gi_users *users, uint32_t most, uint64_t *early)
{
    *users = (struct gi_users){.most = most, .early = early};
    gi_table_create(&users->table, sizeof(struct gi_user), GI_USER_BEFORE);
}

void gi_users_destroy(struct gi_users *users)
{
    gi_table_destroy(&users->table);
}

// The oldest without a flow.
static void make_room(struct gi_users *users)
{
    struct gi_node *node = users->table.list[GI_USERS_IDLE].oldest;
    while (node && ((struct gi_user *)node)->flows) // it got one after its last packet was counted
        node = node->newer;
    if (!node)
        return;
    gi_table_remove(&users->table, node);
    ++*users->early;
}

struct gi_user *gi_users_get(struct gi_users *users, const struct gi_end *end, uint64_t now_ns)
{
    uint32_t hash = gi_hash_with(gi_hash_address(&end->address), end->user);
    for (struct gi_node *node = gi_table_first(&users->table, hash); node; node = node->next) {
        struct gi_user *user = (struct gi_user *)node;
        if (user->number == end->user && address_same(&user->address, &end->address))
            return user;
    }
    if (users->table.used >= users->most)
        make_room(users);
    struct gi_user *user = (struct gi_user *)gi_table_add(&users->table, hash, now_ns);
    user->address = end->address;
    user->number = end->user;
    return user;
}

void gi_users_hold(struct gi_user *user)
{
    user->flows++;
}

void gi_users_let_go(struct gi_users *users, struct gi_user *user)
{
    if (--user->flows == 0)
        gi_table_touch(&users->table, &user->node, GI_USERS_IDLE, user->node.touched_ns);
}

void gi_users_expire(struct gi_users *users, uint64_t now_ns)
{
    for (struct gi_node *node; (node = users->table.list[GI_USERS_IDLE].oldest);) {
        if (now_ns - node->touched_ns < SILENT_NS)
            return;
        if (((struct gi_user *)node)->flows) // it got one after its last packet was counted
            gi_table_touch(&users->table, node, GI_USERS_BUSY, node->touched_ns);
        else
            gi_table_remove(&users->table, node);
    }
}
