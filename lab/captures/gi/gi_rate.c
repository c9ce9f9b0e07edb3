// See gi_rate.h.
#include "lab/captures/gi/gi_rate.h"

void gi_rate_end(struct gi_rate *rate)
{
    uint32_t octets = rate->last_octets - rate->first_octets;
    if (rate->open && octets >= GI_RATE_OCTETS_LEAST && rate->last_ns > rate->first_ns) {
        rate->periods++;
        rate->octets += octets;
        rate->time_ns += rate->last_ns - rate->first_ns;
    }
    rate->open = false;
}

void gi_rate_ack(struct gi_rate *rate, uint64_t now_ns, uint32_t ack, uint32_t user_octets,
                 uint32_t flight_octets)
{
    bool full = flight_octets >= GI_RATE_FLIGHT_OCTETS;
    if (rate->recovering && (int32_t)(ack - rate->recovered_at) >= 0)
        rate->recovering = false;
    if (rate->open) {
        rate->last_ns = now_ns;
        rate->last_octets = user_octets;
        if (full && user_octets - rate->first_octets < GI_RATE_OCTETS_MOST)
            return;
        gi_rate_end(rate);
    }
    if (full && !rate->recovering) {
        rate->open = true;
        rate->first_ns = rate->last_ns = now_ns;
        rate->first_octets = rate->last_octets = user_octets;
    }
}

void gi_rate_trouble(struct gi_rate *rate, uint32_t next, uint32_t flight_octets)
{
    gi_rate_end(rate);
    rate->recovering = flight_octets > 0;
    rate->recovered_at = next;
}
