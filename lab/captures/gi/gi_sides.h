// What the two sides of the capture are called, where people read it: GPRS and Internet, as in the
// paper, or by --names. Keys of files stay as they are.
#ifndef SLUICE_GI_SIDES_H
#define SLUICE_GI_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#define GI_SIDE_OCTETS 25 // of a name, with its end

struct gi_sides {
    char user[GI_SIDE_OCTETS], host[GI_SIDE_OCTETS];
};

extern const struct gi_sides gi_sides_of_paper;
// Of "access,core"; letters, digits, spaces and - alone. False: it is none.
bool gi_sides_read(struct gi_sides *sides, const char *text);
// The text with the names of the sides in place of the paper's words; at most so many octets.
const char *gi_sides_in(const struct gi_sides *sides, const char *text, char *room, size_t octets);

#endif
