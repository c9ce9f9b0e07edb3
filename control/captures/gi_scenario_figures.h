// What a scenario takes from all of a capture: the network around its users.
#ifndef SLUICE_CAPTURES_GI_SCENARIO_FIGURES_H
#define SLUICE_CAPTURES_GI_SCENARIO_FIGURES_H

#include "lab/captures/gi/gi_vectors.h"

#define GI_SCENARIO_WAIT_MOST_US 80000000

// Each is within what its key of a configuration may have.
struct gi_scenario_figures {
    uint64_t users;
    uint64_t rate_bit_per_s, up_rate_bit_per_s; // down: the median of the users that have one
    bool rate_is_known, up_is_known;
    uint64_t way_us, setup_us; // between the SGSN and the user, each way; what a set-up takes more
    uint64_t internet_us, internet_lost_ppm; // each way
    uint64_t queue_octets, lost_ppm;         // lost_ppm: while little was under way
    bool queue_full, queue_by_losses;        // it has overflown; and what was lost tells its size
    uint64_t longest_wait_us;  // a packet that has waited for so long is dropped; 0: not seen
    uint64_t seconds, begin_s; // begin_s: when its cells are all there
};

struct gi_scenario_figures gi_scenario_figures_of(const struct gi_vectors *vectors);

// Of the channel down, in bit/s; 0: not known.
uint64_t gi_scenario_rate(const struct gi_vector_user *user);
// Of octets in a time, as a configuration may have it.
uint64_t gi_scenario_rate_of(uint64_t octets, uint64_t us);

#endif
