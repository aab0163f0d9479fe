"""The style sheet of a report's page: paper and ink, and a tone for each kind of mark."""

UPRIGHT = """.heads .l{height:min(var(--tall),13em)}
.heads span{bottom:0;max-height:13em;overflow:hidden;text-align:left;
writing-mode:vertical-rl;transform:rotate(180deg);display:flex;align-items:center}
"""
"""Names of lanes that are narrower than they are long."""

SHEET = """
:root{
--paper:#fbf8f1;--sunk:#f4efe4;--ink:#221e19;--soft:#5b5449;--rule:#d8cfbd;--line:#8f8472;
--link:#1d4c8f;--asked:#7d5200;--reached:#43566b;--raised:#a8321b;--known:#146048;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,"Source Serif 4",Charter,Georgia,serif;
--sans:system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--code:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;
--measure:36rem;--w:4.6rem;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{
--paper:#15181e;--sunk:#1d222a;--ink:#e6dfd1;--soft:#aaa596;--rule:#353a44;--line:#737d8c;
--link:#8db4ea;--asked:#d6a546;--reached:#a3b5c9;--raised:#f08a6c;--known:#6cc3a0}}
@media (forced-colors:active){:root{
--paper:Canvas;--sunk:Canvas;--ink:CanvasText;--soft:CanvasText;--rule:CanvasText;
--line:CanvasText;--link:LinkText;--asked:CanvasText;--reached:CanvasText;--raised:CanvasText;--known:CanvasText}}
*,::before,::after{box-sizing:border-box}
html{font-size:112.5%;text-size-adjust:none;-webkit-text-size-adjust:none;background:var(--paper)}
body{max-width:84rem;margin:0 auto;padding:0 clamp(.9rem,3vw,2.4rem) 4rem;color:var(--ink);
font:400 1rem/1.55 var(--serif);overflow-wrap:break-word}
h1,h2,h3{font-weight:400;line-height:1.15;margin:0}
h2{font-size:1.5rem;margin:3.2rem 0 .7rem}
h3{font:600 .8rem/1.4 var(--sans);margin:1.1rem 0 .35rem;color:var(--soft)}
p,dl,ol,ul,pre{margin:0 0 .8rem}
section>p,section>ol,section>dl,.copied{max-width:var(--measure)}
a{color:var(--link);text-underline-offset:.2em;text-decoration-thickness:1px}
code,pre{font-family:var(--code);font-size:.82em;font-variant-ligatures:none;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
i{font-style:normal}
header{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 1.5rem;
padding:1.2rem 0 .7rem;border-bottom:1px solid var(--rule);color:var(--soft)}
header p{margin:0;font-size:.9rem}
header .name{display:flex;align-items:center;gap:.45rem;color:var(--ink);font-size:1.2rem}
header svg{width:1.3rem;height:1.3rem;fill:none;stroke:currentColor;stroke-width:2}
header svg .d{fill:var(--raised);stroke:none}
.verdict{margin-top:2.6rem}
h1{font-size:clamp(2.4rem,1.6rem + 3.4vw,3.6rem);letter-spacing:-.014em}
.sign{font-family:var(--sans);font-size:.62em;vertical-align:.12em;margin-right:.1em}
.violated .sign{color:var(--raised)}.unexercised .sign{color:var(--asked)}
.clean .sign{color:var(--reached)}
.verdict .lead{max-width:44rem;margin:.9rem 0;font-size:1.35rem;line-height:1.4;
overflow-wrap:anywhere;white-space:pre-wrap}
.at{color:var(--soft)}.at code+br+code{color:var(--ink)}
.made{padding-left:1.6rem}.made li::marker{color:var(--asked);font:600 .85em var(--sans)}
.made p{margin:0 0 .5rem}.made code{color:var(--soft)}
.made a{display:inline-block;padding:.3rem 0;font:400 .8rem/1.6 var(--sans);white-space:nowrap}
.plain{padding:0;list-style:none}.plain li{margin-bottom:.5rem}
.plain code:first-child{color:var(--soft)}
.raised{overflow-wrap:anywhere;white-space:pre-wrap}
dl>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:0 1rem;
padding:.28rem 0;border-bottom:1px solid var(--rule)}
dl>div:first-child{border-top:1px solid var(--rule)}
dt{color:var(--soft);font:400 .82rem/1.7 var(--sans);overflow-wrap:anywhere}
dd{margin:0;overflow-wrap:anywhere}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.5rem;padding:0;list-style:none;
font:400 .8rem/1.6 var(--sans);color:var(--soft)}
.r{color:var(--reached)}.a{color:var(--asked)}.x,.h{color:var(--raised)}.k,.u{color:var(--known)}
.key i,.jump i{display:inline-block;width:1.1em;font:600 1.05em/1 var(--sans);text-align:center}
.held{display:inline-block;height:1em;margin:0 .5em;border-left:2px dashed var(--asked);
vertical-align:-.15em}
button,select{min-width:44px;min-height:44px;padding:0 .9rem;
border:1px solid var(--line);border-radius:0;
background:var(--paper);color:var(--ink);font:400 .82rem/1 var(--sans);cursor:pointer}
button:hover{border-color:var(--link);color:var(--link)}
[aria-disabled=true]{border-color:var(--rule);color:var(--soft)}
[hidden]{display:none!important}
.controls{position:sticky;z-index:2;top:0;padding:.5rem 0 .3rem;background:var(--paper);
border-bottom:1px solid var(--rule);display:grid;grid-template-columns:auto minmax(8rem,1fr);
gap:.2rem 1.2rem;align-items:center}
.buttons{display:flex;flex-wrap:wrap;gap:.35rem}
.buttons label{font:400 .82rem/1 var(--sans);color:var(--soft)}
.jump{border-color:var(--rule);color:var(--asked)}
#at{width:100%;height:44px;margin:0;accent-color:var(--link);cursor:pointer}
#said{grid-column:1/-1;min-height:1.5em;margin:0;font:400 .82rem/1.5 var(--sans);color:var(--soft);
overflow-wrap:anywhere}
.panes{display:grid;grid-template-columns:minmax(0,1fr);gap:0 2.4rem;margin-top:.4rem}
.lanes{--lanes:calc(var(--n)*var(--w));--half:.85rem;display:grid;align-content:start;
grid-template-columns:minmax(min-content,1fr);overflow-x:auto}
.tall{--w:1.7rem}
.heads{position:sticky;z-index:1;top:0;background:var(--paper);padding:.3rem 0 .2rem;
display:grid;grid-template-columns:var(--t) var(--lanes) 1fr;gap:0 .6rem;align-items:end;
font:400 .75rem/1.2 var(--sans);color:var(--soft)}
.heads .l{position:relative;grid-column:2;height:1.4em}
.heads span{position:absolute;left:calc(var(--w)*var(--x));width:var(--w);text-align:center}
.rows{margin:0;padding:0;list-style:none}
.rows li{display:grid;gap:0 .6rem;
grid-template-columns:var(--t) var(--lanes) var(--p) minmax(15rem,1fr);
align-items:stretch;min-height:1.75rem;font-size:.9rem;line-height:1.35;scroll-margin:9rem 0 3rem}
.rows span{padding:.2rem 0}
.rows .t{font:400 .75rem/1.6 var(--sans);color:var(--soft);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
.rows .l{position:relative;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.rows .l i{position:absolute;top:.12rem;left:calc(var(--w)*(var(--x) + .5) - .75em);width:1.5em;
background:radial-gradient(var(--ground,var(--paper)) 55%,transparent 57%);
font:600 1rem/1.45rem var(--sans);text-align:center}
.rows .p{font:400 .75rem/1.7 var(--code);color:var(--soft);text-align:right;overflow-wrap:anywhere}
.rows .p,.rows .c{padding-top:.26rem}
.rows code{white-space:pre-wrap}
.rows em{color:var(--asked)}
.rows b{font:600 .75rem/1.4 var(--sans)}
.js .rows li{cursor:pointer}
.rows li:target{--ground:var(--sunk);background:var(--sunk)}
.rows .now{--ground:var(--sunk);background:var(--sunk);box-shadow:inset 3px 0 var(--link)}
.beside h3:first-child{margin-top:.4rem}
.source{padding:.5rem 0;background:var(--sunk)}
.source>div{display:flex;flex-wrap:wrap;gap:0 .7rem;padding-right:.6rem;line-height:1.5}
.source code{flex:1 1 12rem;min-width:0;white-space:pre-wrap;padding-left:1.2em;text-indent:-1.2em}
.source .no{flex:none;width:2.6rem;color:var(--soft);font:400 .75rem/1.7 var(--code);
text-align:right}
.source .now{background:var(--paper);box-shadow:inset 3px 0 var(--link)}
.source .mk{flex:0 1 auto;align-self:center;max-width:calc(100% - 3.3rem);
margin-left:auto;text-align:right;
font:400 .75rem/1.5 var(--sans);color:var(--soft)}
.source .mk span{display:inline-block;margin-left:.7em}
.source .mk i{font-weight:600}
.stands dd{font:400 .82rem/1.7 var(--sans)}
.stands .now dt{color:var(--ink);font-weight:600}
.copied{max-width:60rem}
.copied pre{margin:0 0 .4rem;padding:.7rem .9rem;background:var(--sunk);white-space:pre-wrap}
.wide{overflow-x:auto}
.events{border-collapse:collapse;font-size:.88rem}
.events th,.events td{padding:.25rem 1.1rem .25rem 0;border-bottom:1px solid var(--rule);
text-align:left;vertical-align:top;font-weight:400;white-space:nowrap}
.events thead th{color:var(--soft);font:400 .8rem/1.5 var(--sans)}
.events td:last-child{min-width:14rem;white-space:normal}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:66rem){
.panes{grid-template-columns:minmax(0,1.35fr) minmax(0,1fr)}
.beside{position:sticky;top:8rem;align-self:start}
.js .lanes{max-height:calc(100vh - 10rem);overflow:auto}
.js .sources{max-height:calc(62vh - 5rem);overflow:auto}
.js .where{max-height:calc(38vh - 6rem);overflow:auto}}
@media (max-width:66rem){.js .lanes{max-height:55vh;overflow:auto}}
@media (max-width:42rem){
.lanes,.tall{--w:1.45rem}
.heads{grid-template-columns:var(--lanes) 1fr}.heads .l{grid-column:1}
.rows li{grid-template-columns:var(--lanes) minmax(8rem,1fr)}
.rows .t,.rows .p,.rows .c{grid-column:2;padding:0;text-align:left}
.rows .t:empty{display:none}
.rows .l{grid-column:1;grid-row:1/span 3}
.rows .c{padding-bottom:.45rem}
.controls{grid-template-columns:minmax(0,1fr);padding-top:.3rem}
.buttons{gap:.25rem}.buttons button{padding:0 .3rem;font-size:.78rem;flex:1 0 auto}
dl>div{grid-template-columns:minmax(0,1fr)}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{
:root{--paper:#fff;--sunk:#f4f4f4;--ink:#000;--soft:#444;--rule:#bbb;--line:#777;--link:#000;
--asked:#444;--reached:#222;--raised:#000;--known:#222;color-scheme:light}
html{font-size:10pt}body{padding:0}
.controls,button{display:none!important}
.panes{display:block}.beside{position:static}
.js .lanes,.js .sources,.js .where{max-height:none;overflow:visible}
.heads{position:static}
.rows .now,.source .now{box-shadow:none}
h2,h3{break-after:avoid}.rows li,dl>div,.source>div{break-inside:avoid}}
"""

STYLE = (
    SHEET + UPRIGHT.replace(".heads", ".tall .heads") + "@media (max-width:42rem){" + UPRIGHT + "}"
)
"""The whole sheet."""
