// See user.h. Root may read and write everything, so for each check the process becomes the
// effective user, with that user's groups, for the time of the check.
#include "control/process/user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS_MAX 64

bool user_is_other(const struct user *user)
{
    return user && user->name[0];
}

// ---- The choice ----

// Finds a user by name or number. A number too large for uid_t must not be truncated to a valid
// one.
static const struct passwd *find(const char *wanted)
{
    char *end;
    const struct passwd *found = getpwnam(wanted);
    unsigned long long uid = strtoull(wanted, &end, 10);
    return found || *wanted == '\0' || *end || uid != (uid_t)uid ? found : getpwuid((uid_t)uid);
}

static void take(struct user *user, const struct passwd *found)
{
    if (found->pw_uid == geteuid())
        return;
    snprintf(user->name, sizeof user->name, "%s", found->pw_name);
    user->uid = found->pw_uid;
    user->gid = found->pw_gid;
}

// Neither root nor `nobody`: other services use the files of `nobody`, too.
static bool is_somebody(const struct passwd *found)
{
    return found && found->pw_uid != 0 && strcmp(found->pw_name, "nobody") != 0;
}

static void take_default(struct user *user, FILE *errors)
{
    const char *sudo = getenv("SUDO_UID");
    const struct passwd *found = sudo ? find(sudo) : NULL;
    if (!is_somebody(found))
        found = getpwnam(USER_OF_PACKAGE);
    if (is_somebody(found))
        take(user, found);
    else
        fprintf(errors, "sluice run: warning: the run stays root: neither run.user nor SUDO_UID is "
                        "given, and there is no user '" USER_OF_PACKAGE
                        "' of the Debian package; set run.user (\"root\" if that is meant)\n");
}

bool user_choose(struct user *user, const char *wanted, FILE *errors)
{
    *user = (struct user){.name = ""};
    if (!*wanted) {
        if (geteuid() == 0)
            take_default(user, errors);
        return true;
    }
    const struct passwd *found = find(wanted);
    if (!found) {
        fprintf(errors,
                "sluice run: run.user: unknown user \"%s\"; allowed: a user of this system (getent "
                "passwd), by name or number\n",
                wanted);
        return false;
    }
    take(user, found);
    if (!user_is_other(user) || geteuid() == 0)
        return true;
    fprintf(errors,
            "sluice run: run.user: cannot become \"%s\": only root can become another user\n",
            wanted);
    return false;
}

// ---- Checks as that user ----

struct former {
    uid_t uid;
    gid_t gid;
    int groups;
    gid_t group[GROUPS_MAX];
};

static void leave(const struct former *former)
{
    if (seteuid(former->uid) != 0 || setegid(former->gid) != 0 ||
        setgroups((size_t)former->groups, former->group) != 0)
        abort(); // neither the old user nor the new one
}

// Returns 0, or a negative errno and stays the old user.
static int become(const struct user *user, struct former *former)
{
    *former = (struct former){.uid = geteuid(), .gid = getegid()};
    former->groups = getgroups(GROUPS_MAX, former->group);
    if (former->groups < 0 || initgroups(user->name, user->gid) != 0)
        return -errno;
    if (setegid(user->gid) == 0 && seteuid(user->uid) == 0)
        return 0;
    int fault = -errno;
    leave(former);
    return fault;
}

int user_may_write(const struct user *user, int folder)
{
    struct former former;
    if (!user_is_other(user))
        return 0;
    int fault = become(user, &former);
    if (fault)
        return fault;
    fault = faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
    leave(&former);
    return fault;
}

// Writes the first folder of the path that the user cannot enter into `part`.
static bool is_closed(const char *path, char part[PATH_MAX])
{
    snprintf(part, PATH_MAX, "%s", path);
    for (char *slash = part; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        if (faccessat(AT_FDCWD, part, X_OK, AT_EACCESS) != 0)
            return true;
        *slash = '/';
    }
    snprintf(part, PATH_MAX, ".");
    return path[0] != '/' && faccessat(AT_FDCWD, part, X_OK, AT_EACCESS) != 0;
}

static void say_unreadable(const struct user *user, const char *path, bool closed, const char *part,
                           FILE *errors)
{
    char whole[PATH_MAX];
    fprintf(errors,
            "sluice run: %s: user %s (run.user) must be able to read it for a reload: ", path,
            user->name);
    if (closed)
        fprintf(errors,
                "the folder %s is closed to that user; put the file elsewhere, such as into "
                "/etc/sluice\n",
                realpath(part, whole) ? whole : part);
    else
        fprintf(errors, "chgrp %u %s && chmod g+r %s\n", (unsigned)user->gid, path, path);
}

bool user_may_read(const struct user *user, const char *path, FILE *errors)
{
    struct former former;
    char part[PATH_MAX];
    if (!user_is_other(user))
        return true;
    int fault = become(user, &former);
    if (fault) {
        fprintf(errors,
                "sluice run: run.user: cannot become %s: %s; that takes CAP_SETUID and "
                "CAP_SETGID; or set run.user = \"root\"\n",
                user->name, strerror(-fault));
        return false;
    }
    bool good = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
    bool closed = !good && is_closed(path, part);
    leave(&former);
    if (!good)
        say_unreadable(user, path, closed, part, errors);
    return good;
}
