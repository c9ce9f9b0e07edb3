// What a BSS said of its buckets over time, in a file: `sluice audit --scenario` writes it of a
// capture. A row without an IMSI is a FLOW-CONTROL-BVC of the cell, one with an IMSI a
// FLOW-CONTROL-MS of that MS, as long as it is in the cell. Rows are by time.
#ifndef SLUICE_LAB_BSS_TRACE_H
#define SLUICE_LAB_BSS_TRACE_H

#include <stdint.h>

#include "dataplane/wire/field.h"

#define BSS_TRACE_ROWS_MOST  4000000
#define BSS_TRACE_NAME_MOST  4095             // octets
#define BSS_TRACE_TIME_MOST  1000000000000000 // ns, as of a run
#define BSS_TRACE_ERROR_ROOM 300
#define BSS_TRACE_HEAD       "time_ns,imsi,bmax_octets,rate_bit_per_s,ms_bmax_octets,ms_rate_bit_per_s"

#define BSS_TRACE_FIELDS(MUST, KEY, T) \
    MUST(T, OCTETS, trace, 0, BSS_TRACE_NAME_MOST, "the file of the cell's flow control")
FIELD_KEYS_STRUCT(bss_trace_config, BSS_TRACE_FIELDS);
extern const struct field_record bss_trace_config_record;

struct bss_trace_row {
    uint64_t at_ns;
    struct digits imsi;                      // "": the cell
    uint64_t bmax_octets, r_bit_per_s;       // its own
    uint64_t ms_bmax_octets, ms_r_bit_per_s; // defaults of the cell's MSs
};

struct bss_trace {
    struct bss_trace_row *row;
    uint32_t rows, room;
};

// NULL with the reason in `error`, which begins with "trace: ".
struct bss_trace *bss_trace_read(const char *name, char error[BSS_TRACE_ERROR_ROOM]);
void bss_trace_free(struct bss_trace *trace);

#endif
