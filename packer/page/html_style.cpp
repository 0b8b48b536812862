// The page's style sheet. Orange and blue are told apart by colour-blind eyes, and differ in grey.
// Source of the colours: Okabe and Ito, "Color Universal Design" (2008), darkened for white paper.
#include "packer/page/internal/html_parts.h"

namespace seekless {

std::string_view style_sheet() {
  return R"css(
:root{--paper:#fff;--ink:#1b1f24;--faint:#5b6570;--line:#d8dde3;--band:#f1f4f7;--card:#f6f8fa;
--before:#c75300;--after:#0068a8;--copy:#00906a;--warn:#fff4e0;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e7ebef;--faint:#9aa5b1;
--line:#343c45;--band:#1d232a;--card:#1b2128;--before:#f09a4a;--after:#56b4e9;--copy:#35c79b;--warn:#33290f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:32px 20px 48px}
h1,h2,h3{overflow-wrap:anywhere}
h1{font-size:16px;font-weight:600;color:var(--faint);margin:0 0 8px}
h2{font-size:21px;line-height:1.25;margin:48px 0 8px}
h3{font-size:17px;line-height:1.3;margin:24px 0 8px}
p{margin:0 0 12px;max-width:46em;overflow-wrap:anywhere}
.lead{font-size:26px;line-height:1.35;font-weight:600;letter-spacing:-.01em;max-width:32em;margin:0 0 24px;
overflow-wrap:anywhere}
.note,.legend,.faint{color:var(--faint)}
.note,.legend{font-size:14px}
.note{margin-top:8px}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0}
dl.facts div{min-width:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px}
dt{font-size:14px;color:var(--faint)}
dd{margin:0;font-size:22px;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
.was{color:var(--before)}.is{color:var(--after)}
.legend span{display:inline-block;margin-right:18px}
.legend i{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:7px;vertical-align:-1px;
print-color-adjust:exact;-webkit-print-color-adjust:exact}
i.before{background:var(--before)}i.after{background:var(--after)}
i.needed{background:var(--after)}i.copied{background:var(--copy)}i.passed{background:var(--after);opacity:.35}
i.mark{width:2px;height:16px;background:var(--ink);vertical-align:-3px}
.chart{list-style:none;margin:0;padding:0}
.chart li{display:grid;grid-template-columns:minmax(90px,180px) 1fr 80px;gap:16px;align-items:center;
padding:9px 0;border-top:1px solid var(--line);break-inside:avoid}
.chart .name{overflow-wrap:anywhere}
.gain{text-align:right;font-weight:600;line-height:1.15}
.gain small{display:block;font-size:12px;font-weight:400;color:var(--faint)}
.bar-line{display:flex;align-items:center;gap:10px;font-size:14px;line-height:18px}
.bar-line span{flex:0 0 5.2em;color:var(--faint);text-align:right;white-space:nowrap}
.bar{flex:1;display:block;min-width:0;height:14px;overflow:visible}
.bar.before rect{fill:var(--before)}.bar.after rect{fill:var(--after)}
.bar .mark{stroke:var(--ink);stroke-width:2}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:7px 10px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}
thead th{font-weight:600;color:var(--faint);border-top:0;padding-bottom:3px}
thead tr+tr th{padding-top:0}
tbody th,tfoot th,th.text,td.text{text-align:left}
tbody th,td.text{font-weight:400}
thead th{vertical-align:bottom}
tbody th{white-space:normal;overflow-wrap:anywhere;min-width:130px}
tfoot th,tfoot td{font-weight:600;border-top:2px solid var(--line)}
th.group{text-align:center}
th.before,th.after{border-bottom:3px solid var(--before)}th.after{border-bottom-color:var(--after)}
.first{padding-left:24px}
figure{margin:28px 0 0;break-inside:avoid}
figcaption{font-weight:600;font-size:17px;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:4px 24px}
.pair>div{min-width:0}
.panel{font-size:14px;margin:0 0 4px}
.panel.before b{color:var(--before)}.panel.after b{color:var(--after)}
svg.head{display:block;width:100%;height:auto}
.head text{font-size:27px;fill:var(--ink)}
.head text.faint{fill:var(--faint)}
.head .band{fill:var(--band)}
.head path{fill:none;stroke-linecap:round;stroke-linejoin:round}
.head .grid{stroke:var(--line);stroke-width:1.5}
.head.before path.read,.head.before path.travel,.head.before path.end{stroke:var(--before)}
.head.after path.read,.head.after path.travel,.head.after path.end{stroke:var(--after)}
.head .travel{stroke-width:1.2;opacity:.5}
.head .end{stroke-width:3;stroke-dasharray:3 9}
.head text.end-label{font-weight:600}
.head.before .end-label{fill:var(--before)}.head.after .end-label{fill:var(--after)}
.map{display:grid;grid-template-columns:minmax(80px,150px) 1fr;gap:0 12px;align-items:end}
.map .plot{min-width:0}
.map svg{display:block;width:100%}
.map .row{fill:var(--band)}
.map path.needed{fill:var(--after)}.map path.copied{fill:var(--copy)}.map path.passed{fill:var(--after);opacity:.35}
.map path.edge{fill:none;stroke:var(--faint);stroke-width:1;stroke-opacity:.55;vector-effect:non-scaling-stroke}
.map path.kind{stroke:var(--ink);stroke-opacity:1}
.names,.packs{position:relative;font-size:13px;line-height:18px}
.names span,.packs span{position:absolute;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.names span{left:0;right:0;text-align:right;transform:translateY(-50%)}
.packs{height:20px;color:var(--faint)}
.packs span{padding-left:5px;border-left:1px solid var(--ink)}
.packs small{font-size:12px}
.packs.kinds{color:var(--ink);font-weight:600}
.packs.kinds small{font-weight:400}
div.price{display:grid;grid-template-columns:minmax(0,560px) minmax(0,1fr);gap:24px;align-items:start}
svg.price{display:block;width:100%;height:auto}
.price text{font-size:14px;fill:var(--ink)}
.price text.faint{fill:var(--faint)}
.price path{fill:none}
.price .grid{stroke:var(--line)}.price .axis{stroke:var(--faint)}
.price .line{stroke:var(--after);stroke-width:2.5;stroke-linejoin:round}
.price .dots{stroke:var(--after);stroke-width:7;stroke-linecap:round}
.price circle.chosen{fill:var(--paper);stroke:var(--before);stroke-width:3}
.price text.chosen{font-weight:600;paint-order:stroke;stroke:var(--paper);stroke-width:5px}
.releases rect.after{fill:var(--after)}.releases rect.before{fill:var(--before)}
tr.chosen td{font-weight:600}
th.planned{border-bottom:3px solid var(--faint)}
ul.plain{padding-left:20px;margin:0;max-width:46em;overflow-wrap:anywhere}
.warnings{background:var(--warn);border-left:5px solid var(--before);border-radius:4px;padding:12px 16px;margin:24px 0 0}
.warnings h2{margin:0 0 4px;font-size:17px}
@media (max-width:720px){
.gain small{display:inline;margin-left:4px}
main{padding:20px 14px 32px}
.lead{font-size:21px}
dl.facts{grid-template-columns:1fr 1fr;gap:8px}
dl.facts div{padding:9px 12px}
dd{font-size:18px}
.pair{grid-template-columns:1fr}
.panel{margin-top:12px}
.map{grid-template-columns:84px 1fr;gap:0 8px}
.names,.packs{font-size:12px}
.packs small,.packs.single,.said{display:none}
div.price{grid-template-columns:minmax(0,1fr)}
.price text{font-size:18px}
.chart li{grid-template-columns:1fr auto;gap:2px 8px}
.chart .bars{grid-column:1/3;grid-row:2}
.scroll tbody th,.scroll tfoot th,.scroll thead th.text{position:sticky;left:0;background:var(--paper);
max-width:150px}
.scroll thead th.text{white-space:normal;overflow-wrap:anywhere}
}
@media print{
@page{margin:14mm}
body{font-size:11pt}
main{max-width:none;padding:0}
h2{break-after:avoid;margin-top:24pt}
.scroll{overflow:visible;border:0}
table{font-size:8.5pt}
th,td{padding:3pt 4pt}
.first{padding-left:8pt}
dd{font-size:13pt}
dl.facts{grid-template-columns:repeat(4,auto);gap:6pt}
dl.facts div{padding:6pt 8pt}
}
)css";
}

}  // namespace seekless
