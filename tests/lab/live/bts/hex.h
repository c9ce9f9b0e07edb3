// Octets typed as hexadecimal digits, with blanks where they help.
#ifndef TESTS_LAB_BTS_HEX_H
#define TESTS_LAB_BTS_HEX_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>

static inline uint32_t hex(const char *text, uint8_t *octets)
{
    uint32_t n = 0;
    for (; *text; text += 2) {
        while (*text == ' ')
            text++;
        if (!isxdigit((unsigned char)*text) || sscanf(text, "%2hhx", &octets[n++]) != 1)
            break;
    }
    return n;
}

#endif
