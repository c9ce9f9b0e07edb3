// The parts of a page that are text and tables.
#ifndef SLUICE_CONTROL_REPORT_SECTIONS_H
#define SLUICE_CONTROL_REPORT_SECTIONS_H

#include <stdio.h>

#include "control/report/classes.h"
#include "control/report/curves.h"
#include "control/report/drops.h"
#include "control/report/outcomes.h"

#define SECTION_COLOURS PLOT_COLOURS // of variants

// style.css: of each page, for light and dark, a telephone and a large screen.
extern const char section_style[];
// style.c: the page up to its heading, with its style; its end.
void section_begin(const char *title, FILE *out);
void section_end(FILE *out);

void section_escape(const char *text, FILE *out);
// A number with the digits before its point in groups of three; "": a dash.
void section_digits(const char *digits, FILE *out);

void section_head(const struct runs *runs, FILE *out); // up to the body's first heading
void section_runs(const struct runs *runs, FILE *out);
// Of the summary of several runs; colour: of the first variant. What is missing; which variant is
// better; the means over the seeds, with what is said of their intervals.
void section_missing(const struct json_object *summary, const struct runs *runs, FILE *out);
void section_answer(const struct outcomes *o, uint32_t colour, FILE *out);
void section_beside(const struct outcomes *o, uint32_t colour, FILE *out); // answer.c
// settings.c: what is set in all runs; the settings in which the variants differ, folded.
void section_set(const struct outcomes *o, FILE *out);
void section_settings(const struct outcomes *o, uint32_t colour, FILE *out);
void section_means(const struct outcomes *o, uint32_t colour, FILE *out);
// A variant's name with its colour; an outcome's, without its unit.
void section_variant(const struct outcomes *o, uint32_t variant, uint32_t colour, FILE *out);
void section_outcome(const struct outcome *of, FILE *out);
// A line with what the runs of targets.json or knobs.json were of; nothing, if it does not say
// that.
void section_origin(const struct json_object *file, FILE *out);
// The targets of several runs, where they have some.
void section_targets(const struct runs *runs, FILE *out);
// The figures that their file declares, drawn; title: as below.
struct json_object;
void section_redrawn(const struct json_object *figures, const char *title, FILE *out);
// One table of them; title: NULL, or whose they are.
void section_targets_of(const struct json_object *targets, const char *title, FILE *out);
void section_classes(const struct runs *runs, const struct classes *classes,
                     const struct curves *names, FILE *out);
// What applications came to: goodput, and how long what takes time took.
void section_batches(const struct runs *runs, FILE *out);
void section_applications(const struct runs *runs, FILE *out);
// How long MSs took that attach.
void section_phones(const struct runs *runs, FILE *out);
void section_drops(const struct runs *runs, const struct drops *drops, FILE *out);
void section_balance(const struct runs *runs, FILE *out);

#endif
