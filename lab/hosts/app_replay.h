// Replays packets over UDP, open loop: the sizes of a capture's IP packets and the gaps between
// them; packets of other protocols are left out. Or one flow of a file of packets, as `sluice audit
// --scenario` writes it: each packet at its time behind the application's start.
#ifndef SLUICE_LAB_HOSTS_APP_REPLAY_H
#define SLUICE_LAB_HOSTS_APP_REPLAY_H

#include "lab/hosts/app_datagram.h"

#define APP_REPLAY_PACKETS_MOST 10000000
#define APP_REPLAY_FLOWS_MOST   100000
#define REPLAY_NAME_MOST        4095 // octets
#define REPLAY_HEAD             "flow,time_ns,octets"

#define APP_REPLAY_FIELDS(MUST, KEY, T)                                                            \
    APP_KEYS(KEY, T, "replay")                                                                     \
    APP_WAY_KEY(KEY, T, "replay")                                                                  \
    KEY(T, COUNT, times, "replay.times", NULL, 0, 1000000, 1,                                      \
        "how often the file is replayed, 0: for ever; after its last packet comes a pause of its " \
        "mean gap")                                                                                \
    KEY(T, COUNT, flow, "replay.flow", "none", 1, APP_REPLAY_FLOWS_MOST, 0,                        \
        "the number of the flow whose packets are sent, in a file of packets as sluice audit "     \
        "--scenario writes it; none: the file is a capture")                                       \
    APP_ECT_KEY(KEY, T, "replay")                                                                  \
    MUST(T, OCTETS, file, 1, REPLAY_NAME_MOST,                                                     \
         "the capture, pcap or pcapng, plain or compressed by gzip or zstd; "                      \
         "with a flow, the file of packets")
FIELD_KEYS_STRUCT(app_replay_config, APP_REPLAY_FIELDS);
extern const struct field_record app_replay_config_record;

extern const struct app_kind app_replay_kind;

// A file's packets, which all applications of a run that replay it share.
struct replay_packet {
    uint64_t at_ns; // behind the first; of a file of packets, behind the application's start
    uint32_t octets;
};

struct replay_file {
    struct replay_file *next;
    char *name;
    struct replay_packet *packet;
    uint32_t packets;
    uint32_t flows, *begin; // of a file of packets: of each flow's, by number; and one behind
    uint32_t left_out;      // neither IPv4 nor IPv6
    uint32_t resized;       // shorter or longer than a datagram may be: sent with the nearest size
    uint32_t early;         // before the packet ahead of it in the file: sent with it
};

// NULL with the reason in `error`, which begins with "replay: ". The second one reads a file of
// packets: rows by flow, from 1 on, and then by time.
struct replay_file *app_replay_read(const char *name, char error[APP_ERROR_ROOM]);
struct replay_file *app_replay_read_flows(const char *name, char error[APP_ERROR_ROOM]);
void app_replay_free(struct replay_file *first); // and those that follow

#endif
