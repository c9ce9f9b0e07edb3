// See pool.h: requests that come again (29.060 7.6). One of each number modulo REPEATS is kept, the
// last one, so that an SGSN that counts up has the last REPEATS kept.
#include "lab/pool/pool_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

static bool is_same(const struct repeat *repeat, uint16_t port, uint16_t sequence,
                    struct octets request, uint64_t now_ns)
{
    return repeat->octets && repeat->sequence == sequence && repeat->port == port &&
           now_ns - repeat->at_ns < POOL_REPEAT_NS && repeat->request_octets == request.n &&
           memcmp(repeat->octets, request.at, request.n) == 0;
}

uint32_t pool_repeat_answer(const struct pool *pool, uint16_t port, uint16_t sequence,
                            struct octets request, uint8_t *answer, uint64_t now_ns)
{
    const struct repeat *repeat = &pool->repeat[sequence % REPEATS];
    if (!is_same(repeat, port, sequence, request, now_ns))
        return 0;
    memcpy(answer, repeat->octets + repeat->request_octets, repeat->answer_octets);
    return repeat->answer_octets;
}

void pool_repeat_keep(struct pool *pool, uint16_t port, uint16_t sequence, struct octets request,
                      struct octets answer, uint64_t now_ns)
{
    struct repeat *repeat = &pool->repeat[sequence % REPEATS];
    uint8_t *octets = need(realloc(repeat->octets, request.n + answer.n));
    memcpy(octets, request.at, request.n);
    memcpy(octets + request.n, answer.at, answer.n);
    *repeat = (struct repeat){now_ns, request.n, answer.n, port, sequence, octets};
}

void pool_repeats_forget(struct pool *pool)
{
    for (uint32_t i = 0; i < REPEATS; i++)
        free(pool->repeat[i].octets);
    memset(pool->repeat, 0, sizeof pool->repeat);
}
