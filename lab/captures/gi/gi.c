// See gi.h.
#include "lab/captures/gi/gi_parts.h"

#include <stdlib.h>

#include "lab/captures/gi/gi_hash.h"
#include "lab/captures/gi/gi_write.h"

#define CLOSED_NS           (60 * S_IN_NS)
#define OPENING_NS          (120 * S_IN_NS)
#define RECORDS_OCTETS_MOST (512ull << 20)
#define USERS_SPARE         32

const struct gi_count_text gi_count_texts[GI_COUNTS] = {
#define FATE(name, help) [GI_COUNT_##name] = {#name, help},
#define NOTE(name, help) [GI_COUNT_##name] = {#name, help},
#include "lab/captures/gi/gi_counts.def"
#undef FATE
#undef NOTE
};

// The flows that live have two users each at most; as many more addresses are kept.
void gi_begin_users(struct gi *gi)
{
    uint32_t flows = gi->config.flows_most;
    gi_users_create(&gi->users, 3 * flows + USERS_SPARE, &gi->counts.n[GI_COUNT_users_early]);
    gi_tunnels_create(&gi->tunnels, 2 * flows);
}

struct gi *gi_create(const struct gi_config *config, gi_sink_fn *sink, void *self)
{
    struct gi *gi = calloc(1, sizeof *gi);
    if (!gi)
        abort();
    gi_hash_begin();
    gi->config = *config;
    gi->rules.take_bad_checksums = config->take_bad_checksums;
    gi->sink = sink;
    gi->self = self;
    gi->silence_ns[GI_OPENING] = OPENING_NS;
    gi->silence_ns[GI_OPEN] = config->idle_s * S_IN_NS;
    gi->silence_ns[GI_CLOSED] = CLOSED_NS;
    gi->records.limit_octets = RECORDS_OCTETS_MOST;
    gi->records.self = config->losses;
    gi->records.judged = config->losses ? gi_write_loss : NULL;
    if (config->losses)
        table_csv_head(&gi_list_losses, config->losses);
    if (config->interval_ns)
        gi_series_begin(&gi->series, config->interval_ns, config->moment, self);
    gi_begin_users(gi);
    gi_window_create(&gi->window);
    gi_table_create(&gi->flows, sizeof(struct gi_flow), GI_FLOW_BEFORE);
    return gi;
}

void gi_destroy(struct gi *gi)
{
    gi_finish(gi);
    gi_table_destroy(&gi->flows);
    gi_users_destroy(&gi->users);
    gi_tunnels_destroy(&gi->tunnels);
    gi_half_free_spares(&gi->records);
    free(gi->records.causes);
    free(gi);
}

// ---- Accounts ----

const struct gi_counts *gi_counts_of(const struct gi *gi)
{
    return &gi->counts;
}

struct gi_memory gi_memory_of(const struct gi *gi)
{
    struct gi_memory memory = {.flows_most = gi->flows.most_used,
                               .users_most = gi->users.table.most_used};
    memory.octets_most = gi_table_octets(&gi->flows) + gi_table_octets(&gi->users.table) +
                         gi_table_octets(&gi->tunnels.table) + gi->records.most_octets +
                         gi->records.late_room * sizeof *gi->records.late +
                         gi->records.causes_room * sizeof *gi->records.causes;
    if (memory.flows_most)
        memory.octets_a_flow = (uint32_t)(memory.octets_most / memory.flows_most);
    return memory;
}

const char *gi_wrong(const struct gi *gi)
{
    uint64_t fates = 0;
    for (int i = 0; i <= GI_LAST_FATE; i++)
        fates += gi->counts.n[i];
    if (fates + gi->window.count != gi->counts.frames) // those that wait have none yet
        return "frames";
    if (gi->flows.used == 0 && gi->taken != gi->counts.n[GI_COUNT_segments])
        return "segments";
    if (gi->flows.used == 0 && gi->records.causes_used)
        return "causes";
    return gi->flows.used == 0 && gi->records.octets ? "records" : NULL;
}
