// See tcp_script.h.
#include "tests/lab/hosts/tcp_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OWN_ISN   0xfffffff0u // wraps within the first segment
#define PEER_ISN  0xffffff00u
#define SENT_MOST 4096

struct sent {
    uint64_t at_ns;
    struct tcp segment;
    bool ect;
};

static struct {
    struct tcp_profile profile;
    struct tcp_end end;
    struct sent sent[SENT_MOST];
    uint32_t sents, expected;
    uint32_t events[TCP_EVENTS];
    uint64_t now_ns;
    const char *line;
} run;

static void refuse(const char *why)
{
    fail_msg("%s\n    in: %s\n    at %.6f s", why, run.line, (double)run.now_ns / 1e9);
}

// --- The profile ---------------------------------------------------------------------------------

static void set_field(struct tcp_profile *profile, const char *name, size_t n, uint64_t value)
{
    for (uint32_t i = 0; i < tcp_profile_field_count; i++) {
        const struct field *field = &tcp_profile_fields[i];
        if (strlen(field->name) == n && strncmp(field->name, name, n) == 0) {
            field_set(field, profile, value);
            return;
        }
    }
    fail_msg("no field of a profile: %s", name);
}

struct tcp_profile tcp_script_profile(const char *text)
{
    char name[32] = "";
    sscanf(text, "%31s", name);
    const struct tcp_profile *found = tcp_profile_find(name);
    if (!found)
        fail_msg("no profile: %s", text);
    struct tcp_profile profile = *found;
    for (const char *word = strchr(text, ' '); word; word = strchr(word + 1, ' ')) {
        const char *equal = strchr(word, '=');
        assert_non_null(equal);
        set_field(&profile, word + 1, (size_t)(equal - word - 1), strtoull(equal + 1, NULL, 10));
    }
    return profile;
}

// --- The owner -----------------------------------------------------------------------------------

static void take(void *self, const struct tcp *segment, bool ect, uint64_t now_ns)
{
    (void)self;
    assert_true(run.sents < SENT_MOST);
    run.sent[run.sents++] = (struct sent){now_ns, *segment, ect};
}

static void event(void *self, enum tcp_event event, uint64_t now_ns)
{
    (void)self, (void)now_ns;
    run.events[event]++;
}

// --- Segments as text ----------------------------------------------------------------------------

static const struct {
    char letter;
    uint8_t flag;
} letters[] = {{'S', TCP_SYN}, {'F', TCP_FIN}, {'R', TCP_RST}, {'P', TCP_PSH},
               {'.', TCP_ACK}, {'E', TCP_ECE}, {'W', TCP_CWR}};

// What a line says of a segment: the segment, and which parts it says.
struct said {
    struct tcp segment;
    bool has_ack, has_window, has_options, has_stamp_value, mark;
};

static uint32_t read_blocks(const char *at, struct tcp *segment, uint32_t isn)
{
    unsigned left, right;
    int n;
    while (sscanf(at, " %u:%u%n", &left, &right, &n) == 2) {
        segment->sack.item[segment->sack.n++] = (struct tcp_sack_block){isn + left, isn + right};
        at += n;
    }
    return (uint32_t)segment->sack.n;
}

static void read_option(const char *at, struct said *said, uint32_t sack_isn)
{
    struct tcp *segment = &said->segment;
    unsigned value, echo;
    if (sscanf(at, "mss %u", &value) == 1) {
        segment->has_mss_octets = true;
        segment->mss_octets = (uint16_t)value;
    } else if (sscanf(at, "wscale %u", &value) == 1) {
        segment->has_window_scale = true;
        segment->window_scale = (uint8_t)value;
    } else if (strncmp(at, "sackOK", 6) == 0) {
        segment->sack_permitted = true;
    } else if (strncmp(at, "sack", 4) == 0) {
        if (read_blocks(at + 4, segment, sack_isn) == 0)
            refuse("no SACK block");
    } else if (sscanf(at, "TS val %u ecr %u", &value, &echo) == 2) {
        segment->has_timestamps = said->has_stamp_value = true;
        segment->timestamps = (struct tcp_timestamps){value, echo};
    } else if (sscanf(at, "TS ecr %u", &echo) == 1) {
        segment->has_timestamps = true;
        segment->timestamps.echo = echo;
    } else if (strncmp(at, "nop", 3) != 0) {
        refuse("unknown option");
    }
}

static const char *read_flags(const char *at, struct tcp *segment)
{
    for (; *at && *at != ' '; at++) {
        uint8_t flag = 0;
        for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
            if (letters[i].letter == *at)
                flag = letters[i].flag;
        if (!flag)
            refuse("unknown flag");
        segment->flags |= flag;
    }
    return at;
}

// isn: of the sender; ack_isn: of the other.
static struct said read_segment(const char *at, uint32_t isn, uint32_t ack_isn)
{
    struct said said = {0};
    unsigned from, to, octets, value;
    at += strspn(at, " ");
    if (*at == '[') {
        said.mark = true;
        at = strchr(at, ']') + 1;
        at += strspn(at, " ");
    }
    at = read_flags(at, &said.segment);
    if (sscanf(at, " %u:%u(%u)", &from, &to, &octets) != 3 || to - from != octets)
        refuse("no sequence numbers");
    said.segment.sequence = isn + from;
    said.segment.payload.n = octets;
    const char *ack = strstr(at, "ack "), *window = strstr(at, "win "), *options = strchr(at, '<');
    if (ack && sscanf(ack, "ack %u", &value) == 1) {
        said.has_ack = true;
        said.segment.acknowledgement = ack_isn + value;
    }
    if (window && sscanf(window, "win %u", &value) == 1) {
        said.has_window = true;
        said.segment.window = (uint16_t)value;
    }
    if (!options)
        return said;
    said.has_options = true;
    for (; options && options[1] != '>'; options = strchr(options + 1, ','))
        read_option(options + 1, &said, ack_isn);
    return said;
}

static size_t write_options(char *text, size_t room, const struct tcp *s)
{
    size_t n = 0;
    text[0] = 0;
    if (s->has_mss_octets)
        n += (size_t)snprintf(text + n, room - n, " mss %u", s->mss_octets);
    if (s->sack_permitted)
        n += (size_t)snprintf(text + n, room - n, " sackOK");
    if (s->has_window_scale)
        n += (size_t)snprintf(text + n, room - n, " wscale %u", s->window_scale);
    if (s->has_timestamps)
        n += (size_t)snprintf(text + n, room - n, " TS val %u ecr %u", s->timestamps.value,
                              s->timestamps.echo);
    for (uint64_t i = 0; i < s->sack.n; i++)
        n += (size_t)snprintf(text + n, room - n, " sack %u:%u", s->sack.item[i].left - PEER_ISN,
                              s->sack.item[i].right - PEER_ISN);
    return n;
}

static void fail_sent(const char *why, const struct sent *sent)
{
    const struct tcp *s = &sent->segment;
    char flags[16] = "", options[200], text[400];
    size_t n = 0;
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (s->flags & letters[i].flag)
            flags[n++] = letters[i].letter;
    write_options(options, sizeof options, s);
    uint32_t from = s->sequence - OWN_ISN;
    snprintf(text, sizeof text, "%s\n    sent: %.6f > %s%s %u:%u(%u) ack %u win %u <%s>", why,
             (double)sent->at_ns / 1e9, sent->ect ? "[ect0] " : "", flags, from,
             from + s->payload.n, s->payload.n, s->acknowledgement - PEER_ISN, s->window, options);
    refuse(text);
}

static bool same_options(const struct said *said, const struct tcp *sent)
{
    const struct tcp *want = &said->segment;
    if (want->has_mss_octets != sent->has_mss_octets || want->mss_octets != sent->mss_octets ||
        want->sack_permitted != sent->sack_permitted || want->sack.n != sent->sack.n ||
        want->has_window_scale != sent->has_window_scale ||
        want->has_timestamps != sent->has_timestamps)
        return false;
    if (want->has_window_scale && want->window_scale != sent->window_scale)
        return false;
    if (want->has_timestamps && want->timestamps.echo != sent->timestamps.echo)
        return false;
    if (said->has_stamp_value && want->timestamps.value != sent->timestamps.value)
        return false;
    for (uint64_t i = 0; i < want->sack.n; i++)
        if (want->sack.item[i].left != sent->sack.item[i].left ||
            want->sack.item[i].right != sent->sack.item[i].right)
            return false;
    return true;
}

static void expect(const char *text)
{
    if (run.expected == run.sents)
        refuse("nothing was sent");
    const struct sent *sent = &run.sent[run.expected++];
    const struct tcp *s = &sent->segment;
    struct said said = read_segment(text, OWN_ISN, PEER_ISN);
    if (sent->at_ns != run.now_ns)
        fail_sent("at another time", sent);
    if (said.segment.flags != s->flags)
        fail_sent("other flags", sent);
    if (said.segment.sequence != s->sequence || said.segment.payload.n != s->payload.n)
        fail_sent("other octets", sent);
    if (said.has_ack && said.segment.acknowledgement != s->acknowledgement)
        fail_sent("another ACK", sent);
    if (said.has_window && said.segment.window != s->window)
        fail_sent("another window", sent);
    if (said.has_options && !same_options(&said, s))
        fail_sent("other options", sent);
    if (said.mark != sent->ect)
        fail_sent("another ECN codepoint", sent);
}

// --- What the endpoint says of itself ------------------------------------------------------------

static double value_of(const char *name)
{
    const struct tcp_end *end = &run.end;
    const struct tcp_figures *f = &end->figures;
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"cwnd", (double)end->cwnd},
        {"ssthresh", (double)end->ssthresh},
        {"pipe", (double)tcp_pipe(end)},
        {"phase", end->phase},
        {"state", end->state},
        {"rto", (double)tcp_rto_ns(end) / 1e9},
        {"srtt", (double)end->srtt_ns / 1e9},
        {"mss", end->mss_octets},
        {"received", (double)f->received_octets},
        {"duplicate", (double)f->duplicate_octets},
        {"acked", (double)f->acked_octets},
        {"timeouts", (double)f->timeouts},
        {"recoveries", (double)f->fast_recoveries},
        {"resent", (double)f->retransmitted_segments},
        {"spurious", (double)f->spurious},
        {"samples", (double)f->rtt_samples},
        {"marks", (double)f->ecn_marks},
        {"reductions", (double)f->ecn_reductions},
        {"tail_probes", (double)f->tail_probes},
        {"window_probes", (double)f->window_probes},
        {"opened", run.events[TCP_OPEN]},
        {"peer_closed", run.events[TCP_PEER_CLOSED]},
        {"closed", run.events[TCP_CLOSED]},
        {"aborted", run.events[TCP_ABORTED]},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    refuse("no such value");
    return 0;
}

static void check_values(const char *at)
{
    char name[32], why[100];
    double want;
    int n;
    while (sscanf(at, " %31s %lf%n", name, &want, &n) == 2) {
        double got = value_of(name);
        if (got - want > 1e-6 || want - got > 1e-6) {
            snprintf(why, sizeof why, "%s is %.6f", name, got);
            refuse(why);
        }
        at += n;
        at += strspn(at, ",");
    }
}

// --- Lines ---------------------------------------------------------------------------------------

static void run_until(uint64_t until_ns)
{
    while (run.end.wake_ns <= until_ns) {
        uint64_t at_ns = run.end.wake_ns;
        assert_true(at_ns >= run.now_ns);
        run.now_ns = at_ns;
        tcp_wake(&run.end, at_ns);
        if (run.end.wake_ns <= at_ns)
            refuse("wakes without end");
    }
    run.now_ns = until_ns;
}

static void act(const char *what)
{
    unsigned long long n = 0;
    sscanf(what, "%*s %llu", &n);
    if (strncmp(what, "connect", 7) == 0)
        tcp_connect(&run.end, run.now_ns);
    else if (strncmp(what, "listen", 6) == 0)
        tcp_listen(&run.end);
    else if (strncmp(what, "write", 5) == 0)
        tcp_write(&run.end, n, run.now_ns);
    else if (strncmp(what, "close", 5) == 0)
        tcp_close(&run.end, run.now_ns);
    else if (strncmp(what, "abort", 5) == 0)
        tcp_abort(&run.end, run.now_ns);
    else if (strncmp(what, "hold", 4) == 0)
        run.end.hold = true;
    else if (strncmp(what, "read", 4) == 0)
        tcp_read(&run.end, n, run.now_ns);
    else
        refuse("unknown line");
}

static void do_line(const char *line)
{
    char *at;
    bool after = line[0] == '+';
    run.line = line;
    double s = strtod(line, &at);
    uint64_t at_ns = (uint64_t)(s * 1e9 + 0.5) + (after ? run.now_ns : 0);
    run_until(at_ns);
    at += strspn(at, " ");
    if (*at == '>') {
        expect(at + 1);
        return;
    }
    if (*at == '?') {
        check_values(at + 1);
        return;
    }
    if (run.expected < run.sents)
        fail_sent("not expected", &run.sent[run.expected]);
    if (*at == '<') {
        struct said said = read_segment(at + 1, PEER_ISN, OWN_ISN);
        tcp_input(&run.end, &said.segment, said.mark, run.now_ns);
    } else {
        act(at);
    }
}

void tcp_script(const char *profile, const char *const *lines)
{
    run.profile = tcp_script_profile(profile);
    run.sents = run.expected = 0;
    run.now_ns = 0;
    memset(run.events, 0, sizeof run.events);
    struct tcp_owner owner = {NULL, take, event};
    tcp_setup(&run.end, &run.profile, &owner, OWN_ISN);
    for (; *lines; lines++)
        do_line(*lines);
    if (run.expected < run.sents)
        fail_sent("not expected", &run.sent[run.expected]);
    tcp_release(&run.end);
}
