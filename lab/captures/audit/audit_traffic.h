// What came for the MSs of a capture that has both Gn and Gb, and what the BSSs allowed them: of
// Gn's G-PDUs the time, size and flow; of Gb which MS has which address, in which cell it was when,
// and each FLOW-CONTROL. Nothing here is judged; a scenario is written of it.
#ifndef SLUICE_LAB_CAPTURES_AUDIT_AUDIT_TRAFFIC_H
#define SLUICE_LAB_CAPTURES_AUDIT_AUDIT_TRAFFIC_H

#include "lab/captures/audit/audit.h"

#define AUDIT_TRAFFIC_USERS_MOST   10000u
#define AUDIT_TRAFFIC_STREAMS_MOST 100000u
#define AUDIT_TRAFFIC_PACKETS_MOST 4000000u
#define AUDIT_TRAFFIC_ROWS_MOST    1000000u // FLOW-CONTROLs, and cell changes

// Times are from the first frame on. Users, streams and cells are numbers from 1 on; 0: none.
struct audit_traffic_packet {
    uint64_t time_ns;
    uint32_t stream;
    uint16_t octets;
};

struct audit_traffic_stream {
    uint32_t user, packets;
    bool ect;
};

struct audit_traffic_cell {
    uint32_t nse;        // from 1 on
    uint16_t nsei, bvci; // nsei: 0 if the capture does not say it
};

struct audit_traffic_place { // where a user was from then on
    uint64_t time_ns;
    uint32_t user, cell;
};

struct audit_traffic_value { // user 0: of the cell, with the defaults of its MSs
    uint64_t time_ns, bmax_octets, r_bit_per_s, ms_bmax_octets, ms_r_bit_per_s;
    uint32_t user, cell;
};

// Packets are by stream, then by time; places and values by time. The streams of a user need not
// follow each other.
struct audit_traffic {
    uint32_t users, streams, packets, cells, places, values;
    const struct audit_traffic_stream *stream; // [stream - 1], as the cells
    const struct audit_traffic_packet *packet;
    const struct audit_traffic_cell *cell;
    const struct audit_traffic_place *place;
    const struct audit_traffic_value *value;
    // What it does not have.
    uint64_t for_nobody;      // G-PDUs to an address that nobody on Gb has
    uint64_t beyond;          // packets, FLOW-CONTROLs and moves beyond the most that are kept
    uint64_t enciphered;      // N-PDUs' first LLC PDUs of which the address is not known
    uint64_t steps_back;      // of the clock, by more than a second
    uint64_t copies;          // G-PDUs that were captured once more, as on two interfaces
    uint64_t compressed;      // the same
    uint64_t of_packet_flows; // FLOW-CONTROLs with values of packet flows
    // Of G-PDUs that were seen again on Gb, until then.
    uint64_t waits, wait_mean_ns, wait_half_ns, wait_most_ns; // half: the median; most: of 95 %
};

// What was collected, once the audit is finished, if options.traffic asked for it; else NULL.
const struct audit_traffic *audit_traffic(const struct audit *audit);

#endif
