// See ipsec_mb.h. The library takes any 64-bit initial value and a length in octets, although its
// header says bits. Its calls for several buffers need one key for all, so they are useless here.
#include "dataplane/cipher/ipsec_mb.h"

#include <intel-ipsec-mb.h>

#include "dataplane/cipher/kasumi.h"

static IMB_MGR *manager; // once initialized, only a table of functions

void cipher_ipsec_mb_use(void *to_use)
{
    manager = to_use;
}

bool cipher_ipsec_mb_ready(void)
{
    return manager;
}

void cipher_ipsec_mb_run(struct cipher_scratch *scratch, const struct cipher_frame *frames,
                         uint32_t n)
{
    kasumi_key_sched_t schedule;
    (void)scratch;
    for (const struct cipher_frame *s = frames; s < frames + n; s++) {
        if (!s->length_octets)
            continue;
        IMB_KASUMI_INIT_F8_KEY_SCHED(manager, s->key, &schedule);
        IMB_KASUMI_F8_1_BUFFER(manager, &schedule, kasumi_initial(s->input, s->direction),
                               s->octets, s->octets, s->length_octets);
    }
}
