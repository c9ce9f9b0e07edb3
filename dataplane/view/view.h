// The state of NSEs, cells and MSs as their worker sees it, for a query from another
// thread. Each struct is described field by field, so that JSON and metrics come from the tables.
//
// A query is a mailbox: the asker fills in the query, publishes it (dp_ask), and may read the
// answer when the worker has let go of it (dp_answered). The worker looks at one pointer a poll and
// answers with a bounded number of records, so no packet waits longer than for those; nothing is
// locked, and nothing is read while it is written. One question at a time for each worker.
#ifndef SLUICE_VIEW_VIEW_H
#define SLUICE_VIEW_VIEW_H

#include "dataplane/base/classes.h"
#include "dataplane/stats/stats.h"
#include "dataplane/wire/field.h"

// R and Bmax in force, and B: what of it the BSS still has, as octets and as time at R.
#define VIEW_BUCKET(MUST, MAY, T)                                            \
    MAY(T, U64, rate_bit_per_s, 0, UINT64_MAX, "R in force; none: no limit") \
    MUST(T, U32, bucket_octets, 0, UINT32_MAX, "Bmax in force")              \
    MUST(T, U64, level_octets, 0, UINT64_MAX, "B, the level of the bucket")  \
    MAY(T, U64, delay_ns, 0, UINT64_MAX,                                     \
        "B x 8 / R, the time to empty the bucket; none: no limit, or stopped")
#define VIEW_QUEUE(MUST, T)                                    \
    MUST(T, U32, queued_npdus, 0, UINT32_MAX, "N-PDUs queued") \
    MUST(T, U64, queued_octets, 0, UINT64_MAX, "octets queued")
#define VIEW_SOJOURN(MUST, T, help) MUST(T, U64, sojourn_ns, 0, UINT64_MAX, help)
// A struct's members from down_frames on are counters; those before it are not.
#define VIEW_FATE(MUST, T)                                 \
    MUST(T, U64, marks, 0, UINT64_MAX, "N-PDUs marked CE") \
    MUST(T, U64, dropped_npdus, 0, UINT64_MAX, "N-PDUs dropped")

#define VIEW_NSE_FIELDS(MUST, MAY, T)                       \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the NSE") \
    VIEW_BUCKET(MUST, MAY, T)                               \
    VIEW_QUEUE(MUST, T)                                     \
    MUST(T, U32, cells, 0, UINT32_MAX, "cells of the NSE")  \
    MUST(T, BOOL, waits, 0, 1, "waits for its bucket")      \
    MUST(T, BOOL, stopped, 0, 1, "stopped by R = 0")
#define VIEW_BVC_FIELDS(MUST, MAY, T)                                                            \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the cell")                                     \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the cell's NSE")                               \
    MUST(T, U16, bvci, 0, 0xffff, "BVCI")                                                        \
    VIEW_BUCKET(MUST, MAY, T)                                                                    \
    VIEW_QUEUE(MUST, T)                                                                          \
    VIEW_SOJOURN(MUST, T, "wait of the oldest N-PDU at the head of a class")                     \
    MUST(T, U64, sent_sojourn_ns, 0, UINT64_MAX, "wait of the N-PDU that was sent last")         \
    MUST(T, U32, mss, 0, UINT32_MAX, "MSs in the cell")                                          \
    MAY(T, U64, ms_rate_bit_per_s, 0, UINT64_MAX, "default R of the cell's MSs; none: no limit") \
    MUST(T, U32, ms_bucket_octets, 0, UINT32_MAX, "default Bmax of the cell's MSs")              \
    MUST(T, BOOL, waits, 0, 1, "waits for its bucket")                                           \
    MUST(T, BOOL, stopped, 0, 1, "stopped by R = 0, or without flow control values yet")         \
    MUST(T, BOOL, blocked, 0, 1, "blocked by command")                                           \
    MUST(T, U64, down_frames, 0, UINT64_MAX, "LLC PDUs sent to the cell")                        \
    MUST(T, U64, down_octets, 0, UINT64_MAX, "octets of LLC PDUs sent to the cell")              \
    MUST(T, U64, up_frames, 0, UINT64_MAX, "LLC PDUs of user data from the cell")                \
    MUST(T, U64, up_octets, 0, UINT64_MAX, "octets of LLC PDUs of user data from the cell")      \
    VIEW_FATE(MUST, T)
#define VIEW_MS_FIELDS(MUST, MAY, T)                                                      \
    MUST(T, U32, ms_id, 0, UINT32_MAX, "index of the MS")                                 \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the MS's cell")                         \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI")                                             \
    MUST(T, BOOL, own, 0, 1, "has a bucket of its own, not the cell's default")           \
    VIEW_BUCKET(MUST, MAY, T)                                                             \
    VIEW_QUEUE(MUST, T)                                                                   \
    VIEW_SOJOURN(MUST, T, "wait of the oldest N-PDU, without the time frozen")            \
    MUST(T, BOOL, waits, 0, 1, "waits for its bucket")                                    \
    MUST(T, BOOL, stopped, 0, 1, "stopped by R = 0")                                      \
    MUST(T, BOOL, frozen, 0, 1, "the MS's queue waits and does not age")                  \
    MUST(T, BOOL, held_by_control, 0, 1, "frozen by command")                             \
    MUST(T, BOOL, held_until_heard, 0, 1, "frozen until a frame of the MS arrives")       \
    MUST(T, U64, down_frames, 0, UINT64_MAX,                                              \
         "LLC PDUs of user data sent to the MS since its last key")                       \
    MUST(T, U64, down_octets, 0, UINT64_MAX, "octets of all LLC PDUs sent to the MS")     \
    MUST(T, U64, up_octets, 0, UINT64_MAX, "octets of LLC PDUs of user data from the MS") \
    VIEW_FATE(MUST, T)
#define VIEW_PFC_FIELDS(MUST, MAY, T)                                                     \
    MUST(T, U8, slot, 0, 255, "slot of the MS's packet flow")                             \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by number")            \
    VIEW_BUCKET(MUST, MAY, T)                                                             \
    VIEW_QUEUE(MUST, T)                                                                   \
    VIEW_SOJOURN(MUST, T, "wait of the oldest N-PDU, without the time the MS was frozen") \
    MUST(T, BOOL, waits, 0, 1, "waits for its bucket")                                    \
    MUST(T, BOOL, stopped, 0, 1, "stopped by R = 0")
// A class of a cell, or of all (dp_query's queues), which has no sojourn.
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

enum view_kind {
    VIEW_STATS, // all counters of the worker
    VIEW_NSES,  // its NSEs and cells with ids in `first` to `end`
    VIEW_BVCS,
    VIEW_MSS,        // its MSs at places in `first` to `end`; `of`: those in that cell, or VIEW_ALL
    VIEW_PFCS,       // the packet flows of the MS at place `of`
    VIEW_BVC_CLASSES // the classes of cell `of`
};

#define VIEW_ALL    UINT32_MAX
#define VIEW_ROWS   64u   // records in an answer
#define VIEW_LOOKED 2048u // ids that the worker looks at for one answer

struct dp_query {
    enum view_kind kind;
    uint32_t first, end, of;
    // The answer: n records; those with ids from `next` on have not been looked at.
    uint32_t n, next;
    uint64_t now_ns;
    union {
        uint32_t ms_id;            // of VIEW_PFCS: the packet flows' MS
        uint32_t place[VIEW_ROWS]; // of VIEW_MSS: where each is
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

// The state that a worker answers from, and the published query; NULL: none.
struct state;
struct sched;
struct view {
    const struct state *state;
    const struct sched *sched;
    const struct stats_worker *stats;
    struct dp_query *query;
};

// As dp_answered and dp_ask, of one worker.
bool view_answered(const struct view *view);
void view_ask(struct view *view, struct dp_query *query);

// The worker's side: answers the published query and releases it.
void view_answer(struct view *view, uint64_t now_ns);

#endif
