-- As osmopcu.lua, with two cells that MSs change between: two OsmoPCUs on one machine, each an NSE with its cell.
-- config/osmopcu.md, "Two cells", explains its use.
run { name = "osmopcu-two", clock = "real", idle = "sleep" }

variants { variant { name = "recommended", file = "recommended.lua",
    set = { "gb.cell_delay=300 ms", "class[*].lifetime=23 s", "class[*].bss_lifetime_least=13 s",
        "class[*].refuse_late=false" } } }

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1", mtu = "1500 octets" }
gb {
    device = "net_af_packet1,iface=gb0",
    address = "198.51.100.1", port = 23000,     -- the SGSN in the BTSs' configuration
}
ggsn { name = "ggsn1", address = "192.0.2.2" }

-- An MS without a key that is heard in the other NSE is there when it has answered a page there and none in its own
-- cell. Both NSEs list the routeing area of both cells, so one page is enough, which waits t3313: 1 s, for an MS
-- answers within 0.3 s here. A busy network needs the default of 5 s.
timers { t3313 = "1 s" }

local function pcu(number, cell)
    return nse {
        nsei = number * 100 + 1,
        areas = { "001-01-1-1" },
        cell_rate = "as measured",
        nsvc { nsvci = number * 100 + 2, peer = "198.51.100.2", peer_port = 23000 + number },
        cell,
    }
end

pcu(1, bvc {
    bvci = 103,
    ms {
        imsi = "001010000000001", count = 8,
        tlli = 0xc0000001,
        n201_u = "1420 octets",
        ra_capability = "32a5158000",
        pdp { nsapi = 5, class = "background", address = "10.0.0.1", ggsn_teid = 1 },
    },
})
pcu(2, bvc { bvci = 203 })
