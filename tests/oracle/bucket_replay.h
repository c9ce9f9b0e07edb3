// A judge of what was sent: the leaky bucket of TS 48.018 8.2.3.2, written down as the clause says
// it, slowly and apart from the project's own. For a PDU of L octets at Tc:
//
//   B* = B + L - (Tc - Tp) R;  if B* < L then B* = L
//   B* <= Bmax or B* = L: it conforms, B = B*, Tp = Tc;  else it is delayed, B and Tp stay
//
// Exact: octets are counted in 1e-9 bit, which is what 1 bit/s leaks in a nanosecond. R = 0 is a
// stop. A new R or Bmax finds the bucket leaked at the old R. An MS on its cell's defaults has a
// bucket of its own here too: whoever replays sets it at each change of the defaults.
#ifndef TESTS_ORACLE_BUCKET_REPLAY_H
#define TESTS_ORACLE_BUCKET_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#define REPLAY_OCTET 8000000000LL // in 1e-9 bit
#define REPLAY_NEVER UINT64_MAX

// All zero: empty, and stopped until the first replay_set.
struct replay_bucket {
    __int128 level;  // B at Tp, in 1e-9 bit
    uint64_t at_ns;  // Tp
    uint64_t rate;   // R in bit/s
    uint64_t octets; // Bmax
};

void replay_set(struct replay_bucket *bucket, uint64_t now_ns, uint64_t rate_bit_per_s,
                uint64_t max_octets);

// The BSS's word on the level, in per cent of Bmax.
void replay_ratio(struct replay_bucket *bucket, uint64_t now_ns, uint32_t percent);

// B without a PDU, in 1e-9 bit.
__int128 replay_level(const struct replay_bucket *bucket, uint64_t now_ns);

// Time that goes back conforms to nothing.
bool replay_conforms(const struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets);

// The first nanosecond, now_ns or later, at which it would conform if nothing else happens; found
// by trying, not by the closed form. REPLAY_NEVER if there is none.
uint64_t replay_conforms_at(const struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets);

// Charged if it conforms; false and unchanged if not.
bool replay_send(struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets);

// One PDU through the buckets of all its levels, charged to all or to none: -1, or the number of
// the first bucket that refuses. NULL: a level that has none.
int replay_send_all(struct replay_bucket *const *buckets, int n, uint64_t now_ns, uint32_t octets);

#endif
