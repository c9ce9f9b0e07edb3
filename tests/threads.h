// What ThreadSanitizer leaves alone, each with its reason: the compiler reads this before every
// file of build/tsan. Only accesses in the bodies of these functions go unseen, and they call
// nothing of ours, so nothing of ours is hidden.
#if __has_include(<rte_ring.h>)

struct rte_ring;

// DPDK's own plain reads of a ring's two ends, for how full it is. Either end may have moved on by
// the time that the answer is used, which every caller allows for: nothing is handed over by them.
__attribute__((no_sanitize_thread)) static unsigned int rte_ring_count(const struct rte_ring *ring);
__attribute__((no_sanitize_thread)) static int rte_ring_empty(const struct rte_ring *ring);

#define ALLOW_EXPERIMENTAL_API // as the files say that need it; they come too late for that here
#include <rte_ring.h>

#endif
