// The command line of `sluice bench`.
#ifndef SLUICE_BENCH_THROUGHPUT_OPTIONS_H
#define SLUICE_BENCH_THROUGHPUT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/throughput/search.h"
#include "control/cli/cli.h"

#define OPTIONS_IMIX            0u  // as a size
#define OPTIONS_ETHERNET_OCTETS 18u // header and FCS
#define OPTIONS_BURST           64u
#define OPTIONS_WAITING_MAX     1024u
#define OPTIONS_FLOWS_MAX       16u
#define OPTIONS_LIST_MAX        16u

struct bench_list {
    uint32_t of[OPTIONS_LIST_MAX], n;
};

struct bench_options {
    struct bench_list mss_list, size_list; // a point for each number of MSs and size:
    uint32_t mss;
    uint32_t size_octets; // of an IP packet
    uint8_t gea;          // 0, 3, 4
    const char *cipher;   // its name
    uint32_t aqm;         // its place in aqm_list
    uint32_t flows;       // of an MS, with a queue and an AQM each; 0: one queue
    uint32_t backlogged;
    uint32_t rate_bit_per_s; // of each backlogged MS; 0: by its number
    bool defaults;           // these are their cells' defaults
    const char *ports;
    uint32_t vlan; // of the devices; 0: none
    uint32_t workers;
    uint32_t steering; // enum port_steering, of Gn
    double seconds;    // of a trial
    uint32_t repeats;
    double loss[SEARCH_LOSSES_MAX]; // shares of packets that a trial may lose, rising
    uint32_t losses;
    uint32_t n201_u;
    uint32_t simd_bits; // of FCS's and cipher's registers at most
    uint32_t waiting;   // frames in the port whenever the worker alone is timed
    const char *out;    // a folder; NULL: none
    bool up, both, one_queue, view, capture, json, no_search, no_rte_sched;
};

enum cli_end bench_options_parse(struct bench_options *options, int argc, char **argv);

// The points: for each number of MSs each size.
uint32_t bench_options_points(const struct bench_options *options);
struct bench_options bench_options_point(const struct bench_options *options, uint32_t point);
// The largest packet of all.
uint32_t bench_options_largest(const struct bench_options *options);

#endif
