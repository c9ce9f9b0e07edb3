// In doubt for the accused: findings that turn out to be what the capture lacks are taken back.
// Those of a cell since some time, when an answer shows that its FLOW-CONTROL was not captured;
// and at the end those that hang on what was said before, if packets are missing in the capture
// there. They are counted.
#include "lab/captures/audit/audit_parts.h"

#define AROUND_NS   (60 * S_IN_NS)
#define NEAR_NS     (600 * S_IN_NS)
#define UNSAID_MOST 1000u // findings that are looked at, the newest first

static bool is_of(const struct audit_finding *finding, const struct audit_unsaid *what)
{
    return finding->time_ns >= what->since_ns && 1u << finding->rule & what->rules &&
           finding->pair->nse == what->nse && (!what->pair || finding->pair == what->pair) &&
           (what->bvci < 0 || finding->bvci == what->bvci) &&
           (!what->tlli || (finding->has_tlli && finding->tlli == *what->tlli));
}

static void take_back(struct audit *audit, struct audit_finding *finding)
{
    finding->taken_back = true;
    audit->rule_counts[finding->rule][finding->who]--;
    audit->counts[AUDIT_findings_unsure]++;
}

void audit_unsay(struct audit *audit, const struct audit_unsaid *what)
{
    uint32_t least = audit->finding_count > UNSAID_MOST ? audit->finding_count - UNSAID_MOST : 0;
    for (uint32_t i = audit->finding_count; i > least; i--) {
        struct audit_finding *finding = &audit->findings[i - 1];
        if (!finding->taken_back && is_of(finding, what))
            take_back(audit, finding);
    }
}

static bool is_beyond(uint64_t from_ns, uint64_t to_ns, uint64_t ns)
{
    return to_ns > from_ns && to_ns - from_ns > ns;
}

// The span that the sign is near to; the last one, if there is no room for more; else a new one.
static struct audit_span *span_near(struct audit_lack *lack, uint64_t from_ns, uint64_t to_ns)
{
    for (uint32_t i = lack->spans; i > 0; i--) {
        struct audit_span *span = &lack->span[i - 1];
        if (!is_beyond(span->to_ns, from_ns, NEAR_NS) && !is_beyond(to_ns, span->from_ns, NEAR_NS))
            return span;
    }
    if (lack->spans == AUDIT_SPANS)
        return &lack->span[AUDIT_SPANS - 1];
    lack->span[lack->spans] = (struct audit_span){from_ns, to_ns};
    return &lack->span[lack->spans++];
}

void audit_lacks(struct audit *audit, enum audit_sign sign, uint64_t from_ns, uint64_t to_ns)
{
    struct audit_lack *lack = &audit->lacking;
    struct audit_span *span = span_near(lack, from_ns, to_ns);
    span->from_ns = from_ns < span->from_ns ? from_ns : span->from_ns;
    span->to_ns = to_ns > span->to_ns ? to_ns : span->to_ns;
    lack->signs += sign;
}

void audit_hangs_since(struct audit_finding *finding, uint64_t since_ns)
{
    if (finding)
        finding->since_ns = since_ns;
}

bool audit_may_be_before(const struct audit *audit, const struct audit_pair *said, uint64_t ns)
{
    uint64_t near_ns = audit->options.tolerance_ns + audit->disorder_ns;
    return said && said != audit->at.pair && audit->at.time_ns - ns <= near_ns;
}

// ---- The end ----

static bool hangs_on_all(enum audit_rule rule)
{
    enum audit_hangs hangs = audit_rules[rule].hangs;
    return audit_rules[rule].weight == AUDIT_BREACH &&
           (hangs == AUDIT_OTHERS || hangs == AUDIT_VALUES);
}

static bool hangs_on(const struct audit_finding *finding, const struct audit_span *span)
{
    uint64_t around_ns = AROUND_NS + span->to_ns - span->from_ns;
    bool before = is_beyond(finding->time_ns, span->from_ns, around_ns);
    bool behind = is_beyond(span->to_ns, finding->since_ns, around_ns);
    return !before && !behind;
}

static bool hangs_on_any(const struct audit_finding *finding, const struct audit_lack *lack)
{
    for (uint32_t i = 0; i < lack->spans; i++)
        if (hangs_on(finding, &lack->span[i]))
            return true;
    return false;
}

// Packets may be missing without a sign for as long as the signs of a span last, and for a minute,
// in front of them and behind. What hangs on nothing of that time is as sure as in a whole capture;
// so it is if more was sent than what is missing explains.
static bool may_be_missing(const struct audit *audit, const struct audit_finding *finding)
{
    // Else the signs' stamps are not of the findings' clock.
    bool same_clock = audit->all.steps == 0 && audit->counts[AUDIT_stamp_alone] == 0;
    return hangs_on_all(finding->rule) && !finding->sure &&
           (!same_clock || hangs_on_any(finding, &audit->lacking));
}

// Of an NSE that has turned out to be two; in a capture that lacks packets, what these may explain,
// and one that is out of order, and nobody knows by which.
static void drop_listed(struct audit *audit, bool lacks)
{
    for (uint32_t i = 0; i < audit->finding_count; i++) {
        struct audit_finding *finding = &audit->findings[i];
        bool mixed = finding->pair->nse->mixed && audit_rules[finding->rule].hangs != AUDIT_ITSELF;
        bool lost = lacks && (finding->alone || may_be_missing(audit, finding));
        if (!finding->taken_back && (mixed || lost))
            take_back(audit, finding);
    }
}

// Of those that are not listed nobody knows on what they hang.
static void drop_unlisted(struct audit *audit)
{
    uint64_t listed[AUDIT_RULES][AUDIT_SENDER] = {0};
    for (uint32_t i = 0; i < audit->finding_count; i++)
        listed[audit->findings[i].rule][audit->findings[i].who] += !audit->findings[i].taken_back;
    for (uint32_t rule = 0; rule < AUDIT_RULES; rule++)
        for (uint32_t who = 0; hangs_on_all((enum audit_rule)rule) && who < AUDIT_SENDER; who++) {
            audit->counts[AUDIT_findings_unsure] +=
                audit->rule_counts[rule][who] - listed[rule][who];
            audit->rule_counts[rule][who] = listed[rule][who];
        }
}

void audit_doubt_finish(struct audit *audit)
{
    uint32_t kept = 0;
    bool lacks = audit->lacking.signs >= AUDIT_PROOF;
    drop_listed(audit, lacks);
    if (lacks)
        drop_unlisted(audit);
    for (uint32_t i = 0; i < audit->finding_count; i++)
        if (!audit->findings[i].taken_back)
            audit->findings[kept++] = audit->findings[i];
    audit->finding_count = kept;
}
