// IP datagrams out of fragments (RFC 791 3.2, RFC 8200 4.5), slowly: each datagram in fragments has
// room for the largest there is and a mark for each octet that has come. Stricter than a host:
// octets come once, all fragments but the last are multiples of 8, and nothing is ever given up.
#ifndef TESTS_ORACLE_IP_REASSEMBLY_H
#define TESTS_ORACLE_IP_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REASSEMBLY_OCTETS_MAX 65535
#define REASSEMBLY_OPEN_MAX   256

enum reassembly_verdict {
    REASSEMBLY_WHOLE,
    REASSEMBLY_WAITS,
    REASSEMBLY_LENGTH,  // empty, not a multiple of 8, or beyond the largest datagram
    REASSEMBLY_OVERLAP, // octets that came already
    REASSEMBLY_END,     // fragments disagree about where the datagram ends
    REASSEMBLY_FULL,    // too many datagrams are open, or there is no memory
};

// The key is all that fragments of one datagram have in common: both addresses, id, protocol.
struct reassembly_fragment {
    uint8_t key[40];
    size_t offset;
    bool more;
    const uint8_t *octets;
    size_t n;
};

struct reassembly_open; // a datagram of which some has come

// All zero to begin with.
struct reassembly {
    struct reassembly_open *first;
    unsigned open;
    struct reassembly_open *done;
    const uint8_t *whole; // the datagram's payload, until the next call
    size_t whole_n;
};

enum reassembly_verdict reassembly_take(struct reassembly *r, const struct reassembly_fragment *f);
void reassembly_release(struct reassembly *r);

#endif
