// What the auditor reports: findings by rule, events, FLOW-CONTROLs, notes. Counts are complete;
// lists are bounded, and what is not listed is counted.
#include <stdarg.h>
#include <string.h>

#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define SGSN   AUDIT_SGSN
#define BSS    AUDIT_BSS
#define SENDER AUDIT_SENDER
#define BREACH AUDIT_BREACH
#define REMARK AUDIT_REMARK
#define OTHERS AUDIT_OTHERS
#define ITSELF AUDIT_ITSELF
#define VALUES AUDIT_VALUES
#define ORDER  AUDIT_ORDER
#define AUDIT_RULE(name, who, weight, clause, hangs, text) \
    {#name, who, weight, clause, hangs, text},
const struct audit_rule_row audit_rules[] = {
#include "lab/captures/audit/audit_rules.def"
};
#undef AUDIT_RULE

#define AUDIT_COUNT(name, help) #name,
const char *const audit_count_names[] = {
#include "lab/captures/audit/audit_counts.def"
};
#undef AUDIT_COUNT
#define AUDIT_COUNT(name, help) help,
const char *const audit_count_helps[] = {
#include "lab/captures/audit/audit_counts.def"
};
#undef AUDIT_COUNT

const char *audit_who_name(enum audit_who who)
{
    return who == AUDIT_SGSN ? "SGSN" : who == AUDIT_BSS ? "BSS" : "sender";
}

enum audit_who audit_sender(const struct audit_at *at)
{
    return at->down ? AUDIT_SGSN : AUDIT_BSS;
}

void audit_note(struct audit *audit, const char *format, ...)
{
    struct audit_note *note = need(calloc(1, sizeof *note));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->text, sizeof note->text, format, arguments);
    va_end(arguments);
    *audit->notes_end = note;
    audit->notes_end = &note->next;
}

static void make_room(struct audit *audit)
{
    if (audit->finding_count < audit->finding_room)
        return;
    audit->finding_room = audit->finding_room ? audit->finding_room * 2 : 16;
    audit->findings = need(realloc(audit->findings, audit->finding_room * sizeof *audit->findings));
}

static struct audit_finding *list_finding(struct audit *audit, const struct audit_finding *finding)
{
    if (audit->finding_count == AUDIT_FINDINGS_MAX) {
        audit->counts[AUDIT_findings_unlisted]++;
        return NULL;
    }
    make_room(audit);
    audit->findings[audit->finding_count] = *finding;
    return &audit->findings[audit->finding_count++];
}

static struct audit_finding *find(struct audit *audit, struct audit_finding *finding,
                                  const struct audit_at *at, const uint32_t *tlli,
                                  const char *format, va_list arguments)
{
    bool blind = audit->blind || at->pair->nse->blind || at->pair->nse->mixed;
    enum audit_hangs hangs = audit_rules[finding->rule].hangs;
    if (blind && (hangs == AUDIT_OTHERS || hangs == AUDIT_ORDER ||
                  (hangs == AUDIT_VALUES && at->pair->nse->mixed))) {
        audit->counts[AUDIT_findings_unsure]++;
        return NULL;
    }
    audit->rule_counts[finding->rule][finding->who]++;
    finding->time_ns = at->time_ns;
    finding->frame = at->frame;
    finding->pair = at->pair;
    finding->has_tlli = tlli;
    finding->tlli = tlli ? *tlli : 0;
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    return list_finding(audit, finding);
}

struct audit_finding *audit_find(struct audit *audit, enum audit_rule rule, int32_t bvci,
                                 const uint32_t *tlli, const char *format, ...)
{
    enum audit_who who = audit_rules[rule].who;
    struct audit_finding finding = {
        .rule = rule, .who = who == AUDIT_SENDER ? audit_sender(&audit->at) : who, .bvci = bvci};
    va_list arguments;
    va_start(arguments, format);
    struct audit_finding *listed = find(audit, &finding, &audit->at, tlli, format, arguments);
    va_end(arguments);
    return listed;
}

struct audit_finding *audit_find_at(struct audit *audit, enum audit_rule rule, enum audit_who who,
                                    const struct audit_at *at, int32_t bvci, const uint32_t *tlli,
                                    const char *format, ...)
{
    struct audit_finding finding = {.rule = rule, .who = who, .bvci = bvci};
    va_list arguments;
    va_start(arguments, format);
    struct audit_finding *listed = find(audit, &finding, at, tlli, format, arguments);
    va_end(arguments);
    return listed;
}

static bool room_for_row(struct audit *audit)
{
    bool room = audit->row_count < AUDIT_ROWS_MAX;
    audit->row_count += room;
    audit->counts[AUDIT_rows_unlisted] += !room;
    return room;
}

void audit_happens(struct audit *audit, const char *what, int32_t bvci, const uint32_t *tlli,
                   const char *format, ...)
{
    if (!room_for_row(audit))
        return;
    struct audit_event *event = need(calloc(1, sizeof *event));
    *event = (struct audit_event){.time_ns = audit->at.time_ns,
                                  .frame = audit->at.frame,
                                  .pair = audit->at.pair,
                                  .bvci = bvci,
                                  .has_tlli = tlli,
                                  .tlli = tlli ? *tlli : 0};
    snprintf(event->what, sizeof event->what, "%s", what);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event->text, sizeof event->text, format, arguments);
    va_end(arguments);
    *audit->events_end = event;
    audit->events_end = &event->next;
}

void audit_list_flow(struct audit *audit, struct audit_flow *flow)
{
    if (!room_for_row(audit)) {
        free(flow);
        return;
    }
    flow->next = NULL;
    *audit->flows_end = flow;
    audit->flows_end = &flow->next;
}

static int by_frame(const void *a, const void *b)
{
    const struct audit_finding *one = a, *other = b;
    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    return (one->rule > other->rule) - (one->rule < other->rule);
}

// A list whose items begin with the next one, and have their frame somewhere.
struct item {
    struct item *next;
};
struct place {
    uint64_t frame;
    uint32_t number;
    struct item *item;
};

static int by_place(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

// What happens to all at once is listed when a cell is met again.
static struct item *sorted(struct item *first, size_t frame_at)
{
    uint32_t count = 0;
    for (const struct item *item = first; item; item = item->next)
        count++;
    struct place *all = need(calloc(count + 1, sizeof *all));
    for (uint32_t i = 0; i < count; i++, first = first->next) {
        all[i] = (struct place){.number = i, .item = first};
        memcpy(&all[i].frame, (const char *)first + frame_at, sizeof all[i].frame);
    }
    qsort(all, count, sizeof *all, by_place);
    for (uint32_t i = 0; i < count; i++)
        all[i].item->next = all[i + 1].item;
    first = all[0].item;
    free(all);
    return first;
}

void audit_book_finish(struct audit *audit)
{
    audit_doubt_finish(audit);
    if (audit->finding_count)
        qsort(audit->findings, audit->finding_count, sizeof *audit->findings, by_frame);
    audit->flows = (struct audit_flow *)sorted((struct item *)audit->flows,
                                               offsetof(struct audit_flow, frame));
    audit->events = (struct audit_event *)sorted((struct item *)audit->events,
                                                 offsetof(struct audit_event, frame));
}

static uint64_t weighing(const struct audit *audit, int weight)
{
    uint64_t sum = 0;
    for (uint32_t rule = 0; rule < AUDIT_RULES; rule++)
        if ((int)audit_rules[rule].weight == weight)
            sum += audit->rule_counts[rule][AUDIT_SGSN] + audit->rule_counts[rule][AUDIT_BSS];
    return sum;
}

uint64_t audit_breaches(const struct audit *audit)
{
    return weighing(audit, AUDIT_BREACH);
}

uint64_t audit_remarks(const struct audit *audit)
{
    return weighing(audit, AUDIT_REMARK);
}

bool audit_met_gb(const struct audit *audit)
{
    return audit->nsvc_count > 0;
}
