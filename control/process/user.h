// The user that a run in real time becomes once its ports are open (run.user), and what that user
// may read and write: checked while the process still is root and has one thread.
#ifndef SLUICE_CONTROL_PROCESS_USER_H
#define SLUICE_CONTROL_PROCESS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define USER_NAME_OCTETS 65
#define USER_OF_PACKAGE  "sluice" // made by the Debian package

struct user {
    char name[USER_NAME_OCTETS]; // "": the process keeps its user
    uid_t uid;
    gid_t gid;
};

// Returns whether the run becomes another user; false for NULL.
bool user_is_other(const struct user *user);

// Chooses by run.user (wanted; "": not given), else for root by SUDO_UID, else the package's user.
// Prints to `errors` why it returns false, and a warning if the run stays root without run.user.
bool user_choose(struct user *user, const char *wanted, FILE *errors);

// Returns whether the user may read the file; else prints to `errors` why not and what helps.
bool user_may_read(const struct user *user, const char *path, FILE *errors);

// Returns 0 if the user may make files in the folder, else a negative errno.
int user_may_write(const struct user *user, int folder);

#endif
