// States of an NS-VC (TS 48.016 clause 7), as far as the PDUs show them. It is blocked from the
// acknowledgement on: one end has asked for that, and the other has answered, so both know.
#include "dataplane/wire/ns.h"
#include "lab/audit/audit_parts.h"

enum {
    RESET = 0x02,
    RESET_ACK = 0x03,
    BLOCK = 0x04,
    BLOCK_ACK = 0x05,
    UNBLOCK = 0x06,
    UNBLOCK_ACK = 0x07,
    STATUS = 0x08,
    ALIVE = 0x0a,
    ALIVE_ACK = 0x0b
};

#define ALIVE_RETRIES 10 // NS-ALIVE-RETRIES, clause 11

static const char *const asks_names[NS_ASKS] = {"NS-RESET", "NS-BLOCK", "NS-UNBLOCK", "NS-ALIVE"};

const char *audit_nsvc_state_name(enum audit_nsvc_state state)
{
    static const char *const names[] = {"unknown", "resetting", "blocked", "unblocked", "dead"};
    return names[state];
}

static void enter(struct audit *audit, enum audit_nsvc_state state)
{
    struct audit_pair *pair = audit->at.pair;
    if (pair->state == state || pair->nse->one_way)
        return;
    pair->state = state;
    audit_happens(audit, "ns-vc", -1, NULL, "%s", audit_nsvc_state_name(state));
}

bool audit_asks(const struct audit *audit, struct audit_ask *ask)
{
    uint64_t now_ns = audit->at.time_ns;
    bool again = ask->open && now_ns - ask->time_ns + audit->disorder_ns >= AUDIT_AGAIN_NS;
    *ask = (struct audit_ask){true, now_ns};
    return again;
}

bool audit_answers(struct audit_ask *ask)
{
    bool open = ask->open;
    ask->open = false;
    return open;
}

static void asks(struct audit *audit, int what)
{
    struct audit_pair *pair = audit->at.pair;
    int from = audit->at.from;
    if (!audit_asks(audit, &pair->asked[from][what]))
        return;
    struct audit_at at = audit->at;
    at.down = !audit->at.down;
    bool alive = what == NS_ASKS_ALIVE;
    if (audit->at.down || audit->at.up)
        audit_find_at(audit, alive ? AUDIT_RULE_alive_unanswered : AUDIT_RULE_ns_unanswered,
                      audit_sender(&at), &audit->at, -1, NULL, "%s has had no answer",
                      asks_names[what]);
    if (alive && ++pair->alive_unanswered[from] == ALIVE_RETRIES)
        enter(audit, NSVC_DEAD);
}

static bool answers(struct audit *audit, int what)
{
    return audit_answers(&audit->at.pair->asked[!audit->at.from][what]);
}

static void resets(struct audit *audit)
{
    struct audit_pair *pair = audit->at.pair;
    for (int from = 0; from < 2; from++) {
        for (int what = NS_ASKS_BLOCK; what < NS_ASKS; what++)
            pair->asked[from][what].open = false;
        pair->alive_unanswered[from] = 0;
    }
    enter(audit, NSVC_RESETTING);
}

void audit_ns_pdu(struct audit *audit, uint8_t type, const void *pdu)
{
    struct audit_pair *pair = audit->at.pair;
    switch (type) {
    case RESET:
        asks(audit, NS_ASKS_RESET);
        resets(audit);
        break;
    case RESET_ACK:
        if (answers(audit, NS_ASKS_RESET))
            enter(audit, NSVC_BLOCKED);
        break;
    case BLOCK:
        asks(audit, NS_ASKS_BLOCK);
        break;
    case BLOCK_ACK:
        if (answers(audit, NS_ASKS_BLOCK))
            enter(audit, NSVC_BLOCKED);
        break;
    case UNBLOCK:
        asks(audit, NS_ASKS_UNBLOCK);
        break;
    case UNBLOCK_ACK:
        if (answers(audit, NS_ASKS_UNBLOCK))
            enter(audit, NSVC_OPEN);
        break;
    case ALIVE:
        asks(audit, NS_ASKS_ALIVE);
        break;
    case ALIVE_ACK:
        if (answers(audit, NS_ASKS_ALIVE))
            pair->alive_unanswered[!audit->at.from] = 0;
        if (pair->state ==
            NSVC_DEAD) // of an NS-VC over IP that is all it takes; else RESET follows
            enter(audit, NSVC_UNKNOWN);
        break;
    case STATUS:
        audit_happens(audit, "ns-status", -1, NULL, "cause %u",
                      ((const struct ns_status *)pdu)->cause);
        break;
    default:
        break;
    }
}

void audit_ns_unitdata(struct audit *audit)
{
    // The end that is asked to unblock it may send before its answer is on the line.
    const struct audit_pair *pair = audit->at.pair;
    if (pair->state == NSVC_BLOCKED && !pair->asked[!audit->at.from][NS_ASKS_UNBLOCK].open)
        audit_find(audit, AUDIT_RULE_nsvc_blocked, audit->at.bvci, NULL, "a PDU of %u octets",
                   audit->at.length);
}
