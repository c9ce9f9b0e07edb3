// The radios that MSs have of their own: keys over those of their cell, and a file of the downlink
// over time. MSs with the same ones, as the members of one ms { }, share them.
#include <errno.h>
#include <string.h>

#include "lab/lab_parts.h"

struct lab_radio {
    struct radio_own own;
    struct radio_walk *walk; // NULL: none
    struct octets name;      // of its file
    char octets[];           // the keys, then the name and its end
};

static bool is_same(struct octets a, struct octets b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

static struct lab_radio *add(struct lab *lab, struct octets keys, struct octets name)
{
    struct lab_radio *radio = lab_add_item(&lab->radio, sizeof *radio + keys.n + name.n + 1);
    const uint8_t *at = (const uint8_t *)radio->octets;
    if (keys.n)
        memcpy(radio->octets, keys.at, keys.n);
    if (name.n)
        memcpy(radio->octets + keys.n, name.at, name.n);
    radio->own.keys = (struct octets){at, keys.n};
    radio->name = (struct octets){at + keys.n, name.n};
    return radio;
}

// The file was read before, by the configuration's check.
int lab_own_radio(struct lab *lab, struct octets keys, struct octets name,
                  const struct radio_own **own)
{
    char error[RADIO_WALK_ERROR_ROOM];
    for (uint32_t i = lab->radio.n; i > 0; i--) { // mostly it is the last one
        const struct lab_radio *known = lab->radio.item[i - 1];
        *own = &known->own;
        if (is_same(keys, known->own.keys) && is_same(name, known->name))
            return 0;
    }
    struct lab_radio *radio = add(lab, keys, name);
    radio->walk = name.n ? radio_walk_read(radio->octets + keys.n, error) : NULL;
    radio->own.walk = radio->walk;
    *own = &radio->own;
    return name.n && !radio->walk ? -EIO : 0;
}

void lab_radios_release(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->radio.n; i++)
        radio_walk_free(((struct lab_radio *)lab->radio.item[i])->walk);
}
