// Answers of the telemetry socket out of described structs. An answer is a dictionary; records are
// dictionaries in it, for DPDK 22.11 knows no lists of them. DPDK cuts an answer at 16 KiB, so what
// is put in is counted and a page ends before that.
#ifndef SLUICE_CONTROL_EXPORT_ROWS_H
#define SLUICE_CONTROL_EXPORT_ROWS_H

#include "dataplane/dataplane.h"

struct rte_tel_data;

#define ROWS_OCTETS_MAX 15000u // of an answer, as JSON
#define ROWS_MOST       200u   // of DPDK's 256 entries

struct row {
    struct rte_tel_data *data;
    uint32_t octets; // as JSON, at least
};

// An empty one; data is NULL if there is no memory, and then nothing is put.
struct row row_begin(void);
void row_put(struct row *row, const char *name, uint64_t value);
void row_text(struct row *row, const char *name, const char *text);
// All fields of a struct that are there.
void row_fields(struct row *row, const struct field_record *record, const void *of);
// The reasons that are not 0; without any nothing.
void row_drops(struct row *row, const uint64_t *packets, const char *const *names, uint32_t n);
// Puts `inner` into `row`, and it is the outer one's from then on.
void row_inside(struct row *row, const char *name, struct row *inner);
void row_free(struct row *row);

#endif
