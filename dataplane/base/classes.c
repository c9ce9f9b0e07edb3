// See classes.h.
#include "dataplane/base/classes.h"

const char *const class_names[CLASS_COUNT] = {
#define CLASS(slot, name) [CLASS_##slot] = name,
#include "dataplane/base/classes.def"
#undef CLASS
};
