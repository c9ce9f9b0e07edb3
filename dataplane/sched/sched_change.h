// Shared by the set-up functions: checks, each 0 or -enum sched_err.
#ifndef SLUICE_SCHED_SCHED_CHANGE_H
#define SLUICE_SCHED_SCHED_CHANGE_H

#include "dataplane/sched/sched_parts.h"

// The node exists, if `there`; else its id is free.
int sched_change_nse(const struct sched *s, uint32_t nse, bool there);
int sched_change_bvc(const struct sched *s, uint32_t bvc, bool there);
int sched_change_ms(const struct sched *s, uint32_t ms, bool there);
int sched_change_pfc(const struct sched *s, uint32_t ms, uint32_t slot);
int sched_change_terms(struct bucket_terms terms);
int sched_change_n201_u(const struct sched *s, uint16_t n201_u);

#define CHANGE_N201_U_MIN 140
#define CHANGE_N201_U_MAX 1520

// Checks a class's values; computes the hot path's form of them.
int sched_change_class(const struct sched_class *k, uint32_t class);
void sched_change_rule(struct sched *s, uint32_t class);

// An MS's clock stops while the MS is frozen or its own R is 0; `bit` is the state that changes.
void sched_change_standing(struct sched *s, uint32_t ms, uint8_t bit, bool on, uint64_t now_ns);

// Sets a cell's level that the BSS has not told.
int sched_change_bvc_level(struct sched *s, uint32_t bvc, uint64_t level, uint64_t now_ns);

// ---- sched_sizes_slow.c: effective buckets ----
// Stores an offered Bmax, of whose level the BSS has told nothing yet, and returns terms with the
// effective Bmax. ms_rate: of MSs without values of their own.
struct bucket_terms sched_sizes_of_bvc(struct sched *s, uint32_t bvc, struct bucket_terms offered,
                                       uint32_t ms_rate);
struct bucket_terms sched_sizes_of_default(struct sched *s, uint32_t bvc,
                                           struct bucket_terms offered);
struct bucket_terms sched_sizes_of_ms(struct sched *s, uint32_t ms, struct bucket_terms offered);
struct bucket_terms sched_sizes_of_pfc(struct sched *s, uint32_t ms, uint32_t slot,
                                       struct bucket_terms offered);
// The BSS tells the level of that Bmax.
void sched_sizes_bvc_told(struct sched *s, uint32_t bvc);
void sched_sizes_ms_told(struct sched *s, uint32_t ms);
void sched_sizes_pfc_told(struct sched *s, uint32_t ms, uint32_t slot);
// A new cell without MSs; its reset; an MS that enters or leaves a cell; an MS whose largest N201-U
// was `was`.
void sched_sizes_bvc_begins(struct sched *s, uint32_t bvc);
void sched_sizes_bvc_reset(struct sched *s, uint32_t bvc);
void sched_sizes_ms_begins(struct sched *s, uint32_t ms);
void sched_sizes_ms_comes(struct sched *s, uint32_t ms, uint32_t bvc);
void sched_sizes_ms_goes(struct sched *s, uint32_t ms, uint32_t bvc);
uint32_t sched_sizes_n201_u(const struct sched *s, uint32_t ms);
void sched_sizes_ms_changes(struct sched *s, uint32_t ms, uint32_t was);

// ---- sched_share_slow.c ----
// Gives the PFC a bucket of its own, without values; the other PFCs keep the shared bucket.
void sched_share_part(struct sched *s, uint32_t ms, uint32_t slot);
// Moves the offered Bmax of a bucket that passes from one slot to another.
void sched_sizes_pfc_passes(struct sched *s, uint32_t ms, uint32_t from, uint32_t to);

// Drops the PFC's queue, as far as the list of drops has room.
int sched_change_flush(struct sched *s, uint32_t pfc, enum drop_reason reason);

#endif
