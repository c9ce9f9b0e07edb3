// What the parts of path_fuzz share: one dataplane over a pair of rings a port, planted with NSEs,
// cells, MSs, PDP contexts and GGSNs, and what has gone in and come out of it.
#ifndef TESTS_FUZZ_PATH_H
#define TESTS_FUZZ_PATH_H

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input.h"

enum {
    PATH_WORKERS = 2,
    PATH_NSES = 2, // one a worker
    PATH_NSVCS = 6,
    PATH_GGSNS = 4,
    PATH_BVCS = 4,
    PATH_MSS = 12,
    PATH_PDPS = 24,
    PATH_SLOTS = 3,
    PATH_MSS_MANY = 700, // with a PDP context for each NSAPI
    PATH_NSAPIS = 11,
    PATH_MTU_OCTETS = 1200,
    PATH_MTU_OCTETS_MANY = 3000, // of Gn
    PATH_VLAN = 300,             // of Gb
    PATH_FRAME_OCTETS = 9216     // the largest that goes in
};

struct path {
    struct dp *dp;
    struct dp_worker *worker[PATH_WORKERS];
    struct dp_far_end end[PATH_WORKERS][STATS_SIDES];
    uint64_t now_ns, next_ns;
    bool asleep[PATH_WORKERS]; // not polled
    uint32_t polls;
    uint32_t pdps, mss; // planted
    bool stalled[STATS_SIDES];
    bool events_left; // control takes none
    bool faultless;   // frames are good
};
extern struct path path;

// Sums over all dataplanes of this process.
struct path_totals {
    uint64_t frames, commands, events[EVENT_COUNT];
    struct stats_worker stats; // counters alone
    uint64_t dropped[DROP_COUNT];
};
extern struct path_totals path_totals;

// ---- path_plant.c ----

struct dp_config path_config(void);
void path_plant(bool many);

// Who is on the network of a port, and the port itself: place 0. In either family.
struct ipv6_address path_address(enum stats_side side, bool ipv6, uint32_t place);
struct mac path_mac(enum stats_side side, uint32_t place);
uint16_t path_port(enum stats_side side, uint32_t place);
uint16_t path_mtu_octets(enum stats_side side);
uint16_t path_vlan(enum stats_side side); // Gn has none

// ---- path.c ----

void path_open(bool many);
void path_close(void); // every buffer must be back
// Removes all that there is, which must leave nothing behind, and plants anew.
void path_reset(void);

// Polls until the workers that are not asleep rest, and holds their books against themselves after
// each poll.
void path_poll(void);
void path_wake(void); // nobody sleeps or stalls, and control takes events

// The worker that has an MS, as far as it is known; the first if none has.
const struct state *path_state_of_ms(uint32_t ms);
uint32_t path_teid(uint32_t pdp);

// A frame of n octets for a worker's queue, in one buffer or cut at `cut` into more, with the word
// of a NIC and so much room behind it, if a buffer of the port's has it. It waits in the port's
// ring for the next poll; a ring that is full is polled empty first.
void path_give(uint32_t worker, enum stats_side side, const uint8_t *octets, uint32_t n,
               uint32_t cut, uint64_t nic_flags, uint32_t tailroom);
void path_take_events(void);

// ---- The others ----

void path_frame_from_input(enum stats_side side); // path_frame.c
void path_command_from_input(void);               // path_command.c
struct octets path_llc(uint32_t ms); // path_payload.c: an LLC frame of the MS, valid until the next
void path_check_frame(enum stats_side side, const uint8_t *b, uint32_t n); // path_check.c
void path_run_input(const uint8_t *data, size_t n);                        // path_fuzz.c
int path_count(uint64_t packets, uint64_t seed);                           // path_count.c

#endif
