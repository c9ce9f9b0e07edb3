// The network around one worker: sends packets for MSs at random and takes what comes out. Where
// the ports are rings the buffers themselves come back, so each carries its stamp in a field of its
// own, whatever the path does with its octets; else the stamp is in the last octets of the packet.
#ifndef SLUICE_BENCH_THROUGHPUT_GENERATOR_H
#define SLUICE_BENCH_THROUGHPUT_GENERATOR_H

#include "bench/throughput/clock.h"
#include "bench/throughput/frames_up.h"
#include "bench/throughput/population.h"
#include "lab/base/histogram.h"

struct generator_counts {
    uint64_t offered, sent; // the rest was refused by a full port
    uint64_t pdus;          // that what was sent becomes: LLC PDUs, or upwards N-PDUs
    uint64_t frames;        // that came out
    uint64_t packets;       // of those, which end an N-PDU; counted with rings alone
};

// With a backlog: the MSs that are to get one packet more, in order, and the clock of the traffic.
struct generator_turns {
    uint32_t *ms;
    uint32_t first, n, room;
    uint64_t rounds, start_ns;
};

struct generator {
    struct frames_up up;
    const struct population *population;
    uint32_t worker;
    struct population_share share;
    enum stats_side in_side; // where it sends
    struct port_end in, out;
    bool rings;
    uint32_t address; // of ours, that it sends to; 0: all have one, which the frames have
    uint64_t random;
    uint32_t put;   // frames, downwards
    uint64_t stamp; // of what is sent next: the clock, in cycles
    struct generator_counts count;
    // Dropped before it was there: a port that has frames by itself does not wait.
    uint64_t early, early_drops[DROP_COUNT];
    uint64_t dropped;          // as it was when somebody last looked
    struct histogram *latency; // in ns; NULL: not wanted
    struct generator_turns turns;
    uint64_t pause_ns; // a turn of a trial that takes longer is a pause; 0: not known yet
    // The next one in a search: of the other way, or of the next worker; NULL: none.
    struct generator *other;
    bool shares_queue; // its frames go into the first one's queue
};

// `first`: the first worker's, whose devices it uses, too; NULL: this is the first. False, with the
// reason on stderr. Closed in reverse order.
bool generator_open(struct generator *g, const struct population *population, uint32_t worker,
                    enum stats_side in_side, const struct generator *first);
void generator_close(struct generator *g);

// n packets, OPTIONS_BURST at most; those that the port refuses are lost.
void generator_send(struct generator *g, uint32_t n);
// One for each of these MSs.
void generator_send_to(struct generator *g, const uint32_t *ms, uint32_t n);
// Takes a burst of what came out; returns how many frames.
uint32_t generator_receive(struct generator *g);

const struct stats_worker *generator_stats(const struct generator *g);
uint64_t generator_dropped(const struct generator *g); // packets, by Sluice
// What came to its worker's port, which over devices may be for others: over rings what was sent,
// else what the port says.
uint64_t generator_came(const struct generator *g);
// Of this and all others behind it: what devices have lost between them and all workers, both ways.
uint64_t generator_astray(const struct generator *g);
// Of the same, what has come back: over rings as they have counted it, else, since they see
// segments and not what these end, as Sluice has sent it.
uint64_t generator_finished(const struct generator *g);
// Over devices the frames of a worker may come to another one, which has to hand them on: polls all
// others, whose threads stand.
void generator_poll_others(const struct generator *g, uint64_t now_ns);
// What has neither come out nor been dropped.
uint64_t generator_inside(const struct generator *g);

// Of this and all others behind it: polls and receives until nothing is inside, or for a second.
// The workers' threads stand.
void generator_drain(struct generator *g);
// After that: NULL, or what does not add up of them together.
const char *generator_fault(const struct generator *g);
// Adds what Sluice has dropped, by reason.
void generator_drops(const struct generator *g, uint64_t packets[DROP_COUNT]);

#endif
