// See gi_scenario.h. All in the files are numbers of this program, and the name that the user gave:
// nothing of a packet but its sizes and times reaches them.
#include "control/captures/gi_scenario.h"

#include <inttypes.h>
#include <stdlib.h>

#include "control/captures/gi_scenario_figures.h"
#include "lab/captures/gi/gi_shared.h"

#define STEP_LEAST_US   4000000 // of the time that a rate is of
#define THINK_MOST_US   1000000000000
#define BSS_LIFETIME_MS 20000 // scenario_queue.lua
#define MSS_MOST        1460  // of a packet of 1500 octets

// ---- Connection vectors ----

// As lab/hosts/app_dialogue.h reads it.
#define VECTORS_HEAD                                                            \
    "user,connection,what,page,octets,after,received,think_us,mss,window,sack," \
    "timestamps\n"

// A run is shorter.
static uint64_t think_of(uint64_t us)
{
    return us < THINK_MOST_US ? us : THINK_MOST_US;
}

static void put_open(FILE *out, const struct gi_vector *v, uint32_t user)
{
    fprintf(out, "%u,%u,%s,%u,0,%u,%" PRIu64 ",%" PRIu64 ",%u,%u,%d,%d\n", user, v->number,
            v->from_internet ? "host-opens" : "ms-opens", v->page, v->after, v->received,
            think_of(v->think_us), v->mss_octets < MSS_MOST ? v->mss_octets : MSS_MOST,
            v->window_octets, v->sack, v->timestamps);
}

static void put_step(FILE *out, const struct gi_vector *v, const struct gi_step *s, uint32_t user)
{
    static const char *const words[2][GI_SIDES] = {{"ms-sends", "host-sends"},
                                                   {"ms-closes", "host-closes"}};
    fprintf(out, "%u,%u,%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",,,,\n", user, v->number,
            words[s->what][s->side], s->page, s->octets, s->after ? s->after : v->number,
            s->received, think_of(s->think_us));
}

static void put_vectors(FILE *out, const struct gi_vectors *vectors)
{
    fputs(VECTORS_HEAD, out);
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        for (uint32_t k = user->first; k; k = vectors->vector[k].next_of_user) {
            const struct gi_vector *v = &vectors->vector[k];
            put_open(out, v, user->place);
            for (uint32_t s = v->first; s; s = vectors->step[s].next)
                if (vectors->step[s].octets || vectors->step[s].what == GI_STEP_CLOSES)
                    put_step(out, v, &vectors->step[s], user->place);
        }
    }
}

// ---- Rates ----

// Bins that say too little go together with those behind them.
static void put_rates(FILE *out, const struct gi_vector_user *user, uint64_t begin_s)
{
    uint64_t octets = 0, us = 0, from_s = 0;
    fprintf(out, "TIME,RATE\n");
    for (uint32_t i = 0; i < gi_channel_bins(&user->channel); i++) {
        struct gi_channel_sum bin = gi_channel_bin(&user->channel, i);
        octets += bin.octets;
        us += bin.us;
        if (us < STEP_LEAST_US)
            continue;
        fprintf(out, "%" PRIu64 ",%" PRIu64 "\n", begin_s + from_s,
                gi_scenario_rate_of(octets, us));
        octets = us = 0;
        from_s = (uint64_t)(i + 1) * (GI_CHANNEL_BIN_US / 1000000);
    }
}

// ---- Files ----

static bool write_rates(const struct scenario *scenario, const struct gi_vectors *vectors,
                        uint64_t begin_s)
{
    struct scenario_file file;
    char end[32];
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        if (!user->place || !gi_scenario_rate(user))
            continue;
        snprintf(end, sizeof end, ".rate-%u.csv", user->place);
        if (!scenario_open(scenario, end, &file))
            return false;
        put_rates(file.out, user, begin_s);
        if (!scenario_close(scenario, &file))
            return false;
    }
    return true;
}

// ---- The configuration ----

static void put_left_out(FILE *out, const struct gi_vectors *vectors,
                         const struct gi_counts *counts)
{
    const struct gi_vectors_left *left = &vectors->left;
    const struct {
        uint64_t n;
        const char *text;
    } rows[] = {
        {left->unanswered, "connections that nobody answered"},
        {left->connections,
         "connections beyond the most that a scenario has: 500000, of 1000 users"},
        {left->steps, "steps of connections beyond 2000000"},
        {counts->n[GI_COUNT_other_protocols], "packets of other protocols than TCP"},
        {counts->n[GI_COUNT_fragments], "pieces of fragmented packets"},
        {counts->n[GI_COUNT_clock_jumps], "times that the clock went back: connections end there"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].n)
            fprintf(out, "-- Not in here: %" PRIu64 " %s.\n", rows[i].n, rows[i].text);
}

static void put_mean_rates(FILE *out, const struct gi_vectors *vectors)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        if (user->place && gi_scenario_rate(user))
            fprintf(out, "%s[%u] = %" PRIu64 ",", n++ % 6 ? " " : "\n    ", user->place,
                    gi_scenario_rate(user));
    }
}

static void put_before(FILE *out, const struct gi_vectors *vectors)
{
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        uint64_t mean_ms = user->pages ? user->pages_us / user->pages / 1000 : 0;
        if (user->place)
            fprintf(out, "\n    { %u, %" PRIu64 ", %" PRIu64 " },", user->pages, mean_ms,
                    user->octets);
    }
}

static void put_shared(FILE *out, const struct gi_vectors *vectors)
{
    struct gi_shared_cell cells[GI_SHARED_CELLS_MOST];
    uint32_t n = gi_shared_find(vectors, cells);
    if (vectors->users > GI_SHARED_USERS_MOST)
        fprintf(out, "    -- Not looked for: there are more than %d users.\n",
                GI_SHARED_USERS_MOST);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "    { rate = \"%" PRIu64 " bit/s\",", cells[i].rate_bit_per_s);
        if (cells[i].each_bit_per_s)
            fprintf(out, " each = %" PRIu64 ",", cells[i].each_bit_per_s);
        for (uint32_t k = 0; k < cells[i].users; k++)
            fprintf(out, " %u,", cells[i].user[k]);
        fprintf(out, " }, -- found: what some got, others did not\n");
    }
}

// The texts that are of several lines.
struct texts {
    char stem[SCENARIO_NAME_OCTETS + 1];
    char *left_out, *rates, *before, *shared;
};

static void make_texts(struct texts *texts, const char *path, const struct gi_vectors *vectors,
                       const struct gi_counts *counts)
{
    FILE *left_out = scenario_text(&texts->left_out);
    put_left_out(left_out, vectors, counts);
    fclose(left_out);
    FILE *rates = scenario_text(&texts->rates);
    put_mean_rates(rates, vectors);
    fclose(rates);
    FILE *before = scenario_text(&texts->before);
    put_before(before, vectors);
    fclose(before);
    FILE *shared = scenario_text(&texts->shared);
    put_shared(shared, vectors);
    fclose(shared);
    scenario_stem(path, texts->stem);
}

static void free_texts(struct texts *texts)
{
    free(texts->left_out);
    free(texts->rates);
    free(texts->before);
    free(texts->shared);
}

static void put_all(FILE *out, const char *template, const struct texts *texts,
                    const struct gi_scenario_figures *f)
{
    uint64_t wait_us = f->longest_wait_us ? f->longest_wait_us : GI_SCENARIO_WAIT_MOST_US;
    const struct scenario_value values[] = {
        {"stem", texts->stem, 0},
        {"left_out", texts->left_out, 0},
        {"rates", texts->rates, 0},
        {"before", texts->before, 0},
        {"shared", texts->shared, 0},
        {"users", NULL, f->users},
        {"seconds", NULL, f->seconds},
        {"begin_s", NULL, f->begin_s},
        {"end_s", NULL, f->begin_s + f->seconds},
        {"internet_us", NULL, f->internet_us},
        {"internet_ppm", NULL, f->internet_lost_ppm},
        {"way_us", NULL, f->way_us},
        {"setup_us", NULL, f->setup_us},
        {"lost_ppm", NULL, f->lost_ppm},
        {"queue_octets", NULL, f->queue_octets},
        {"queue_why",
         f->queue_by_losses   ? "what was under way before losses"
         : f->queue_full      ? "the most that was under way when nothing was missing yet"
         : f->longest_wait_us ? "twice the most that was under way, for time limits it"
                              : "twice the most that was under way, for nothing was lost",
         0},
        {"lifetime_ms", NULL, wait_us / 10000 * 10 + BSS_LIFETIME_MS},
        {"lifetime_why",
         f->longest_wait_us ? "what was lost came right behind what had waited for the rest"
                            : "time did not limit the queue",
         0},
        {"rate", NULL, f->rate_bit_per_s},
        {"up_rate", NULL, f->up_rate_bit_per_s},
        {"up_why",
         f->up_is_known ? "of requests right behind the ACK that opens a connection"
                        : "not known, so as down",
         0},
        {"rate_why",
         f->rate_is_known ? "the median of the others" : "a guess, for there are no others", 0}};
    scenario_put(out, template, values);
}

static bool write_filled(const struct scenario *scenario, const char *end, const char *template,
                         const struct texts *texts, const struct gi_scenario_figures *f)
{
    struct scenario_file file;
    if (!scenario_open(scenario, end, &file))
        return false;
    put_all(file.out, template, texts, f);
    return scenario_close(scenario, &file);
}

static bool write_vectors(const struct scenario *scenario, const struct gi_vectors *vectors)
{
    struct scenario_file file;
    if (!scenario_open(scenario, ".csv", &file))
        return false;
    put_vectors(file.out, vectors);
    return scenario_close(scenario, &file);
}

bool gi_scenario_write(const struct scenario *scenario, const struct gi_vectors *vectors,
                       const struct gi_counts *counts)
{
    struct gi_scenario_figures f = gi_scenario_figures_of(vectors);
    if (f.users == 0) {
        fprintf(stderr, "sluice gi: %s: not written, for no connection was answered\n",
                scenario->path);
        return false;
    }
    struct texts texts;
    if (!write_vectors(scenario, vectors) || !write_rates(scenario, vectors, f.begin_s))
        return false;
    make_texts(&texts, scenario->path, vectors, counts);
    bool good = write_filled(scenario, ".targets.lua", gi_scenario_targets_template, &texts, &f) &&
                write_filled(scenario, ".lua", gi_scenario_template, &texts, &f);
    free_texts(&texts);
    return good;
}
