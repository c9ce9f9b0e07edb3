// See names.h: adds and removes names.
#include "dataplane/state/names.h"

void state_names_add(struct names *names, uint32_t hash, uint32_t id)
{
    struct names_entry in_hand = {hash, id + 1};
    uint32_t at = names_home(names, hash), distance = 0;
    for (; names->entry[at].id_and_1; at = names_after(names, at), distance++) {
        uint32_t its = names_distance(names, at);
        if (its >= distance)
            continue;
        struct names_entry before = names->entry[at];
        names->entry[at] = in_hand;
        in_hand = before;
        distance = its;
    }
    names->entry[at] = in_hand;
}

static void close_up(struct names *names, uint32_t at)
{
    for (uint32_t next = names_after(names, at);
         names->entry[next].id_and_1 && names_distance(names, next) > 0;
         next = names_after(names, next)) {
        names->entry[at] = names->entry[next];
        at = next;
    }
    names->entry[at] = (struct names_entry){0};
}

void state_names_remove(struct names *names, uint32_t hash, uint32_t id)
{
    uint32_t at = names_home(names, hash), distance = 0;
    for (; names->entry[at].id_and_1 && names_distance(names, at) >= distance;
         at = names_after(names, at), distance++)
        if (names->entry[at].hash == hash && names->entry[at].id_and_1 == id + 1) {
            close_up(names, at);
            return;
        }
}
