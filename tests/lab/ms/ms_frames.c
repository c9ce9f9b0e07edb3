// An MS for tests that are no C. Lines in: `up NSAPI OCTETS` for an N-PDU, `down OCTETS` for an LLC
// PDU, in hexadecimal. Out for each: a line `up OCTETS` for an LLC PDU that the MS sends, `npdu
// NSAPI OCTETS` for an N-PDU that arrives, `fault TEXT` for a fault, and a `.` in the end.
//
// NSAPI 5 is on SAPI 3, NSAPI 15 on SAPI 11; N201-U is 500 and IOV-UI is 0 to begin with. Kc is an
// argument: 8 octets for GEA3, 16 for GEA4.
#include <stdio.h>
#include <string.h>

#include "lab/ms/ms.h"

static void print(const uint8_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        printf("%02x", b[i]);
    printf("\n");
}

static void down(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 uint64_t now_ns)
{
    (void)self, (void)ms, (void)now_ns;
    printf("npdu %u ", nsapi);
    print(npdu, octets);
}

static void up(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)ms, (void)now_ns;
    printf("up ");
    print(llc, octets);
}

static uint32_t read_hex(const char *text, uint8_t *b, uint32_t room)
{
    unsigned octet;
    uint32_t n = 0;
    for (; n < room && sscanf(text + 2 * n, "%2x", &octet) == 1; n++)
        b[n] = (uint8_t)octet;
    return n;
}

static void take(struct ms *ms, const char *line)
{
    static char hex[8192];
    static uint8_t octets[4096];
    unsigned nsapi;
    if (sscanf(line, "up %u %8191s", &nsapi, hex) == 2)
        ms_up(ms, (uint8_t)nsapi, octets, read_hex(hex, octets, sizeof octets), 0);
    else if (sscanf(line, "down %8191s", hex) == 1)
        ms_down(ms, octets, read_hex(hex, octets, sizeof octets), 0);
}

int main(int argc, char **argv)
{
    static char line[8192];
    const struct ms_config config = {LLC_N201_U_MAX, 1, 1};
    uint8_t kc[CIPHER_KEY_OCTETS];
    uint32_t kc_octets = argc > 1 ? read_hex(argv[1], kc, sizeof kc) : 0;
    struct ms_terms terms = {.n201_u_octets = 500,
                             .gea = kc_octets == 0   ? 0
                                    : kc_octets == 8 ? 3
                                                     : 4,
                             .kc = {kc, kc_octets}};
    struct ms_shared shared;
    struct ms_counters counters = {0};
    struct ms ms;
    ms_shared_setup(&shared, &config, &(struct ms_owner){NULL, down, NULL, up});
    if (ms_setup(&ms, &shared, &counters, &terms) || ms_add_context(&ms, 5, 3) ||
        ms_add_context(&ms, 15, 11))
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        uint64_t faults = shared.faults;
        take(&ms, line);
        if (shared.faults > faults)
            printf("fault %s\n", shared.first_fault);
        printf(".\n");
        fflush(stdout);
        shared.faults = 0; // so that the next one has a text, too
    }
    ms_release(&ms, 0);
    ms_shared_release(&shared);
    return 0;
}
