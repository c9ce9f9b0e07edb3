#define V_OCTETS      64
#define KASUMI_SLICED kasumi_avx512
#include "dataplane/cipher/kasumi_sliced.h"
