// The interface of every AQM. An AQM advises: it returns pass, mark, drop or stale and never
// touches the queue; the caller drops, marks and counts. An AQM knows no queue, buffer or clock: it
// reads struct aqm_view and its own vars.
//
// params: human units, one uint64_t each, in the order of the AQM's table; config: machine units,
// made once by configure, then const; vars: `vars_octets` for each queue, zeroed by the queue's
// owner and then reset. Hot functions use integers only.
#ifndef SLUICE_AQM_AQM_H
#define SLUICE_AQM_AQM_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/rng.h"

// AQM_DROP is a signal, which the scheduler may leave out (aqm_spares); AQM_STALE is none.
enum aqm_verdict { AQM_PASS, AQM_MARK, AQM_DROP, AQM_STALE };

// A queue as its AQM sees it. At enqueue the counts exclude this N-PDU; at dequeue this N-PDU is
// the head and included.
struct aqm_view {
    uint64_t now_ns;     // of one MS's queue its MS's clock, which stops while the MS is frozen
    uint64_t sojourn_ns; // of this N-PDU, without the time its MS was frozen; 0 at enqueue
    uint32_t pdu_octets;
    uint32_t queue_octets, queue_pdus;
    uint32_t share_octets_per_s; // read by aqm_share(); 0: not computed yet
    bool ect;                    // the N-PDU may be marked
    struct rng *rng;
    uint32_t *pdu_word; // 32 bits of the AQM's own that stay with the N-PDU
    // Computes the share on demand, as most N-PDUs are judged without it. owner: its argument.
    uint32_t (*share_of)(const struct aqm_view *view);
    // For a queue of many MSs: N-PDUs that go ahead of this one, if MSs take turns and each of
    // those that wait has as many queued as this one's MS. Else NULL.
    uint32_t (*ahead_of)(const struct aqm_view *view);
    void *owner;
    uint32_t owner_id, owner_flows; // owner_flows: that have the share between them
};

// The rate that this queue can expect; never 0.
static inline uint32_t aqm_share(const struct aqm_view *view)
{
    return view->share_octets_per_s ? view->share_octets_per_s : view->share_of(view);
}

enum aqm_unit {
    AQM_TIME,        // ns
    AQM_SIZE,        // octets
    AQM_COUNT,       // a plain number
    AQM_PROBABILITY, // millionths
    AQM_SWITCH,      // 0 or 1
    AQM_LEVEL        // a queue length in time, octets or N-PDUs: see aqm_level
};

struct aqm_param {
    const char *name; // without a unit, which is `unit`
    enum aqm_unit unit;
    uint64_t least, most, standard; // of an AQM_LEVEL: the range in each of its units
    const char *help;
};

// A level carries its unit in its top two bits.
#define AQM_LEVEL_UNIT_SHIFT 62
enum aqm_level_unit { AQM_LEVEL_TIME, AQM_LEVEL_OCTETS, AQM_LEVEL_PDUS };
#define AQM_LEVEL_OF(unit, value) ((uint64_t)(unit) << AQM_LEVEL_UNIT_SHIFT | (uint64_t)(value))

static inline enum aqm_level_unit aqm_level_unit(uint64_t level)
{
    return (enum aqm_level_unit)(level >> AQM_LEVEL_UNIT_SHIFT);
}

static inline uint64_t aqm_level_value(uint64_t level)
{
    return level & ((1ULL << AQM_LEVEL_UNIT_SHIFT) - 1);
}

#define AQM_PARAMS_MAX    12
#define AQM_CONFIG_OCTETS 128 // each AQM asserts that its own fits
#define AQM_VARS_OCTETS   48  // likewise

// While an AQM is calm, enqueue and dequeue would pass and leave the vars unchanged, so the caller
// may skip them. Calm: the first 4 octets of its vars are 0 (else the AQM is stirred), and the
// sojourn is below `below_ns`, or the octets that the queue's share carries in the sojourn are
// below `below_nano_octets` (in 1e-9 octet). Zeroes: never calm.
struct aqm_calm {
    uint64_t below_ns, below_nano_octets;
};

struct aqm_ops {
    const char *name, *help;
    const struct aqm_param *params;
    uint32_t param_count;
    uint32_t vars_octets; // state of one queue
    // NULL, or why these params contradict each other. Every param is in its range already.
    const char *(*configure)(void *config, const uint64_t *params);
    void (*reset)(const void *config, void *vars); // NULL: zeroed vars are the initial state
    // NULL: always pass. enqueue_if_empty: only an enqueue to an empty queue needs a call.
    enum aqm_verdict (*enqueue)(const void *config, void *vars, const struct aqm_view *view);
    enum aqm_verdict (*dequeue)(const void *config, void *vars, const struct aqm_view *view);
    bool enqueue_if_empty;
    struct aqm_calm (*calm)(const void *config); // NULL: never
    // NULL, or called when an N-PDU of this queue, still counted in, is dropped at a full limit.
    void (*full)(const void *config, void *vars, const struct aqm_view *view);
};

// Builds a table of parameters, and an index for each, from a list macro: see any discipline.
#define AQM_PARAM_INDEX(T, name, unit, least, most, standard, help) T##_##name,
#define AQM_PARAM_ENTRY(T, name, unit, least, most, standard, help) \
    {#name, unit, least, most, standard, help},

#define AQM(name) extern const struct aqm_ops aqm_##name;
#include "dataplane/aqm/aqm.def"
#undef AQM

extern const struct aqm_ops *const aqm_list[];
extern const uint32_t aqm_count;

// NULL if there is none of that name.
const struct aqm_ops *aqm_of_name(const char *name);

// A discipline with its parameters, set up.
struct aqm {
    const struct aqm_ops *ops;
    struct aqm_calm calm;
    bool marks; // its switch `ecn` is on: only then may anybody mark in its name
    alignas(16) uint8_t config[AQM_CONFIG_OCTETS];
};

// NULL, or the fault: a parameter out of its range (by name) or a contradiction.
const char *aqm_setup(struct aqm *aqm, const struct aqm_ops *ops, const uint64_t *params);
void aqm_standard_params(const struct aqm_ops *ops, uint64_t *params);

// Octets of a queue's vars: whole words, at least one for an AQM that is ever called.
static inline uint32_t aqm_vars_octets(const struct aqm_ops *ops)
{
    bool is_asked = ops->enqueue || ops->dequeue;
    uint32_t words = (ops->vars_octets + 7) / 8;
    return 8 * (words ? words : is_asked);
}

static inline bool aqm_is_stirred(const uint8_t *vars)
{
    uint32_t first;
    __builtin_memcpy(&first, vars, sizeof first);
    return first != 0;
}

// A share of 0 is unknown: then the sojourn alone decides.
static inline bool aqm_is_calm(const struct aqm_calm *calm, bool stirred, uint64_t sojourn_ns,
                               uint32_t share_octets_per_s)
{
    if (stirred)
        return false;
    return sojourn_ns < calm->below_ns ||
           (share_octets_per_s &&
            (unsigned __int128)sojourn_ns * share_octets_per_s < calm->below_nano_octets);
}

// The form of a congestion signal (RFC 3168): a mark if `ecn` is on and the N-PDU is ECT.
static inline enum aqm_verdict aqm_signal(bool ecn, const struct aqm_view *view)
{
    return ecn && view->ect ? AQM_MARK : AQM_DROP;
}

// Octets that the queue's share carries in `ns`, at most UINT32_MAX.
static inline uint64_t aqm_octets_in(const struct aqm_view *view, uint64_t ns)
{
    unsigned __int128 octets = (unsigned __int128)aqm_share(view) * ns / 1000000000u;
    return octets < UINT32_MAX ? (uint64_t)octets : UINT32_MAX;
}

// The time that the queue's share takes for `octets`, in ns.
static inline uint64_t aqm_time_of(const struct aqm_view *view, uint64_t octets)
{
    return octets * 1000000000u / aqm_share(view);
}

#endif
