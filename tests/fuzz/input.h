// A fuzzer's input as a row of choices. Behind its end all octets are 0.
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

void input_begin(const uint8_t *octets, size_t n);
size_t input_left(void);

uint32_t input_octet(void);
uint32_t input_word(void); // 16 bits
uint32_t input_long(void); // 32 bits

#define INPUT_ONE_OF(array) ((array)[input_octet() % (sizeof(array) / sizeof *(array))])

#endif
