// See compared.h.
#include "control/report/compared.h"

#include <math.h>

#include "control/client/value.h"

#define TIMES(name)                           \
    {name "_mean_ms", name "_ms", "mean", 3}, \
    {                                         \
        name "_p95_ms", name "_ms", "p95", 3  \
    }

const struct compared_set compared_sets[COMPARED_WHATS] = {
    [COMPARED_CLASSES] = {"classes",
                          9,
                          {[COMPARED_GOODPUT] = {"goodput_bit_per_s", "goodput_bit_per_s", NULL, 0},
                           [COMPARED_P50] = {"delay_p50_ms", "delay_ms", "p50", 3},
                           [COMPARED_P95] = {"delay_p95_ms", "delay_ms", "p95", 3},
                           [COMPARED_P99] = {"delay_p99_ms", "delay_ms", "p99", 3},
                           [COMPARED_PACKETS] = {"packets", "packets", NULL, 0},
                           [COMPARED_DROPPED] = {"dropped", "drops", NULL, 0},
                           [COMPARED_MARKS] = {"marks", "marks", NULL, 0},
                           [COMPARED_JAIN] = {"jain", "mss", "jain", 6},
                           [COMPARED_LEAST] = {"least_goodput_bit_per_s", "mss",
                                               "least_goodput_bit_per_s", 0}}},
    [COMPARED_APPLICATIONS] = {"applications",
                               11,
                               {{"goodput_bit_per_s", "goodput_bit_per_s", NULL, 0},
                                TIMES("transfer"),
                                TIMES("object"),
                                TIMES("page"),
                                TIMES("round_trip"),
                                {"timeouts", "tcp", "timeouts", 0},
                                {"retransmitted_segments", "tcp", "retransmitted_segments", 0}}}};

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

double compared_value(const struct json_object *subject, enum compared_what what, int figure)
{
    const struct compared_figure *f = &compared_sets[what].figure[figure];
    const struct json_object *value = value_in(subject, f->key);
    if (what == COMPARED_CLASSES && figure == COMPARED_DROPPED)
        return bounded(dropped(value));
    return bounded(value_as_real(f->member ? value_in(value, f->member) : value));
}
