// The traffic classes by number and by name, from classes.def.
#ifndef SLUICE_BASE_CLASSES_H
#define SLUICE_BASE_CLASSES_H

enum traffic_class {
#define CLASS(slot, name) CLASS_##slot,
#include "dataplane/base/classes.def"
#undef CLASS
    CLASS_COUNT
};

extern const char *const class_names[CLASS_COUNT];

#endif
