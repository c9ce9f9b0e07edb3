#!/usr/bin/python3
"""What all procedures of phones stand on (lua/sluice/phones): the driver and the store, by procedures of this test."""

from world import HEAD, NS, S, World, case, main, nsvc, same

CONFIG = HEAD + f"""
timers {{ t3370 = "6 s", t3370_retries = 4, t3350 = "2 s", t3350_retries = 1 }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, "198.51.100.2")}, bvc {{ bvci = 2 }} }}
"""

HELP = """
procedure, store, clock = require('sluice.phones.procedure'), require('sluice.phones.store'),
    require('sluice.core.clock');
said = {};
function say(text) said[#said + 1] = clock.now_ns .. ':' .. text; end;
function take() local text = table.concat(said, ' '); said = {}; return text; end;
procedure.sender(function(phone, message) say('sent-' .. message .. '-' .. phone.imsi); end);
call = { name = 'call', stopped = function(run) say('stopped-' .. run.place); end, states = {
    ask = {
        message = function(run) run.n = (run.n or 0) + 1; return 'ask' .. run.n; end, timer = 't3370',
        got = {
            answer = function(run, what) procedure.enter(run, what); end,
            refusal = function() return 'refused'; end,
        },
        over = function(run) say('over'); procedure.enter(run, 'tell'); end,
    },
    tell = { message = function() return 'tell'; end, timer = 't3350',
        over = function(run) say('gone'); procedure.finish(run); end },
    wait = { enter = function() say('waiting'); end, got = { answer = function(run) procedure.finish(run); end } },
    pass = { enter = function(run) procedure.enter(run, 'wait'); end, message = function() return 'never'; end,
        timer = 't3350' },
    leave = { enter = procedure.finish, message = function() return 'never'; end, timer = 't3350' },
} };
phone = store.new({}); phone.imsi = 'A';
function begin(place, state, request)
    run = procedure.begin(call, phone, place, request); procedure.enter(run, state); end;
""".replace("\n", " ")


class Phones:
    def __init__(self):
        self.world = World(CONFIG)

    def __enter__(self):
        self.world.lua(HELP)
        return self

    def __exit__(self, *what):
        if not what[0]:
            same(self.world.lua("local t = require('sluice.core.timers') return #phone.runs"), "0", "runs left")
            self.world.run(100 * S)
            self.says([])
        self.world.__exit__(*what)

    def do(self, chunk):
        """At the present time, which control learns at its next step only."""
        return self.world.lua(f"clock.now_ns = {self.world.now_ns} {chunk}")

    def says(self, expected):
        found = self.world.lua("return take()").split()
        same(found, [f"{at}:{text}" for at, text in expected], "what happened")


@case("a message is repeated at each expiry to the ns; after the last one comes what the table says")
def repeated():
    with Phones() as phones:
        phones.do("begin('gmm', 'ask')")
        phones.world.run(30 * S - NS)
        phones.says([(n * 6 * S, "sent-ask1-A") for n in range(5)])
        phones.world.run(NS)
        phones.says([(30 * S, "over"), (30 * S, "sent-tell-A")])
        phones.world.run(4 * S)
        phones.says([(32 * S, "sent-tell-A"), (34 * S, "gone")])
        same(phones.world.counted("retries", "timeouts"), (5, 2), "counts")


@case("the same request again: the last message, its timer anew, its expiries not; another request: no")
def again():
    with Phones() as phones:
        phones.do("begin('gmm', 'ask', 'q')")
        phones.world.run(6 * S)
        phones.says([(0, "sent-ask1-A"), (6 * S, "sent-ask1-A")])
        phones.world.run(5 * S)
        same(phones.do("return tostring(procedure.again(run, 'r')) .. tostring(procedure.again(run, 'q'))"),
             "falsetrue", "taken")
        phones.world.run(23 * S)
        phones.says([(11 * S, "sent-ask1-A")] + [((11 + n * 6) * S, "sent-ask1-A") for n in (1, 2, 3)])
        phones.world.run(S)
        phones.says([(35 * S, "over"), (35 * S, "sent-tell-A")])
        phones.do("procedure.stop_all(phone)")
        phones.says([(35 * S, "stopped-gmm")])


@case("what comes goes to the state that waits for it; a state that is left says nothing more")
def states():
    with Phones() as phones:
        phones.do("begin('gmm', 'ask')")
        same(phones.do("return tostring(procedure.got(run, 'noise')) .. procedure.got(run, 'refusal')"),
             "falserefused", "outcomes")
        same(phones.do("return procedure.got(run, 'answer', 'tell') .. tostring(procedure.got(run, 'answer'))"),
             "handledfalse", "outcomes")
        phones.says([(0, "sent-ask1-A"), (0, "sent-tell-A")])
        phones.world.run(S)
        phones.do("procedure.enter(run, 'pass')")
        phones.says([(S, "waiting")])
        phones.world.run(100 * S)
        phones.says([])
        phones.do("procedure.again(run, nil)")
        phones.says([])
        same(phones.do("return procedure.got(run, 'answer')"), "handled", "outcome")
        same(phones.do("return tostring(procedure.got(run, 'answer'))"), "false", "outcome after the end")
        phones.do("begin('gmm', 'leave')")
        phones.says([])


@case("a phone has a run at each place; another one there stops it, and all stop with the phone")
def places():
    with Phones() as phones:
        phones.do("begin('gmm', 'ask') begin(5, 'ask') begin(6, 'ask')")
        same(phones.do("return procedure.of(phone, 5).place .. tostring((procedure.of(phone, 7)))"), "5nil", "places")
        phones.says([(0, "sent-ask1-A")] * 3)
        phones.do("begin(5, 'wait')")
        phones.says([(0, "stopped-5"), (0, "waiting")])
        phones.do("procedure.stop_all(phone) procedure.stop(run) procedure.stop(nil)")
        phones.says([(0, "stopped-gmm"), (0, "stopped-6"), (0, "stopped-5")])


@case("the store finds phones by IMSI, P-TMSI and MS; an old P-TMSI until the new one is used; and forgets")
def store():
    with Phones() as phones:
        phones.do("local function made(n) local p = store.new({}) p.imsi, p.ms_id = 'I' .. n, n store.put(p) "
                  "store.rename(p, 100 + n) return p end "
                  "store.watch('removed', function(p) say(p.imsi .. p.ms_id .. (store.by_imsi(p.imsi) and 'there' "
                  "or 'gone')) end) a, b, c = made(1), made(2), made(3)")
        found = ("return table.concat({ tostring(store.by_imsi('I2') == b), tostring(store.of_ms(2) == b), "
                 "tostring(store.by_p_tmsi(102) == b), tostring(store.by_p_tmsi(202) == b), "
                 "tostring(store.by_p_tmsi(302) == b) }, ' ')")
        same(phones.do(found), "true true true false false", "found")
        phones.do("store.rename(b, 202)")
        same(phones.do(found), "true true true true false", "with two names")
        phones.do("store.rename(b, 302)")
        same(phones.do(found), "true true true false true", "the one between was never used")
        phones.do("store.settle(b)")
        same(phones.do(found), "true true false false true", "the new one is used")
        phones.do("store.rename(b, 102) store.remove(b) store.remove(a)")
        phones.says([(0, "I22there"), (0, "I11there")])
        same(phones.do(found), "false false false false false", "gone")
        same(phones.do("return #store.phones .. store.phones[1].imsi .. c.place"), "1I31", "left")
        phones.do("store.remove(c)")
        phones.says([(0, "I33there")])


main()
