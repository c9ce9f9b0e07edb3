// contexts.json as `sluice ggsn` reads it: a list of objects, of which each has an IPv4 `address`
// and a `teid`; contexts.h writes it.
#ifndef SLUICE_CONTROL_PROGRAM_GGSN_CONTEXTS_H
#define SLUICE_CONTROL_PROGRAM_GGSN_CONTEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gateway_context;

// Takes the octets of a file apart; `contexts` is to be freed. False: it is no JSON, as of a file
// that is being written. left_out: items of the list that are no context.
bool ggsn_contexts(const char *text, size_t octets, struct gateway_context **contexts,
                   uint32_t *count, uint32_t *left_out);

#endif
