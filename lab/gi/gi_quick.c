// See gi_quick.h.
#include "lab/gi/gi_quick.h"

#include "dataplane/wire/address.h"

static bool is_calm_half(const struct gi_half *half)
{
    return half->started && !half->late && half->probes == 0 && half->duplicates == 0 &&
           half->lost_control == 0 && half->sacked_to == half->una;
}

static bool is_ipv4(const struct gi_flow *flow)
{
    return address_is_ipv4(&flow->user[GI_UP]->address) &&
           address_is_ipv4(&flow->user[GI_DOWN]->address);
}

bool gi_quick_is_calm(const struct gi_flow *flow)
{
    return !flow->trips.unsure && !flow->ended && is_ipv4(flow) &&
           is_calm_half(&flow->half[GI_UP]) && is_calm_half(&flow->half[GI_DOWN]);
}
