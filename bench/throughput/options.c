// See options.h.
#include <stdlib.h>
#include <string.h>

#include "bench/throughput/options.h"
#include "control/cli/commands.h"
#include "dataplane/aqm/aqm.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/dataplane.h"
#include "dataplane/port/steering.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc.h"

#define SIZE_MIN        36u // the headers of IP and UDP, and a stamp
#define SIZE_MAX_OCTETS 1500u
#define IMIX_LARGEST    1400u

#define MSS_MAX 4000000u

#define DEFAULT_MSS  "1000"
#define DEFAULT_SIZE "576"
#define DEFAULT_LOSS "0,0.001,0.1"
#define DEFAULT_AQM  "cobalt"

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

// ---- Lists ----

#define WORD_OCTETS 32

// Each word between commas. False: one is refused, or too long, or they are too many for `take`.
static bool take_words(const char *option, const char *text, void *target, cli_take_fn *take)
{
    char word[WORD_OCTETS];
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (n >= sizeof word)
            return cli_refuse("bench", option, text, "shorter words between commas");
        if (!take(target, word))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}

static bool add(const char *option, struct bench_list *list, uint32_t number)
{
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at most %u of them", OPTIONS_LIST_MAX);
    if (list->n == OPTIONS_LIST_MAX)
        return cli_refuse("bench", option, "more", allowed);
    list->of[list->n++] = number;
    return true;
}

static bool add_mss(void *list, const char *word)
{
    uint32_t mss;
    return cli_number("bench", "ms", word, 1, MSS_MAX, &mss) && add("ms", list, mss);
}

static bool take_mss(void *target, const char *text)
{
    struct bench_options *o = target;
    o->mss_list.n = 0;
    return take_words("ms", text, &o->mss_list, add_mss);
}

// RFC 2544's 64 to 1518 octets are of a user's frame on Ethernet, with 14 octets of header and 4 of
// FCS; the packet in it is what a GGSN puts into GTP-U.
static bool add_rfc2544(struct bench_list *list)
{
    static const uint32_t frames[] = {64, 128, 256, 512, 1024, 1280, 1518};
    bool good = true;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
        good = good && add("size", list, frames[i] - OPTIONS_ETHERNET_OCTETS);
    return good;
}

static bool add_size(void *list, const char *word)
{
    uint32_t octets = OPTIONS_IMIX;
    if (strcmp(word, "rfc2544") == 0)
        return add_rfc2544(list);
    return (strcmp(word, "imix") == 0 ||
            cli_number("bench", "size", word, SIZE_MIN, SIZE_MAX_OCTETS, &octets)) &&
           add("size", list, octets);
}

static bool take_size(void *target, const char *text)
{
    struct bench_options *o = target;
    o->size_list.n = 0;
    return take_words("size", text, &o->size_list, add_size);
}

// In order, and each once.
static bool add_loss(void *target, const char *word)
{
    struct bench_options *o = target;
    double percent;
    if (!take_real("loss", word, 0, 100, &percent))
        return false;
    if (o->losses == SEARCH_LOSSES_MAX || (o->losses && percent / 100 <= o->loss[o->losses - 1]))
        return cli_refuse("bench", "loss", word, "at most four of them, rising");
    o->loss[o->losses++] = percent / 100;
    return true;
}

static bool take_loss(void *target, const char *text)
{
    struct bench_options *o = target;
    o->losses = 0;
    return take_words("loss", text, o, add_loss);
}

// ---- Names ----

static const char *cipher_name(size_t i)
{
    static const char *const names[] = {"none", "gea3", "gea4", NULL};
    return names[i];
}

static bool take_cipher(void *target, const char *text)
{
    struct bench_options *o = target;
    o->gea = strcmp(text, "none") == 0 ? 0 : (uint8_t)(text[3] - '0');
    o->cipher = text;
    return true;
}

static const char *aqm_name(size_t i)
{
    return i < aqm_count ? aqm_list[i]->name : NULL;
}

static const char *steering_name(size_t i)
{
    return i <= PORT_STEERING_STRAYS ? port_steering_names[i] : NULL;
}

#define INTO(member)                .at = offsetof(struct bench_options, member)
#define NUMBER(member, lowest, top) INTO(member), .least = lowest, .most = top
static const struct cli_option bench_options[] = {
    {"ms", "N,...", "MSs, in cells of 400, each with one packet flow (" DEFAULT_MSS ")",
     .take = take_mss},
    {"size", "SIZE,...",
     "octets of the users' IP packets, 36 to 1500; imix: 64,\n"
     "576 and 1400 octets as 7 : 4 : 1; rfc2544: those of\n"
     "frames of 64 to 1518 octets, so 18 less (" DEFAULT_SIZE ")",
     .take = take_size},
    {"cipher", "NAME", "the cipher, with a key for each MS (none)", .take = take_cipher,
     .value = cipher_name},
    {"aqm", "NAME",
     "the AQM of all classes, as in a configuration, with ECN\nif available (" DEFAULT_AQM ")",
     INTO(aqm), .value = aqm_name},
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
     "               has to send what pcap:FILE writes, and\n"
     "               only cycles are measured. On devices that\n"
     "               are no NICs packets have at most 1400\n"
     "               octets.",
     INTO(ports)},
    {"simd", "BITS",
     "no wider registers for the FCS and the cipher, 64 to 512,\n"
     "as on a processor without them (512)",
     NUMBER(simd_bits, 64, 512)},
    {"workers", "N",
     "workers, each with an NSE and a queue; they are timed in\n"
     "turns with a generator each, first one alone and then all\n"
     "at once; a rate is that of all together (1)",
     NUMBER(workers, 1, DP_WORKERS_MAX)},
    {"one-queue", NULL,
     "the frames of all workers come to the first one's queue, as\n"
     "on a NIC without rules: it hands on what is not its own",
     INTO(one_queue)},
    {"steering", "WORD",
     "how a device brings frames to their worker, as gn.steering\n"
     "(auto)",
     INTO(steering), .value = steering_name},
    {"vlan", "N", "the devices' frames have the tag of that VLAN, 1 to 4094",
     NUMBER(vlan, 1, 4094)},
    {"seconds", "S", "duration of a trial (1)", .take = take_seconds},
    {"repeats", "N", "repeats of the search; the median counts; 1 to 31 (3)",
     NUMBER(repeats, 1, SEARCH_REPEATS_MAX)},
    {"loss", "PERCENT,...",
     "per cent of the packets that a trial may lose: a rate is\n"
     "found for each, at most four (" DEFAULT_LOSS ")",
     .take = take_loss},
    {"n201-u", "N", "maximum octets of an LLC frame's information, 140 to 1520\n(1520)",
     NUMBER(n201_u, LLC_N201_U_MIN, LLC_N201_U_MAX)},
    {"waiting", "N",
     "frames in the Gn port whenever the worker alone is\n"
     "timed, 1 to 1024 (64; with a cipher 512: more frames\n"
     "are enciphered at once)",
     NUMBER(waiting, 1, OPTIONS_WAITING_MAX)},
    {"up", NULL, "measure the direction from Gb to Gn", INTO(up)},
    {"both", NULL,
     "search for the rate with as much each way at once; a rate\n"
     "is that of both together; the worker alone is timed downwards",
     INTO(both)},
    {"view", NULL, "also measure the cost of reading the state of every MS", INTO(view)},
    {"capture", NULL,
     "time the worker while all its frames are captured, as a running\n"
     "instance does by `capture user on`",
     INTO(capture)},
    {"no-search", NULL, "measure only cycles per packet; no rate, no latency", INTO(no_search)},
    {"no-rte-sched", NULL, "leave out the baseline rte_sched, measured from 4096 MSs",
     INTO(no_rte_sched)},
    {"json", NULL, "print one JSON object; a list of them, if there are\nseveral points",
     INTO(json)},
    {"out", "DIR",
     "write bench.json, cycles.csv and report.html there, and of\na search rates.csv, trials.csv, "
     "latency.csv and\nhistogram.csv, after each point",
     INTO(out)}};

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
        "bench searches as in RFC 2544 for the highest rates that lose no more than --loss says,\n"
        "measures latency at parts of that rate, and times the worker alone under full load, as a\n"
        "whole and by stages; baselines are measured in the same run. Lost is what the full port\n"
        "refuses, what Sluice drops and what devices lose. First comes the generator's own limit:\n"
        "what it and the ports do with a bare forwarder in Sluice's place. cycles_per_packet is\n"
        "the least of the samples, because other programs on the machine only add cycles; the\n"
        "median is printed too.\n"
        "\n"
        "Several --ms and --size make a point for each pair, one after another.\n"
        "\n"
        "Exit status: 0 success, 1 the run failed, no rate lost\n"
        "as little as it may, or packets were not accounted for, 2 wrong "
        "usage.",
    .options = bench_options,
    .count = sizeof bench_options / sizeof bench_options[0]};

static bool wrong(const char *why)
{
    fprintf(stderr, "sluice bench: %s\n", why);
    return false;
}

uint32_t bench_options_largest(const struct bench_options *o)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < o->size_list.n; i++) {
        uint32_t octets = o->size_list.of[i] == OPTIONS_IMIX ? IMIX_LARGEST : o->size_list.of[i];
        largest = octets > largest ? octets : largest;
    }
    return largest;
}

static uint32_t least_mss(const struct bench_options *o)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < o->mss_list.n; i++)
        least = o->mss_list.of[i] < least ? o->mss_list.of[i] : least;
    return least;
}

// What does not go together.
static bool fits(const struct bench_options *o)
{
    bool rings = strcmp(o->ports, "ring") == 0, memif = strcmp(o->ports, "memif") == 0;
    bool devices = !rings && strncmp(o->ports, "pcap:", strlen("pcap:")) != 0;
    uint32_t largest = bench_options_largest(o), mss = least_mss(o);
    if (o->backlogged > mss)
        return wrong("--backlogged is more than --ms");
    if (!o->backlogged && (o->defaults || o->rate_bit_per_s))
        return wrong("--defaults and --rate want --backlogged");
    if (o->workers > mss)
        return wrong("--workers is more than --ms");
    if (!rings && (o->backlogged || o->up || o->both))
        return wrong("--backlogged, --up and --both want --ports ring");
    if (!rings && !devices && o->workers > 1)
        return wrong("--workers goes with --ports ring, memif and devices");
    if (devices && o->workers > 1 && o->no_search)
        return wrong("--workers on devices goes without --no-search");
    if (!devices && (o->vlan || o->steering))
        return wrong("--vlan and --steering want --ports with devices");
    if (o->steering && o->workers < 2)
        return wrong("--steering wants --workers");
    if (o->one_queue && !rings && !memif)
        return wrong("--one-queue wants --ports ring or memif; for a device there is --steering");
    if (o->view && (o->backlogged || !rings))
        return wrong("--view wants --ports ring and goes without --backlogged");
    if (o->backlogged && (o->workers > 1 || o->up))
        return wrong("--backlogged goes with one worker and not with --up");
    if (o->both && (o->up || o->backlogged || o->workers > 1))
        return wrong("--both goes with one worker, and not with --up or --backlogged");
    if (o->one_queue && (o->workers < 2 || o->up || o->no_search))
        return wrong("--one-queue wants --workers, and goes without --up and --no-search");
    if (o->flows && o->up)
        return wrong("--flows does not go with --up: queues are of the downlink");
    if ((o->up || o->both) && largest + 4 > o->n201_u) // SNDCP's first header
        return wrong(
            "--up and --both send whole packets: --size has to be --n201-u less 4 at most");
    return true;
}

uint32_t bench_options_points(const struct bench_options *o)
{
    return o->mss_list.n * o->size_list.n;
}

struct bench_options bench_options_point(const struct bench_options *o, uint32_t i)
{
    struct bench_options point = *o;
    point.mss = o->mss_list.of[i / o->size_list.n];
    point.size_octets = o->size_list.of[i % o->size_list.n];
    return point;
}

enum cli_end bench_options_parse(struct bench_options *o, int argc, char **argv)
{
    *o = (struct bench_options){.cipher = "none",
                                .ports = "ring",
                                .workers = 1,
                                .seconds = 1,
                                .repeats = 3,
                                .n201_u = LLC_N201_U_MAX,
                                .simd_bits = 512};
    while (strcmp(aqm_name(o->aqm), DEFAULT_AQM) != 0)
        o->aqm++;
    take_mss(o, DEFAULT_MSS);
    take_size(o, DEFAULT_SIZE);
    take_loss(o, DEFAULT_LOSS);
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
