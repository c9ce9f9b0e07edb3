// In place of libFuzzer's notes of what is compared with what (meson.build wraps the names), which
// cost a fifth of a target's time: it looks in the input for one side of a comparison, to put the
// other there. path_fuzz takes all of these: its input is a row of choices, from which frames are
// built and enciphered, so it has no such values. audit_fuzz takes those of 64 bits, which compare
// sizes, times and pointers: no field of a PDU is so long.
#include <stdint.h>

#define UNCOMPARED(name, type)                                \
    void __wrap___sanitizer_cov_trace_##name(type a, type b); \
    void __wrap___sanitizer_cov_trace_##name(type a, type b)  \
    {                                                         \
        (void)a, (void)b;                                     \
    }
UNCOMPARED(cmp1, uint8_t)
UNCOMPARED(cmp2, uint16_t)
UNCOMPARED(cmp4, uint32_t)
UNCOMPARED(cmp8, uint64_t)
UNCOMPARED(const_cmp1, uint8_t)
UNCOMPARED(const_cmp2, uint16_t)
UNCOMPARED(const_cmp4, uint32_t)
UNCOMPARED(const_cmp8, uint64_t)

void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);

void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases)
{
    (void)value, (void)cases;
}
