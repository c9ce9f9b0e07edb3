// What an MS does at given times, as data: it moves to another cell, has a call (SUSPEND, RESUME),
// or is away, out of reach.
#ifndef SLUICE_LAB_LAB_EVENT_H
#define SLUICE_LAB_LAB_EVENT_H

#include "dataplane/base/units.h"
#include "dataplane/wire/field.h"

enum lab_event_kind { LAB_EVENT_MOVE, LAB_EVENT_SUSPEND, LAB_EVENT_AWAY, LAB_EVENT_KINDS };

#define LAB_EVENT_TIME_MOST (1000000 * S_IN_NS)
#define LAB_EVENT_FIELDS(MUST, KEY, T)                                                         \
    MUST(T, U8, kind, 0, LAB_EVENT_KINDS - 1, "what happens")                                  \
    KEY(T, TIME, at_ns, "event.at", NULL, 0, LAB_EVENT_TIME_MOST, 0,                           \
        "when, first; at once if that has passed when all cells are up")                       \
    KEY(T, TIME, spread_ns, "event.spread", NULL, 0, LAB_EVENT_TIME_MOST, 0,                   \
        "each MS begins at a random time up to this later")                                    \
    KEY(T, TIME, every_ns, "event.every", "once", 1 * MS_IN_NS, LAB_EVENT_TIME_MOST, 0,        \
        "again and again, from one start to the next")                                         \
    KEY(T, COUNT, times, "event.times", "without end", 1, 1000000000, 0,                       \
        "how often, with `every`")                                                             \
    KEY(T, TIME, lasts_ns, "event.lasts", "without end", 1 * MS_IN_NS, LAB_EVENT_TIME_MOST, 0, \
        "how long")
FIELD_KEYS_STRUCT(lab_event_config, LAB_EVENT_FIELDS);
extern const struct field_record lab_event_record;

// NULL, or what is wrong between the keys; names the key.
const char *lab_event_fault(const void *config);

#endif
