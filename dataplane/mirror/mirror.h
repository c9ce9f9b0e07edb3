// A mirror: what one worker copies of its frames for the capture of user traffic, as blocks of a
// pcapng file (draft-ietf-opsawg-pcapng), in a ring of octets. The worker alone writes, one reader
// in another thread takes, and neither waits: what has no room is counted as missed.
//
// A frame is copied where the device hands it over or takes it; a frame that the device refuses is
// not in the capture. A dropped packet is copied as it is when it ends, with the name of its reason
// as the comment and no direction: so a frame that is dropped is there twice, received and dropped.
#ifndef SLUICE_MIRROR_MIRROR_H
#define SLUICE_MIRROR_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/stats/stats.h"

struct rte_mbuf;

#define MIRROR_OCTETS    (8u << 20) // of a ring: 6 ms of 10 Gbit/s
#define MIRROR_SNAP_MOST 65535u

// The interfaces of the file, by their place in it. Dropped N-PDUs and uplink segments have no
// Ethernet header any more, so these have an interface of their own, of raw IP.
enum mirror_interface {
    MIRROR_GN = STATS_GN,
    MIRROR_GB = STATS_GB,
    MIRROR_NPDU,
    MIRROR_INTERFACES
};
extern const char *const mirror_interface_names[MIRROR_INTERFACES];

// The direction in epb_flags.
enum mirror_way { MIRROR_NONE, MIRROR_IN, MIRROR_OUT };

struct mirror_count {
    uint64_t copied, missed;
};

struct mirror {
    // The worker's.
    uint8_t *ring; // mapped twice in a row, so that no block is in two parts
    uint32_t snap_octets;
    uint64_t epoch_ns; // wall-clock time of the run's time 0
    uint64_t now_ns;   // wall-clock time of the worker's poll
    uint64_t next;     // behind the last block; it is the reader's as soon as it is before `head`
    uint64_t tail_seen;
    struct stats_worker *stats;
    struct mirror_count count[MIRROR_INTERFACES]; // since the mirror was opened; for any reader
    // The octets ever written, up to the end of a block, and those ever taken.
    uint64_t head __attribute__((aligned(64)));
    uint64_t tail __attribute__((aligned(64)));
};

// ---- The worker's side ----

// Copies frames, of which mirror_take gives the first n to the reader and forgets the others: a
// device tells how many it takes when they are no longer ours.
void mirror_put(struct mirror *mirror, enum mirror_interface interface, enum mirror_way way,
                struct rte_mbuf *const *frames, uint32_t n);
void mirror_take(struct mirror *mirror, enum mirror_interface interface, uint32_t n);

// A packet that ends; `drops` are the counters of its scope, `octets` those it counts as.
void mirror_dropped(void *mirror, const struct rte_mbuf *packet, enum drop_reason reason,
                    const struct stats_drop *drops, uint32_t octets);

// ---- The reader's side ----

// The octets that wait, all of them whole blocks, and their number. mirror_done gives their room
// back to the worker.
const uint8_t *mirror_waiting(const struct mirror *mirror, uint32_t *octets);
void mirror_done(struct mirror *mirror, uint32_t octets);

// The octets of the first blocks of `octets` that together have at most `most`.
uint32_t mirror_whole_blocks(const uint8_t *blocks, uint32_t octets, uint64_t most);

// ---- Slow ----

// At the worker's NUMA node, below 0 anywhere. NULL, with errno: no memory.
struct mirror *mirror_open(uint32_t snap_octets, uint64_t epoch_ns, struct stats_worker *stats,
                           int node);
void mirror_close(struct mirror *mirror);

// The blocks at the beginning of a file, and at the end of one that is complete: the section and
// its interfaces; what each of them has copied and missed. They return the octets.
#define MIRROR_ENDS_OCTETS 512u
uint32_t mirror_file_begin(uint8_t at[MIRROR_ENDS_OCTETS], uint32_t snap_octets,
                           const char *application);
uint32_t mirror_file_end(uint8_t at[MIRROR_ENDS_OCTETS], uint64_t now_ns,
                         const struct mirror_count sums[MIRROR_INTERFACES]);

#endif
