// What text, JSON and CSV have in common: names and times. Times are of the capture's first packet
// on.
#ifndef SLUICE_LAB_AUDIT_PRINT_H
#define SLUICE_LAB_AUDIT_PRINT_H

#include "lab/captures/audit/audit_parts.h"

#define AUDIT_NAME_OCTETS 128

// "192.0.2.1:23000 - 192.0.2.2:23000", the SGSN first if it is known.
const char *audit_print_pair(const struct audit_pair *pair, char text[AUDIT_NAME_OCTETS]);
// "NSEI 101", or "BSS 192.0.2.2" where no NSEI was captured.
const char *audit_print_nse(const struct audit_nse *nse, char text[AUDIT_NAME_OCTETS]);
// The notes, and each count that is not 0, of both lists from these on.
void audit_print_notes(const struct audit *audit, uint32_t first_of_capture, uint32_t first_count,
                       audit_put_fn *put, void *self);
double audit_print_seconds(const struct audit *audit, uint64_t time_ns);

// Of a bucket, over the time since its first values.
struct audit_means {
    double used_of_r;    // octets sent over those that R allowed
    double queue_octets; // estimated in the BSS
    double room_octets;  // Bmax less that
    double busy;         // share of the time in which the BSS had something
};
struct audit_means audit_print_means(const struct audit_bucket *bucket);

#endif
