// Makes answers of the telemetry socket from described structs. An answer is a dictionary of
// dictionaries, since DPDK 22.11 has no lists of them. DPDK cuts an answer at 16 KiB, so the octets
// are counted, and a page ends before that.
#ifndef SLUICE_CONTROL_EXPORT_ROWS_H
#define SLUICE_CONTROL_EXPORT_ROWS_H

#include "dataplane/dataplane.h"

struct rte_tel_data;

#define ROWS_OCTETS_MAX 15000u // of an answer, as JSON
#define ROWS_MOST       200u   // entries of a page; DPDK allows 256

struct row {
    struct rte_tel_data *data;
    uint32_t octets; // as JSON, at least
};

// An empty row; without memory data is NULL, and further calls do nothing.
struct row row_begin(void);
void row_put(struct row *row, const char *name, uint64_t value);
void row_text(struct row *row, const char *name, const char *text);
// Puts all fields of a struct except absent optional ones.
void row_fields(struct row *row, const struct field_record *record, const void *of);
// Puts "drops" with the reasons that are not 0; nothing if all are 0.
void row_drops(struct row *row, const uint64_t *packets, const char *const *names, uint32_t n);
// Puts `inner` into `row`, which owns it from then on.
void row_inside(struct row *row, const char *name, struct row *inner);
void row_free(struct row *row);

#endif
