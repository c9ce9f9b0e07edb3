// See cipher.h: allocation, and keys by algorithm. Nothing here runs per packet.
#include "dataplane/cipher/cipher.h"

#include <errno.h>
#include <intel-ipsec-mb.h>
#include <string.h>

#include "dataplane/cipher/ipsec_mb.h"

static IMB_MGR *manager;

void cipher_setup(void)
{
    manager = alloc_mb_mgr(0);
    if (!manager)
        return;
    init_mb_mgr_auto(manager, NULL);
    if (imb_get_errno(manager))
        cipher_release();
    else
        cipher_ipsec_mb_use(manager);
}

void cipher_release(void)
{
    cipher_ipsec_mb_use(NULL);
    if (manager)
        free_mb_mgr(manager);
    manager = NULL;
}

static const struct algorithm {
    const char *name;
    size_t kc_octets; // 0: not supported
    const char *why_not;
} algorithms[] = {
    {"GEA1", 0, "GEA1 is broken by design (40 bits of its key count) and not supported"},
    {"GEA2", 0, "GEA2 is broken and not supported"},
    {"GEA3", 8, "GEA3 takes a Kc of 8 octets"},
    {"GEA4", 16, "GEA4 takes a Kc of 16 octets"},
    {"GEA5", 0, "GEA5 is not supported: its key and its initial value are not public"},
};

int cipher_key(const char *name, const uint8_t *kc, size_t kc_octets,
               uint8_t key[CIPHER_KEY_OCTETS], const char **why)
{
    *why = "no GPRS encryption algorithm has this name; there are GEA3 and GEA4";
    for (const struct algorithm *a = algorithms; a < algorithms + sizeof algorithms / sizeof *a;
         a++) {
        if (strcmp(a->name, name) != 0)
            continue;
        *why = a->why_not;
        if (!a->kc_octets)
            return -ENOTSUP;
        if (a->kc_octets != kc_octets)
            return -EINVAL;
        for (size_t i = 0; i < CIPHER_KEY_OCTETS; i++)
            key[i] = kc[i % kc_octets];
        *why = NULL;
        return 0;
    }
    return -EINVAL;
}
