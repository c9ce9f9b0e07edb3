// The counters of the control plane: those of counts.def, and the received and sent PDUs by their
// name in dataplane/wire; and its gauges. Control's thread writes; any thread may read.
#ifndef SLUICE_CONTROL_PLANE_COUNTS_H
#define SLUICE_CONTROL_PLANE_COUNTS_H

#include <stdint.h>

enum count_name {
#define COUNT(name, help) COUNT_##name,
#include "control/plane/counts.def"
#undef COUNT
    COUNT_COUNT
};

enum gauge_name {
#define GAUGE(name, help) GAUGE_##name,
#include "control/plane/gauges.def"
#undef GAUGE
    GAUGE_COUNT
};

struct count_description {
    const char *name, *help;
};
extern const struct count_description count_descriptions[COUNT_COUNT], count_gauges[GAUGE_COUNT];

// The PDUs in the order of wire_pdus.
enum counts_pdu {
#define PDU(name, LIST, help) COUNTS_PDU_##name,
#include "dataplane/wire/pdus.def"
#undef PDU
#define TLV_PDU(group, name, NAME, type, help) COUNTS_PDU_##name,
#include "dataplane/wire/tlv.def"
#undef TLV_PDU
    COUNTS_PDUS
};

struct counts {
    uint64_t count[COUNT_COUNT], gauge[GAUGE_COUNT];
    uint64_t pdu_in[COUNTS_PDUS], pdu_out[COUNTS_PDUS];
};

static inline void counts_add(uint64_t *count, uint64_t n)
{
    __atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

static inline uint64_t counts_read(const uint64_t *count)
{
    return __atomic_load_n(count, __ATOMIC_RELAXED);
}

#endif
