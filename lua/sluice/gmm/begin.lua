-- GMM, with attach { } only: without it none of its handlers is there, and SAPI 1 is ignored as ever.
local breath = require "sluice.base.breath"
local admission = require "sluice.gmm.admission"
local detach = require "sluice.gmm.detach"
local frames = require "sluice.gmm.frames"
local log = require "log"
local network = require "sluice.core.network"
local place = require "sluice.gmm.place"
local show = require "sluice.gmm.show"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"

require "sluice.gmm.update" -- registers its messages; attach is below it

-- After a reload: phones that may not attach any more are detached, a few at a time.
local function look_again()
    local gone = {}
    for _, phone in breath.each(store.phones) do
        gone[#gone + 1] = not admission.of(phone.imsi) and phone or nil
    end
    for _, phone in breath.each(gone) do
        if phone.ms_id and not admission.of(phone.imsi) then
            detach.begin(phone, detach.AGAIN)
        end
    end
end

local function homeless(ms_id)
    local phone = store.of_ms(ms_id)
    if phone then
        log.info(("IMSI %s: detached, as its cell is removed"):format(phone.imsi))
        place.give(phone)
    end
end

return function()
    if not network.cfg.attach then
        return
    end
    frames.begin()
    show.begin()
    network.watch("configured", look_again)
    subscribers.watch("homeless", homeless)
end
