#define V_OCTETS      64
#define KASUMI_SLICED cipher_kasumi_avx512
#include "dataplane/cipher/kasumi_sliced.h"
