// KASUMI f8 by intel-ipsec-mb, between cipher_setup.c, which creates the manager, and cipher.c.
#ifndef SLUICE_CIPHER_IPSEC_MB_H
#define SLUICE_CIPHER_IPSEC_MB_H

#include "dataplane/cipher/cipher.h"

void cipher_ipsec_mb_use(void *manager); // an IMB_MGR, or NULL
bool cipher_ipsec_mb_ready(void);
void cipher_ipsec_mb_run(struct cipher_scratch *scratch, const struct cipher_frame *frames,
                         uint32_t n);

#endif
