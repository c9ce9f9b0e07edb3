// See gi_tops.h.
#include "lab/captures/gi/gi_tops.h"

#include <stdlib.h>

#include "dataplane/base/units.h"
#include "lab/captures/gi/gi_hash.h"
#include "lab/captures/gi/gi_sheets.h"
#include "lab/captures/gi/gi_write.h"
#include "lab/captures/read/capture_ip.h"

#define TOPS_MOST   (1u << 16) // addresses; those that come later count together
#define SLOTS_FIRST 256u       // half of all are empty at least, so a search is short

struct list {
    struct gi_top *slot; // by the address; flows 0: free
    struct gi_top others;
    uint32_t slots, used;
    const struct gi_top *first; // of those that are shown
};

struct gi_tops {
    uint32_t shown;
    struct list users, hosts;
    struct gi_result *flow;
    uint32_t flows, least; // of flow, the one with least octets
};

#define TABLE_FILE  "lab/captures/gi/gi_tops.def"
#define TABLE_OWNER const struct gi_tops *tops
#include "lab/base/table_make.h"

static void *zeros(size_t n, size_t octets)
{
    void *memory = calloc(n, octets);
    if (!memory)
        abort();
    return memory;
}

static void begin(struct list *list)
{
    list->slots = SLOTS_FIRST;
    list->slot = zeros(list->slots, sizeof *list->slot);
    list->others.is_others = true;
}

struct gi_tops *gi_tops_create(uint32_t shown)
{
    struct gi_tops *tops = zeros(1, sizeof *tops);
    tops->shown = shown;
    tops->flow = zeros(shown + 1, sizeof *tops->flow);
    begin(&tops->users);
    begin(&tops->hosts);
    return tops;
}

void gi_tops_destroy(struct gi_tops *tops)
{
    free(tops->flow);
    free(tops->users.slot);
    free(tops->hosts.slot);
    free(tops);
}

// Where the address is, or the free place for it.
static struct gi_top *place_of(const struct list *list, const struct ipv6_address *address)
{
    uint32_t i = gi_hash_with(gi_hash_address(address), 0) % list->slots;
    while (list->slot[i].flows && memcmp(&list->slot[i].address, address, sizeof *address) != 0)
        i = (i + 1) % list->slots;
    return &list->slot[i];
}

static void grow(struct list *list)
{
    struct list before = *list;
    list->slots *= 2;
    list->slot = zeros(list->slots, sizeof *list->slot);
    for (uint32_t i = 0; i < before.slots; i++)
        if (before.slot[i].flows)
            *place_of(list, &before.slot[i].address) = before.slot[i];
    free(before.slot);
}

static struct gi_top *top_of(struct list *list, const struct ipv6_address *address)
{
    struct gi_top *top = place_of(list, address);
    if (top->flows)
        return top;
    if (list->used == TOPS_MOST)
        return &list->others;
    list->used++;
    if (2 * list->used > list->slots) {
        grow(list);
        top = place_of(list, address);
    }
    top->address = *address;
    return top;
}

static uint64_t known(int64_t value)
{
    return value == GI_NONE ? 0 : (uint64_t)value;
}

static void count(struct gi_top *top, const struct gi_result *result)
{
    bool data = result->down_data_packets != GI_NONE && result->down_resent_packets != GI_NONE;
    top->flows++;
    top->down_octets += known(result->down_octets);
    top->up_octets += known(result->up_octets);
    top->down_data_packets += data ? known(result->down_data_packets) : 0;
    top->down_resent_packets += data ? known(result->down_resent_packets) : 0;
    if (strcmp(result->outcome, "optimal") == 0 && result->setup != GI_NONE) {
        top->setups++;
        top->setups_ns += known(result->setup);
    }
}

static uint64_t octets_of(const struct gi_result *result)
{
    return known(result->down_octets) + known(result->up_octets);
}

static void keep_flow(struct gi_tops *tops, const struct gi_result *result)
{
    bool room = tops->flows < tops->shown;
    if (!tops->shown || (!room && octets_of(result) <= octets_of(&tops->flow[tops->least])))
        return;
    tops->flow[room ? tops->flows++ : tops->least] = *result;
    for (uint32_t i = tops->least = 0; i < tops->flows; i++)
        if (octets_of(&tops->flow[i]) < octets_of(&tops->flow[tops->least]))
            tops->least = i;
}

void gi_tops_count(struct gi_tops *tops, const struct gi_result *result)
{
    keep_flow(tops, result);
    count(top_of(&tops->users, &result->user), result);
    count(top_of(&tops->hosts, &result->host), result);
}

// ---- The end ----

// Equal ones by their addresses, so that the order is the same each time.
static int compare(const void *a, const void *b)
{
    const struct gi_top *one = *(const struct gi_top *const *)a;
    const struct gi_top *other = *(const struct gi_top *const *)b;
    uint64_t octets = one->down_octets + one->up_octets;
    uint64_t others = other->down_octets + other->up_octets;
    if (octets != others)
        return octets < others ? 1 : -1;
    return memcmp(&one->address, &other->address, sizeof one->address);
}

static void sort(struct list *list, uint32_t shown)
{
    struct gi_top **top = zeros(list->used + 1, sizeof *top);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->slots; i++)
        if (list->slot[i].flows)
            top[n++] = &list->slot[i];
    qsort(top, n, sizeof *top, compare);
    n = n < shown ? n : shown;
    if (list->others.flows)
        top[n++] = &list->others;
    for (uint32_t i = n; i-- > 0;) {
        top[i]->next = list->first;
        list->first = top[i];
    }
    free(top);
}

// Equal ones by when they began.
static int compare_flows(const void *a, const void *b)
{
    const struct gi_result *one = a, *other = b;
    if (octets_of(one) != octets_of(other))
        return octets_of(one) < octets_of(other) ? 1 : -1;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void gi_tops_finish(struct gi_tops *tops)
{
    qsort(tops->flow, tops->flows, sizeof *tops->flow, compare_flows);
    sort(&tops->users, tops->shown);
    sort(&tops->hosts, tops->shown);
}

static void print(const char *title, const struct gi_top *top, FILE *out)
{
    char room[TABLE_ROOM];
    if (!top)
        return;
    fprintf(out, "\n%-44s  %10s  %12s  %12s  %10s  %10s\n", title, "flows", "octets down",
            "octets up", "resent", "set-up, s");
    for (; top; top = top->next) {
        double setup_s = top->setups ? (double)top->setups_ns / S_IN_NS / (double)top->setups : 0;
        fprintf(out, "%-44s  %10llu  %12llu  %12llu",
                top->is_others ? "others" : capture_ip_text(&top->address, room),
                (unsigned long long)top->flows, (unsigned long long)top->down_octets,
                (unsigned long long)top->up_octets);
        if (top->down_data_packets)
            fprintf(out, "  %8.2f %%",
                    100 * (double)top->down_resent_packets / (double)top->down_data_packets);
        else
            fprintf(out, "  %10s", "-");
        if (top->setups)
            fprintf(out, "  %10.*f\n", gi_seconds_decimals(setup_s), setup_s);
        else
            fprintf(out, "  %10s\n", "-");
    }
}

void gi_tops_print(const struct gi_tops *tops, FILE *out)
{
    print("Users with most octets", tops->users.first, out);
    print("Hosts with most octets", tops->hosts.first, out);
}

void gi_tops_put_flows(const struct gi_tops *tops, struct json *json)
{
    json_put_array(json, "top_flows");
    for (uint32_t i = 0; i < tops->flows; i++)
        table_json_row(&gi_list_flows, NULL, &tops->flow[i], json);
    json_close(json);
}
