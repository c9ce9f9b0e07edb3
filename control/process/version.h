// The version of this build: the project's, and the commit if it was built in the project's
// repository (version.sh). In a file of its own, which a commit changes.
#ifndef SLUICE_CONTROL_RUN_VERSION_H
#define SLUICE_CONTROL_RUN_VERSION_H

extern const char sluice_version[];

#endif
