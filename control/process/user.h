// The user whom a run in real time becomes once its ports are open (run.user), and what that user
// may do: asked of the kernel while the process still is root and has one thread.
#ifndef SLUICE_CONTROL_PROCESS_USER_H
#define SLUICE_CONTROL_PROCESS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define USER_NAME_OCTETS 65
#define USER_OF_PACKAGE  "sluice" // whom the Debian package makes

struct user {
    char name[USER_NAME_OCTETS]; // "": stays who it is
    uid_t uid;
    gid_t gid;
};

// Whether the run becomes somebody else. NULL: it does not.
bool user_is_other(const struct user *user);

// By run.user ("": not given), else for root by SUDO_UID, else the package's. False: said on
// `errors` why not; a run that stays root without having been told to is said there, too.
bool user_choose(struct user *user, const char *wanted, FILE *errors);

// Whether the user may read that file, by its path. False: said on `errors`, with what helps.
bool user_may_read(const struct user *user, const char *path, FILE *errors);

// Whether the user may make files in that folder. 0 or a negative errno.
int user_may_write(const struct user *user, int folder);

#endif
