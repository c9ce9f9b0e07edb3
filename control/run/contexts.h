// The PDP contexts of a run in real time with their TEIDs, for contexts.json: a GGSN that sends to
// the contexts needs the TEIDs. A reload adds and removes contexts.
#ifndef SLUICE_CONTROL_RUN_CONTEXTS_H
#define SLUICE_CONTROL_RUN_CONTEXTS_H

#include <stdio.h>

#include "dataplane/dataplane.h"
#include "lab/base/json.h"
#include "dataplane/wire/field.h"

#define CONTEXT_GONE_FIELDS(MUST, MAY, T) \
    MUST(T, U32, pdp_id, 0, 4194303, "index of the PDP context")
#define CONTEXT_FIELDS(MUST, MAY, T)                                     \
    CONTEXT_GONE_FIELDS(MUST, MAY, T)                                    \
    MUST(T, DIGITS, imsi, 1, 15, "IMSI of its MS")                       \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of its MS")                  \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                                   \
    MAY(T, U32, teid, 1, UINT32_MAX, "the SGSN's TEID; none: unchanged") \
    MUST(T, U32, address, 0, UINT32_MAX, "the MS's address")
FIELD_STRUCT(context, CONTEXT_FIELDS);
FIELD_STRUCT(context_gone, CONTEXT_GONE_FIELDS);

struct contexts {
    const struct dp *dp;
    const struct dp_addresses *sgsn; // by worker; NULL, or n 0: all contexts have the address of gn
    struct context *list;            // by pdp_id; TEID 0: no such context
    uint32_t n, room;                // contexts; places in the list
    // The number of changes so far; when the writing of the file has begun last; when that of the
    // last one to end had begun; and that which `written` waits for, 0: it does not.
    uint64_t changes, begun, done, asked;
    bool writing;     // the file is being written
    int fault;        // of the last write, -errno; 0: none
    struct json json; // being written
    uint32_t next;    // the next pdp_id to write
};

void contexts_release(struct contexts *contexts);

// The calls for Lua; their target is the struct contexts.
extern const struct field_call contexts_calls[];
extern const uint32_t contexts_call_count;

// Writes a JSON list with an object for each context, in pieces, for there may be millions: call
// contexts_begin, then contexts_put until it returns true. Of a change meanwhile it has some or
// all.
void contexts_begin(struct contexts *contexts, FILE *out);
bool contexts_put(struct contexts *contexts);

#endif
