// Which tables there are, and which flows are in their rows. Table I to III, the tree of Fig. 5 and
// the thresholds are the paper's: P. Benko, G. Malicsko, A. Veres, "A Large-scale, Passive Analysis
// of End-to-End TCP Performance over GPRS", INFOCOM 2004. 1 kB is 1000 octets.
#include "lab/captures/gi/gi_sheets.h"

// ---- Set-up ----

static bool any(const struct gi_result *r)
{
    (void)r;
    return true;
}

static inline bool is_word(const char *word, const char *text)
{
    return word[0] == text[0] && strcmp(word, text) == 0;
}

static bool outcome(const struct gi_result *r, const char *text)
{
    return is_word(r->outcome, text);
}

static bool optimal(const struct gi_result *r)
{
    return outcome(r, "optimal");
}

static bool repeated(const struct gi_result *r)
{
    return outcome(r, "repeated");
}

static bool set_up(const struct gi_result *r)
{
    return optimal(r) || repeated(r);
}

static bool no_answer(const struct gi_result *r)
{
    return outcome(r, "no-answer");
}

static bool no_answer_once(const struct gi_result *r)
{
    return no_answer(r) && r->syns == 1;
}

static bool no_answer_more(const struct gi_result *r)
{
    return no_answer(r) && r->syns > 1;
}

static bool refused(const struct gi_result *r)
{
    return outcome(r, "refused");
}

static bool aborted(const struct gi_result *r)
{
    return outcome(r, "aborted");
}

static bool given_up(const struct gi_result *r)
{
    return outcome(r, "given-up");
}

static bool no_response(const struct gi_result *r)
{
    return no_answer(r) || refused(r);
}

static bool serious(const struct gi_result *r)
{
    return aborted(r) || given_up(r);
}

static bool opened(const struct gi_result *r)
{
    return set_up(r) || no_response(r) || serious(r);
}

static bool from_internet(const struct gi_result *r)
{
    return outcome(r, "from-internet");
}

static bool no_syn(const struct gi_result *r)
{
    return outcome(r, "no-syn");
}

static bool one_way(const struct gi_result *r)
{
    return outcome(r, "one-way");
}

static bool clock_jumped(const struct gi_result *r)
{
    return outcome(r, "clock");
}

static bool quiet(const struct gi_result *r)
{
    return r->background == 0;
}

static bool optimal_quiet(const struct gi_result *r)
{
    return optimal(r) && quiet(r);
}

static bool optimal_background(const struct gi_result *r)
{
    return optimal(r) && !quiet(r);
}

static bool repeated_quiet(const struct gi_result *r)
{
    return repeated(r) && quiet(r);
}

static bool repeated_background(const struct gi_result *r)
{
    return repeated(r) && !quiet(r);
}

static bool syn_repeated(const struct gi_result *r)
{
    return repeated(r) && r->syns > 1 && r->syn_acks == 1;
}

static bool syn_ack_repeated(const struct gi_result *r)
{
    return repeated(r) && r->syns == 1;
}

static bool both_repeated(const struct gi_result *r)
{
    return repeated(r) && r->syns > 1 && r->syn_acks > 1;
}

// ---- Times of the day ----

static bool peak(const struct gi_result *r)
{
    return r->hour >= 10 && r->hour < 12;
}

static bool off_peak(const struct gi_result *r)
{
    return r->hour >= 3 && r->hour < 7;
}

static bool rtt_gprs(const struct gi_result *r)
{
    return optimal_quiet(r) && r->rtt_gprs_setup != GI_NONE;
}

static bool rtt_internet(const struct gi_result *r)
{
    return optimal_quiet(r) && r->rtt_internet_setup != GI_NONE;
}

// ---- What the ends use ----

static bool sack(const struct gi_result *r)
{
    return r->sack == 1;
}

static bool no_sack(const struct gi_result *r)
{
    return r->sack == 0;
}

static bool timestamps(const struct gi_result *r)
{
    return r->timestamps == 1;
}

static bool no_timestamps(const struct gi_result *r)
{
    return r->timestamps == 0;
}

static bool mss_low(const struct gi_result *r)
{
    return r->mss >= 400 && r->mss <= 600;
}

static bool mss_high(const struct gi_result *r)
{
    return r->mss >= 1400 && r->mss <= 1600;
}

static bool window_low(const struct gi_result *r)
{
    return r->window < 10000;
}

static bool window_medium(const struct gi_result *r)
{
    return r->window >= 10000 && r->window <= 20000;
}

static bool window_high(const struct gi_result *r)
{
    return r->window > 20000;
}

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

// ---- Transfers ----

static bool lossy(const struct gi_result *r)
{
    return r->down_data_packets && r->down_lost_gprs != GI_NONE;
}

static bool none_lost(const struct gi_result *r)
{
    return is_word(r->bottleneck, "none");
}

static bool gprs_side(const struct gi_result *r)
{
    return is_word(r->bottleneck, "gprs");
}

static bool internet_side(const struct gi_result *r)
{
    return is_word(r->bottleneck, "internet");
}

static bool both_sides(const struct gi_result *r)
{
    return is_word(r->bottleneck, "equal");
}

static bool has_rate(const struct gi_result *r)
{
    return r->channel_rate != GI_NONE && r->channel_periods;
}

static bool longer(const struct gi_result *r, int64_t octets)
{
    return r->throughput != GI_NONE && r->down_data_octets - r->down_resent_octets > octets;
}

static bool single(const struct gi_result *r)
{
    return r->alone == 1 && r->single_exchange == 1;
}

static bool single_long(const struct gi_result *r)
{
    return single(r) && longer(r, 100000);
}

static bool parallel_long(const struct gi_result *r)
{
    return longer(r, 100000);
}

static bool bulk(const struct gi_result *r)
{
    return single(r) && longer(r, 32000) && r->sack != GI_NONE;
}

static bool lost_between(const struct gi_result *r, double least, double most)
{
    double lost = (double)(r->down_lost_gprs + r->down_lost_internet);
    double sent = (double)(r->down_data_packets + r->down_lost_internet);
    return lost >= least * sent && lost < most * sent;
}

static bool lost_below_1(const struct gi_result *r)
{
    return lost_between(r, 0, 0.01);
}

static bool lost_1_to_2(const struct gi_result *r)
{
    return lost_between(r, 0.01, 0.02);
}

static bool lost_2_to_3(const struct gi_result *r)
{
    return lost_between(r, 0.02, 0.03);
}

static bool background_low(const struct gi_result *r)
{
    return r->share > 666667;
}

static bool background_medium(const struct gi_result *r)
{
    return r->share >= 333333 && r->share <= 666667;
}

static bool background_high(const struct gi_result *r)
{
    return r->share < 333333;
}

// A cluster of all four: one function each, by a macro, as a predicate has no argument of its own.
#define CLUSTER(w, s, m, t)                                            \
    static bool in_##w##_##s##_##m##_##t(const struct gi_result *r)    \
    {                                                                  \
        return window_##w(r) && (r->sack == 1) == (s) && mss_##m(r) && \
               (r->timestamps == 1) == (t);                            \
    }
#define CLUSTERS(w)        \
    CLUSTER(w, 1, low, 0)  \
    CLUSTER(w, 1, high, 0) \
    CLUSTER(w, 1, low, 1)  \
    CLUSTER(w, 1, high, 1) \
    CLUSTER(w, 0, low, 0) CLUSTER(w, 0, high, 0) CLUSTER(w, 0, low, 1) CLUSTER(w, 0, high, 1)
CLUSTERS(low)
CLUSTERS(medium)
CLUSTERS(high)
#define ROWS(w, text)                                                                         \
    {text ", SACK, MSS low", in_##w##_1_low_0}, {text ", SACK, MSS high", in_##w##_1_high_0}, \
        {text ", SACK, MSS low, timestamps", in_##w##_1_low_1},                               \
        {text ", SACK, MSS high, timestamps", in_##w##_1_high_1},                             \
        {text ", no SACK, MSS low", in_##w##_0_low_0},                                        \
        {text ", no SACK, MSS high", in_##w##_0_high_0},                                      \
        {text ", no SACK, MSS low, timestamps", in_##w##_0_low_1},                            \
    {                                                                                         \
        text ", no SACK, MSS high, timestamps", in_##w##_0_high_1                             \
    }
#define NO_BINS \
    {           \
        0, 0    \
    }

const struct gi_sheet gi_sheet_list[] = {
    {"flows",
     "Table I: TCP flows",
     any,
     NULL,
     NULL,
     GI_SHOW_SHARE,
     {{"all", any},
      {"opened by users", opened},
      {"opened from the Internet", from_internet},
      {"begun before the capture", no_syn},
      {"heard one way", one_way},
      {"broken by a step of the capture's clock", clock_jumped}},
     NO_BINS},
    {"options",
     "Table I: connections that were set up, and what their ends use",
     set_up,
     NULL,
     NULL,
     GI_SHOW_SHARE,
     {{"set up", any},
      {"SACK", sack},
      {"timestamps", timestamps},
      {"MSS low, 400 to 600", mss_low},
      {"MSS high, 1400 to 1600", mss_high},
      {"window low, below 10 kB", window_low},
      {"window medium", window_medium},
      {"window high, above 20 kB", window_high}},
     NO_BINS},
    {"setups",
     "Fig. 3: set-up delay, s",
     set_up,
     "setup",
     NULL,
     GI_SHOW_SHARE | GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any},
      {"1 SYN, 1 SYN-ACK, no background", optimal_quiet},
      {"1 SYN, 1 SYN-ACK, background", optimal_background},
      {"1+ SYN or SYN-ACK, no background", repeated_quiet},
      {"1+ SYN or SYN-ACK, background", repeated_background}},
     {100 * MS_IN_NS, 100}},
    {"tree",
     "Fig. 5: connections that users opened, by set-up; mean delay, s; b: with background traffic",
     opened,
     "setup",
     "background",
     GI_SHOW_SHARE | GI_SHOW_MEAN | GI_SHOW_MEAN_B,
     {{"all", any},
      {"optimal", optimal},
      {"optimal: no background", optimal_quiet},
      {"optimal: background", optimal_background},
      {"slight problem", repeated},
      {"slight problem: SYN repeated", syn_repeated},
      {"slight problem: SYN-ACK repeated", syn_ack_repeated},
      {"slight problem: both repeated", both_repeated},
      {"slight problem: no background", repeated_quiet},
      {"slight problem: background", repeated_background},
      {"no response", no_response},
      {"no response: 1 SYN", no_answer_once},
      {"no response: 1+ SYN", no_answer_more},
      {"no response: refused by RST", refused},
      {"serious problem", serious},
      {"serious problem: RST of the user", aborted},
      {"serious problem: given up", given_up}},
     NO_BINS},
    {"rtt_gprs",
     "Fig. 4: round trip on the GPRS side, s, of set-ups with 1 SYN and 1 SYN-ACK, no background",
     rtt_gprs,
     "rtt_gprs_setup",
     NULL,
     GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any}, {"peak, 10 to 12 h", peak}, {"off-peak, 3 to 7 h", off_peak}},
     {10 * MS_IN_NS, 300}},
    {"rtt_internet",
     "Fig. 4: round trip on the Internet side, s, of the same",
     rtt_internet,
     "rtt_internet_setup",
     NULL,
     GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any}, {"peak, 10 to 12 h", peak}, {"off-peak, 3 to 7 h", off_peak}},
     {10 * MS_IN_NS, 300}},
    {"rates",
     "Fig. 7: rate of the channel, bit/s, flows with 16 kB at least while it was full",
     has_rate,
     "channel_rate",
     NULL,
     GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any}},
     {1000, 300}},
    {"loss_gprs",
     "Table II: segments down lost on the GPRS side, of those that passed",
     lossy,
     "down_lost_gprs",
     "down_data_packets",
     GI_SHOW_RATIO,
     {{"all", any}},
     NO_BINS},
    {"loss_internet",
     "Table II: segments down lost on the Internet side, of those sent for the first time",
     lossy,
     "down_lost_internet",
     "down_first_packets",
     GI_SHOW_RATIO,
     {{"all", any}},
     NO_BINS},
    {"bottlenecks",
     "Fig. 8: where more was lost of a flow",
     lossy,
     NULL,
     NULL,
     GI_SHOW_SHARE,
     {{"no loss", none_lost},
      {"GPRS", gprs_side},
      {"Internet", internet_side},
      {"equal", both_sides}},
     NO_BINS},
    {"single",
     "Fig. 9 and 10: throughput of single flows above 100 kB, bit/s, by loss; b: goodput",
     single_long,
     "throughput",
     "goodput",
     GI_SHOW_SHARE | GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_MEAN_B | GI_SHOW_QUANTILES,
     {{"all", any},
      {"loss below 1 %", lost_below_1},
      {"loss 1 to 2 %", lost_1_to_2},
      {"loss 2 to 3 %", lost_2_to_3}},
     {1000, 300}},
    {"shares",
     "Fig. 11: part of the octets to the user that was a flow's, of flows above 100 kB",
     parallel_long,
     "share",
     NULL,
     GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any}},
     {50000, 20}},
    {"parallel",
     "Fig. 13: throughput of users during flows above 100 kB, bit/s, by other traffic",
     parallel_long,
     "throughput",
     NULL,
     GI_SHOW_SHARE | GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_QUANTILES,
     {{"all", any},
      {"less than 1/3 background", background_low},
      {"1/3 to 2/3 background", background_medium},
      {"at least 2/3 background", background_high}},
     {1000, 300}},
    {"clusters",
     "Table III: goodput of single flows above 32 kB, bit/s",
     bulk,
     "goodput",
     NULL,
     GI_SHOW_MEAN | GI_SHOW_DEVIATION | GI_SHOW_FILLED,
     {{"all", any},
      {"MSS low", mss_low},
      {"MSS high", mss_high},
      {"SACK", sack},
      {"no SACK", no_sack},
      {"timestamps", timestamps},
      {"no timestamps", no_timestamps},
      {"window low", window_low},
      {"window medium", window_medium},
      {"window high", window_high},
      ROWS(low, "window low"),
      ROWS(medium, "window medium"),
      ROWS(high, "window high")},
     NO_BINS},
};
const size_t gi_sheet_count = sizeof gi_sheet_list / sizeof gi_sheet_list[0];
