// Octets typed as hexadecimal digits.
#ifndef TESTS_DATAPLANE_CIPHER_HEX_H
#define TESTS_DATAPLANE_CIPHER_HEX_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef COUNT
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#endif

// Returns how many.
static inline uint32_t hex_octets(const char *digits, uint8_t *octets)
{
    uint32_t n = (uint32_t)strlen(digits) / 2;
    for (uint32_t i = 0; i < n; i++)
        sscanf(digits + 2 * i, "%2hhx", &octets[i]);
    return n;
}

#endif
