// A queue in the SGSN that is drained more slowly than R lets it: seen from Gb alone, LLC PDUs of
// several sizes in turn, none nearer to the one before than its own octets over R, most at one and
// the same multiple of that, and together less than R. A guess, and so a remark.
#include "lab/captures/audit/audit_parts.h"

#define PACED_PDUS    25u
#define PACED_NS      (3 * S_IN_NS)
#define PACED_RATE    0.92 // of R: above that it is R
#define OWN_SLACK     1.02 // an MS's own pace is met to that
#define PACED_VARIETY 1.2  // a source of one size and rate is no queue
#define PACED_SHARE   0.75 // of the PDUs that come at the run's own pace

// How many PDUs have the spacing that is most frequent, over two neighbouring columns.
static uint32_t at_one_pace(const struct audit_pace *pace)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i + 1 < AUDIT_SPACINGS; i++)
        if (pace->spacing[i] + pace->spacing[i + 1] > most)
            most = pace->spacing[i] + pace->spacing[i + 1];
    return most;
}

void audit_pace_end(struct audit *audit, struct audit_bvc *bvc)
{
    struct audit_pace *pace = &bvc->pace;
    double seconds = (double)(pace->last_ns - pace->first.time_ns) / (double)S_IN_NS;
    if (pace->pdus >= PACED_PDUS && pace->last_ns - pace->first.time_ns >= PACED_NS &&
        pace->allowed_s < seconds * PACED_RATE &&
        pace->most_octets >= pace->least_octets * PACED_VARIETY &&
        at_one_pace(pace) >= pace->pdus * PACED_SHARE)
        audit_find_at(audit, AUDIT_RULE_paced_below, AUDIT_SGSN, &pace->first, bvc->bvci, NULL,
                      "%u LLC PDUs in %.2f s from here on: %.0f octets/s, R is %.0f octets/s",
                      pace->pdus, seconds, (double)pace->octets / seconds,
                      (double)pace->octets / pace->allowed_s);
    pace->pdus = 0;
}

static uint64_t least_r(const struct audit_levels *at)
{
    uint64_t r = at->bvc->bucket.r_bit_per_s;
    r = at->ms->bucket.r_bit_per_s < r ? at->ms->bucket.r_bit_per_s : r;
    return at->pfc && at->pfc->bucket.r_bit_per_s < r ? at->pfc->bucket.r_bit_per_s : r;
}

static void begin_pace(struct audit *audit, const struct audit_levels *at)
{
    at->bvc->pace = (struct audit_pace){.r_bit_per_s = at->bvc->bucket.r_bit_per_s,
                                        .last_tlli = at->ms->tlli,
                                        .last_ns = audit->at.time_ns,
                                        .least_octets = UINT32_MAX,
                                        .first = audit->at};
}

static double seconds_at(uint32_t octets, uint64_t r_bit_per_s)
{
    return r_bit_per_s ? octets * (double)OCTETS_IN_BITS / (double)r_bit_per_s : 0;
}

// How much later than the one before it had to be: the MS's own R explains all of it, or it holds a
// PDU behind another one of that MS, or the cell's R does.
static double allowed(const struct audit *audit, const struct audit_levels *at)
{
    const struct audit_pace *pace = &at->bvc->pace;
    double own_s = seconds_at(at->octets, least_r(at)),
           cell_s = seconds_at(at->octets, pace->r_bit_per_s);
    double own_gap_s = (double)(audit->at.time_ns - at->ms->last_dl_ns) / (double)S_IN_NS;
    if (own_s == 0 || (own_s > cell_s && own_gap_s <= own_s * OWN_SLACK))
        return (double)(audit->at.time_ns - pace->last_ns) / (double)S_IN_NS;
    return pace->last_tlli == at->ms->tlli ? own_s : cell_s;
}

static void pace_goes_on(struct audit *audit, const struct audit_levels *at, uint32_t column)
{
    struct audit_pace *pace = &at->bvc->pace;
    pace->allowed_s += allowed(audit, at);
    pace->last_tlli = at->ms->tlli;
    pace->pdus++;
    pace->spacing[column]++;
    pace->octets += at->octets;
    pace->last_ns = audit->at.time_ns;
    pace->least_octets = at->octets < pace->least_octets ? at->octets : pace->least_octets;
    pace->most_octets = at->octets > pace->most_octets ? at->octets : pace->most_octets;
}

// The spacing is that to the PDU before, as a multiple of the PDU's own octets over R.
void audit_pace_note(struct audit *audit, const struct audit_levels *at)
{
    struct audit_pace *pace = &at->bvc->pace;
    double ns = (double)(audit->at.time_ns - pace->last_ns);
    double spacing = ns * (double)pace->r_bit_per_s / OCTETS_IN_BITS / (double)S_IN_NS / at->octets;
    double column = (spacing - AUDIT_SPACING_LEAST) / AUDIT_SPACING_STEP;
    bool same_r = pace->r_bit_per_s == at->bvc->bucket.r_bit_per_s;
    if (pace->last_ns && same_r && column >= 0 && column < AUDIT_SPACINGS) {
        pace_goes_on(audit, at, (uint32_t)column);
    } else {
        audit_pace_end(audit, at->bvc);
        begin_pace(audit, at);
    }
    at->ms->last_dl_ns = audit->at.time_ns;
}
