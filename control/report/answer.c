// See sections.h: which variant is better, by how much, and how sure that is; in sentences, and
// in one figure where there is no sweep. Where a variant is worse stands beside where it is better.
#include <math.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/figures.h"
#include "control/report/outcomes.h"
#include "control/report/sections.h"

#define POINTS_SAID  6  // each in a sentence
#define BARS_MOST    16 // variants of the figure
#define BLOCKS_MOST  8  // outcomes of the figure
#define LOSSES_SHOWN 8  // unfolded
#define NAME_SHOWN   26 // letters beside a bar
#define FEW_SAMPLES  30 // that a run's mean is of
#define HEAD_PIXELS  34
#define ROW_PIXELS   36

// ---- Words ----

void section_variant(const struct outcomes *o, uint32_t variant, uint32_t colour, FILE *out)
{
    fprintf(out, "<span class=\"variant\"><i%s style=\"border-color:var(--s%u)\"></i>",
            colour < SECTION_COLOURS ? "" : " class=\"again\"", colour % SECTION_COLOURS);
    section_escape(o->variant[variant], out);
    fputs("</span>", out);
}

void section_outcome(const struct outcome *of, FILE *out)
{
    section_escape(of->subject, out);
    fprintf(out, ": %s", of->kind->text);
}

static void put_unit(const struct outcome *of, FILE *out)
{
    fprintf(out, "%s%s", *of->kind->unit ? " " : "", of->kind->unit);
}

struct answer {
    const struct outcomes *o;
    uint32_t colour; // of the first variant
    FILE *out;
};

// A variant and its mean.
static void put_mean(const struct answer *a, uint32_t outcome, uint32_t variant, uint32_t point)
{
    struct statistics s = outcomes_at(a->o, outcome, variant, point);
    section_variant(a->o, variant, a->colour + variant, a->out);
    fputc(' ', a->out);
    outcomes_put(&s, "", a->out);
    put_unit(&a->o->outcome[outcome], a->out);
}

static void put_number(double value, FILE *out)
{
    struct statistics s = {.n = 1, .mean = value};
    outcomes_put(&s, "", out);
}

// By how much the first mean is less or more than the second.
static void put_ratio(double one, double other, FILE *out)
{
    if (!(one >= 0) || !(other > 0))
        return;
    if (one >= 2 * other) {
        put_number(one / other, out);
        fputs(" times as much, ", out);
    } else if (one != other) {
        put_number(100 * fabs(one - other) / other, out);
        fprintf(out, " %% %s, ", one < other ? "less" : "more");
    }
}

static void put_difference(const struct statistics *difference, const struct outcome *of, FILE *out)
{
    struct statistics distance = *difference;
    distance.mean = fabs(distance.mean);
    fputs(" (difference ", out);
    outcomes_put(&distance, "", out);
    put_unit(of, out);
    fputs(distance.ci95 > 0 ? ")" : " with every seed)", out);
}

static void put_surety(const struct statistics *difference, const struct outcome *of, FILE *out)
{
    if (difference->n < 2) {
        fprintf(out, "%s: how sure is not known",
                difference->n ? "one seed gives no interval" : "no seed that both have");
        return;
    }
    fputs("sure", out);
    put_difference(difference, of, out);
}

// ---- A sentence for an outcome at a point ----

// The next by its mean after `than`; UINT32_MAX: none.
static uint32_t next_best(const struct outcomes *o, uint32_t outcome, uint32_t point, uint32_t than)
{
    int better = o->outcome[outcome].kind->better;
    double limit = outcomes_at(o, outcome, than, point).mean * better, found = -INFINITY;
    uint32_t next = UINT32_MAX;
    for (uint32_t v = 0; v < o->variants; v++) {
        struct statistics s = outcomes_at(o, outcome, v, point);
        if (v == than || s.n == 0 || s.mean * better > limit || s.mean * better <= found)
            continue;
        found = s.mean * better;
        next = v;
    }
    return next;
}

// Those that stand so beside the best, each with its mean.
static void put_others(const struct answer *a, uint32_t outcome, uint32_t point, uint32_t best,
                       enum outcomes_verdict verdict, const char *between)
{
    for (uint32_t v = 0; v < a->o->variants; v++) {
        struct statistics difference;
        if (v == best ||
            outcomes_compare_best(a->o, outcome, v, best, point, &difference) != verdict)
            continue;
        fputs(between, a->out);
        put_mean(a, outcome, v, point);
        between = ", ";
    }
}

// They are told from the best alone, not from those that are not told apart from it.
static void put_worse(const struct answer *a, uint32_t outcome, uint32_t point, uint32_t best)
{
    const char *between = "; surely worse than ";
    for (uint32_t v = 0; v < a->o->variants; v++) {
        struct statistics difference;
        if (outcomes_compare_best(a->o, outcome, v, best, point, &difference) != OUTCOMES_WORSE)
            continue;
        fputs(between, a->out);
        if (*between == ';') {
            section_variant(a->o, best, a->colour + best, a->out);
            fputs(": ", a->out);
        }
        put_mean(a, outcome, v, point);
        between = ", ";
    }
}

// Between the first and the next. It is the best if it is told from each other.
static void put_rank(const struct answer *a, uint32_t outcome, uint32_t point, uint32_t first)
{
    const char *text = ", ";
    if (a->o->variants > 2)
        text = outcomes_is_best(a->o, outcome, first, point) ? " is best; next "
               : a->o->seeds > 1                             ? " has the best mean; next "
                                                             : " has the best figure; next ";
    fputs(text, a->out);
}

static void put_standing(const struct answer *a, uint32_t outcome, uint32_t point)
{
    const struct outcomes *o = a->o;
    struct statistics difference;
    uint32_t best = outcomes_best(o, outcome, point);
    if (best >= o->variants) {
        fputs("no run has it", a->out);
        return;
    }
    uint32_t next = next_best(o, outcome, point, best);
    if (next >= o->variants) {
        put_mean(a, outcome, best, point);
        fputs("; no other variant has it", a->out);
        return;
    }
    enum outcomes_verdict verdict =
        outcomes_compare_best(o, outcome, best, next, point, &difference);
    if (verdict == OUTCOMES_SAME) {
        fputs("<strong>not told apart</strong>: ", a->out);
        put_mean(a, outcome, best, point);
        put_others(a, outcome, point, best, OUTCOMES_SAME, ", ");
        put_worse(a, outcome, point, best);
        if (o->variants == 2)
            put_difference(&difference, &o->outcome[outcome], a->out);
        return;
    }
    put_mean(a, outcome, best, point);
    put_rank(a, outcome, point, best);
    put_mean(a, outcome, next, point);
    fputs(": ", a->out);
    put_ratio(outcomes_at(o, outcome, best, point).mean, outcomes_at(o, outcome, next, point).mean,
              a->out);
    put_surety(&difference, &o->outcome[outcome], a->out);
    put_others(a, outcome, point, best, OUTCOMES_SAME, "; not told apart from ");
}

// Means of few are unsure in a way that seeds alone do not show: what has not finished is in none.
static void put_few(const struct answer *a, uint32_t outcome, uint32_t point)
{
    const struct outcomes_kind *kind = a->o->outcome[outcome].kind;
    double least, most;
    if (!outcomes_samples(a->o, outcome, point, &least, &most) || least >= FEW_SAMPLES)
        return;
    fputs(" <span class=\"bad\">(means of few: ", a->out);
    put_number(least, a->out);
    if (most > least) {
        fputs(" to ", a->out);
        put_number(most, a->out);
    }
    fprintf(a->out, " %s a run; run longer)</span>", *kind->key == 'r' ? "pings" : kind->samples);
}

// At many points: how often each is surely the best.
static void put_wins(const struct answer *a, uint32_t outcome)
{
    const char *between = "surely the best is ";
    uint32_t left = a->o->points;
    for (uint32_t v = 0; v < a->o->variants; v++) {
        uint32_t wins = 0;
        for (uint32_t point = 0; point < a->o->points; point++)
            wins += outcomes_is_best(a->o, outcome, v, point);
        if (wins == 0)
            continue;
        fputs(between, a->out);
        section_variant(a->o, v, a->colour + v, a->out);
        fprintf(a->out, " at %u of %u points", wins, a->o->points);
        between = ", ";
        left -= wins;
    }
    if (left == a->o->points)
        fprintf(a->out, "at none of %u points one is surely the best", left);
    else if (left > 0)
        fprintf(a->out, "; none at %u", left);
}

static bool is_among_best(const struct outcomes *o, uint32_t outcome, uint32_t variant)
{
    for (uint32_t point = 0; point < o->points; point++) {
        struct statistics difference;
        uint32_t best = outcomes_best(o, outcome, point);
        if (variant != best &&
            (best >= o->variants ||
             outcomes_compare_best(o, outcome, variant, best, point, &difference) != OUTCOMES_SAME))
            return false;
    }
    return true;
}

// What a choice for all points comes to.
static void put_at_all(const struct answer *a, uint32_t outcome)
{
    const char *between = "<br>at each point best, or not told apart from the best: ";
    for (uint32_t v = 0; v < a->o->variants; v++) {
        if (!is_among_best(a->o, outcome, v))
            continue;
        fputs(between, a->out);
        section_variant(a->o, v, a->colour + v, a->out);
        between = ", ";
    }
    if (*between == '<')
        fputs("<br>no variant is best, or not told apart from the best, at each point", a->out);
}

static void put_sentence(const struct answer *a, uint32_t outcome)
{
    fputs("<li><strong>", a->out);
    section_outcome(&a->o->outcome[outcome], a->out);
    fputs("</strong>: ", a->out);
    if (a->o->points > POINTS_SAID)
        put_wins(a, outcome);
    for (uint32_t point = 0; point < a->o->points && a->o->points <= POINTS_SAID; point++) {
        if (a->o->points > 1) {
            fputs("<br>at ", a->out);
            section_escape(a->o->point[point], a->out);
            fputs(": ", a->out);
        }
        put_standing(a, outcome, point);
        put_few(a, outcome, point);
    }
    if (a->o->points > 1 && a->o->points <= POINTS_SAID && a->o->seeds > 1)
        put_at_all(a, outcome);
    fputs(".</li>\n", a->out);
}

// ---- All outcomes of a variant beside the first ----

struct tally {
    uint32_t of[OUTCOMES_WORSE + 1], judged;
    uint32_t alike; // those in which no seed differs
};

static struct tally tally_of(const struct outcomes *o, uint32_t variant)
{
    struct tally tally = {.judged = 0};
    for (uint32_t i = 0; i < o->outcomes; i++)
        for (uint32_t point = 0; point < o->points; point++) {
            struct statistics difference;
            enum outcomes_verdict verdict = outcomes_compare(o, i, variant, 0, point, &difference);
            tally.of[verdict]++;
            tally.alike += verdict == OUTCOMES_SAME && difference.mean == 0 && difference.ci95 == 0;
        }
    tally.judged = tally.of[OUTCOMES_SAME] + tally.of[OUTCOMES_BETTER] + tally.of[OUTCOMES_WORSE];
    return tally;
}

static void put_tally(const struct answer *a, uint32_t variant)
{
    struct tally tally = tally_of(a->o, variant);
    section_variant(a->o, variant, a->colour + variant, a->out);
    fputs(" beside ", a->out);
    section_variant(a->o, 0, a->colour, a->out);
    if (tally.judged == 0) {
        fputs(": not judged, because no two seeds are of both", a->out);
        return;
    }
    if (tally.alike == tally.judged) {
        fprintf(a->out, ": the same in all %u outcomes, with every seed", tally.judged);
        return;
    }
    fprintf(
        a->out, ": better in %u of %u outcomes, <span%s>worse in %u</span>, not told apart in %u",
        tally.of[OUTCOMES_BETTER], tally.judged, tally.of[OUTCOMES_WORSE] ? " class=\"bad\"" : "",
        tally.of[OUTCOMES_WORSE], tally.of[OUTCOMES_SAME]);
}

static void put_losses_of(const struct answer *a, uint32_t variant)
{
    const struct outcomes *o = a->o;
    for (uint32_t i = 0; i < o->outcomes; i++)
        for (uint32_t point = 0; point < o->points; point++) {
            struct statistics difference;
            if (outcomes_compare(o, i, variant, 0, point, &difference) != OUTCOMES_WORSE)
                continue;
            fputs("<li>", a->out);
            section_outcome(&o->outcome[i], a->out);
            fputs(o->points > 1 ? ", at " : "", a->out);
            section_escape(o->point[point], a->out);
            fputs(": ", a->out);
            put_mean(a, i, variant, point);
            fputs(", ", a->out);
            put_mean(a, i, 0, point);
            fputs("</li>\n", a->out);
        }
}

// Few losses are in sight; many are folded.
static void put_losses(const struct answer *a, uint32_t losses)
{
    fprintf(a->out,
            "<details%s><summary>Worse than the first variant: %u</summary>\n"
            "<ul class=\"says\">\n",
            losses <= LOSSES_SHOWN ? " open=\"open\"" : "", losses);
    for (uint32_t v = 1; v < a->o->variants; v++)
        put_losses_of(a, v);
    fputs("</ul></details>\n", a->out);
}

void section_beside(const struct outcomes *o, uint32_t colour, FILE *out)
{
    struct answer a = {o, colour, out};
    uint32_t losses = 0;
    for (uint32_t v = 1; v < o->variants; v++)
        losses += tally_of(o, v).of[OUTCOMES_WORSE];
    if (o->variants < 2 || o->outcomes == 0 || o->seeds < 2 || (o->variants == 2 && losses == 0))
        return;
    fprintf(out,
            "<section class=\"answer\"><h2>Beside the first variant</h2>\n"
            "<p>Of all outcomes in the table below where less or more is better%s:</p>\n"
            "<ul class=\"says\">\n",
            o->points > 1 ? ", each at each point" : "");
    for (uint32_t v = 1; v < o->variants; v++) {
        fputs("<li>", out);
        put_tally(&a, v);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    if (losses)
        put_losses(&a, losses);
    fputs("</section>\n", out);
}

// ---- The figure: bars from 0, with their intervals ----

// Texts keep their size on any screen, and the lengths are parts of the width.
static void put_bar(const struct answer *a, const struct statistics *s, uint32_t variant,
                    double most, const struct outcome *of, uint32_t top)
{
    double low = fmax(s->mean - s->ci95, 0), high = s->mean + s->ci95;
    uint32_t middle = top + 25;
    char name[FIGURES_SHORT_OCTETS];
    fprintf(a->out, "<text x=\"0\" y=\"%u\">", top + 14);
    figures_short(a->o->variant[0], sizeof a->o->variant[0], a->o->variants, variant, NAME_SHOWN,
                  name);
    section_escape(name, a->out);
    fprintf(a->out, "</text><text x=\"100%%\" y=\"%u\" text-anchor=\"end\">", top + 14);
    outcomes_put(s, "", a->out);
    put_unit(of, a->out);
    fprintf(a->out,
            "</text><rect x=\"0\" y=\"%u\" width=\"%.2f%%\" height=\"10\" fill=\"var(--s%u)\"/>\n",
            middle - 5, 99 * s->mean / most, (a->colour + variant) % SECTION_COLOURS);
    if (s->ci95 > 0)
        fprintf(a->out,
                "<rect x=\"%.2f%%\" y=\"%u\" width=\"%.2f%%\" height=\"2\" fill=\"currentColor\"/>"
                "<rect x=\"%.2f%%\" y=\"%u\" width=\"2\" height=\"8\" fill=\"currentColor\"/>"
                "<rect x=\"%.2f%%\" y=\"%u\" width=\"2\" height=\"8\" fill=\"currentColor\"/>\n",
                99 * low / most, middle - 1, 99 * (high - low) / most, 99 * low / most, middle - 4,
                99 * high / most, middle - 4);
}

static uint32_t put_block(const struct answer *a, uint32_t outcome, uint32_t top)
{
    const struct outcome *of = &a->o->outcome[outcome];
    double most = 0;
    for (uint32_t v = 0; v < a->o->variants; v++) {
        struct statistics s = outcomes_at(a->o, outcome, v, 0);
        most = fmax(most, s.mean + s.ci95);
    }
    fprintf(a->out, "<text x=\"0\" y=\"%u\" font-weight=\"600\">", top + 24);
    section_outcome(of, a->out);
    fprintf(a->out, " (%s is better)</text>\n", of->kind->better > 0 ? "more" : "less");
    top += HEAD_PIXELS;
    for (uint32_t v = 0; v < a->o->variants; v++) {
        struct statistics s = outcomes_at(a->o, outcome, v, 0);
        if (s.n == 0 || most <= 0)
            continue;
        put_bar(a, &s, v, most, of, top);
        top += ROW_PIXELS;
    }
    return top;
}

static uint32_t height_of(const struct outcomes *o)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < o->outcomes; i++)
        blocks += o->outcome[i].first;
    blocks = blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST;
    return blocks * (HEAD_PIXELS + ROW_PIXELS * o->variants) + 8;
}

static void put_figure(const struct answer *a)
{
    uint32_t top = 0, height = height_of(a->o), blocks = 0;
    fprintf(a->out,
            "<figure><h3>%s</h3>\n"
            "<svg class=\"bars\" height=\"%u\" style=\"height:%upx\" aria-hidden=\"true\" "
            "fill=\"currentColor\">\n",
            a->o->seeds > 1 ? "The means, with their 95 % intervals"
            : a->o->batches ? "The means over the batches of one seed, with their 95 % intervals"
                            : "The figures of one seed",
            height, height);
    for (uint32_t i = 0; i < a->o->outcomes && blocks < BLOCKS_MOST; i++)
        if (a->o->outcome[i].first) {
            top = put_block(a, i, top);
            blocks++;
        }
    fputs("</svg></figure>\n", a->out);
}

// ---- The section ----

void section_answer(const struct outcomes *o, uint32_t colour, FILE *out)
{
    struct answer a = {o, colour, out};
    if (o->variants < 2 || o->outcomes == 0)
        return;
    fprintf(out, "<section class=\"answer\"><h2>Which is better</h2>\n<p>%u variants", o->variants);
    if (o->points > 1)
        fprintf(out, " at %u points", o->points);
    fputs(", ", out);
    outcomes_put_seeds(o, out);
    fputc('.', out);
    if (o->variants == 2 && o->seeds > 1) {
        fputc(' ', out);
        put_tally(&a, 1);
        fputc('.', out);
    }
    fputs("</p>\n<ul class=\"says\">\n", out);
    for (uint32_t i = 0; i < o->outcomes; i++)
        if (o->outcome[i].first)
            put_sentence(&a, i);
    fputs("</ul>\n", out);
    if (o->points == 1 && o->variants <= BARS_MOST)
        put_figure(&a);
    if (o->seeds > 1)
        fprintf(out,
                "<p class=\"soft\">Sure: the 95 %% confidence interval of the difference, of the "
                "same seeds, has no 0 in it%s. The interval behind a mean is of that mean alone: "
                "those of two variants may overlap although their difference is sure. Each outcome "
                "is judged alone: of twenty%s whose variants are alike one is told apart by "
                "chance.</p>\n",
                o->variants > 2
                    ? "; it is wide enough for all pairs of variants at once (Bonferroni)"
                    : "",
                o->points > 1 ? " (each at each point)" : "");
    fputs("</section>\n", out);
}
