"""What the tests of SAPI 1 share: a phone that enciphers by libosmocore, and helpers in Lua that stand for the
handlers of GMM and SM."""

import codec
from llc_ms import Osmocom
from world import same

UP, DOWN = 0, 1
KEYS = {3: bytes(range(8)), 4: bytes(range(100, 116))}
GMM, SM = 8, 10
# What stays in clear under a key, by types of 24.008 table 10.4.
CLEAR_UP = (0x01, 0x08, 0x13, 0x16, 0x1C)
CLEAR_DOWN = (0x04, 0x0B, 0x12, 0x14, 0x15)
COUNTERS = ("signalling_bad", "signalling_clear", "signalling_duplicates")

# In Lua: handlers that note what they get, and frames given to signalling.lua one behind the other.
HELPERS = """
local s, hex = require 'sluice.llc.signalling', require 'sluice.base.hex';
T = { s = s, got = {}, link = s.new() };
function T.note(message, link, nse, bvc, tlli, ms_id, enciphered)
    T.got[#T.got + 1] = table.concat({ hex.digits(message), nse.nsei, bvc.bvci, tlli, ms_id or '-',
        enciphered and 'E' or 'clear' }, ':');
    T.last = link;
    return T.outcome;
end;
function T.serve() s.on(8, T.note); s.on(10, T.note); end;
function T.window(w) return w.next .. '/' .. w.seen; end;
function T.state(l) return table.concat({ l.down.sent, T.window(l.clear), T.window(l.enciphered), l.iov_ui }, ' '); end;
function T.key(gea, key, iov_ui) s.keyed(T.link, gea, hex.octets(key), iov_ui); return ''; end;
function T.up(frames)
    local nse = require('sluice.core.network').nse[0];
    local found = {};
    for frame in frames:gmatch('%S+') do
        local before, n = T.state(T.link), #T.got;
        s.input(nse, nse.bvcs[2], 1, nil, hex.octets(frame));
        local was_taken, has_changed = #T.got > n, before ~= T.state(T.link);
        found[#found + 1] = was_taken and T.got[n + 1]:match('^%x+') or has_changed and 'trace' or 'dropped';
    end;
    return table.concat(found, ' ');
end;
function T.down(messages)
    local found = {};
    for message in messages:gmatch('%S+') do found[#found + 1] = hex.digits(s.frame(T.link, hex.octets(message))); end;
    return table.concat(found, ' ');
end;
function T.take() local got = table.concat(T.got, ' '); T.got = {}; return got; end;
T.serve(); s.strangers(function() return T.link; end); return 'ready'
"""


def line(chunk):
    return " ".join(chunk.split())


def with_helpers(world):
    same(world.lua(line(HELPERS)), "ready", "helpers")
    return world


class Link:
    """The SAPI 1 of T.link, fed without a network."""

    def __init__(self, world):
        self.world, self.before = with_helpers(world), world.counted(*COUNTERS)

    def key(self, gea, iov_ui=0):
        key = KEYS[gea].hex() if gea else ""
        self.world.lua(f"return T.key({gea}, '{key}', {iov_ui})")

    def up(self, *frames):
        found = self.world.lua(f"return T.up('{' '.join(f.hex() for f in frames)}')").split()
        self.world.lua("return T.take()")
        return found

    def down(self, *messages):
        text = " ".join(m.hex() for m in messages)
        return [bytes.fromhex(f) for f in self.world.lua(f"return T.down('{text}')").split()]

    def counted(self):
        """Bad, clear and doubled frames since the last look."""
        before, self.before = self.before, self.world.counted(*COUNTERS)
        return tuple(b - a for a, b in zip(before, self.before))


class Phone:
    """The other side. A number counts its frames, OC included."""

    def __init__(self, gea=0, iov_ui=0):
        self.number, self.base, self.iov_ui = 0, 0, iov_ui
        self.cipher = gea and Osmocom(gea, KEYS[gea])

    def frame(self, message, number=None, clear=False):
        """A command of the phone, C/R 0, all of it protected."""
        if number is None:
            number = self.number
            self.number += 1
        enciphered = bool(self.cipher) and not clear
        nu = number % 512
        head = bytes([1, 0xC0 | nu >> 6, (nu & 63) << 2 | enciphered << 1 | 1])
        llc = head + message + codec.fcs(head + message)
        return self.cipher(llc, self.iov_ui, UP, (number - self.base) // 512 * 512) if enciphered else llc

    def read(self, llc, number):
        """The message of the SGSN's frame with that number, whose OC began at the base."""
        nu, oc = number % 512, (number - self.base) // 512 * 512
        same(llc[:2] + bytes([llc[2] & 0xFD]), bytes([0x41, 0xC0 | nu >> 6, (nu & 63) << 2 | 1]), "head")
        enciphered = bool(llc[2] & 2)
        plain = self.cipher(llc, self.iov_ui, DOWN, oc) if enciphered else llc
        same(codec.fcs(plain[:-3]), plain[-3:], f"FCS of frame {number}")
        return enciphered, plain[3:-3]


def served(world, more=""):
    """Handlers, and strangers as they are by default."""
    world.lua(line(HELPERS).replace("s.strangers(function() return T.link; end);", more))


def got(world):
    return world.lua("return T.take()").split()
