-- A real network: two ports of a NIC, such as an X710's or two i225, with GTP-U to and from a GGSN on
-- one, and NS over UDP to and from a BSS on the other. Copy this file and change the addresses.
--
-- Before the first run, as root, once after each boot:
--     lspci -D | grep Ethernet                            the PCI addresses
--     modprobe vfio-pci                                   needs the IOMMU on; without one, in a VM,
--                                   uio_pci_generic, here and in the next line
--     dpdk-devbind.py --bind=vfio-pci 0000:01:00.0 0000:01:00.1
--                                   from the package dpdk; Linux no longer sees the ports
--     echo 512 > /proc/sys/vm/nr_hugepages                1 GiB; `sluice check` says how much a run
--                                   needs (memory_octets), and a NIC refuses to run without huge pages
-- Then:
--     sluice check config/nic.lua                         prints all defaults, or the mistakes
--     sluice run config/nic.lua --out out/nic             runs until Ctrl-C, or SIGTERM
-- The GGSN has to know the SGSN's TEIDs: out/nic/contexts.json lists them by IMSI and NSAPI as soon as
-- `up:` is printed. Each start gives new ones, as an SGSN's are not to be guessed: tell the GGSN again.
run {
    name = "nic",
    clock = "real",             -- without lab { }: the network is real; no duration: no end
    workers = 1,                -- a worker serves whole NSEs; one worker carries Mpps
    cores = { 0, 1 },           -- control on 0, the worker on 1; use different physical cores
    -- user = "sluice",         -- the user of the process once ports are open; must be able to read
                                -- this file. Default: sudo's caller, else the package's user sluice
    idle = "spin",              -- a worker polls all the time, at 100 % of a core; "sleep" for a lab
}

-- Towards the GGSN. A port answers ARP, neighbour discovery, ping and GTP echo.
gn {
    device = "0000:01:00.0",    -- the PCI address; or, without vfio-pci, net_af_packet0,iface=eth1,
                                -- with an MTU of at most 1500
    address = "192.0.2.1",      -- the SGSN's address for GTP-U, UDP port 2152
    prefix = 24,                -- prefix length of the link
    -- vlan = 100,              -- its VLAN; with another one in gb { } both may have one device
    gateway = "192.0.2.254",    -- the router to other addresses; not needed for a GGSN on the link
    mtu = "1536 octets",        -- room for a packet of 1500 octets and GTP-U; for a link of 1500,
                                -- set 1500: such packets are then sent in fragments
    rx_frames = 4096,           -- each worker's receive ring, for bursts while the worker is busy
}

-- Towards the BSS.
gb {
    device = "0000:01:00.1",
    address = "198.51.100.1",   -- the SGSN's address in the BSS's configuration
    port = 23000,               -- and the UDP port; ARP finds Ethernet addresses
}

ggsn { name = "ggsn1", address = "192.0.2.2" }   -- where uplink packets go

nse {
    nsei = 101,                 -- as in the BSS's configuration
    ns = "reset",               -- a real BSS: NS-VCs by NS-RESET, cells by BVC-RESET (the default)
    flow_control = "wait",      -- a cell is sent nothing before the first FLOW-CONTROL-BVC, which
                                -- has the rates. "open", for a BSS without flow control: rate and
                                -- bucket of bvc { } hold until a FLOW-CONTROL-BVC arrives
    -- One NS-VC for each endpoint of the BSS: Sluice spreads the MSs over the NS-VCs by weight.
    -- A second one: nsvc { nsvci = 102, peer = "198.51.100.3", peer_port = 23000, weight = 1 },
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000 },
    bvc {
        bvci = 2,                                -- the cell, as in the BSS
        ms {
            imsi = "001010000000001", count = 100,   -- IMSI, TLLI, address and TEIDs count up
            n201_u = "1434 octets",                  -- the most for an MTU of 1500, unfragmented
            pdp {
                nsapi = 5, class = "background",
                address = "10.0.0.1",                -- of the first MS
                ggsn = "ggsn1",
                ggsn_teid = 0x00001000,              -- the tunnel at the GGSN, for the uplink
            },
        },
    },
}
