#include "client/trace/page.h"

namespace kiln::client::trace {

// Bars are placed in cycles: --a and --b of a bar, --o and --s the first cycle and the number of
// cycles in view.
const absl::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#ffffff;--ink:#1b1f24;--dim:#626a73;--line:#d8dce1;--row:#f3f5f7;--mark:#dbe9fb;
--edge:#2f6fd0;--issue:#1b1f24;--late:#aab2bb;
--k0:#d1540a;--k1:#1f6fb8;--k2:#0f8a67;--k3:#b0569a;--k4:#b98500;--k5:#3a9cc4;--k6:#7850a0;--k7:#7a7f1d}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--ink:#e3e6ea;--dim:#9aa3ad;--line:#30363d;--row:#1b2026;
--mark:#22344d;--edge:#6ea8ff;--issue:#f0f2f5;--late:#59626c;
--k0:#f08a4b;--k1:#5fa8e8;--k2:#3cc29a;--k3:#dc8fc8;--k4:#e0b040;--k5:#7cc8e8;--k6:#b394dc;--k7:#b9be52}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
main{max-width:90rem;margin:0 auto;padding:1rem 1rem 9rem}
h1{font-size:1.35rem;margin:.2rem 0;overflow-wrap:anywhere}
p{margin:.2rem 0 .8rem;color:var(--dim)}
.k0{--c:var(--k0)}.k1{--c:var(--k1)}.k2{--c:var(--k2)}.k3{--c:var(--k3)}
.k4{--c:var(--k4)}.k5{--c:var(--k5)}.k6{--c:var(--k6)}.k7{--c:var(--k7)}
.issue{--c:var(--issue)}.late{--c:var(--late)}
.stack{display:flex;height:1.1rem;border-radius:3px;overflow:hidden;max-width:46rem;gap:1px}
.stack i{background:var(--c);flex:var(--n) 0 0;min-width:1px}
.busy{background-image:repeating-linear-gradient(135deg,transparent 0 3px,var(--bg) 3px 5px)!important}
table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .8rem .15rem 0;text-align:right;border-bottom:1px solid var(--line);font-weight:400}
td{white-space:nowrap}
th{color:var(--dim)}th:first-child,td:first-child{text-align:left}
.key{display:inline-block;width:.9rem;height:.9rem;margin-right:.5rem;vertical-align:-.1rem;background:var(--c);border-radius:2px}
.key.any{background-color:var(--k1);background-image:linear-gradient(90deg,var(--k0) 33%,transparent 33% 66%,var(--k2) 66%)}
.key.thin{height:.3rem;vertical-align:.2rem}
.key.hair{height:2px;vertical-align:.25rem;background:none;border-top:2px dotted var(--dim)}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;color:var(--dim);font-size:.9rem;margin:0 0 .8rem}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;position:sticky;top:0;z-index:2;background:var(--bg);padding:.5rem 0}
.tools input{width:6.5em}
.tools :is(input,button){font:inherit;color:inherit;background:var(--row);border:1px solid var(--line);border-radius:5px;padding:.15rem .55rem;min-height:2rem}
:focus-visible{outline:2px solid var(--edge);outline-offset:1px}
.axis,.rows li{display:grid;grid-template-columns:3.2rem minmax(10rem,24rem) minmax(8rem,1fr);gap:0 .6rem}
.axis{position:sticky;top:3rem;z-index:1;height:1.5rem;background:var(--bg);border-bottom:1px solid var(--line);font-size:.8rem;color:var(--dim)}
.axis .lane{grid-column:3}
.axis b{position:absolute;left:calc((var(--a) - var(--o))/var(--s)*100%);font-weight:400;padding-left:3px;border-left:1px solid var(--line);height:100%}
.rows{list-style:none;margin:0;padding:0}
.rows li{align-items:center;min-height:1.5rem;content-visibility:auto;contain-intrinsic-size:auto 1.5rem;cursor:default}
.rows li:nth-child(even){background:var(--row)}
.rows li.at{background:var(--mark);box-shadow:inset 3px 0 var(--edge)}
.rows li.from{box-shadow:inset 3px 0 var(--k0)}.rows li.to{box-shadow:inset 3px 0 var(--k2)}
.rows li[hidden]{display:none}
.num{color:var(--dim);text-align:right;font-size:.85rem;font-variant-numeric:tabular-nums}
code{font:.82rem/1.3 ui-monospace,"DejaVu Sans Mono",monospace;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
code u{text-decoration:none;color:var(--dim)}
.lane{position:relative;overflow:hidden;height:1.3rem;align-self:stretch;min-height:1.3rem}
.lane i{position:absolute;left:calc((var(--a) - var(--o))/var(--s)*100%);width:calc((var(--b) - var(--a))/var(--s)*100%);
min-width:2px;top:.25rem;height:.85rem;background:var(--c)}
.lane i.issue{min-width:3px;z-index:1}
.lane i.late{top:.56rem;height:.25rem}
.lane i.held{top:.66rem;height:0;background:none;border-top:2px dotted var(--dim);min-width:0}
.lane i.wait{opacity:.92}
#why{position:fixed;left:0;right:0;bottom:0;z-index:3;max-height:38vh;overflow:auto;background:var(--bg);border-top:2px solid var(--edge);
padding:.6rem 1rem;white-space:pre-line}
#why:empty{display:none}
#why strong{font:600 .9rem ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
kbd{font:.8rem ui-monospace,monospace;border:1px solid var(--line);border-radius:3px;padding:0 .3rem}
@media(max-width:44rem){main{padding:.6rem .6rem 11rem}.axis{grid-template-columns:1fr;top:auto;position:relative}.axis .lane{grid-column:1}
.rows li{grid-template-columns:2.6rem minmax(0,1fr);padding:.25rem 0}.rows .lane{grid-column:1/3}
.tools{position:static}th,td{padding-right:.4rem}table{font-size:.9rem}.wide{display:none}}
)css";

}  // namespace kiln::client::trace
