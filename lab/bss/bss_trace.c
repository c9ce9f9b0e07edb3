// See bss_trace.h: the file, and the cell that follows it. It says each row at its time, whenever
// the one before was, for the BSS of the capture did; between rows flow control goes on as ever.
#include "lab/bss/bss_trace.h"

#include <stdlib.h>
#include <string.h>

#include "lab/base/rows.h"
#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

#define IMSI_LEAST 6
#define IMSI_MOST  15

static const struct field trace_fields[] = FIELD_KEYS_TABLE(bss_trace_config, BSS_TRACE_FIELDS);
const struct field_record bss_trace_config_record = FIELD_RECORD_OF(bss_trace_config, trace_fields);

// ---- The file ----

static bool take_imsi(char **rest, struct digits *imsi)
{
    const char *text = rows_field(rest);
    size_t n = text ? strlen(text) : 1;
    if (!text || strspn(text, "0123456789") != n || (n && (n < IMSI_LEAST || n > IMSI_MOST)))
        return false;
    memcpy(imsi->text, text, n + 1);
    return true;
}

static const char *read_row(char *rest, struct bss_trace_row *row)
{
    if (!rows_number(&rest, 0, BSS_TRACE_TIME_MOST, &row->at_ns))
        return "time_ns: a number up to 1000000000000000";
    if (!take_imsi(&rest, &row->imsi))
        return "imsi: 6 to 15 digits, or nothing";
    if (!rows_number(&rest, 0, BSSGP_FLOW_MAX, &row->bmax_octets))
        return "bmax_octets: a number";
    if (!rows_number(&rest, 0, BSSGP_FLOW_MAX, &row->r_bit_per_s))
        return "rate_bit_per_s: a number";
    if (!rows_number(&rest, 0, BSSGP_FLOW_MAX, &row->ms_bmax_octets))
        return "ms_bmax_octets: a number, or nothing";
    if (!rows_number(&rest, 0, BSSGP_FLOW_MAX, &row->ms_r_bit_per_s))
        return "ms_rate_bit_per_s: a number, or nothing";
    return rest ? "more columns than the head has" : NULL;
}

static const char *take_row(void *self, char *text)
{
    struct bss_trace *trace = self;
    struct bss_trace_row row = {0};
    const char *fault = read_row(text, &row);
    if (fault)
        return fault;
    if (trace->rows && row.at_ns < trace->row[trace->rows - 1].at_ns)
        return "time_ns: before that of the row before";
    if (trace->rows == BSS_TRACE_ROWS_MOST)
        return "more than 4000000 rows";
    if (trace->rows == trace->room) {
        trace->room = trace->room ? 2 * trace->room : 256;
        trace->row = need(realloc(trace->row, trace->room * sizeof *trace->row));
    }
    trace->row[trace->rows++] = row;
    return NULL;
}

struct bss_trace *bss_trace_read(const char *name, char error[BSS_TRACE_ERROR_ROOM])
{
    struct bss_trace *trace = need(calloc(1, sizeof *trace));
    uint32_t line;
    const char *fault = rows_read(name, BSS_TRACE_HEAD, take_row, trace, &line);
    fault = !fault && !trace->rows ? "no rows" : fault;
    if (!fault)
        return trace;
    rows_fault("trace", name, line, fault, error, BSS_TRACE_ERROR_ROOM);
    bss_trace_free(trace);
    return NULL;
}

void bss_trace_free(struct bss_trace *trace)
{
    if (trace)
        free(trace->row);
    free(trace);
}

// ---- The cell ----

static void say(struct bss_cell *cell, const struct bss_trace_row *row, uint64_t now_ns)
{
    struct bss_said values = {.bmax_octets = row->bmax_octets,
                              .r_bit_per_s = row->r_bit_per_s,
                              .ms_bmax_octets = row->ms_bmax_octets,
                              .ms_r_bit_per_s = row->ms_r_bit_per_s};
    if (!row->imsi.text[0]) {
        bss_flow_follow(cell, &values, now_ns);
        return;
    }
    struct bss_ms *ms = bss_ms_find_imsi(cell->bss, &row->imsi);
    if (ms && ms->buffer->cell == cell)
        bss_flow_follow_ms(ms->buffer, &values, now_ns);
}

static void fire(void *self, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    const struct bss_trace *trace = cell->trace;
    while (cell->trace_next < trace->rows && trace->row[cell->trace_next].at_ns <= now_ns)
        say(cell, &trace->row[cell->trace_next++], now_ns);
    if (cell->trace_next < trace->rows)
        engine_set(cell->bss->engine, &cell->tracer, trace->row[cell->trace_next].at_ns);
}

void bss_cell_follow(struct bss_cell *cell, struct bss_trace *trace)
{
    cell->trace = trace;
    engine_timer_init(&cell->tracer, fire, cell);
    engine_set(cell->bss->engine, &cell->tracer, trace->row[0].at_ns);
}

void bss_trace_end(struct bss_cell *cell)
{
    if (cell->trace)
        engine_cancel(cell->bss->engine, &cell->tracer);
    bss_trace_free(cell->trace);
}
