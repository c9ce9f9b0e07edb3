// An application of one PDP context: what all of them have in common. A kind is a table row
// (app_kind) and a struct that begins with `struct app`, followed by its configuration.
#ifndef SLUICE_LAB_HOSTS_APP_H
#define SLUICE_LAB_HOSTS_APP_H

#include "lab/base/histogram.h"
#include "dataplane/base/rng.h"
#include "lab/hosts/flow_table.h"

#define APP_TIME_MOST   (1000000 * S_IN_NS)
#define APP_ERROR_ROOM  256
#define APP_OCTETS_MOST 1500 // of an IP packet

enum app_way { APP_DOWN, APP_UP };

static inline enum flow_end app_sender(uint32_t way)
{
    return way == APP_UP ? FLOW_MS : FLOW_HOST;
}

// The first keys of each application.
#define APP_KEYS(KEY, T, block)                                                         \
    KEY(T, TIME, start_ns, block ".start", NULL, 0, APP_TIME_MOST, 0, "when it begins") \
    KEY(T, TIME, stop_ns, block ".stop", "the end of the run", 1, APP_TIME_MOST, 0,     \
        "when it stops")                                                                \
    KEY(T, TIME, spread_ns, block ".spread", NULL, 0, APP_TIME_MOST, 0,                 \
        "each begins at a random time up to this later than start")

#define APP_WAY_KEY(KEY, T, block)                                           \
    KEY(T, CHOICE, way, block ".way", "down up", APP_DOWN, APP_UP, APP_DOWN, \
        "from the host to the MS, or up")

#define APP_ECT_KEY(KEY, T, block)                   \
    KEY(T, SWITCH, ect, block ".ecn", NULL, 0, 1, 0, \
        "whether its packets say that they may be marked, ECT(0) of RFC 3168")

struct app_span {
    uint64_t start_ns, stop_ns, spread_ns;
};

enum app_record {
#define APP_RECORD(name, help) APP_RECORD_##name,
#include "lab/hosts/app_records.def"
#undef APP_RECORD
    APP_RECORDS
};

extern const char *const app_record_names[APP_RECORDS];

struct app;

// For results, of which many applications share one; each may be NULL.
struct app_owner {
    void *self;
    void (*record)(void *self, const struct app *app, enum app_record what, uint64_t begin_ns,
                   uint64_t octets, uint64_t now_ns);
};
struct app_times {
    struct histogram of[APP_RECORDS];
};

// What all applications of a run share.
struct app_world {
    struct engine *engine;
    struct flow_table *table;
    struct app_owner owner;
    struct map ptt_groups;
    struct replay_file *replay_files;
    struct dialogue_file *dialogue_files;
    uint64_t seed;
    uint64_t mark_ns; // times of what began before are no figures
};

// Where an application runs. The stream is a number that no other application has.
struct app_place {
    struct app_world *world;
    struct app_times *times;
    uint32_t address[FLOW_ENDS];
    const struct tcp_profile *profile[FLOW_ENDS];
    uint64_t stream;
    struct app_times *batch; // counts each time, too; NULL: not
    bool waits;              // the owner's: it starts later than the others
};

struct app_tally {
    uint64_t n, octets, sum_ns, least_ns, most_ns;
};

// By end: what it sent and what arrived there, payload only: datagrams; or octets of TCP's stream,
// those acknowledged and those in order. Datagrams sent = arrived - duplicates + missing + those
// under way behind the last that arrived.
struct app_figures {
    struct net_count sent[FLOW_ENDS], arrived[FLOW_ENDS];
    uint64_t missing[FLOW_ENDS];    // datagrams before the latest that have not arrived
    uint64_t duplicates[FLOW_ENDS]; // that arrived before
    uint64_t late[FLOW_ENDS];       // that were overtaken
    uint64_t connections, aborted;  // of TCP
    uint64_t unanswered;            // pings
    uint64_t open;                  // pings that wait for their answer
    struct app_tally of[APP_RECORDS];
};

struct app_kind {
    const char *name, *help;
    const struct field_record *config;
    uint32_t octets, config_at; // of its struct; of the configuration in there
    // NULL, or what the values do not fit together for.
    const char *(*fault)(const void *config);
    // Once; false with a text in `error`. NULL: nothing to do.
    bool (*setup)(struct app *app, char error[APP_ERROR_ROOM]);
    void (*start)(struct app *app, uint64_t now_ns);
    void (*fire)(struct app *app, uint64_t now_ns); // the app's timer
    void (*stop)(struct app *app, uint64_t now_ns); // NULL: nothing but the timer
    void (*release)(struct app *app);               // NULL: nothing to free
};

extern const struct app_kind *const app_kinds[];
extern const uint32_t app_kind_count;

struct app {
    const struct app_kind *kind;
    struct app_place place;
    struct rng rng;
    struct engine_timer timer, stop;
    bool started;
    struct app_figures figures;
};

void app_world_setup(struct app_world *world, struct flow_table *table,
                     const struct app_owner *owner, uint64_t seed);
void app_world_release(struct app_world *world); // after its applications

// Copies the configuration. NULL, with the reason in `error`: the values do not fit together, or a
// file cannot be read.
struct app *app_create(const struct app_kind *kind, const void *config,
                       const struct app_place *place, char error[APP_ERROR_ROOM]);

// The application begins at its start, or now if that has passed, and later by what its spread
// draws.
void app_start(struct app *app, uint64_t now_ns);

// At the end of a run, behind flow_table_release, which ends its flows.
void app_destroy(struct app *app);

// From now on the application's figures start at 0. The owner sets the world's mark_ns, and clears
// the times.
void app_mark(struct app *app);

// For the kinds.
void app_wait(struct app *app, uint64_t t_ns); // sets the timer; not behind stop()
void app_record(struct app *app, enum app_record what, uint64_t begin_ns, uint64_t octets,
                uint64_t now_ns);
struct flow_config app_flow(const struct app *app, uint8_t protocol, uint16_t port);

#endif
