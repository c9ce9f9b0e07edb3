// The state of NSEs, cells and MSs in their worker, for a reader in another thread. Each struct is
// described field by field; JSON and metrics come from these tables.
//
// A query is a mailbox. The reader fills in the question, publishes the query (dp_ask), and reads
// the answer when the worker has released the query (dp_answered). The worker looks at one pointer
// a poll and answers with a bounded number of records: no packet waits for more than these. No lock
// is taken, and no record is read while it is written. A worker has one query at a time.
#ifndef SLUICE_VIEW_VIEW_H
#define SLUICE_VIEW_VIEW_H

#include "dataplane/base/classes.h"
#include "dataplane/stats/stats.h"
#include "dataplane/wire/field.h"

// R and Bmax in force, and B: what the BSS still has to send, in octets and in time at R.
#define VIEW_BUCKET(MUST, MAY, T)                                                                \
    MAY(T, U64, rate_bit_per_s, 0, UINT64_MAX, "rate of the bucket in force, R; none: no limit") \
    MUST(T, U32, bucket_octets, 0, UINT32_MAX, "size of the bucket in force, Bmax")              \
    MUST(T, U64, level_octets, 0, UINT64_MAX, "level of the bucket, B")                          \
    MAY(T, U64, delay_ns, 0, UINT64_MAX,                                                         \
        "time to empty the bucket, B x 8 / R; none: no limit, or stopped")
#define VIEW_QUEUE(MUST, T)                                    \
    MUST(T, U32, queued_npdus, 0, UINT32_MAX, "N-PDUs queued") \
    MUST(T, U64, queued_octets, 0, UINT64_MAX, "octets of queued N-PDUs")
#define VIEW_SOJOURN(MUST, T, help) MUST(T, U64, sojourn_ns, 0, UINT64_MAX, help)
// In each struct the members from down_frames on are counters; the members before it are not.
#define VIEW_FATE(MUST, T)                                       \
    MUST(T, U64, marks, 0, UINT64_MAX, "N-PDUs marked CE")       \
    MUST(T, U64, dropped_npdus, 0, UINT64_MAX, "N-PDUs dropped") \
    MUST(T, U64, discarded_frames, 0, UINT64_MAX,                \
         "LLC PDUs that the BSS has discarded (LLC-DISCARDED)")

#define VIEW_NSE_FIELDS(MUST, MAY, T)                             \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the NSE")       \
    VIEW_BUCKET(MUST, MAY, T)                                     \
    VIEW_QUEUE(MUST, T)                                           \
    MUST(T, U32, cells, 0, UINT32_MAX, "its cells")               \
    MUST(T, BOOL, waits, 0, 1, "1 while it waits for its bucket") \
    MUST(T, BOOL, stopped, 0, 1,                                  \
         "1 while R = 0 stops it, or it has no NS-VC that is not blocked or dead")
#define VIEW_BVC_FIELDS(MUST, MAY, T)                                                              \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the cell")                                       \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the cell's NSE")                                 \
    MUST(T, U16, bvci, 0, 0xffff, "BVCI")                                                          \
    VIEW_BUCKET(MUST, MAY, T)                                                                      \
    VIEW_QUEUE(MUST, T)                                                                            \
    VIEW_SOJOURN(MUST, T,                                                                          \
                 "longest wait of N-PDUs that are next, or were sent of late while any is queued") \
    MUST(T, U64, sent_sojourn_ns, 0, UINT64_MAX,                                                   \
         "longest wait of the last 32 to 64 LLC PDUs sent to it")                                  \
    MUST(T, U32, mss, 0, UINT32_MAX, "MSs in it")                                                  \
    MAY(T, U64, ms_rate_bit_per_s, 0, UINT64_MAX,                                                  \
        "default bucket rate of its MSs, R; none: no limit")                                       \
    MUST(T, U32, ms_bucket_octets, 0, UINT32_MAX, "default bucket size of its MSs, Bmax")          \
    MUST(T, BOOL, waits, 0, 1, "1 while it waits for its bucket")                                  \
    MUST(T, BOOL, stopped, 0, 1, "1 while R = 0 stops it, or it has no flow control values yet")   \
    MUST(T, BOOL, blocked, 0, 1, "1 while a command blocks it")                                    \
    MUST(T, U64, down_frames, 0, UINT64_MAX, "LLC PDUs sent to it")                                \
    MUST(T, U64, down_octets, 0, UINT64_MAX, "octets of LLC PDUs sent to it")                      \
    MUST(T, U64, up_frames, 0, UINT64_MAX, "LLC PDUs of user data from it")                        \
    MUST(T, U64, up_octets, 0, UINT64_MAX, "octets of LLC PDUs of user data from it")              \
    VIEW_FATE(MUST, T)
#define VIEW_MS_FIELDS(MUST, MAY, T)                                                    \
    MUST(T, U32, ms_id, 0, UINT32_MAX, "index of the MS")                               \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the MS's cell")                       \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI")                                           \
    MUST(T, BOOL, own, 0, 1, "1 with a bucket of its own, 0 with the cell's default")   \
    VIEW_BUCKET(MUST, MAY, T)                                                           \
    VIEW_QUEUE(MUST, T)                                                                 \
    VIEW_SOJOURN(MUST, T, "wait of the oldest N-PDU, less the time frozen")             \
    MUST(T, BOOL, waits, 0, 1, "1 while it waits for its bucket")                       \
    MUST(T, BOOL, stopped, 0, 1, "1 while R = 0 stops it")                              \
    MUST(T, BOOL, frozen, 0, 1, "1 while its queue waits and does not age")             \
    MUST(T, BOOL, held_by_control, 0, 1, "1 while frozen by command")                   \
    MUST(T, BOOL, held_until_heard, 0, 1, "1 while frozen until a frame of it arrives") \
    MUST(T, U64, down_frames, 0, UINT64_MAX,                                            \
         "LLC PDUs of user data sent to it since its last key")                         \
    MUST(T, U64, down_octets, 0, UINT64_MAX, "octets of all LLC PDUs sent to it")       \
    MUST(T, U64, up_octets, 0, UINT64_MAX, "octets of LLC PDUs of user data from it")   \
    VIEW_FATE(MUST, T)
#define VIEW_PFC_FIELDS(MUST, MAY, T)                                                          \
    MUST(T, U8, slot, 0, 255, "which packet flow of the MS")                                   \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "its traffic class, by number")             \
    VIEW_BUCKET(MUST, MAY, T)                                                                  \
    VIEW_QUEUE(MUST, T)                                                                        \
    VIEW_SOJOURN(MUST, T, "how long its oldest N-PDU has waited, less what its MS was frozen") \
    MUST(T, BOOL, waits, 0, 1, "for its bucket")                                               \
    MUST(T, BOOL, stopped, 0, 1, "by R = 0")
// A class of a cell, or of all NSEs (`queues` of dp_query; no sojourn is computed there).
#define VIEW_CLASS_FIELDS(MUST, MAY, T)                         \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "by number") \
    VIEW_QUEUE(MUST, T)                                         \
    VIEW_SOJOURN(MUST, T, "wait of the N-PDU at the head")
FIELD_STRUCT(view_nse, VIEW_NSE_FIELDS);
FIELD_STRUCT(view_bvc, VIEW_BVC_FIELDS);
FIELD_STRUCT(view_ms, VIEW_MS_FIELDS);
FIELD_STRUCT(view_pfc, VIEW_PFC_FIELDS);
FIELD_STRUCT(view_class, VIEW_CLASS_FIELDS);
extern const struct field_record view_nse_record, view_bvc_record, view_ms_record, view_pfc_record,
    view_class_record;

// N-PDUs dropped, by enum stats_npdu_drop.
struct view_drops {
    uint64_t npdus[STATS_NPDU_DROPS];
};

struct trace;
enum view_kind {
    VIEW_STATS,       // all counters of the worker
    VIEW_NSES,        // its NSEs with ids from `first` to `end` - 1
    VIEW_BVCS,        // its cells, in the same way
    VIEW_MSS,         // its MSs at places `first` to `end` - 1; `of`: the only cell, or VIEW_ALL
    VIEW_PFCS,        // the packet flows of the MS at place `of`
    VIEW_BVC_CLASSES, // the classes of cell `of`
    VIEW_TRACE        // none: the worker takes `trace` from now on, if it is not NULL
};

#define VIEW_ALL    UINT32_MAX
#define VIEW_ROWS   64u   // records in an answer
#define VIEW_LOOKED 2048u // ids that the worker looks at for one answer

struct dp_query {
    enum view_kind kind;
    uint32_t first, end, of;
    struct trace *trace;
    // The answer: n records. The worker has not looked at the ids from `next` on.
    uint32_t n, next;
    uint64_t now_ns;
    union {
        uint32_t ms_id;            // of VIEW_PFCS: the MS of these packet flows
        uint32_t place[VIEW_ROWS]; // of VIEW_MSS: the place of each MS
    };
    union {
        struct {
            struct stats_worker stats;
            struct view_class queues[CLASS_COUNT]; // of all NSEs; no sojourn
        };
        struct view_nse nse[VIEW_ROWS];
        struct {
            struct view_bvc bvc[VIEW_ROWS];
            struct view_drops bvc_drops[VIEW_ROWS];
        };
        struct {
            struct view_ms ms[VIEW_ROWS];
            struct view_drops ms_drops[VIEW_ROWS];
        };
        struct view_pfc pfc[VIEW_ROWS];
        struct view_class of_class[CLASS_COUNT];
    };
};

// What a worker answers from, and the published query; NULL: none.
struct state;
struct sched;
struct view {
    const struct state *state;
    const struct sched *sched;
    const struct stats_worker *stats;
    struct trace **trace;
    struct dp_query *query;
};

// As dp_answered and dp_ask, for one worker.
bool view_answered(const struct view *view);
void view_ask(struct view *view, struct dp_query *query);

// The worker's side: fills in the published query and releases the query.
void view_answer(struct view *view, uint64_t now_ns);

#endif
