// The auditor's clock, which only goes on: by the differences of stamps, from the first one on. A
// packet whose stamp is more than a second off is held until the next one tells whether the clock
// has stepped there or that stamp alone is wrong.
#include <string.h>

#include "lab/captures/audit/audit_parts.h"

#define CLOCK_STEP_NS S_IN_NS
#define PAUSE_NS      (60 * S_IN_NS) // Tns-test at most (48.016 clause 11)

static bool is_near(uint64_t one_ns, uint64_t other_ns)
{
    return one_ns > other_ns ? one_ns - other_ns <= CLOCK_STEP_NS
                             : other_ns - one_ns <= CLOCK_STEP_NS;
}

static void go_back(struct audit *audit, uint64_t stamp_ns)
{
    uint64_t back_ns = audit->stamp_ns - stamp_ns;
    if (back_ns <= CLOCK_STEP_NS) {
        audit->counts[AUDIT_clock_back]++;
        audit->disorder_ns = back_ns > audit->disorder_ns ? back_ns : audit->disorder_ns;
        return;
    }
    audit->stamp_ns = stamp_ns;
    audit_all_step(audit);
}

static void go_on(struct audit *audit, uint64_t stamp_ns)
{
    if (audit->frames++ == 0) {
        audit->first_ns = audit->last_ns = audit->stamp_ns = stamp_ns;
        return;
    }
    if (stamp_ns < audit->stamp_ns) {
        go_back(audit, stamp_ns);
        return;
    }
    if (stamp_ns - audit->stamp_ns > PAUSE_NS)
        audit_all_pause(audit);
    audit->last_ns += stamp_ns - audit->stamp_ns;
    audit->stamp_ns = stamp_ns;
}

static void judge(struct audit *audit, const struct capture_packet *packet)
{
    audit_packets_until(audit, packet->time_ns, audit->capture);
    go_on(audit, packet->time_ns);
    audit_packet(audit, packet, audit->capture);
}

static void hold(struct audit *audit, const struct capture_packet *packet)
{
    uint8_t *octets = capture_room_of(&audit->held_room, packet->captured);
    memcpy(octets, packet->octets, packet->captured);
    audit->held = *packet;
    audit->held.octets = octets;
    audit->is_held = true;
}

// The next one goes on from the one before it, and it is not between the two.
static bool is_wrong_alone(const struct audit *audit, uint64_t next_ns)
{
    uint64_t before_ns = audit->stamp_ns, held_ns = audit->held.time_ns;
    if (is_near(next_ns, held_ns))
        return false;
    return held_ns > before_ns ? next_ns < held_ns && next_ns + CLOCK_STEP_NS >= before_ns
                               : next_ns + CLOCK_STEP_NS >= before_ns;
}

static void release(struct audit *audit, uint64_t next_ns)
{
    audit->is_held = false;
    if (is_wrong_alone(audit, next_ns)) {
        audit->counts[AUDIT_stamp_alone]++;
        // The latest that it may be: a PDU is not early by that.
        audit->held.time_ns = next_ns > audit->stamp_ns ? next_ns : audit->stamp_ns;
    }
    judge(audit, &audit->held);
}

void audit_clock_packet(struct audit *audit, const struct capture_packet *packet)
{
    if (audit->is_held)
        release(audit, packet->time_ns);
    if (audit->frames && !is_near(packet->time_ns, audit->stamp_ns))
        hold(audit, packet);
    else
        judge(audit, packet);
}

void audit_clock_finish(struct audit *audit)
{
    if (audit->is_held)
        release(audit, audit->held.time_ns);
}
