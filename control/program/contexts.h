// The PDP contexts of a run in real time, for whoever is to send to them: which TEID each has. They
// come and go with the configuration.
#ifndef SLUICE_CONTROL_PROGRAM_CONTEXTS_H
#define SLUICE_CONTROL_PROGRAM_CONTEXTS_H

#include <stdio.h>

#include "dataplane/base/json.h"
#include "dataplane/wire/field.h"

#define CONTEXT_GONE_FIELDS(MUST, MAY, T) \
    MUST(T, U32, pdp_id, 0, 4194303, "index of the PDP context")
#define CONTEXT_FIELDS(MUST, MAY, T)                                      \
    CONTEXT_GONE_FIELDS(MUST, MAY, T)                                     \
    MUST(T, DIGITS, imsi, 1, 15, "IMSI of its MS")                        \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of its MS")                   \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                                    \
    MAY(T, U32, teid, 1, UINT32_MAX, "TEID of our side; none: as before") \
    MUST(T, U32, address, 0, UINT32_MAX, "the MS's address")
FIELD_STRUCT(context, CONTEXT_FIELDS);
FIELD_STRUCT(context_gone, CONTEXT_GONE_FIELDS);

struct contexts {
    struct context *list; // by pdp_id; without a TEID there is none
    uint32_t n, room;     // how many there are
    bool changed;         // since whoever writes them down has begun
    bool asked;           // `written` waits, so they are whole
    bool writing;         // the file is being written
    int fault;            // 0, or why they could not be written last, -errno
    struct json json;     // being written, up to `next`
    uint32_t next;
};

void contexts_release(struct contexts *contexts);

// What Lua may call; the target is the struct contexts.
extern const struct field_call contexts_calls[];
extern const uint32_t contexts_call_count;

// As JSON: a list, an object each. In pieces, for there may be millions: begin, then put until it
// says true. What changes in between may be missing: then begin anew.
void contexts_begin(struct contexts *contexts, FILE *out);
bool contexts_put(struct contexts *contexts);

#endif
