// BSSs of the lab for tests that are no C: NSES of them, NSEI 101 and on, each with NSVCS NS-VCs
// and the cell of BVCI 2 with one MS, in virtual time.
//
//     bss_frames MODE NSES NSVCS           MODE is "manual", "alive", "reset" or "sns"
//
// Lines in, each with the time in ns, to which the BSSs go on first: `to T`; `start T NSE`, also
// again, as after a restart; `in T NSE NSVC OCTETS` for an NS PDU of the SGSN; `up T NSE OCTETS`
// for an LLC PDU of the MS; `state T`. NSE and NSVC count from 0. Out: `ns NSE NSVC OCTETS` for
// what the BSS sends, `llc NSE OCTETS` for what its MS gets; for `state` each BSS's `state NSE
// NSVCS CELL FAULTS TEXT`, a 1 for each NS-VC and cell that is up; at the end `. T`, the time of
// the next timer.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/bss/bss.h"

#define NSES_MAX     1024
#define OCTETS_MAX   4096
#define FIRST_NSEI   101
#define FIRST_PORT   10000
#define FIRST_TLLI   0xc0000001u
#define R_BIT_PER_S  48000
#define NSVCI(n, at) ((n)*nsvcs + (at) + 1)

static struct engine *engine;
static struct bss *bsss[NSES_MAX];
static uint32_t nses, nsvcs;
static uint8_t mode;

static void print(const uint8_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        printf("%02x", b[i]);
    printf("\n");
}

static uint32_t number_of(const void *self)
{
    return (uint32_t)((struct bss *const *)self - bsss);
}

static void send_ns(void *self, uint32_t nsvc, const uint8_t *ns, uint32_t octets, uint64_t now_ns)
{
    (void)now_ns;
    printf("ns %u %u ", number_of(self), nsvc);
    print(ns, octets);
}

static void deliver(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    (void)ms, (void)now_ns;
    printf("llc %u ", number_of(self));
    print(llc, octets);
}

static void add_nsvc(struct bss *bss, uint32_t n, uint32_t at)
{
    static const uint8_t address[16] = {[10] = 0xff, 0xff, 198, 51, 100, 2};
    struct bss_nsvc_config config = {.nsvci = (uint16_t)NSVCI(n, at),
                                     .port = (uint16_t)(FIRST_PORT + n * nsvcs + at),
                                     .signalling_weight = 1,
                                     .data_weight = 1};
    memcpy(config.address.octet, address, sizeof address);
    bss_add_nsvc(bss, &config);
}

static struct bss_cell *add_cell(struct bss *bss)
{
    struct bss_cell_config config;
    bss_cell_config_standard(&config);
    config.bvci = 2;
    config.r_bit_per_s = R_BIT_PER_S;
    config.flow_repeat = false;
    config.identity =
        (struct bssgp_area){.mcc = 262, .mnc = 42, .mnc_digits = 2, .lac = 1, .rac = 1, .ci = 1};
    return bss_add_cell(bss, &config);
}

static void start(uint32_t n)
{
    struct bss_owner owner = {.self = &bsss[n], .send = send_ns, .deliver = deliver};
    struct bss_config config;
    struct bss_identity ms = {.tlli = FIRST_TLLI + n};
    if (bsss[n])
        bss_destroy(bsss[n]);
    bss_config_standard(&config);
    config.nsei = (uint16_t)(FIRST_NSEI + n);
    config.ns = mode;
    bsss[n] = bss_create(&config, &owner, engine);
    for (uint32_t at = 0; at < nsvcs; at++)
        add_nsvc(bsss[n], n, at);
    bss_enter(bsss[n], add_cell(bsss[n]), &ms, NULL, engine_now_ns(engine));
    bss_start(bsss[n], engine_now_ns(engine));
}

static void show(uint32_t n)
{
    const struct bss_counters *counters = bss_counters(bsss[n]);
    printf("state %u ", n);
    for (uint32_t at = 0; at < nsvcs; at++)
        printf("%d", bss_nsvc_is_up(bsss[n], at));
    printf(" %d %" PRIu64 " %s\n", bss_cell_is_up(bss_cell_find(bsss[n], 2)), counters->faults,
           counters->faults ? counters->first_fault : "");
}

static uint32_t read_hex(const char *text, uint8_t *b)
{
    unsigned octet;
    uint32_t n = 0;
    for (; n < OCTETS_MAX && sscanf(text + 2 * n, "%2x", &octet) == 1; n++)
        b[n] = (uint8_t)octet;
    return n;
}

static void take(const char *line, uint64_t now_ns)
{
    static char hex[2 * OCTETS_MAX + 1];
    static uint8_t octets[OCTETS_MAX];
    unsigned n, nsvc;
    if (sscanf(line, "start %*u %u", &n) == 1 && n < nses)
        start(n);
    else if (sscanf(line, "in %*u %u %u %8192s", &n, &nsvc, hex) == 3 && n < nses && nsvc < nsvcs)
        bss_input(bsss[n], nsvc, octets, read_hex(hex, octets), now_ns);
    else if (sscanf(line, "up %*u %u %8192s", &n, hex) == 2 && n < nses)
        bss_up(bss_ms_find(bsss[n], FIRST_TLLI + n), octets, read_hex(hex, octets), now_ns);
    else if (strncmp(line, "state ", 6) == 0)
        for (n = 0; n < nses; n++)
            show(n);
}

static uint8_t mode_of(const char *name)
{
    static const char *const names[] = {"manual", "alive", "reset", "sns"};
    for (uint8_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    exit(2);
}

int main(int argc, char **argv)
{
    static char line[2 * OCTETS_MAX + 64];
    uint64_t now_ns;
    if (argc != 4 || (nses = (uint32_t)atoi(argv[2])) > NSES_MAX)
        return 2;
    mode = mode_of(argv[1]);
    nsvcs = (uint32_t)atoi(argv[3]);
    engine = engine_create();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%*s %" SCNu64, &now_ns) != 1 || engine_run(engine, now_ns, NULL, NULL))
            return 1;
        take(line, now_ns);
        if (engine_run(engine, now_ns, NULL, NULL)) // what is due at once
            return 1;
        printf(". %" PRIu64 "\n", engine_next_ns(engine));
        fflush(stdout);
    }
    for (uint32_t n = 0; n < nses; n++)
        if (bsss[n])
            bss_destroy(bsss[n]);
    engine_destroy(engine);
    return 0;
}
