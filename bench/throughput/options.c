// See options.h.
#include <stdlib.h>
#include <string.h>

#include "bench/throughput/options.h"
#include "control/cli/commands.h"
#include "dataplane/aqm/aqm.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/dataplane.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define SIZE_MIN        36u // the headers of IP and UDP, and a stamp
#define SIZE_MAX_OCTETS 1500u

#define DEFAULT_AQM "cobalt"

static bool take_real(const char *option, const char *text, double least, double most,
                      double *value)
{
    char *end, allowed[64];
    *value = strtod(text, &end);
    if (end != text && *end == 0 && *value >= least && *value <= most)
        return true;
    snprintf(allowed, sizeof allowed, "a number, %g to %g", least, most);
    return cli_refuse("bench", option, text, allowed);
}

static bool take_seconds(void *target, const char *text)
{
    return take_real("seconds", text, 0.01, 3600, &((struct bench_options *)target)->seconds);
}

static bool take_loss(void *target, const char *text)
{
    return take_real("loss", text, 0, 1, &((struct bench_options *)target)->loss);
}

static bool take_size(void *target, const char *text)
{
    struct bench_options *o = target;
    o->size_octets = OPTIONS_IMIX;
    return strcmp(text, "imix") == 0 ||
           cli_number("bench", "size", text, SIZE_MIN, SIZE_MAX_OCTETS, &o->size_octets);
}

static bool take_cipher(void *target, const char *text)
{
    struct bench_options *o = target;
    static const struct {
        const char *name;
        uint8_t gea;
    } ciphers[] = {{"none", 0}, {"gea3", 3}, {"gea4", 4}};
    for (size_t i = 0; i < sizeof ciphers / sizeof ciphers[0]; i++)
        if (strcmp(text, ciphers[i].name) == 0) {
            o->gea = ciphers[i].gea;
            o->cipher = ciphers[i].name;
            return true;
        }
    return cli_refuse("bench", "cipher", text, "none, gea3 or gea4");
}

static bool take_aqm(void *target, const char *text)
{
    struct bench_options *o = target;
    char allowed[256] = "";
    for (uint32_t i = 0; i < aqm_count; i++) {
        if (strcmp(text, aqm_list[i]->name) == 0) {
            o->aqm = (uint8_t)i;
            return true;
        }
        size_t at = strlen(allowed);
        snprintf(allowed + at, sizeof allowed - at, "%s%s", i ? ", " : "", aqm_list[i]->name);
    }
    return cli_refuse("bench", "aqm", text, allowed);
}

#define INTO(member)                .at = offsetof(struct bench_options, member)
#define NUMBER(member, lowest, top) INTO(member), .least = lowest, .most = top
static const struct cli_option bench_options[] = {
    {"ms", "N", "MSs, in cells of 400, each with one packet flow (1000)", NUMBER(mss, 1, 4000000)},
    {"size", "OCTETS|imix",
     "size of the IP packets, 36 to 1500; imix is 64, 576 and\n1400 octets as 7 : 4 : 1 (576)",
     .take = take_size},
    {"cipher", "NAME", "none, gea3 or gea4, with a key for each MS (none)", .take = take_cipher},
    {"aqm", "NAME",
     "the AQM of all classes, as in a configuration, with ECN\nif available (" DEFAULT_AQM ")",
     .take = take_aqm},
    {"flows", "N",
     "an MS's packets are of N flows, 1 to 16; each flow has a\n"
     "queue and an AQM of its own, as in recommended.lua;\n"
     "0: one queue for all (0)",
     NUMBER(flows, 0, OPTIONS_FLOWS_MAX)},
    {"backlogged", "N",
     "N of the MSs are limited by their buckets, at 8 to 236\n"
     "kbit/s, and always have packets queued; the clock is\n"
     "then virtual, and only cycles per packet are measured (0)",
     NUMBER(backlogged, 0, 1000000)},
    {"rate", "BIT/S", "the same rate for all backlogged MSs instead, and\nbuckets of one PDU",
     NUMBER(rate_bit_per_s, 1000, 1000000)},
    {"defaults", NULL, "backlogged MSs have the default rate of their cell", INTO(defaults)},
    {"ports", "PORTS",
     "the devices that carry the frames (ring):\n"
     "  ring         rings of buffers, in memory\n"
     "  memif        two pairs of net_memif in this process\n"
     "  pcap:FILE    Gn reads FILE in a loop, which is\n"
     "               written if missing and else has to be of\n"
     "               the same --ms, --size and --flows; Gb is\n"
     "               a ring\n"
     "  A[,B[,C,D]]  DPDK devices, NICs by their PCI address:\n"
     "               A is Gn, B the generator's and wired to A;\n"
     "               C is Gb, D wired to C. Without C and D Gb\n"
     "               is a ring. With A alone another machine\n"
     "               has to send. Packets have at most 1400\n"
     "               octets.",
     INTO(ports)},
    {"simd", "BITS",
     "no wider registers for the FCS and the cipher, 64 to 512,\n"
     "as on a processor without them (512)",
     NUMBER(simd_bits, 64, 512)},
    {"workers", "N",
     "workers, each with an NSE, a processor and a generator,\n"
     "in turns: only workers are timed, first one and then\nall at once (1)",
     NUMBER(workers, 1, DP_WORKERS_MAX)},
    {"seconds", "S", "duration of a trial (1)", .take = take_seconds},
    {"repeats", "N", "repeats of the search; the median counts; 1 to 31 (3)",
     NUMBER(repeats, 1, OPTIONS_REPEATS_MAX)},
    {"loss", "F", "share of packets that a trial may lose (0.0001; 0 with\na NIC)",
     .take = take_loss},
    {"n201-u", "N", "maximum octets of an LLC frame's information, 140 to 1520\n(1520)",
     NUMBER(n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX)},
    {"waiting", "N",
     "frames in the Gn port whenever the worker alone is\n"
     "timed, 1 to 1024 (64; with a cipher 512: more frames\n"
     "are enciphered at once)",
     NUMBER(waiting, 1, OPTIONS_WAITING_MAX)},
    {"up", NULL, "measure the direction from Gb to Gn", INTO(up)},
    {"view", NULL, "also measure the cost of reading the state of every MS", INTO(view)},
    {"capture", NULL,
     "time the worker while all its frames are captured, as a running\n"
     "instance does by `capture user on`",
     INTO(capture)},
    {"no-search", NULL, "measure only cycles per packet; no rate, no latency", INTO(no_search)},
    {"no-rte-sched", NULL, "leave out the baseline rte_sched, measured from 4096 MSs",
     INTO(no_rte_sched)},
    {"json", NULL, "print one JSON object", INTO(json)}};

const struct cli cli_of_bench = {
    .name = "bench",
    .words = "",
    .about = "measure the speed of one worker from Gn to Gb",
    .more =
        "It measures the whole path: GTP-U, buckets of packet flow, MS and cell, AQM, SNDCP, LLC "
        "with\n"
        "its FCS, BSSGP, NS. A generator runs on one processor and the worker on another; with\n"
        "one processor they take turns.\n"
        "\n"
        "bench searches for the highest rate without loss as in RFC 2544, measures latency at 50\n"
        "and 90 per cent of that rate, and times the worker alone under full load, as a whole and\n"
        "by stages; baselines are measured in the same run. cycles_per_packet is the least of\n"
        "the samples, because other programs on the machine only add cycles; the median is\n"
        "printed too.\n"
        "\n"
        "Exit status: 0 success, 1 the run failed or packets were not accounted for, 2 wrong "
        "usage.",
    .options = bench_options,
    .count = sizeof bench_options / sizeof bench_options[0]};

static bool wrong(const char *why)
{
    fprintf(stderr, "sluice bench: %s\n", why);
    return false;
}

// What does not go together.
static bool fits(const struct bench_options *o)
{
    bool rings = strcmp(o->ports, "ring") == 0;
    uint32_t largest = o->size_octets == OPTIONS_IMIX ? 1400 : o->size_octets;
    if (o->backlogged > o->mss)
        return wrong("--backlogged is more than --ms");
    if (!o->backlogged && (o->defaults || o->rate_bit_per_s))
        return wrong("--defaults and --rate want --backlogged");
    if (o->workers > o->mss)
        return wrong("--workers is more than --ms");
    if (!rings && (o->backlogged || o->workers > 1 || o->up))
        return wrong("--backlogged, --workers and --up want --ports ring");
    if (o->view && (o->backlogged || !rings))
        return wrong("--view wants --ports ring and goes without --backlogged");
    if (o->backlogged && (o->workers > 1 || o->up))
        return wrong("--backlogged goes with one worker and not with --up");
    if (o->flows && o->up)
        return wrong("--flows does not go with --up: queues are of the downlink");
    if (o->up && largest + 4 > o->n201_u) // SNDCP's first header
        return wrong("--up sends whole packets: --size has to be --n201-u less 4 at most");
    return true;
}

enum cli_end bench_options_parse(struct bench_options *o, int argc, char **argv)
{
    *o = (struct bench_options){.mss = 1000,
                                .size_octets = 576,
                                .cipher = "none",
                                .ports = "ring",
                                .workers = 1,
                                .seconds = 1,
                                .repeats = 3,
                                .loss = -1,
                                .n201_u = LLC_N201_U_MAX,
                                .simd_bits = 512};
    take_aqm(o, DEFAULT_AQM);
    int first;
    enum cli_end end = cli_parse(&cli_of_bench, argc, argv, o, &first);
    if (end != CLI_GO)
        return end;
    if (!cli_no_words(&cli_of_bench, argc, argv, first))
        return CLI_WRONG;
    fcs_limit(o->simd_bits);
    cipher_limit(o->simd_bits);
    if (o->waiting == 0)
        o->waiting = o->gea ? 512 : OPTIONS_BURST;
    return fits(o) ? CLI_GO : CLI_WRONG;
}
