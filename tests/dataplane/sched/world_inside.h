// What the files of the world share.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_INSIDE_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_INSIDE_H

#include "tests/dataplane/sched/world.h"

// world_ledger.c
uint64_t world_ms_clock(const struct world *w, uint32_t ms);
enum drop_reason world_put_from(struct world *w, struct world_npdu from);
uint32_t world_collect_drops(struct world *w); // how many
uint32_t world_granted(struct world *w, const struct sched_grant *grant);
void world_judge_ledger(const struct world *w);
void world_ledger_add(struct world_ledger *l, uint32_t octets);
uint32_t world_npdu_new(struct world *w); // what it is, is the caller's to fill in
void world_npdu_append(struct world *w, uint32_t id);
// Out of its list and of all counts, whatever became of it.
void world_npdu_end(struct world *w, uint32_t id);
void *world_npdu_handle(uint32_t id);
struct world_npdu *world_npdu_of(struct world *w, const void *handle, uint32_t *id);
uint32_t world_piece(const struct world *w, const struct world_npdu *n, uint32_t *llc_octets);

// world_change.c
void world_ms_clock_follows(struct world *w, uint32_t ms);

// world_frames.c. Of cells and NSEs: what a frame waits for, and nothing else may go; then, that
// what goes or waits now is right.
struct world_kept {
    bool *cell, *nse;
};
struct world_kept world_kept(const struct world *w, uint64_t at_ns, bool judge);
void world_kept_free(struct world_kept kept);
uint32_t world_offer_frames(struct world *w); // how many went
void world_judge_before_frames(const struct world *w, uint32_t ms);

// world_begun.c: S12. That N-PDU begins now.
void world_judge_begins(const struct world *w, uint32_t id);

// world_loss.c: S11. Of the list of drops, while an N-PDU arrives; of what is refused.
void world_judge_victim(const struct world *w, enum drop_reason reason, uint32_t id);
void world_judge_refusal(const struct world *w, enum drop_reason reason);

// world_buckets.c: S1, S6
// With the largest LLC PDU that comes through it.
void world_bucket_set(struct world *w, struct world_bucket *b, struct bucket_terms offered,
                      uint64_t delay_ns, uint32_t largest_octets);
uint32_t world_ms_largest(const struct world *w, uint32_t ms);
uint32_t world_cell_largest(const struct world *w, uint32_t cell);
// Some MS came, went or sends in other sizes: the effective Bmaxs are other ones.
void world_sizes_follow(struct world *w);
uint64_t world_bucket_ratio(struct world *w, struct world_bucket *b, uint32_t percent);
struct world_bucket world_bucket_empty(const struct world *w);
void world_charge(struct world *w, uint32_t pfc, uint32_t llc_octets);
void world_charge_frame(struct world *w, uint32_t ms, uint32_t octets);
// Of an LLC PDU of a PFC, or of an LLC frame (WORLD_NONE), at its pipe.
uint32_t world_pipe_octets(const struct world *w, uint32_t ms, uint32_t pfc, uint32_t llc_octets);
bool world_conforms(const struct world_bucket *b, uint32_t octets, uint64_t at_ns);
const struct world_bucket *world_pfc_bucket(const struct world *w, const struct world_pfc *p);
bool world_pfc_conforms(const struct world *w, const struct world_pfc *p, uint32_t octets,
                        uint64_t at_ns);
void world_judge_levels(const struct world *w);
void world_judge_idle(const struct world *w, uint64_t at_ns);

#endif
