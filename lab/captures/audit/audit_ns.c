// States of an NS-VC (TS 48.016 clause 7), as far as the PDUs show them. It is blocked from the
// acknowledgement on: one end has asked for that, and the other has answered, so both know.
#include "dataplane/wire/ns.h"
#include "lab/captures/audit/audit_parts.h"

#define ANSWERED_NS   (10 * S_IN_NS) // behind that it is no repeated request's
#define ALIVE_RETRIES 10             // NS-ALIVE-RETRIES, clause 11

static const char *const asks_names[NS_ASKS] = {"NS-RESET",
                                                "NS-BLOCK",
                                                "NS-UNBLOCK",
                                                "NS-ALIVE",
                                                "SNS-SIZE",
                                                "SNS-CONFIG",
                                                "SNS-ADD, -DELETE or -CHANGEWEIGHT"};

const char *audit_nsvc_state_name(enum audit_nsvc_state state)
{
    static const char *const names[] = {"unknown", "resetting", "blocked", "unblocked", "dead"};
    return names[state];
}

static void enter(struct audit *audit, enum audit_nsvc_state state)
{
    struct audit_pair *pair = audit->at.pair;
    pair->state_ns = audit->at.time_ns;
    if (pair->state == state || pair->nse->one_way)
        return;
    pair->state = state;
    audit_happens(audit, "ns-vc", -1, NULL, "%s", audit_nsvc_state_name(state));
}

bool audit_asks(const struct audit *audit, struct audit_ask *ask)
{
    uint64_t now_ns = audit->at.time_ns;
    bool again = ask->open && now_ns - ask->time_ns + audit->disorder_ns >= AUDIT_AGAIN_NS;
    *ask = (struct audit_ask){true, now_ns, audit->at.frame};
    return again;
}

enum audit_answer audit_answers(struct audit *audit, struct audit_ask *ask)
{
    uint64_t now_ns = audit->at.time_ns;
    bool open = ask->open, ever = ask->time_ns > 0;
    ask->open = false;
    if (open)
        return AUDIT_ANSWERS;
    if (now_ns - (ever ? ask->time_ns : audit->first_ns) <= ANSWERED_NS || audit->all.pauses)
        return AUDIT_ANSWERS_NOTHING;
    audit_lacks(audit, AUDIT_HINT, now_ns, now_ns);
    return AUDIT_ANSWERS_LOST;
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

static enum audit_answer answers(struct audit *audit, int what)
{
    return audit_answers(audit, &audit->at.pair->asked[!audit->at.from][what]);
}

static void resets(struct audit *audit)
{
    struct audit_pair *pair = audit->at.pair;
    for (int from = 0; from < 2; from++) {
        for (int what = NS_ASKS_BLOCK; what < NS_ASKS; what++)
            pair->asked[from][what].open = false;
        pair->alive_unanswered[from] = 0;
    }
    pair->early.pdus = 0;
    enter(audit, NSVC_RESETTING);
}

static void report_early(struct audit *audit, enum audit_answer answer)
{
    struct audit_early *early = &audit->at.pair->early;
    if (early->pdus && answer == AUDIT_ANSWERS)
        audit_hangs_since(audit_find_at(audit, AUDIT_RULE_nsvc_blocked, audit_sender(&early->at),
                                        &early->at, early->at.bvci, NULL,
                                        "in front of NS-UNBLOCK-ACK; such PDUs: %u", early->pdus),
                          audit->at.pair->state_ns);
    early->pdus = 0;
}

// The IP sub-network service (clause 7.4b): its procedures are the NSE's, on one of its NS-VCs.
static void sub_network(struct audit *audit, uint8_t type)
{
    static const struct {
        const char *name;
        int asks;
        bool answer;
    } rows[] = {[SNS_ACK_TYPE] = {"ack", NS_ASKS_CHANGE, true},
                [SNS_ADD_TYPE] = {"add", NS_ASKS_CHANGE, false},
                [SNS_CHANGEWEIGHT_TYPE] = {"changeweight", NS_ASKS_CHANGE, false},
                [SNS_CONFIG_TYPE] = {"config", NS_ASKS_CONFIG, false},
                [SNS_CONFIG_ACK_TYPE] = {"config-ack", NS_ASKS_CONFIG, true},
                [SNS_DELETE_TYPE] = {"delete", NS_ASKS_CHANGE, false},
                [SNS_SIZE_TYPE] = {"size", NS_ASKS_SIZE, false},
                [SNS_SIZE_ACK_TYPE] = {"size-ack", NS_ASKS_SIZE, true}};
    audit_happens(audit, "sns", -1, NULL, "%s", rows[type].name);
    if (rows[type].answer)
        answers(audit, rows[type].asks);
    else
        asks(audit, rows[type].asks);
}

static uint64_t name_of(const struct audit_nse *nse, uint16_t nsvci)
{
    return (uint64_t)nse->number << 16 | nsvci;
}

void audit_ns_names(struct audit *audit)
{
    for (struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->has_nsvci && pair->sgsn >= 0)
            bss_table_put(&audit->named_table, &pair->named_link, name_of(pair->nse, pair->nsvci));
}

// NS-BLOCK and its answer name the NS-VC that they are about, and may come on another one of the
// NSE (clause 7.2). Where the capture has not shown whose the NS-VCI is, it is that on which they
// come.
static void turn_to_named(struct audit *audit, uint16_t nsvci)
{
    struct audit_at *at = &audit->at;
    const struct audit_pair *by = at->pair;
    if (by->sgsn < 0 || (by->has_nsvci && by->nsvci == nsvci))
        return;
    struct bss_link *link = bss_table_find(&audit->named_table, name_of(by->nse, nsvci));
    if (!link)
        return;
    struct audit_pair *named = BSS_OWNER(link, struct audit_pair, named_link);
    at->from = at->from == by->sgsn ? named->sgsn : !named->sgsn;
    at->pair = named;
    audit_fresh_pair(audit, named);
}

static uint16_t named_by(uint8_t type, const void *pdu)
{
    const struct ns_block *block = pdu;
    const struct ns_block_ack *ack = pdu;
    return type == NS_BLOCK_TYPE ? block->ns_vci : ack->ns_vci;
}

void audit_ns_pdu(struct audit *audit, uint8_t type, const void *pdu)
{
    if (type == NS_BLOCK_TYPE || type == NS_BLOCK_ACK_TYPE)
        turn_to_named(audit, named_by(type, pdu));
    struct audit_pair *pair = audit->at.pair;
    switch (type) {
    case NS_RESET_TYPE:
        asks(audit, NS_ASKS_RESET);
        resets(audit);
        break;
    case NS_RESET_ACK_TYPE:
        if (answers(audit, NS_ASKS_RESET) == AUDIT_ANSWERS)
            enter(audit, NSVC_BLOCKED);
        break;
    case NS_BLOCK_TYPE:
        asks(audit, NS_ASKS_BLOCK);
        break;
    case NS_BLOCK_ACK_TYPE:
        if (answers(audit, NS_ASKS_BLOCK) == AUDIT_ANSWERS)
            enter(audit, NSVC_BLOCKED);
        break;
    case NS_UNBLOCK_TYPE:
        pair->early.pdus = 0;
        asks(audit, NS_ASKS_UNBLOCK);
        break;
    case NS_UNBLOCK_ACK_TYPE:
        report_early(audit, answers(audit, NS_ASKS_UNBLOCK));
        enter(audit, NSVC_OPEN);
        break;
    case NS_ALIVE_TYPE:
        asks(audit, NS_ASKS_ALIVE);
        break;
    case NS_ALIVE_ACK_TYPE:
        if (answers(audit, NS_ASKS_ALIVE) == AUDIT_ANSWERS)
            pair->alive_unanswered[!audit->at.from] = 0;
        if (pair->state ==
            NSVC_DEAD) // of an NS-VC over IP that is all it takes; else RESET follows
            enter(audit, NSVC_UNKNOWN);
        break;
    case NS_STATUS_TYPE:
        audit_happens(audit, "ns-status", -1, NULL, "cause %u",
                      ((const struct ns_status *)pdu)->cause);
        break;
    default:
        if (type >= SNS_ACK_TYPE && type <= SNS_SIZE_ACK_TYPE)
            sub_network(audit, type);
        break;
    }
}

void audit_note_early(const struct audit *audit, struct audit_early *early)
{
    if (early->pdus++ == 0)
        early->at = audit->at;
}

void audit_ns_unitdata(struct audit *audit)
{
    // The end that is asked to unblock it may send before its answer is on the line.
    struct audit_pair *pair = audit->at.pair;
    int from = audit->at.from;
    if (pair->state != NSVC_BLOCKED || pair->asked[!from][NS_ASKS_UNBLOCK].open)
        return;
    if (pair->asked[from][NS_ASKS_UNBLOCK].open)
        audit_note_early(audit, &pair->early);
    else
        audit_hangs_since(audit_find(audit, AUDIT_RULE_nsvc_blocked, audit->at.bvci, NULL,
                                     "a PDU of %u octets", audit->at.length),
                          pair->state_ns);
}
