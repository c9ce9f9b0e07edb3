// CoDel over the LLC PDUs of one MS (RFC 8289 clause 5), at the head of its buffer, on integers.
#ifndef SLUICE_LAB_BSS_CODEL_H
#define SLUICE_LAB_BSS_CODEL_H

#include <stdbool.h>
#include <stdint.h>

enum bss_codel_step { BSS_CODEL_FIRST, BSS_CODEL_ENTERED, BSS_CODEL_GOES_ON };

struct bss_codel {
    uint64_t above_ns, next_ns; // first_above_time and drop_next of the RFC; above_ns 0: not above
    uint32_t count, last_count;
    bool dropping;
    enum bss_codel_step step; // of the search for the LLC PDU that goes
};

struct bss_codel_law {
    uint64_t target_ns, interval_ns;
    uint64_t idle_octets; // a buffer with at most these is not above the target
};

// Whether the LLC PDU that is next is discarded; if so, the one behind it is asked about, or
// bss_codel_empty told that there is none. octets: in the buffer, without it.
bool bss_codel_drops(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t sojourn_ns,
                     uint64_t octets, uint64_t now_ns);
void bss_codel_empty(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t now_ns);

#endif
