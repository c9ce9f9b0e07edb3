// The radio: how long cells take for a time of the network, saturated in both ways with 24 slots of
// MCS-6 and LLC PDUs of 1500 octets. Arguments: cells, MSs a cell, virtual seconds, BLER in
// percent.
#include "bench/tsc.h"

#include <deque>
#include <memory>
#include <vector>

extern "C" {
#include "lab/radio/radio.h"
}

namespace
{

constexpr uint32_t pdu_octets = 1500, up_pdus = 8;

struct cell {
    struct radio *radio;
    std::deque<radio_pdu> pdus; // all there ever were
    std::vector<radio_pdu *> idle;
};

radio_pdu *take(cell *of)
{
    if (of->idle.empty()) {
        of->pdus.emplace_back();
        of->idle.push_back(&of->pdus.back());
    }
    radio_pdu *pdu = of->idle.back();
    of->idle.pop_back();
    pdu->octets = pdu_octets;
    return pdu;
}

radio_pdu *next_down(void *self, uint32_t, uint64_t)
{
    return take(static_cast<cell *>(self));
}

void arrived(void *self, uint32_t ms, radio_way way, radio_pdu *pdu, uint64_t now_ns)
{
    cell *of = static_cast<cell *>(self);
    of->idle.push_back(pdu);
    if (way == RADIO_UP)
        radio_up(of->radio, ms, take(of), now_ns);
}

void lost(void *, uint32_t, radio_way, radio_pdu *, radio_loss, uint64_t)
{
}

void event(void *, uint32_t, radio_event, uint64_t)
{
}

std::unique_ptr<cell> fill(engine *engine, const radio_config *config, uint32_t mss,
                           uint64_t stream)
{
    auto of = std::make_unique<cell>();
    radio_owner owner = {of.get(), next_down, arrived, lost, event};
    of->radio = radio_create(engine, config, &owner, 1, stream);
    for (uint32_t i = 0; i < mss; i++) {
        uint32_t ms = radio_add_ms(of->radio, i, nullptr);
        radio_ready(of->radio, ms, 0);
        for (uint32_t pdu = 0; pdu < up_pdus; pdu++)
            radio_up(of->radio, ms, take(of.get()), 0);
    }
    return of;
}

void saturated(benchmark::State &state)
{
    radio_config config;
    radio_config_standard(&config);
    config.carriers = 3;
    config.slots = 24;
    config.down_slots = 4;
    config.up_slots = 2;
    config.down_coding = config.up_coding = RADIO_CODING_MCS6;
    config.down_bler_ppm = config.up_bler_ppm = uint32_t(state.range(3)) * 10000;
    uint64_t blocks = 0;
    for (auto _ : state) {
        state.PauseTiming();
        engine *engine = engine_create();
        std::vector<std::unique_ptr<cell>> cells;
        for (int64_t i = 0; i < state.range(0); i++)
            cells.push_back(fill(engine, &config, uint32_t(state.range(1)), uint64_t(i)));
        state.ResumeTiming();
        engine_run(engine, uint64_t(state.range(2)) * S_IN_NS, nullptr, nullptr);
        state.PauseTiming();
        for (auto &of : cells) {
            blocks += radio_counts(of->radio, RADIO_DOWN)->blocks;
            blocks += radio_counts(of->radio, RADIO_UP)->blocks;
            radio_destroy(of->radio);
        }
        engine_destroy(engine);
        state.ResumeTiming();
    }
    state.SetItemsProcessed(int64_t(blocks));
}
BENCHMARK(saturated)
    ->ArgNames({"cells", "mss", "s", "bler"})
    ->Args({1, 4, 10, 10})
    ->Args({1, 40, 1000, 0})
    ->Args({1, 40, 1000, 10})
    ->Args({200, 50, 100, 0})
    ->Args({200, 50, 100, 10})
    ->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char **argv)
{
    return benchmarks_begin(argc, argv) ? benchmarks_run() : 1;
}
