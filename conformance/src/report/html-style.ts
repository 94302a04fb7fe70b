/** The colours of a light and a dark page. */
export const PALETTE = `
:root{color-scheme:light dark;--ink:#17202f;--soft:#566173;--line:#e1e6ee;--paper:#fff;--wash:#f4f6fa;--accent:#3456d1;
--pass:#0d7a55;--pass-bg:#dcf3e9;--fail:#b9283a;--fail-bg:#fbe0e3;--skip:#7f6000;--skip-bg:#faeec8;--crash:#7427b0;--crash-bg:#efe0fb;--inapplicable:#5f6b7d;--inapplicable-bg:#e9edf3;
--pass-bar:#2fb283;--fail-bar:#e0505f;--skip-bar:#e3b83c;--crash-bar:#a05fdb;--inapplicable-bar:#b3bdcb}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf2;--soft:#97a3b6;--line:#293242;--paper:#131924;--wash:#0c111a;--accent:#8fa8ff;
--pass:#62d6a9;--pass-bg:#12352a;--fail:#ff919b;--fail-bg:#47191f;--skip:#e8c65f;--skip-bg:#3a2f12;--crash:#d5a7ff;--crash-bg:#361d4d;--inapplicable:#9aa6b8;--inapplicable-bg:#222b3a;
--pass-bar:#3fb78a;--fail-bar:#f0737e;--skip-bar:#d9b64c;--crash-bar:#b57fe8;--inapplicable-bar:#4c586b}}
`;

/** The style sheet of the page: system fonts, light and dark, and no requests. */
export const STYLE = `${PALETTE}
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0;background:var(--wash);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:44px 24px 80px}
h1{font-size:34px;line-height:1.15;letter-spacing:-.025em;margin:0 0 8px}
.lead{color:var(--soft);margin:0 0 14px;max-width:68ch}
.legend{display:flex;flex-wrap:wrap;gap:6px;margin:0 0 28px;padding:0;list-style:none}.legend .pill{white-space:normal;border-radius:12px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(214px,1fr));gap:14px;margin-bottom:26px}
.card{display:grid;grid-row:span 6;grid-template-rows:subgrid;row-gap:0;align-content:start;background:var(--paper);border:1px solid var(--line);border-radius:16px;padding:18px 20px;box-shadow:0 1px 2px rgb(0 0 0/.04),0 6px 20px -14px rgb(0 0 0/.18)}
.card h2{font-size:16px;margin:0}.card h2 small{white-space:nowrap}.card h2 small,.who{font-weight:400;color:var(--soft);font-size:13px}.who{margin:0 0 12px}
.big{font-size:36px;font-weight:680;letter-spacing:-.035em;font-variant-numeric:tabular-nums;line-height:1.1}
.big small{display:block;font-size:13px;font-weight:400;color:var(--soft);letter-spacing:0;line-height:1.5}.big.full{color:var(--pass)}
.bar{display:flex;gap:2px;height:8px;margin:10px 0 12px}
.bar i{display:block;min-width:4px;border-radius:4px;background:var(--bar)}
.mosaic{display:grid;grid-template-columns:repeat(auto-fill,8px);gap:3px;align-content:start;margin:0 0 14px}
.mosaic a{height:8px;border-radius:2px;background:var(--bar,var(--line))}.mosaic a:hover{box-shadow:0 0 0 2px var(--ink)}
.facts{display:flex;flex-wrap:wrap;gap:5px;align-content:start}
.pill{display:inline-block;border-radius:999px;padding:1px 9px;font-size:12px;background:var(--wash);color:var(--soft);border:1px solid var(--line);white-space:nowrap}
.pass{--mark:var(--pass);--mark-bg:var(--pass-bg);--bar:var(--pass-bar)}.fail{--mark:var(--fail);--mark-bg:var(--fail-bg);--bar:var(--fail-bar)}.skip{--mark:var(--skip);--mark-bg:var(--skip-bg);--bar:var(--skip-bar)}
.crash{--mark:var(--crash);--mark-bg:var(--crash-bg);--bar:var(--crash-bar)}.inapplicable{--mark:var(--inapplicable);--mark-bg:var(--inapplicable-bg);--bar:var(--inapplicable-bar)}
.pill:is(.pass,.fail,.skip,.crash,.inapplicable){background:var(--mark-bg);color:var(--mark);border-color:transparent}
.tools{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:8px;align-items:center;background:var(--wash);padding:10px 0}
.tools input[type=search]{flex:1 1 240px;min-width:0;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:7px 12px}
.tools label{font-size:13px;color:var(--soft);display:flex;gap:5px;align-items:center;background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:7px 11px;cursor:pointer}
.tools label:has(:checked){color:var(--ink)}.tools output{font-size:13px;color:var(--soft);font-variant-numeric:tabular-nums;min-width:9ch;text-align:right}
input{accent-color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{width:100%;border-collapse:separate;border-spacing:0;background:var(--paper);border:1px solid var(--line);border-radius:16px;overflow:clip}
th,td{padding:9px 14px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
thead th{position:sticky;top:55px;z-index:2;background:var(--paper);font-size:13px;font-weight:650}
thead th small{display:block;font-weight:400;color:var(--soft)}
tbody:last-of-type tr:last-child>*{border-bottom:0}
tr.section>*{background:color-mix(in srgb,var(--wash) 70%,var(--paper));padding:12px 14px 7px}
tr.section th{font-weight:650}tr.section td{font-size:12px;color:var(--soft);font-variant-numeric:tabular-nums}
tbody tr:not(.section):hover>*{background:color-mix(in srgb,var(--accent) 4%,var(--paper))}
.what{max-width:620px}.what code{font-size:11.5px;color:var(--soft)}.what p{margin:0}
.cell{text-align:center;width:118px;white-space:nowrap}thead .cell{overflow-wrap:anywhere;white-space:normal}
.mark{display:inline-block;min-width:76px;border-radius:8px;padding:3px 9px;font-size:13px;font-variant-numeric:tabular-nums;text-decoration:none;text-align:center;background:var(--mark-bg);color:var(--mark)}
.mark:is(.fail,.crash){font-weight:650}.mark.none{background:none;color:var(--soft);opacity:.45}
a.mark:hover{box-shadow:0 0 0 2px currentColor}
h2.part{font-size:22px;letter-spacing:-.015em;margin:48px 0 14px}
.reasons{padding:0;margin:0 0 16px;list-style:none}.reasons li{margin:5px 0}
.case{background:var(--paper);border:1px solid var(--line);border-left:4px solid var(--mark);border-radius:10px;margin:0 0 10px;padding:11px 16px;scroll-margin-top:70px}
.case:target{box-shadow:0 0 0 2px var(--mark)}.case summary{cursor:pointer}
.case blockquote{margin:8px 0;padding:0 0 0 12px;border-left:3px solid var(--line);color:var(--soft)}
tbody tr{scroll-margin-top:125px}tbody tr:target>*{background:color-mix(in srgb,var(--accent) 10%,var(--paper))}
.where{margin:10px 0 0;font-size:13.5px;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:3px 14px;margin:4px 0 10px;font-size:13.5px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
dd.flag{white-space:pre-wrap}dd.expected{color:var(--pass)}dd.actual{color:var(--fail)}
pre,dd code,.again{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--wash);border-radius:8px;padding:10px 12px;overflow:auto;max-height:320px;margin:8px 0 0}
.again{display:block;color:var(--accent);overflow-wrap:anywhere;margin-top:8px}
footer{color:var(--soft);font-size:13px;margin-top:40px;max-width:80ch}kbd{font:inherit;border:1px solid var(--line);border-radius:5px;padding:0 5px;background:var(--paper)}
@media(max-width:820px){main{padding:26px 14px 60px}h1{font-size:28px}.cards{grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:10px}
.card{padding:14px 16px}.big{font-size:28px}.facts .pill:not([class~=fail],[class~=crash],[class~=skip],[class~=pass],[class~=inapplicable]){display:none}
.tools{position:static}.tools input[type=search]{flex-basis:100%}
thead{position:absolute;clip-path:inset(50%)}table,tbody{display:block}
tr{display:flex;flex-wrap:wrap;gap:6px 10px;padding:11px 14px;border-bottom:1px solid var(--line)}
tr.section{background:color-mix(in srgb,var(--wash) 70%,var(--paper))}tr.section td{display:none}
tr>*,tr.section>*{padding:0;border:0}.what{flex:1 0 100%;max-width:none}
td.cell{display:flex;align-items:center;gap:5px;width:auto}td.cell::before{content:attr(data-who);font-size:12px;color:var(--soft)}
td.cell:has(.none){display:none}.mark{min-width:0;padding:1px 7px;font-size:12px}}
@media print{body{background:none}.tools{display:none}thead th{position:static}.card,.case{box-shadow:none;break-inside:avoid}}
`;

/** The script of the page: filters rows, and handles "/" and Escape. The page is readable without it. */
export const SCRIPT = `
const rows=[...document.querySelectorAll('tr[data-text]')],q=document.getElementById('q'),open=document.getElementById('open'),shown=document.getElementById('shown');
const levels=[...document.querySelectorAll('input[data-level]')];
const apply=()=>{const words=q.value.toLowerCase().split(/\\s+/).filter(Boolean);const on=new Set(levels.filter(l=>l.checked).map(l=>l.dataset.level));
for(const row of rows)row.hidden=!(words.every(w=>row.dataset.text.includes(w))&&on.has(row.dataset.level)&&(!open.checked||!/pass|inapplicable/.test(row.dataset.worst)));
for(const body of document.querySelectorAll('tbody'))body.hidden=![...body.querySelectorAll('tr[data-text]')].some(r=>!r.hidden);
shown.value=rows.filter(r=>!r.hidden).length+' of '+rows.length};
for(const e of [q,open,...levels])e.addEventListener('input',apply);
addEventListener('keydown',e=>{if(e.key==='/'&&e.target!==q&&!e.ctrlKey&&!e.metaKey){e.preventDefault();q.focus()}
if(e.key==='Escape'&&e.target===q){q.value='';apply();q.blur()}});
const unfold=()=>{const found=location.hash&&document.getElementById(decodeURIComponent(location.hash.slice(1)));if(found&&'open' in found)found.open=true};
addEventListener('hashchange',unfold);unfold();apply();
`;
