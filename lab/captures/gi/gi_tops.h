// Who had most of the traffic: users, hosts and flows by their octets, of flows that have ended.
#ifndef SLUICE_GI_TOPS_H
#define SLUICE_GI_TOPS_H

#include "lab/base/table.h"
#include "lab/captures/gi/gi_result.h"

struct gi_top {
    struct ipv6_address address;
    bool is_others; // all whose addresses came when there was no room any more
    uint64_t flows, down_octets, up_octets, down_data_packets, down_resent_packets;
    uint64_t setups, setups_ns; // of one SYN and one SYN-ACK, and the sum of their delays
    const struct gi_top *next;  // in the order of what is shown
};

struct gi_tops;
struct gi_tops *gi_tops_create(uint32_t shown);
void gi_tops_destroy(struct gi_tops *tops);
void gi_tops_count(struct gi_tops *tops, const struct gi_result *result);

// Sorts them, for the rows of the lists below, whose owner they are, and the text.
void gi_tops_finish(struct gi_tops *tops);
extern const struct table gi_list_top_users, gi_list_top_hosts;
void gi_tops_print(const struct gi_tops *tops, FILE *out);
// The key "top_flows": as many flows with most octets, with all their columns.
void gi_tops_put_flows(const struct gi_tops *tops, struct json *json);

#endif
