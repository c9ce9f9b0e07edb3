// The header field Accept (RFC 9110 12.5.1): which of a server's media types a client prefers. A
// type that the field names counts, with its weight; ranges such as "*/*" and parameters such as a
// version do not.
#ifndef SLUICE_CONTROL_CLIENT_ACCEPT_H
#define SLUICE_CONTROL_CLIENT_ACCEPT_H

// The type of `types` (the last is NULL) with the greatest weight, of several the first that the
// field names; 0: the field names none, or is NULL.
int accept_type(const char *field, const char *const *types);

#endif
