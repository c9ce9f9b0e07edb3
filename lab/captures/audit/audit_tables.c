// See audit_tables.def, the tables of the report. Here is what its expressions ask for.
#include "lab/captures/audit/audit_print.h"

static const char *weight_of(const struct audit_rule_row *rule)
{
    return rule->weight == AUDIT_BREACH ? "breach" : "remark";
}

static const uint64_t *counts_of(const struct audit *audit, const struct audit_rule_row *rule)
{
    return audit->rule_counts[rule - audit_rules];
}

static uint64_t since_first(const struct audit *audit, uint64_t time_ns)
{
    return time_ns - audit->first_ns;
}

static const char *kind_of(const struct audit_flow *flow)
{
    static const char *const kinds[FLOW_KINDS] = {"bvc", "ms", "pfc"};
    return kinds[flow->kind];
}

// The next that has a row: a pair of ends that is an NS-VC; an MS that is still one of its own.
static const struct audit_pair *next_nsvc(const struct audit_pair *pair)
{
    while (pair && !pair->number)
        pair = pair->next;
    return pair;
}

static const struct audit_ms *next_ms(const struct audit_ms *ms)
{
    while (ms && ms->replaced)
        ms = ms->next;
    return ms;
}

// The first packet flow of that MS or of those behind it.
static const struct audit_pfc *next_pfc(const struct audit_ms *ms)
{
    while (ms && !ms->pfcs)
        ms = ms->next;
    return ms ? ms->pfcs : NULL;
}

static uint64_t count_pfcs(const struct audit_ms *ms)
{
    uint64_t count = 0;
    for (const struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
        count++;
    return count;
}

extern const struct table audit_table_pfcs; // of which each MS has a list

#define TABLE_FILE  "lab/captures/audit/audit_tables.def"
#define TABLE_OWNER const struct audit *audit
#include "lab/base/table_make.h"

const struct table *const audit_tables[AUDIT_TABLES] = {
    &audit_table_rules, &audit_table_findings,     &audit_table_cells,
    &audit_table_pfcs,  &audit_table_mss,          &audit_table_nses,
    &audit_table_nsvcs, &audit_table_flow_control, &audit_table_events};
