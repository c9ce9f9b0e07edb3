// A bucket of 48.018 8.2.3.2 as an auditor keeps it, exact: B in 10^-9 bit, so that what R bit/s
// leak in some ns is an integer.
//
// A PDU that the bucket refuses is not charged: each finding stands by itself, and the PDUs behind
// it are judged as if it had not been sent. `held` is the estimated queue in the BSS, with all
// PDUs.
#ifndef SLUICE_LAB_AUDIT_BUCKET_H
#define SLUICE_LAB_AUDIT_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#define AUDIT_BUCKET_OCTET 8000000000LL // of the unit

#define AUDIT_BUCKET_WAITS UINT32_MAX // as a tolerance: what is given back is not taken off yet

typedef __int128 audit_level;

// What was sent beyond all that leaks at the largest R that was ever in force, counted up from one
// FLOW-CONTROL with its answer to the next: in each of these intervals at most Bmax, for more may
// be by values or LLC-DISCARDEDs that were not captured.
struct audit_beyond {
    bool begun;
    uint64_t since_ns, sent_octets, given_before, r_most, bmax_most;
    audit_level level;
};

struct audit_pair;

struct audit_bucket {
    bool set; // values are in force
    uint64_t bmax_octets, r_bit_per_s, time_ns;
    audit_level level;
    uint64_t given_back, given_back_ns; // by LLC-DISCARDED, not yet taken off
    uint64_t given_total;
    uint64_t empty_ns; // when it last was; what happened before does not count any more
    struct audit_beyond beyond;
    // The Bmax before, when the present one came in force, and the NS-VC that said so.
    uint64_t bmax_before, changed_ns;
    const struct audit_pair *changed_by;
    // What is reported of it, over all times in which values were in force.
    double held, held_most, held_ns, room_ns, offered_octets, busy_ns, covered_ns, delay_most_s;
    uint64_t pdus, octets, refused;
};

struct audit_verdict {
    bool refused;
    double over_octets; // over Bmax
    uint64_t early_ns;  // UINT64_MAX: it never conforms, for R = 0
};

void audit_bucket_change(struct audit_bucket *bucket, uint64_t now_ns, uint64_t bmax_octets,
                         uint64_t r_bit_per_s);
// No values are in force any more; a later change begins at B = 0.
void audit_bucket_forget(struct audit_bucket *bucket, uint64_t now_ns);
// CBL: B as the BSS saw it when given_total was that; what was given back since counts again.
void audit_bucket_full(struct audit_bucket *bucket, uint64_t now_ns, uint32_t percent,
                       uint64_t given_before);
// Is there more in it than so many percent of Bmax?
bool audit_bucket_is_above(const struct audit_bucket *bucket, uint32_t percent);
// What may have leaked besides: r_bit_per_s for so long.
void audit_bucket_leak(struct audit_bucket *bucket, uint64_t r_bit_per_s, uint64_t ns);
// LLC-DISCARDED. The SGSN may read it before or behind what it sends within the tolerance: it
// counts when a PDU needs it, else when the tolerance is over.
void audit_bucket_give_back(struct audit_bucket *bucket, uint64_t now_ns, uint64_t octets);
// B becomes 0, such as after a step of the clock.
void audit_bucket_restart(struct audit_bucket *bucket, uint64_t now_ns);

void audit_bucket_settle(struct audit_bucket *bucket, uint64_t now_ns, uint64_t tolerance_ns);
struct audit_verdict audit_bucket_judge(struct audit_bucket *bucket, uint64_t now_ns,
                                        uint32_t octets, uint64_t tolerance_ns);
// Behind settle or judge at the same instant. Refused PDUs count in the estimated queue alone.
void audit_bucket_charge(struct audit_bucket *bucket, uint32_t octets, bool refused);

// A FLOW-CONTROL and its answer were captured.
void audit_bucket_confirm(struct audit_bucket *bucket, uint64_t now_ns);
// More is sent than what is missing in a capture explains.
bool audit_bucket_is_sure(const struct audit_bucket *bucket);

#endif
