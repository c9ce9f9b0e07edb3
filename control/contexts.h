// The PDP contexts of a run in real time, for whoever is to send to them: which TEID each has.
#ifndef SLUICE_CONTROL_CONTEXTS_H
#define SLUICE_CONTROL_CONTEXTS_H

#include <stdio.h>

#include "dataplane/wire/field.h"

#define CONTEXT_FIELDS(MUST, MAY, T)                      \
    MUST(T, DIGITS, imsi, 1, 15, "IMSI of its MS")        \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of its MS")   \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                    \
    MUST(T, U32, teid, 1, UINT32_MAX, "TEID of our side") \
    MUST(T, U32, address, 0, UINT32_MAX, "the MS's address")
FIELD_STRUCT(context, CONTEXT_FIELDS);

struct contexts {
    struct context *list;
    uint32_t n, room;
};

void contexts_release(struct contexts *contexts);

// What Lua may call; the target is the struct contexts.
extern const struct field_call contexts_calls[];
extern const uint32_t contexts_call_count;

// As JSON: a list, an object each. For results_write.
void contexts_put(const void *contexts, FILE *out);

#endif
