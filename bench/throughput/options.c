// See options.h.
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/throughput/options.h"
#include "dataplane/aqm/aqm.h"
#include "dataplane/dataplane.h"
#include "dataplane/wire/llc.h"

#define SIZE_MIN        36u // the headers of IP and UDP, and a stamp
#define SIZE_MAX_OCTETS 1500u

#define DEFAULT_AQM "cobalt"

void bench_options_help(FILE *out)
{
    fprintf(
        out,
        "usage: sluice bench [OPTION]...\n"
        "\n"
        "How fast one worker takes packets from Gn to Gb, on the whole path: GTP-U, buckets of "
        "packet\n"
        "flow, MS and cell, AQM, SNDCP, LLC with its FCS, BSSGP, NS. A generator runs on one\n"
        "processor and the worker on another; with one processor they take turns.\n"
        "\n"
        "  --ms N              MSs, in cells of 400, each with one packet flow (1000)\n"
        "  --size OCTETS|imix  of the IP packets, 36 to 1500; imix is 64, 576 and 1400 octets as\n"
        "                      7 : 4 : 1 (576)\n"
        "  --cipher NAME       none, gea3 or gea4, with a key for each MS (none)\n"
        "  --aqm NAME          of all classes, as in a configuration, with ECN if it can "
        "(" DEFAULT_AQM ")\n"
        "  --backlogged N      N of the MSs are held back by their buckets, at 8 to 236 kbit/s, "
        "and\n"
        "                      always have packets queued; the clock is virtual then, and cycles "
        "a\n"
        "                      packet are all that is measured (0)\n"
        "  --rate BIT/S        the same rate for all backlogged MSs instead, and buckets of one "
        "PDU\n"
        "  --defaults          their rates are those that their cells say for all MSs of the "
        "cell\n"
        "  --ports PORTS       what the frames come and go by (ring):\n"
        "                        ring            rings of buffers, in memory\n"
        "                        memif           two pairs of net_memif in this process\n"
        "                        pcap:FILE       Gn reads FILE in a loop, which is written if it "
        "is\n"
        "                                        not there; Gb is a ring\n"
        "                        A[,B[,C,D]]     DPDK devices, NICs by their PCI address: A is Gn, "
        "B\n"
        "                                        the generator's and wired to A; C is Gb, D wired\n"
        "                                        to C. Without C and D Gb is a ring. With A alone\n"
        "                                        somebody else has to send. 1400 octets at\n"
        "                                        most go over them.\n"
        "  --workers N         each with an NSE, a processor and a generator of its own, in turns: "
        "the\n"
        "                      worker alone is timed, first one and then all at once (1)\n"
        "  --seconds S         of a trial (1)\n"
        "  --repeats N         of the search, of which the median counts; 1 to 31 (3)\n"
        "  --loss F            part of the packets that a trial may lose (0.0001; 0 with a NIC)\n"
        "  --n201-u N          most octets of an LLC frame's information, 140 to 1520 (1520)\n"
        "  --waiting N         frames in the Gn port whenever the worker alone is timed, 1 to "
        "1024\n"
        "                      (64; with a cipher 512: the more, the more are enciphered at once)\n"
        "  --up                from Gb to Gn instead\n"
        "  --view              also what it costs that somebody looks at every MS\n"
        "  --no-search         only cycles a packet; no rate, no latency\n"
        "  --no-rte-sched      leave out that baseline, which is measured from 4096 MSs on\n"
        "  --json              one JSON object on standard output\n"
        "\n"
        "It looks for the highest rate without loss as RFC 2544 says, then for the latency at 50 "
        "and\n"
        "90 per cent of it; it times the worker alone under full load, as a whole and by stages; "
        "and\n"
        "it measures baselines in the same run. cycles_per_packet is the least of the samples, "
        "since\n"
        "neighbours on a shared machine only add; its median stands beside it.\n"
        "\n"
        "Exit status: 0 done, 1 the run failed or packets were not accounted for, 2 usage.\n");
}

static bool refuse(const char *option, const char *found, const char *allowed)
{
    fprintf(stderr, "sluice bench: --%s: found %s, allowed %s\n", option, found, allowed);
    return false;
}

static bool take_number(const char *option, const char *text, uint32_t least, uint32_t most,
                        uint32_t *value)
{
    char *end, allowed[64];
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    *value = (uint32_t)n;
    if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && n >= least && n <= most)
        return true;
    snprintf(allowed, sizeof allowed, "a whole number, %u to %u", least, most);
    return refuse(option, text, allowed);
}

static bool take_real(const char *option, const char *text, double least, double most,
                      double *value)
{
    char *end, allowed[64];
    *value = strtod(text, &end);
    if (end != text && *end == 0 && *value >= least && *value <= most)
        return true;
    snprintf(allowed, sizeof allowed, "a number, %g to %g", least, most);
    return refuse(option, text, allowed);
}

static bool take_size(struct bench_options *o, const char *text)
{
    o->size_octets = OPTIONS_IMIX;
    return strcmp(text, "imix") == 0 ||
           take_number("size", text, SIZE_MIN, SIZE_MAX_OCTETS, &o->size_octets);
}

static bool take_cipher(struct bench_options *o, const char *text)
{
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
    return refuse("cipher", text, "none, gea3 or gea4");
}

static bool take_aqm(struct bench_options *o, const char *text)
{
    char allowed[256] = "";
    for (uint32_t i = 0; i < aqm_count; i++) {
        if (strcmp(text, aqm_list[i]->name) == 0) {
            o->aqm = (uint8_t)i;
            return true;
        }
        size_t at = strlen(allowed);
        snprintf(allowed + at, sizeof allowed - at, "%s%s", i ? ", " : "", aqm_list[i]->name);
    }
    return refuse("aqm", text, allowed);
}

enum {
    MS = 1,
    SIZE,
    CIPHER,
    AQM_NAME,
    BACKLOGGED,
    RATE,
    PORTS,
    WORKERS,
    SECONDS,
    REPEATS,
    LOSS,
    N201_U,
    WAITING,
    DEFAULTS,
    UP,
    VIEW,
    NO_SEARCH,
    NO_RTE_SCHED,
    JSON,
    HELP
};

static const struct option known[] = {{"ms", required_argument, NULL, MS},
                                      {"size", required_argument, NULL, SIZE},
                                      {"cipher", required_argument, NULL, CIPHER},
                                      {"aqm", required_argument, NULL, AQM_NAME},
                                      {"backlogged", required_argument, NULL, BACKLOGGED},
                                      {"rate", required_argument, NULL, RATE},
                                      {"defaults", no_argument, NULL, DEFAULTS},
                                      {"ports", required_argument, NULL, PORTS},
                                      {"workers", required_argument, NULL, WORKERS},
                                      {"seconds", required_argument, NULL, SECONDS},
                                      {"repeats", required_argument, NULL, REPEATS},
                                      {"loss", required_argument, NULL, LOSS},
                                      {"n201-u", required_argument, NULL, N201_U},
                                      {"waiting", required_argument, NULL, WAITING},
                                      {"up", no_argument, NULL, UP},
                                      {"view", no_argument, NULL, VIEW},
                                      {"no-search", no_argument, NULL, NO_SEARCH},
                                      {"no-rte-sched", no_argument, NULL, NO_RTE_SCHED},
                                      {"json", no_argument, NULL, JSON},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

static bool take_switch(struct bench_options *o, int option)
{
    bool *switches[] = {[DEFAULTS] = &o->defaults,
                        [UP] = &o->up,
                        [VIEW] = &o->view,
                        [NO_SEARCH] = &o->no_search,
                        [NO_RTE_SCHED] = &o->no_rte_sched,
                        [JSON] = &o->json,
                        [HELP] = &o->help};
    if (option < DEFAULTS || option > HELP)
        return false; // getopt has said what is wrong
    return *switches[option] = true;
}

static bool take(struct bench_options *o, int option, const char *text)
{
    uint32_t n201_u = o->n201_u;
    bool good;
    switch (option) {
    case MS:
        return take_number("ms", text, 1, 4000000, &o->mss);
    case SIZE:
        return take_size(o, text);
    case CIPHER:
        return take_cipher(o, text);
    case AQM_NAME:
        return take_aqm(o, text);
    case BACKLOGGED:
        return take_number("backlogged", text, 0, 1000000, &o->backlogged);
    case RATE:
        return take_number("rate", text, 1000, 1000000, &o->rate_bit_per_s);
    case PORTS:
        o->ports = text;
        return true;
    case WORKERS:
        return take_number("workers", text, 1, DP_WORKERS_MAX, &o->workers);
    case SECONDS:
        return take_real("seconds", text, 0.01, 3600, &o->seconds);
    case REPEATS:
        return take_number("repeats", text, 1, OPTIONS_REPEATS_MAX, &o->repeats);
    case LOSS:
        return take_real("loss", text, 0, 1, &o->loss);
    case N201_U:
        good = take_number("n201-u", text, LLC_N201_U_MIN, LLC_N201_U_MAX, &n201_u);
        o->n201_u = (uint16_t)n201_u;
        return good;
    case WAITING:
        return take_number("waiting", text, 1, OPTIONS_WAITING_MAX, &o->waiting);
    default:
        return take_switch(o, option);
    }
}

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
    if (o->up && largest + 4 > o->n201_u) // SNDCP's first header
        return wrong("--up sends whole packets: --size has to be --n201-u less 4 at most");
    return true;
}

bool bench_options_parse(struct bench_options *o, int argc, char **argv)
{
    *o = (struct bench_options){.mss = 1000,
                                .size_octets = 576,
                                .cipher = "none",
                                .ports = "ring",
                                .workers = 1,
                                .seconds = 1,
                                .repeats = 3,
                                .loss = -1,
                                .n201_u = LLC_N201_U_MAX};
    take_aqm(o, DEFAULT_AQM);
    static char name[] = "sluice bench"; // for getopt's messages
    argv[0] = name;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!take(o, option, optarg))
            return false;
    if (o->help)
        return true;
    if (optind < argc) {
        fprintf(stderr, "sluice bench: found %s, allowed options only\n", argv[optind]);
        return false;
    }
    if (o->waiting == 0)
        o->waiting = o->gea ? 512 : OPTIONS_BURST;
    return fits(o);
}
