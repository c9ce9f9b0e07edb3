#define V_OCTETS      32
#define KASUMI_SLICED cipher_kasumi_avx2
#include "dataplane/cipher/kasumi_sliced.h"
