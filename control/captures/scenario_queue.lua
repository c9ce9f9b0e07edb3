queue {
    packets = 100000, octets = "100000 kB", cell_packets = 50000, cell_octets = "50000 kB",
    ms_packets = 10000, ms_octets = knob.queue, overflow = "tail",
}
local classes = {
    "background", "interactive-1", "interactive-2", "interactive-3", "streaming", "conversational",
}
for i = 1, #classes do
    class {
        name = classes[i], lifetime = knob.lifetime or "100 s", bss_lifetime_least = "20 s", flows = false, scope = "ms",
        packets = 50000, octets = "50000 kB", aqm { name = "tail-drop" },
    }
end
