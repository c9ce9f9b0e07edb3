// See gi_hash.h.
#include "lab/captures/gi/gi_hash.h"

#include <stdlib.h>
#include <sys/random.h>

uint64_t gi_hash_key[4];

void gi_hash_begin(void)
{
    if (gi_hash_key[0] == 0 && getrandom(gi_hash_key, sizeof gi_hash_key, 0) < 0)
        abort();
}
