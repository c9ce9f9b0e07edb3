// The style of the page, for light and dark, a telephone and a large screen. --s0 to --s7 are the
// colours of lines and bars, --grid their grid; each is legible on its ground.
#include "control/report/sections.h"

// What is unticked in a legend: all of its colour.
#define SWITCH(n)                                                                           \
    "figure:has(.c" #n ":not(:checked)) svg :is([stroke*='--s" #n "'],[fill*='--s" #n "'])" \
    "{display:none}\n"

static const char style[] =
    ":root{--ground:#fff;--ink:#1b1f24;--soft:#59636e;--line:#d5dae0;--grid:#e3e7eb;--head:#f5f7f9;"
    "--good:#12652f;--bad:#b3261e;"
    "--s0:#0b62c4;--s1:#c2410c;--s2:#0f766e;--s3:#9c27b0;--s4:#8a6100;--s5:#be123c;--s6:#4d7c0f;"
    "--s7:#64748b}\n"
    "@media (prefers-color-scheme:dark){"
    ":root{--ground:#14171b;--ink:#e6e9ed;--soft:#a2abb5;--line:#3a424b;--grid:#2d343c;"
    "--head:#1d2228;--good:#6fdd92;--bad:#ff8a80;"
    "--s0:#6cb0ff;--s1:#ff9b57;--s2:#3fd6c2;--s3:#e28bf0;--s4:#f0c64a;--s5:#ff7f93;--s6:#a3dc4f;"
    "--s7:#a9b6c6}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:1280px;margin:0 auto;padding:16px clamp(16px,3vw,40px) 48px}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:16px 0 8px;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:32px 0 8px}\n"
    "h3{font-size:1rem;font-weight:600;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "p{margin:8px 0;max-width:70ch}\n"
    ".soft{color:var(--soft);font-size:.9rem}\n"
    ".wide{overflow:auto;max-height:80vh;border:1px solid var(--line);border-radius:6px}\n"
    "table{border-collapse:collapse;width:100%;font-size:.88rem}\n"
    "th,td{padding:5px 8px;text-align:left;white-space:nowrap;border-top:1px solid var(--line)}\n"
    "thead "
    "th{background:var(--head);border-top:0;font-weight:600;position:sticky;top:0;z-index:1}\n"
    "td:first-child,th:first-child{position:sticky;left:0;background:var(--ground)}\n"
    "thead th:first-child{background:var(--head);z-index:2}\n"
    ".n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "td.name{white-space:normal;min-width:11ch}\n"
    "@media (max-width:600px){table{font-size:.8rem}th,td{padding:4px 5px}}\n"
    ".variant{display:inline-block;max-width:100%;overflow-wrap:anywhere}\n"
    ".variant i{display:inline-block;width:.8em;height:0;border-top:.6em "
    "solid;margin-right:.35em}\n"
    ".variant i.again{height:.6em;border:.16em solid}\n"
    "ul.says{margin:8px 0;padding-left:1.2em;max-width:80ch}ul.says li{margin:4px 0}\n"
    "svg.bars text{font-size:14px}\n"
    "td.wrap{white-space:normal;min-width:26ch}\n"
    "td.leaf{padding-left:2.5em}.bar{display:inline-block;height:.7em;background:var(--s0)}\n"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:700}\n"
    "code{font:.88em ui-monospace,monospace}\n"
    ".figures{display:grid;gap:28px 32px;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr))}\n"
    "figure{margin:0;min-width:0}\n"
    "figure svg{display:block;width:100%;height:auto;max-width:720px;overflow:visible}\n"
    "ul.names{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0 0;padding:0;"
    "font-size:.9rem}\n"
    "ul.names li{display:flex;align-items:center;gap:6px;overflow-wrap:anywhere}\n"
    "ul.names li{position:relative}\n"
    "ul.names input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;"
    "cursor:pointer}\n"
    "ul.names input:focus-visible+i{outline:2px solid var(--ink);outline-offset:3px}\n"
    "ul.names li:has(input:not(:checked)){text-decoration:line-through}\n" SWITCH(0) SWITCH(1)
        SWITCH(2) SWITCH(3) SWITCH(4) SWITCH(5) SWITCH(6)
            SWITCH(7) "ul.names i{flex:none;width:22px;height:0;border-top:3px solid}\n"
                      "ul.names i.dashed{border-top-style:dashed}\n"
                      "ul.names i.box{border-top-width:12px;width:12px}\n"
                      "ul.names i.dot{border-top-width:8px;width:8px;border-radius:4px}\n"
                      "ul.names i.mark{width:9px;height:9px;margin:0 4px;border:2px "
                      "solid;transform:rotate(45deg)}\n"
                      "details{margin:8px 0}summary{cursor:pointer;padding:4px 0}\n";

void section_begin(const char *title, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    section_escape(title, out);
    fprintf(out, " - Sluice</title>\n<style>%s</style></head>\n<body><main>\n<h1>", style);
    section_escape(title, out);
    fputs("</h1>\n", out);
}
