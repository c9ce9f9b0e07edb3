// What ThreadSanitizer does not see: DPDK's library is Debian's, without instrumentation, and a
// buffer goes from thread to thread through it in two places, the ring behind a pool and the device
// made of rings. Here it is told of both, for each buffer by itself: what its giver did before
// comes before what its taker does behind it, as the library has it, and threads that hand each
// other no buffer stay without order. In any other build this is nothing.
//
// Our own rings (commands, events, messages) are DPDK's inline functions, compiled with our code,
// and need no such word.
#ifndef TESTS_DATAPLANE_UNSEEN_H
#define TESTS_DATAPLANE_UNSEEN_H

#ifdef __SANITIZE_THREAD__

#include <sanitizer/tsan_interface.h>

// Behind the EAL's start, before the first pool; behind each dp_create.
int unseen_pools(void);
int unseen_ports(void);

// The far end of a ring port: before the buffer is put there, and behind its coming out.
#define unseen_give(buffer) __tsan_release(buffer)
#define unseen_take(buffer) __tsan_acquire(buffer)

#else

static inline int unseen_pools(void)
{
    return 0;
}

static inline int unseen_ports(void)
{
    return 0;
}

#define unseen_give(buffer) ((void)(buffer))
#define unseen_take(buffer) ((void)(buffer))

#endif
#endif
