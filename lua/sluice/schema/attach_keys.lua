-- The part of the schema about phones that attach (GMM). See schema.lua.
local attach = {}

attach.block = {
    name = "attach", min = 0, max = 1, single = true,
    help = "phones may attach; without this block only the MSs of the file are served",
    keys = {
        {
            name = "who", type = "choice", choices = { "listed", "open" }, default = "listed",
            help = "listed: the IMSIs of phone { }; open: those of `networks`, too",
        },
        {
            name = "networks", type = "networks", most_items = 64, optional = true, default_help = "none",
            example = '{ "001-01" }',
            help = "networks, as MCC-MNC, whose IMSIs may attach without a phone { }; with who = \"open\" only",
        },
        {
            name = "most", type = "integer", least = 1, most = 100000, default = 10000,
            help = "the number of phones there is room for, on top of the file's MSs; a change needs a restart",
        },
        {
            name = "attempts", type = "integer", least = 2, most = 100000, default = 1024,
            help = "phones that are about to attach; those of an NSE are at most half of what the others leave",
        },
        {
            name = "rate", type = "integer", least = 1, most = 100000, default = 100,
            help = "unknown phones that an NSE's cells may bring in a second; others are not answered, and try again",
        },
        {
            name = "ciphers", type = "ciphers", most_items = 3, optional = true, default_help = '{ "gea4", "gea3" }',
            example = '{ "gea4", "gea3", "none" }',
            help = "of a phone with keys: the first one that the phone can is used; a phone that can none is refused",
        },
        {
            name = "t3312", type = "time", least = "2 s", most = "186 min", none = "none", default = "54 min",
            example = "54 min",
            help = "T3312: how often a silent phone says that it is there; one that is silent for this, gb.ready and"
                .. " 8 min more is detached",
        },
    },
}

function attach.phone(class)
    return {
        name = "phone", min = 0,
        help = "a phone that may attach, or `count` of them with running IMSIs; with attach { } only",
        keys = {
            {
                name = "imsi", type = "digits", least = 6, most = 15, example = "001010000000001",
                help = "IMSI of the first phone",
            },
            {
                name = "count", type = "integer", least = 1, most = 1000000, default = 1,
                help = "the number of phones; IMSIs count up by one",
            },
            {
                name = "k", type = "hex", least = 32, most = 32, optional = true, secret = true,
                default_help = "none: nobody proves who he is, and nothing is enciphered",
                example = "000102030405060708090a0b0c0d0e0f",
                help = "K (Ki) of the first card; the last 32 bits count up from card to card",
            },
            {
                name = "opc", type = "hex", least = 32, most = 32, optional = true, secret = true,
                default_help = "none", example = "101112131415161718191a1b1c1d1e1f",
                help = "OPc of the cards; with k only",
            },
            {
                name = "algorithm", type = "choice", choices = { "milenage" }, default = "milenage",
                refused = {
                    comp128v1 = "broken", comp128v2 = "not public", comp128v3 = "not public", xor = "for tests alone",
                },
                help = "the algorithm of the cards, USIMs and SIMs",
            },
            class,
            {
                name = "n201_u", type = "size", least = "140 octets", most = "1520 octets",
                default = "500 octets",
                help = "N201-U, the longest LLC UI information field; agreed by XID",
            },
            {
                name = "send_imsi", type = "switch", default = true,
                help = "whether DL-UNITDATA has the IMSI; without it a BSS may page in group 0",
            },
            {
                name = "cell", type = "word", optional = true, example = "101-2",
                default_help = "none: the phone is not in the lab",
                help = "the cell in which the lab has the phone, as NSEI-BVCI",
            },
            {
                name = "on", type = "time", least = "0 s", most = "1440 min", default = "0 s",
                help = "when the first phone is switched on, in the lab, or when all cells are up",
            },
            {
                name = "apart", type = "time", least = "0 s", most = "60 min", default = "0 s",
                help = "the time from one phone to the next, in the lab",
            },
        },
    }
end

return attach
