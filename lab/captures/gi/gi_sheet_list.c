// See gi_sheet_list.def: a function for each set of flows, and the tables.
#include "lab/captures/gi/gi_sheets.h"

static inline bool is_word(const char *word, const char *text)
{
    return word[0] == text[0] && strcmp(word, text) == 0;
}

static bool outcome(const struct gi_result *r, const char *text)
{
    return is_word(r->outcome, text);
}

static bool longer(const struct gi_result *r, int64_t octets)
{
    return r->throughput != GI_NONE && r->down_data_octets - r->down_resent_octets > octets;
}

static bool lost_between(const struct gi_result *r, double least, double most)
{
    double lost = (double)(r->down_lost_gprs + r->down_lost_internet);
    double sent = (double)(r->down_data_packets + r->down_lost_internet);
    return lost >= least * sent && lost < most * sent;
}

// clang-format off
#define IS(name, condition) \
    static bool name(const struct gi_result *r __attribute__((unused))) { return condition; }
#define SHEET(name, title, about, a, b, shows, width, bins)
#define ROW(label, is)
#define SHEET_END
#include "lab/captures/gi/gi_sheet_list.def"
#undef IS
#undef SHEET
#undef ROW
#undef SHEET_END

const struct gi_sheet gi_sheet_list[] = {
#define IS(name, condition)
#define SHEET(name, title, about, a, b, shows, width, bins) \
    {name, title, about, a, b, shows, {width, bins}, {
#define ROW(label, is) {label, is},
#define SHEET_END }},
#include "lab/captures/gi/gi_sheet_list.def"
#undef IS
#undef SHEET
#undef ROW
#undef SHEET_END
};
// clang-format on
const size_t gi_sheet_count = sizeof gi_sheet_list / sizeof gi_sheet_list[0];

// Of a flow of which a SYN was cut nobody knows whether it uses these, nor how its window scales.
bool gi_sheet_knows(const struct gi_row *row, const struct gi_result *r)
{
    bool (*const by_syns[])(const struct gi_result *) = {
        sack, no_sack, timestamps, no_timestamps, window_low, window_medium, window_high};
    for (size_t i = 0; r->sack == GI_NONE && i < sizeof by_syns / sizeof by_syns[0]; i++)
        if (row->is == by_syns[i])
            return false;
    return true;
}
