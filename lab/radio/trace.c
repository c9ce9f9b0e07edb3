// See trace.h. Both forms become steps of a constant rate, each with the sum of what came before.
#include "lab/radio/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/base/units.h"
#include "lab/base/rows.h"
#include "lab/engine/need.h"

#define CHANCE_BIT_PER_S (RADIO_TRACE_CHANCE * OCTETS_IN_BITS * (S_IN_NS / MS_IN_NS)) // in one ms

struct step {
    uint64_t at_ns, rate_bit_per_s;
    unsigned __int128 before; // carried until at_ns, in bit/s x ns
};

struct radio_trace {
    struct step *step; // the first at 0
    uint32_t steps, room;
    uint64_t repeats_ns; // 0: the last rate holds
};

static const struct field trace_fields[] = FIELD_KEYS_TABLE(radio_trace_config, RADIO_TRACE_FIELDS);
const struct field_record radio_trace_config_record =
    FIELD_RECORD_OF(radio_trace_config, trace_fields);

// ---- What it carries ----

static unsigned __int128 step_carries(const struct step *step, uint64_t until_ns)
{
    return (unsigned __int128)step->rate_bit_per_s * (until_ns - step->at_ns);
}

static unsigned __int128 carried_until(const struct radio_trace *trace, uint64_t t_ns)
{
    unsigned __int128 rounds = 0;
    const struct step *last = &trace->step[trace->steps - 1];
    if (trace->repeats_ns) {
        rounds =
            (last->before + step_carries(last, trace->repeats_ns)) * (t_ns / trace->repeats_ns);
        t_ns %= trace->repeats_ns;
    }
    uint32_t low = 0, high = trace->steps; // the step is in [low, high)
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(trace->step[middle].at_ns <= t_ns ? &low : &high) = middle;
    }
    return rounds + trace->step[low].before + step_carries(&trace->step[low], t_ns);
}

unsigned __int128 radio_trace_carried(const struct radio_trace *trace, uint64_t from_ns,
                                      uint64_t to_ns)
{
    return carried_until(trace, to_ns) - carried_until(trace, from_ns);
}

// Of a rate that repeats, silence at the end goes on at the beginning: two rounds have it whole.
uint64_t radio_trace_silent_ns(const struct radio_trace *trace, uint64_t until_ns)
{
    uint64_t since_ns = 0, longest_ns = 0;
    for (uint64_t round = 0; round < (trace->repeats_ns ? 2 : 1); round++)
        for (uint32_t i = 0; i < trace->steps; i++) {
            uint64_t from_ns = round * trace->repeats_ns + trace->step[i].at_ns;
            uint64_t end_ns = i + 1 < trace->steps ? trace->step[i + 1].at_ns : trace->repeats_ns;
            end_ns = end_ns ? round * trace->repeats_ns + end_ns : until_ns;
            end_ns = end_ns < until_ns ? end_ns : until_ns;
            if (trace->step[i].rate_bit_per_s)
                since_ns = end_ns;
            else if (from_ns < end_ns && end_ns - since_ns > longest_ns)
                longest_ns = end_ns - since_ns;
        }
    return longest_ns;
}

// ---- Reading ----

// From at_ns on; a step of the same time has another rate now. Returns NULL, or what is wrong.
static const char *add_step(struct radio_trace *trace, uint64_t at_ns, uint64_t rate_bit_per_s)
{
    struct step *last = trace->steps ? &trace->step[trace->steps - 1] : NULL;
    if (rate_bit_per_s > RADIO_TRACE_RATE_MOST)
        return "a rate above 1 Gbit/s";
    if (last && (last->rate_bit_per_s == rate_bit_per_s || last->at_ns == at_ns)) {
        last->rate_bit_per_s = rate_bit_per_s;
        return NULL;
    }
    if (trace->steps == RADIO_TRACE_STEPS_MOST)
        return "more than 1000000 rates";
    if (trace->steps == trace->room) {
        trace->room = trace->room ? 2 * trace->room : 256;
        trace->step = need(realloc(trace->step, trace->room * sizeof *trace->step));
    }
    last = trace->steps ? &trace->step[trace->steps - 1] : NULL;
    trace->step[trace->steps++] = (struct step){
        last ? at_ns : 0, rate_bit_per_s, last ? last->before + step_carries(last, at_ns) : 0};
    return NULL;
}

#define FORMS "allowed TIME,RATE, in s and bit/s, or in all lines a whole number of ms"

struct reading {
    struct radio_trace *trace;
    uint64_t last; // time in ns, or ms
    bool any, chances;
    uint64_t in_ms; // chances at `last`
};

static const char *read_rate(struct reading *r, const char *text)
{
    uint64_t at_ns, rate;
    if (!rows_decimal(&text, 9, RADIO_TRACE_TIME_MOST, &at_ns) || *text++ != ',')
        return FORMS;
    text += strspn(text, " \t");
    if (!rows_decimal(&text, 0, RADIO_TRACE_RATE_MOST, &rate) || *text)
        return "allowed a rate from 0 to 1000000000 bit/s behind the comma";
    if (r->any && at_ns <= r->last)
        return "a time that is not above the one before";
    r->last = at_ns;
    return add_step(r->trace, at_ns, rate);
}

// The chances of ms `last` are those of the ms that ends then.
static const char *end_ms(struct reading *r)
{
    uint64_t begin = r->last ? r->last - 1 : 0;
    const char *fault = add_step(r->trace, begin * MS_IN_NS, r->in_ms * CHANCE_BIT_PER_S);
    r->in_ms = 0;
    return fault ? fault : add_step(r->trace, (begin + 1) * MS_IN_NS, 0);
}

static const char *read_chance(struct reading *r, const char *text)
{
    uint64_t ms;
    if (strchr(text, '.') || !rows_decimal(&text, 0, RADIO_TRACE_TIME_MOST * 1000ull, &ms) || *text)
        return r->any ? "allowed a whole number of ms, as in the first line" : FORMS;
    ms += ms == 0; // there is no ms that ends at 0
    if (r->any && ms < r->last)
        return "a time below the one before";
    const char *fault = NULL;
    if (!r->any)
        add_step(r->trace, 0, 0);
    else if (ms != r->last)
        fault = end_ms(r);
    r->last = ms;
    r->in_ms++;
    return fault;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// No number of letters alone, as nan or inf.
static bool is_name(const char *text)
{
    char *end;
    strtod(text, &end);
    bool number = end != text && (*end == '\0' || strchr(", \t", *end));
    return strspn(text, LETTERS) > 0 && !number;
}

static bool is_header(const char *line)
{
    const char *comma = strchr(line, ',');
    const char *other = comma ? comma + 1 + strspn(comma + 1, " \t") : "";
    return strpbrk(line, "0123456789") == NULL && strchr(other, ',') == NULL && is_name(line) &&
           is_name(other);
}

static const char *read_line(struct reading *r, char *line, uint64_t number)
{
    line += strspn(line, " \t\xef\xbb\xbf");
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#' || (number == 1 && is_header(line)))
        return NULL;
    if (!r->any)
        r->chances = !strchr(line, ',');
    const char *fault = r->chances ? read_chance(r, line) : read_rate(r, line);
    r->any = true;
    return fault;
}

static const char *end_reading(struct reading *r)
{
    if (!r->any)
        return "no rate in it";
    if (!r->chances)
        return NULL;
    r->trace->repeats_ns = r->last * MS_IN_NS;
    const char *fault = end_ms(r);
    r->trace->steps -= r->trace->step[r->trace->steps - 1].at_ns >= r->trace->repeats_ns;
    return fault;
}

static const char *read_lines(struct radio_trace *trace, FILE *file, uint64_t *number)
{
    struct reading r = {.trace = trace};
    const char *fault = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t octets;
    while (!fault && (octets = getline(&line, &room, file)) >= 0) {
        ++*number;
        fault = strlen(line) != (size_t)octets ? "a NUL" : read_line(&r, line, *number);
    }
    free(line);
    if (!fault && ferror(file))
        return "it cannot be read";
    if (!fault) {
        fault = end_reading(&r);
        *number = fault ? *number : 0;
    }
    return fault;
}

// NULL with the reason in *why. A pipe would wait for its writer.
static FILE *open_file(const char *name, const char **why)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    *why = fd < 0 ? strerror(errno) : NULL;
    if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)))
        *why = "not a regular file";
    else if (fd >= 0 && about.st_size > (off_t)RADIO_TRACE_OCTETS_MOST)
        *why = "larger than 64 MiB";
    FILE *file = *why ? NULL : fdopen(fd, "r");
    if (!file && fd >= 0)
        close(fd);
    if (!file && !*why)
        *why = strerror(ENOMEM);
    return file;
}

struct radio_trace *radio_trace_read(const char *name, char error[RADIO_TRACE_ERROR_ROOM])
{
    const char *why;
    uint64_t number = 0;
    FILE *file = open_file(name, &why);
    struct radio_trace *trace = file ? need(calloc(1, sizeof *trace)) : NULL;
    if (file) {
        why = read_lines(trace, file, &number);
        fclose(file);
    }
    if (!why)
        return trace;
    char line[40] = "";
    if (number)
        snprintf(line, sizeof line, "line %llu: ", (unsigned long long)number);
    snprintf(error, RADIO_TRACE_ERROR_ROOM, "trace: %.150s: %s%.100s", name, line, why);
    radio_trace_free(trace);
    return NULL;
}

void radio_trace_free(struct radio_trace *trace)
{
    if (trace)
        free(trace->step);
    free(trace);
}
