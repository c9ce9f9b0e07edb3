// A world and, pair by pair of cell and class, what its traffic asks for: what goes is compared
// with progressive filling (tests/oracle/filling.h), as S3 says it.
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_SHARES_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_SHARES_H

#include "tests/dataplane/sched/world.h"
#include "tests/oracle/filling.h"

#define SHARES_LLC_MOST 1526.0
#define SHARES_BANK_S   0.2
#define SHARES_TWINS    16

struct shares {
    struct world *w;
    struct filling_pair pair[FILLING_PAIRS];
    double cell_rate[FILLING_CELLS], pipe_rate; // octets/s
    double ms_bank_s;                           // Bmax of MSs and PFCs: R times this, and one N-PDU
    uint64_t before[FILLING_PAIRS];
    struct shares_twins {
        uint32_t pfc[2];
        uint64_t before[2];
    } twins[SHARES_TWINS];
    uint32_t twins_count;
};

// How a context asks for so many octets/s: by its MS's bucket, its own, or as a steady source of
// that rate.
enum shares_way { BY_MS, BY_PFC, BY_SOURCE };

// N-PDUs of one context of an MS.
struct shares_context {
    uint32_t cell;
    enum traffic_class traffic_class;
    double demand; // octets/s; INFINITY: all it can get
    enum shares_way way;
    uint16_t least, most;
    uint8_t lle;
};

double shares_octets_per_s(struct bucket_terms terms);
// Bmax of so many seconds of the rate and one PDU.
struct bucket_terms shares_deep(double bit_per_s, double s);
// Every order of magnitude alike.
double shares_draw_rate(uint64_t *random, double least, double most);

struct shares *shares_open(const struct sched_config *config, struct bucket_terms cir);
uint32_t shares_cell(struct shares *t, struct bucket_terms terms);
// One more context in that slot of the MS; gives its PFC.
uint32_t shares_add(struct shares *t, uint32_t ms, uint32_t slot, struct shares_context context);
// One more MS of that pair, its N-PDUs in one piece.
void shares_ms(struct shares *t, uint32_t b, enum traffic_class class, double demand,
               enum shares_way way, uint16_t least, uint16_t most);
// A second context beside this one, in the MS's next slot, of its class, sizes and LLE, and greedy.
// If they are of signalling, which goes first, only their MS's bucket makes them wait: whatever
// both get together, each gets half of it.
void shares_twin(struct shares *t, uint32_t pfc, uint16_t least, uint16_t most);
// Lets it warm up and measures, judges each pair and all twins of signalling, and ends it.
void shares_judge(struct shares *t, double warm_s, double measure_s);

#endif
