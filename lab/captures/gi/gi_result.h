// A flow that has ended, as it is written and as the tables count it: the fields of gi_flow.def.
#ifndef SLUICE_GI_RESULT_H
#define SLUICE_GI_RESULT_H

#include "lab/captures/gi/gi_flow.h"

// A value that there is not. Numbers are signed for its sake.
#define GI_NONE INT64_MIN

enum gi_kind {
    GI_KIND_ADDRESS, // of IPv6; IPv4 is mapped
    GI_KIND_WORD,    // one of a few, which stay
    GI_KIND_COUNT,   // a whole number
    GI_KIND_NS,      // nanoseconds
    GI_KIND_RATE,    // bit/s
    GI_KIND_SHARE,   // parts per million
    GI_KIND_FLAG     // 0 or 1
};

#define GI_TYPE_ADDRESS(name) struct ipv6_address name
#define GI_TYPE_WORD(name)    const char *name
#define GI_TYPE_COUNT(name)   int64_t name
#define GI_TYPE_NS(name)      int64_t name
#define GI_TYPE_RATE(name)    int64_t name
#define GI_TYPE_SHARE(name)   int64_t name
#define GI_TYPE_FLAG(name)    int64_t name

struct gi_result {
#define FIELD(kind, name, help) GI_TYPE_##kind(name);
#include "lab/captures/gi/gi_flow.def"
#undef FIELD
};

struct gi_field {
    const char *name, *help;
    enum gi_kind kind;
    size_t at;
};
extern const struct gi_field gi_fields[];
extern const size_t gi_fields_count;

// Ends the halves of the flow. zone_s: what the hours of the day are ahead of UTC.
void gi_result_of(struct gi_result *result, struct gi_flow *flow, int32_t zone_s,
                  struct gi_records *records);

#endif
