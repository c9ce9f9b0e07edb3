-- GMM, with attach { } only: without it none of its handlers is there, and SAPI 1 is ignored as ever.
local breath = require "sluice.base.breath"
local admission = require "sluice.gmm.admission"
local detach = require "sluice.gmm.detach"
local frames = require "sluice.gmm.frames"
local log = require "log"
local network = require "sluice.core.network"
local place = require "sluice.gmm.place"
local recover = require "sluice.gmm.recover"
local rekey = require "sluice.gmm.rekey"
local show = require "sluice.gmm.show"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"

require "sluice.gmm.update" -- registers its messages; attach is below it

local function detach_now(phone)
    if phone.ms_id then
        detach.begin(phone, detach.AGAIN)
    end
end

-- After a reload: phones that may not attach any more are detached, the others get the new file's class for contexts to
-- come. The list may change while the reload's job is suspended, and a job may be suspended anywhere, so a timer of 0
-- begins each DETACH.
local function look_again()
    for _, phone in breath.each(table.move(store.phones, 1, #store.phones, 1, {})) do
        local given = admission.of(phone.imsi)
        if given then
            phone.class = given.class
        else
            timers.after(0, detach_now, phone)
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
    frames.on_enciphered(recover)
    show.begin()
    rekey()
    network.watch("configured", look_again)
    subscribers.watch("homeless", homeless)
end
