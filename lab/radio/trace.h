// A file that says at which rate a radio carries octets over time. Two forms, told by the first
// line:
// TIME,RATE: seconds and bit/s. A rate holds until the next line's time, the first also before its
// own, the last for ever. Times rise.
// MS: a chance to send 1504 octets, in whole milliseconds from the start, as Mahimahi has it. Lines
// do not fall; behind the last ms it all begins again. The octets of one ms are spread over it.
// Left out are empty lines, lines that begin with #, and a first line of two names, TIME,RATE: each
// begins with a letter and has no digit, nor is it nan or inf, so that no broken line of numbers is
// taken for them.
#ifndef SLUICE_LAB_RADIO_TRACE_H
#define SLUICE_LAB_RADIO_TRACE_H

#include <stdint.h>

#include "dataplane/wire/field.h"

#define RADIO_TRACE_NAME_MOST   4095 // octets
#define RADIO_TRACE_STEPS_MOST  1000000
#define RADIO_TRACE_RATE_MOST   1000000000  // bit/s, as of radio.down_rate
#define RADIO_TRACE_TIME_MOST   1000000     // s
#define RADIO_TRACE_CHANCE      1504        // octets
#define RADIO_TRACE_OCTETS_MOST (64u << 20) // of the file
#define RADIO_TRACE_ERROR_ROOM  300

#define RADIO_TRACE_FIELDS(MUST, KEY, T)                \
    MUST(T, OCTETS, trace, 0, RADIO_TRACE_NAME_MOST,    \
         "the file of the radio's rate; none: no file") \
    MUST(T, U64, until_ns, 0, UINT64_MAX, "how long it is followed")
FIELD_KEYS_STRUCT(radio_trace_config, RADIO_TRACE_FIELDS);
extern const struct field_record radio_trace_config_record;

struct radio_trace;

// NULL with the reason in `error`, which begins with "trace: ".
struct radio_trace *radio_trace_read(const char *name, char error[RADIO_TRACE_ERROR_ROOM]);
void radio_trace_free(struct radio_trace *trace);

// What is carried from one time to another, in bit/s x ns. Times may be of any row.
unsigned __int128 radio_trace_carried(const struct radio_trace *trace, uint64_t from_ns,
                                      uint64_t to_ns);

// The longest time until then in which the rate is 0.
uint64_t radio_trace_silent_ns(const struct radio_trace *trace, uint64_t until_ns);

#endif
