// See accept.h. A field of another form is read as far as it has commas: what fits no type counts
// for nothing.
#include "control/client/accept.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define BLANKS     " \t"
#define WEIGHT_ALL 1000 // q=1

// A piece of the field, between separators, without blanks around it.
struct piece {
    const char *at;
    size_t octets;
};

// Cuts the first piece before one of `ends` off the text, which goes on behind that character; at
// the end it becomes NULL.
static struct piece cut(const char **text, const char *ends)
{
    const char *begin = *text + strspn(*text, BLANKS);
    size_t octets = strcspn(begin, ends);
    *text = begin[octets] ? begin + octets + 1 : NULL;
    while (octets > 0 && strchr(BLANKS, begin[octets - 1]))
        octets--;
    return (struct piece){begin, octets};
}

static bool is_named(struct piece piece, const char *name)
{
    return piece.octets == strlen(name) && strncasecmp(piece.at, name, piece.octets) == 0;
}

// "0.75" in thousandths; 0 for another form.
static int weight_of(const char *text, size_t octets)
{
    int weight = 0, digit = 1000;
    for (size_t i = 0; i < octets && i < 5; i++) {
        if (i == 1 && text[i] == '.')
            continue;
        if (i == 1 || text[i] < '0' || text[i] > '9')
            return 0;
        weight += (text[i] - '0') * digit;
        digit /= 10;
    }
    return octets <= 5 && weight <= WEIGHT_ALL ? weight : 0;
}

static int weight_of_parameters(const char *rest)
{
    int weight = WEIGHT_ALL;
    while (rest) {
        struct piece piece = cut(&rest, ";,");
        if (piece.octets > 2 && strncasecmp(piece.at, "q=", 2) == 0)
            weight = weight_of(piece.at + 2, piece.octets - 2);
        if (rest && rest[-1] == ',')
            break;
    }
    return weight;
}

int accept_type(const char *field, const char *const *types)
{
    int best = 0, most = 0;
    while (field) {
        const char *one = field;
        cut(&field, ",");
        struct piece name = cut(&one, ";,");
        int weight = one && one[-1] == ';' ? weight_of_parameters(one) : WEIGHT_ALL;
        for (int i = 0; types[i]; i++)
            if (is_named(name, types[i]) && weight > most) {
                best = i;
                most = weight;
            }
    }
    return best;
}
