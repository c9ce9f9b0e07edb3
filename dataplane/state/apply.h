// The function of each command, for the files that carry out commands alone.
#ifndef SLUICE_STATE_APPLY_H
#define SLUICE_STATE_APPLY_H

#include "dataplane/state/state.h"

// The arguments of every command's function.
struct apply {
    struct state *state;
    struct sched *sched;
    uint64_t now_ns;
    const struct command *command;
};

#define COMMAND(name, LIST, help) \
    int state_apply_##name(const struct apply *, const struct command_##name *);
#include "dataplane/state/commands.def"
#undef COMMAND

// Adds or removes a TLLI or BVCI of an NSE as the name of an id.
void state_apply_name(const struct apply *a, uint32_t nse, enum state_named kind, uint32_t value,
                      uint32_t id);
void state_apply_unname(const struct apply *a, uint32_t nse, enum state_named kind, uint32_t value,
                        uint32_t id);

static inline struct bucket_terms terms(bool limited, uint32_t rate, uint32_t bucket_octets)
{
    return (struct bucket_terms){limited ? rate : BUCKET_UNLIMITED, bucket_octets};
}
#define TERMS(c) terms((c)->has_rate_100_bit_per_s, (c)->rate_100_bit_per_s, (c)->bucket_octets)
#define MS_TERMS(c) \
    terms((c)->has_ms_rate_100_bit_per_s, (c)->ms_rate_100_bit_per_s, (c)->ms_bucket_octets)

// The level for a bucket-full ratio.
#define LEVEL(c) bucket_level_of_ratio((c)->bucket_octets, (c)->full_percent)

#endif
