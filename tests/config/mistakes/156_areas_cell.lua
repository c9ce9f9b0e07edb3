-- expect: 156_areas_cell.lua:6: nse[1].areas[2]: found "001-01-4660-52-7", allowed a routeing area as MCC-MNC-LAC-RAC, such as "001-01-4660-52"
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual", areas = { "001-01-4660-52", "001-01-4660-52-7" },
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc { bvci = 2, ms { imsi = "001010000000001",
        pdp { nsapi = 5, class = "background", address = "10.0.0.1" } } },
}
