// See compared.h.
#include "control/report/compared.h"

#include <math.h>
#include <string.h>

#include "control/client/value.h"

#define TIMES(name)                                 \
    {name "_mean_ms", name "_ms", "mean", 3, NULL}, \
    {                                               \
        name "_p95_ms", name "_ms", "p95", 3, NULL  \
    }
#define COUNTED_TIMES(name)                \
    TIMES(name),                           \
    {                                      \
        name "s", name "_ms", "n", 0, NULL \
    }

const struct compared_set compared_sets[COMPARED_WHATS] =
    {[COMPARED_CLASSES] =
         {"classes",
          9,
          {[COMPARED_GOODPUT] =
               {"goodput_bit_per_s", "goodput_bit_per_s", NULL, 0,
                "of the octets that arrived at the MSs, over the run without its warm-up"},
           [COMPARED_P50] =
               {"delay_p50_ms", "delay_ms", "p50", 3,
                "from send to delivery at the MS: median; empty: nothing was delivered"},
           [COMPARED_P95] = {"delay_p95_ms", "delay_ms", "p95", 3, "95 % are no more"},
           [COMPARED_P99] = {"delay_p99_ms", "delay_ms", "p99", 3, "99 % are no more"},
           [COMPARED_PACKETS] = {"packets", "packets", NULL, 0, "delivered to the MSs"},
           [COMPARED_DROPPED] = {"dropped", "drops", NULL, 0,
                                 "packets dropped in the SGSN, for any reason"},
           [COMPARED_MARKS] = {"marks", "marks", NULL, 0, "packets marked with CE in the SGSN"},
           [COMPARED_JAIN] = {"jain", "mss", "jain", 6,
                              "Jain's index of the MSs' goodput: 1 if all have the same"},
           [COMPARED_LEAST] = {"least_goodput_bit_per_s", "mss", "least_goodput_bit_per_s", 0,
                               "of the MS that had least"}}},
     [COMPARED_APPLICATIONS] = {"applications",
                                15,
                                {{"goodput_bit_per_s", "goodput_bit_per_s", NULL, 0, NULL},
                                 COUNTED_TIMES("transfer"),
                                 COUNTED_TIMES("object"),
                                 COUNTED_TIMES("page"),
                                 COUNTED_TIMES("round_trip"),
                                 {"timeouts", "tcp", "timeouts", 0, NULL},
                                 {"retransmitted_segments", "tcp", "retransmitted_segments", 0,
                                  NULL}}},
     [COMPARED_LAB] = {"lab",
                       8,
                       {TIMES("attach"),
                        TIMES("context"),
                        TIMES("first_octet"),
                        {"attached", "attached", NULL, 0, NULL},
                        {"contexts", "contexts", NULL, 0, NULL}}}};

#define PHONES "phones" // the lab's one subject

struct json_object *compared_subjects(const struct json_object *summary, enum compared_what what)
{
    if (what != COMPARED_LAB)
        return value_hold(value_in(summary, compared_sets[what].key));
    struct json_object *subjects = value_new(), *phones = value_in(summary, PHONES);
    if (phones)
        value_set(subjects, PHONES, value_hold(phones));
    return subjects;
}

static double dropped(const struct json_object *drops)
{
    double packets = 0;
    for (size_t i = 0; i < value_size(drops); i++)
        packets += value_as_real(value_in(value_item(drops, i), "packets"));
    return packets;
}

static double bounded(double figure)
{
    return figure >= 0 && figure <= COMPARED_MOST ? figure : NAN;
}

bool compared_counts(const struct compared_figure *figure)
{
    return figure->member && strcmp(figure->member, "n") == 0;
}

double compared_value(const struct json_object *subject, enum compared_what what, int figure)
{
    const struct compared_figure *f = &compared_sets[what].figure[figure];
    const struct json_object *value = value_in(subject, f->key);
    if (what == COMPARED_CLASSES && figure == COMPARED_DROPPED)
        return bounded(dropped(value));
    if (compared_counts(f) && !value)
        return 0;
    return bounded(value_as_real(f->member ? value_in(value, f->member) : value));
}

struct json_object *compared_batches(const struct json_object *summary, enum compared_what what,
                                     const char *subject, int figure)
{
    const struct compared_set *set = &compared_sets[what];
    const struct json_object *subjects = value_in(value_in(summary, "batches"), set->key);
    return value_in(value_in(subjects, subject), set->figure[figure].name);
}

struct statistics compared_over_batches(const struct json_object *of)
{
    struct statistics s = {.mean = bounded(value_as_real(value_in(of, "mean"))), .batches = true};
    double ci95 = bounded(value_as_real(value_in(of, "ci95"))),
           lag1 = value_as_real(value_in(of, "lag1"));
    uint64_t n = value_number(of, "batches");
    if (isnan(s.mean) || n > STATISTICS_BATCHES_MOST)
        return (struct statistics){0};
    s.n = (uint32_t)n;
    s.ci95 = isnan(ci95) ? 0 : ci95;
    s.lag1 = fabs(lag1) <= 1 ? lag1 : 0;
    s.too_short = value_is_true(value_in(of, "too_short"));
    return s;
}
