// A plain model of what control knows for random_test.c: of each command whether it is
// accepted, what it changes, and what workers then have to know. On two workers; its limits and
// names are few, so that many of them are taken.
#ifndef SLUICE_TESTS_REGISTRY_MODEL_H
#define SLUICE_TESTS_REGISTRY_MODEL_H

#include "tests/dataplane/path/path.h"

#include "dataplane/worker.h"

#define WORKERS 2u
#define NSES    4u
#define NSVCS   6u
#define GGSNS   2u
#define BVCS    6u
#define CALLERS 6u // MSs
#define TUNNELS 8u // PDP contexts
// What each worker has room for.
#define WORKER_CALLERS 4u
#define WORKER_TUNNELS 6u
#define SLOTS          3u
#define PORTS          5u // of BSSs
#define TLLIS          8u
#define BVCIS          4u
#define NO_GGSN        99u

struct registry_model {
    struct {
        bool made;
    } nse[NSES];
    struct {
        bool made, gtpc;
    } ggsn[GGSNS];
    struct {
        bool made;
        uint32_t nse, port;
    } nsvc[NSVCS];
    struct {
        bool made, going; // going: its worker has not come past its removal
        bool kept;        // though it was to be removed, and this has not been told yet
        uint32_t nse, bvci;
        uint64_t removed; // if it goes: commands that its worker has carried out once it has gone
    } bvc[BVCS];
    struct {
        bool made, slot[SLOTS], keyed, has_old_tlli, to_come; // to_come: it is not the former one
        uint32_t bvc, tlli, old_tlli, number;                 // of UI frames that it has sent
        // commands that its worker has carried out once it knows where control put it; that it is
        // to be held until it is heard
        uint64_t said, hold_said;
        bool by_control, until_heard, paged;
        bool unsure; // it has gone to another worker, so control may not have heard of its end
    } ms[CALLERS];
    struct {
        bool made, ended; // ended: its uplink
        bool unsure;      // its GGSN has sent since, so the worker may have let the uplink go on
        uint32_t ms, slot, nsapi, sapi, ggsn, ggsn_teid, teid;
    } pdp[TUNNELS];
};
extern struct registry_model model;

// The parameters that its AQM has from the beginning, which are accepted; or one too few.
void model_aqm_params(struct command_class_aqm *c, bool good);

// Told of by workers: moves that counted, that came too late, of those into cells that have gone
// since; and cells that were kept.
extern uint32_t model_moves, model_late_moves, model_ahead, model_kept, model_pages, model_heard,
    model_tunnels;
// Moves that were refused because the other worker was full.
extern uint32_t model_full;

static inline struct dp_worker *worker(uint32_t w)
{
    return dp_worker(p.dp, w);
}

// A dataplane and a model of it, with NSE 0, NS-VC 0 and cell 0.
void model_open(void);

uint32_t model_nse_of(uint32_t ms);
bool model_has_bvc(uint32_t bvc);
bool model_bvc_empty(uint32_t bvc);

bool model_has_room_for_ms(uint32_t bvc);
bool model_has_room_for_pdp(uint32_t ms);
bool model_has_room_for_moving(uint32_t ms, uint32_t bvc);

bool model_accepts(const struct command *c);
void model_note(const struct command *c, uint32_t teid); // it was accepted

// A removal of a cell is decided once its worker has come past it.
void model_settle(void);
bool model_take_event(void); // false: there is none

// At rest: workers know what the model knows, each of it under its name, and nothing else.
void model_expect(void);

#endif
