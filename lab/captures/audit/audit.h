// An auditor of Gb captures: what NS-VCs and cells did, whether the SGSN kept to the flow control
// of 48.018 8.2.3.2, and who breaks which clause, with the frame's number. Files are read twice: to
// learn which datagrams are Gb and which end is the SGSN, then to judge. Several files are one
// capture, by time.
//
//     audit = audit_create(&options);
//     audit_read(audit, AUDIT_LEARN, parts, n, names);
//     audit_read(audit, AUDIT_JUDGE, parts, n, names);
//     audit_finish(audit);
//     audit_text(audit, stdout);  audit_json(...)  audit_tables
#ifndef SLUICE_LAB_CAPTURES_AUDIT_AUDIT_H
#define SLUICE_LAB_CAPTURES_AUDIT_AUDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lab/base/table.h"

struct audit;
struct capture_filter;

struct audit_options {
    uint64_t tolerance_ns;         // a PDU may be so much too early
    uint64_t th_ns;                // so long an MS's own values hold (Th)
    uint16_t port;                 // UDP port of NS; 0: any that looks like it
    uint32_t copies;               // packets among which the copy of one is looked for; 0: 16384
    struct capture_filter *filter; // NULL: all packets
    bool traffic;                  // collect what audit_traffic.h has
};

enum audit_phase { AUDIT_LEARN, AUDIT_JUDGE };

struct audit *audit_create(const struct audit_options *options);
// Of parts that are sorted and can be read; each may be read again. One that breaks off is read so
// far, and noted by its name, which is that of its place.
struct capture_part;
void audit_read(struct audit *audit, enum audit_phase phase, struct capture_part *parts, uint32_t n,
                char *const *names);
// The same from memory: begins a file in place of audit_read, then takes its packets one by one.
struct capture_packet;
void audit_begin(struct audit *audit, enum audit_phase phase);
void audit_take(struct audit *audit, const struct capture_packet *packet);
void audit_finish(struct audit *audit);
void audit_destroy(struct audit *audit);

// Listed or not.
uint64_t audit_breaches(const struct audit *audit);
uint64_t audit_remarks(const struct audit *audit);
// False: nothing of the capture was Gb, or nothing of it could be read, so nothing was judged.
bool audit_met_gb(const struct audit *audit);

// Of the capture: how many frames, and from the first to the last of them.
uint64_t audit_frames(const struct audit *audit);
uint64_t audit_lasts_ns(const struct audit *audit);
// Each text that says what was left out or not judged: put(self, text).
typedef void audit_put_fn(void *self, const char *text);
void audit_notes(const struct audit *audit, audit_put_fn *put, void *self);

void audit_text(const struct audit *audit, FILE *out);
void audit_json(const struct audit *audit, FILE *out);

// The tables of the report, with the audit as their owner: table_csv(audit_tables[i], audit, out).
#define AUDIT_TABLES 9
extern const struct table *const audit_tables[AUDIT_TABLES];

#endif
