#define V_OCTETS      32
#define KASUMI_SLICED kasumi_avx2
#include "dataplane/cipher/kasumi_sliced.h"
