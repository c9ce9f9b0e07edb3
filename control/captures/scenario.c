// See scenario.h.
#include "control/captures/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/captures/overwrites.h"

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *scenario_fault(const char *path)
{
    size_t n = strlen(path);
    if (n < 5 || n > SCENARIO_NAME_OCTETS - 20 || strcmp(path + n - 4, ".lua") != 0)
        return "a file name of at most 180 octets that ends in .lua";
    for (const char *c = base_of(path); *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
              *c == '.' || *c == '_' || *c == '-'))
            return "a file name of letters, digits and . _ -";
    return NULL;
}

void scenario_stem(const char *path, char stem[SCENARIO_NAME_OCTETS + 1])
{
    const char *base = base_of(path);
    snprintf(stem, SCENARIO_NAME_OCTETS + 1, "%.*s", (int)(strlen(base) - 4), base);
}

static bool failed(const struct scenario *scenario, const char *name)
{
    fprintf(stderr, "sluice %s: %s: %s\n", scenario->command, name, strerror(errno));
    return false;
}

bool scenario_open(const struct scenario *scenario, const char *end, struct scenario_file *file)
{
    snprintf(file->name, sizeof file->name, "%.*s%s", (int)(strlen(scenario->path) - 4),
             scenario->path, end);
    if (overwrites(scenario->command, file->name, scenario->inputs, scenario->inputs_count))
        return false;
    file->out = fopen(file->name, "we");
    return file->out || failed(scenario, file->name);
}

bool scenario_close(const struct scenario *scenario, struct scenario_file *file)
{
    bool wrong = fflush(file->out) != 0 || ferror(file->out);
    if (wrong)
        failed(scenario, file->name);
    fclose(file->out);
    return !wrong;
}

// Puts the value whose name begins there; returns what is behind it.
static const char *put_value(FILE *out, const char *name, const struct scenario_value *values)
{
    size_t n = strcspn(name, "@");
    while (strlen(values->name) != n || strncmp(values->name, name, n) != 0)
        values++;
    if (values->text)
        fputs(values->text, out);
    else
        fprintf(out, "%" PRIu64, values->number);
    return name + n + 1;
}

void scenario_put(FILE *out, const char *text, const struct scenario_value *values)
{
    while (*text)
        if (*text == '@')
            text = put_value(out, text + 1, values);
        else
            fputc(*text++, out);
}

FILE *scenario_text(char **text)
{
    static size_t octets;
    FILE *file = open_memstream(text, &octets);
    if (!file)
        abort();
    return file;
}
