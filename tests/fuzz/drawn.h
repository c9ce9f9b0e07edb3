// Pages without gnuplot: its script is written and looked at, and each picture is empty.
#ifndef TESTS_FUZZ_DRAWN_H
#define TESTS_FUZZ_DRAWN_H

#include <stddef.h>

// A page is printable, and no text out of a file is markup.
void expect_page(const char *page, size_t octets);

#endif
