// The network around the SGSN, in virtual time: hosts behind the GGSN, the lines of Gn and Gb, and
// a receiver in place of the BSS. All of it is simulated; the packets are real from end to end.
#ifndef SLUICE_LAB_LAB_H
#define SLUICE_LAB_LAB_H

#include "dataplane/dataplane.h"
#include "lab/bss/receiver.h"
#include "lab/hosts/source.h"

#define LAB_CONFIG_FIELDS(MUST, MAY, T)                                              \
    MUST(T, OCTETS, name, 1, 64, "the scenario's name")                              \
    MUST(T, U64, seed, 0, INT64_MAX, "seed of every random number")                  \
    MUST(T, U64, duration_ns, 1, INT64_MAX, "virtual time to run")                   \
    MUST(T, U64, gb_rate_bit_per_s, 0, INT64_MAX, "rate of Gb's line, 0 = no limit") \
    MUST(T, U32, endpoints, 1, UINT32_MAX, "NS-VCs to receive for")                  \
    MUST(T, U32, contexts, 1, UINT32_MAX, "PDP contexts to receive for")             \
    MUST(T, U32, ciphers, 0, UINT32_MAX, "MSs that are enciphered")                  \
    MUST(T, U32, sources, 0, UINT32_MAX, "traffic sources")                          \
    MUST(T, U32, workers, 1, DP_WORKERS_MAX, "the dataplane's workers")              \
    MUST(T, IPV6, sgsn_address, 0, 0, "the dataplane's address on Gn")               \
    MUST(T, MAC, sgsn_mac, 0, 0, "the dataplane's Ethernet address on Gn")           \
    MUST(T, IPV6, ggsn_address, 0, 0, "the GGSN's address, of the same family")      \
    MUST(T, MAC, ggsn_mac, 0, 0, "the GGSN's Ethernet address")                      \
    MUST(T, U16, gn_mtu_octets, 576, 9000, "the largest IP packet on Gn")

#define LAB_ENDPOINT_FIELDS(MUST, MAY, T)                  \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the NS-VC's NSE") \
    MUST(T, IPV6, address, 0, 0, "the BSS's address")      \
    MUST(T, U16, port, 1, 0xffff, "the BSS's UDP port")

#define LAB_CONTEXT_FIELDS(MUST, MAY, T)                \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE") \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS") \
    MUST(T, U8, nsapi, 5, 15, "NSAPI")                  \
    MUST(T, U8, traffic_class, 0, CLASS_COUNT - 1, "traffic class, by slot")

#define LAB_CIPHER_FIELDS(MUST, MAY, T)                 \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "the MS's NSE") \
    MUST(T, U32, tlli, 0, UINT32_MAX, "TLLI of the MS") \
    MUST(T, U8, gea, 3, 4, "3: GEA3, 4: GEA4")          \
    MUST(T, OCTETS, key, 8, 16, "Kc")                   \
    MUST(T, U32, iov_ui, 0, UINT32_MAX, "IOV-UI")

#define LAB_SOURCE_FIELDS(MUST, MAY, T)                                            \
    MUST(T, U32, teid, 1, UINT32_MAX, "tunnel of the PDP context")                 \
    MUST(T, U32, ms_address, 0, UINT32_MAX, "the MS's address in the context")     \
    MUST(T, U64, start_ns, 0, INT64_MAX, "first time to send")                     \
    MUST(T, U64, stop_ns, 0, INT64_MAX, "time to stop")                            \
    MUST(T, U64, rate_bit_per_s, 1, 100000000000ULL, "rate of IP octets")          \
    MUST(T, BOOL, poisson, 0, 1, "exponential intervals instead of constant ones") \
    MUST(T, BOOL, ect, 0, 1, "packets say ECT(0)")                                 \
    MUST(T, OCTETS, sizes, 2, 2 * SOURCE_SIZES_MAX, "packet sizes, 16 bits each, network order")

FIELD_STRUCT(lab_config, LAB_CONFIG_FIELDS);
FIELD_STRUCT(lab_endpoint, LAB_ENDPOINT_FIELDS);
FIELD_STRUCT(lab_context, LAB_CONTEXT_FIELDS);
FIELD_STRUCT(lab_cipher, LAB_CIPHER_FIELDS);
FIELD_STRUCT(lab_source, LAB_SOURCE_FIELDS);

extern const struct field lab_config_fields[];
extern const uint32_t lab_config_field_count;

// The calls for Lua; their target is the struct lab. Sources must be added before control is up;
// later ones do not start.
extern const struct field_call lab_calls[];
extern const uint32_t lab_call_count;

struct lab {
    struct lab_config config;
    struct engine *engine;
    const struct dp *dp;
    struct line gn, gb;
    struct source_gn gn_ends;
    struct receiver receiver;
    struct source *source;
    uint32_t sources;
    uint64_t gn_unexpected; // frames that the dataplane sent on Gn
};

// The EAL memory that the lab needs.
uint64_t lab_memory_octets(const struct lab_config *config);

// Makes the network behind both ports of the dataplane. The caller adds workers and control to the
// lab's engine as pollers, and keeps the captures, which may be NULL. Returns NULL and sets errno
// without memory.
struct lab *lab_create(const struct lab_config *config, const struct dp *dp, struct capture *gn,
                       struct capture *gb);

// Runs the pollers until is_up(self), then starts the hosts and runs to the configured end. Returns
// 0 or a fault of the engine.
int lab_run(struct lab *lab, engine_is_up_fn *is_up, engine_fire_fn *progress, void *self);

// Also frees the frames that are still on the lines.
void lab_destroy(struct lab *lab);

#endif
