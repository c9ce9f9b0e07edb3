// A text file of rows behind a known head, such as `flow,time_ns,octets`. Anybody may have written
// it: lines are bounded, and what does not fit is named with its line. Empty lines and those that
// begin with # are left out, and so are blanks at the head's end and UTF-8's byte order mark.
#ifndef SLUICE_LAB_BASE_ROWS_H
#define SLUICE_LAB_BASE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#define ROWS_LINE_MOST 200 // octets

// What is wrong with the row, or NULL. It may cut `text` to pieces.
typedef const char *rows_take(void *self, char *text);

// NULL, or what is wrong; *line: where, 0 if the file cannot be read at all.
const char *rows_read(const char *name, const char *head, rows_take *take, void *self,
                      uint32_t *line);

// "WHAT: NAME, line N: fault" in the room.
void rows_fault(const char *what, const char *name, uint32_t line, const char *fault, char *room,
                uint32_t octets);

// The text up to the next comma, which is cut off; NULL: there is none left.
char *rows_field(char **rest);

// An empty field is 0. False: it is no number from least to most, or there is none left.
bool rows_number(char **rest, uint64_t least, uint64_t most, uint64_t *number);

// Reads DIGITS or DIGITS.DIGITS in units of 10^-`places`, and the blanks behind it; what is finer
// is cut off. False: another form, or more than `most` before the point.
bool rows_decimal(const char **text, int places, uint64_t most, uint64_t *number);

#endif
