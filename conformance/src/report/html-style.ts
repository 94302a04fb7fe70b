/** The page's look: system fonts, both colour schemes, no request to anywhere. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b2333;--soft:#5b6576;--line:#e3e7ee;--paper:#fff;--wash:#f5f7fa;
--pass:#12805c;--pass-bg:#def3ea;--fail:#c0303f;--fail-bg:#fbe1e3;--skip:#8a6a00;--skip-bg:#fbf0cd;--crash:#7a2fb5;--crash-bg:#efe1fb;--none:#c5ccd6}
@media(prefers-color-scheme:dark){:root{--ink:#e7ebf2;--soft:#98a3b5;--line:#2b3444;--paper:#131821;--wash:#1a212d;
--pass:#5fd3a6;--pass-bg:#153629;--fail:#ff8d96;--fail-bg:#46191e;--skip:#e9c65b;--skip-bg:#3b3013;--crash:#d3a3ff;--crash-bg:#351d4b;--none:#465061}}
*{box-sizing:border-box}
body{margin:0;background:var(--wash);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:40px 24px 80px}
h1{font-size:30px;line-height:1.2;letter-spacing:-.02em;margin:0 0 6px}
.lead{color:var(--soft);margin:0 0 28px;max-width:70ch}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(250px,1fr));gap:16px;margin-bottom:28px}
.card{background:var(--paper);border:1px solid var(--line);border-radius:14px;padding:18px 20px;box-shadow:0 1px 2px rgb(0 0 0/.04)}
.card h2{font-size:17px;margin:0}.card .who{color:var(--soft);font-size:13px;margin:0 0 12px;min-height:1.5em}
.big{font-size:34px;font-weight:650;letter-spacing:-.03em;font-variant-numeric:tabular-nums;line-height:1.1}
.big small{font-size:14px;font-weight:400;color:var(--soft);letter-spacing:0}
.bar{display:flex;height:8px;border-radius:4px;overflow:hidden;background:var(--line);margin:10px 0 12px}
.bar i{display:block;min-width:3px}
i.pass{background:var(--pass)}i.fail{background:var(--fail)}i.skip{background:var(--skip)}i.crash{background:var(--crash)}
.facts{display:flex;flex-wrap:wrap;gap:6px}
.pill{display:inline-block;border-radius:999px;padding:1px 9px;font-size:12px;background:var(--wash);color:var(--soft);border:1px solid var(--line);white-space:nowrap}
.pill.pass{background:var(--pass-bg);color:var(--pass);border-color:transparent}.pill.fail{background:var(--fail-bg);color:var(--fail);border-color:transparent}
.pill.skip{background:var(--skip-bg);color:var(--skip);border-color:transparent}.pill.crash{background:var(--crash-bg);color:var(--crash);border-color:transparent}
.tools{position:sticky;top:0;z-index:3;display:flex;flex-wrap:wrap;gap:8px;align-items:center;background:var(--wash);padding:10px 0}
.tools input[type=search]{flex:1 1 240px;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:9px;padding:7px 12px}
.tools label{font-size:13px;color:var(--soft);display:flex;gap:5px;align-items:center;background:var(--paper);border:1px solid var(--line);border-radius:9px;padding:7px 11px;cursor:pointer}
table{width:100%;border-collapse:separate;border-spacing:0;background:var(--paper);border:1px solid var(--line);border-radius:14px;overflow:clip}
th,td{padding:9px 14px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
thead th{position:sticky;top:56px;z-index:2;background:var(--paper);font-size:13px;font-weight:600}
thead th small{display:block;font-weight:400;color:var(--soft)}
tbody:last-of-type tr:last-child>*{border-bottom:0}
tr.section th{background:var(--wash);font-size:12px;letter-spacing:.04em;text-transform:uppercase;color:var(--soft);padding:14px 14px 6px}
td.what{max-width:620px}.what code{display:block;font-size:11.5px;color:var(--soft);margin-top:1px}
.level{float:right;margin-left:10px}
td.cell,thead th.cell{text-align:center;width:150px;white-space:nowrap}
.mark{display:inline-flex;align-items:center;gap:6px;border-radius:8px;padding:3px 10px;font-size:13px;font-variant-numeric:tabular-nums;text-decoration:none;min-width:92px;justify-content:center}
.mark.pass{background:var(--pass-bg);color:var(--pass)}.mark.fail{background:var(--fail-bg);color:var(--fail);font-weight:600}
.mark.skip{background:var(--skip-bg);color:var(--skip)}.mark.crash{background:var(--crash-bg);color:var(--crash);font-weight:600}.mark.none{color:var(--none)}
a.mark:hover{outline:2px solid currentColor}
h2.part{font-size:21px;letter-spacing:-.01em;margin:44px 0 14px}
.case{background:var(--paper);border:1px solid var(--line);border-left:4px solid var(--fail);border-radius:10px;margin:0 0 12px;padding:12px 16px;scroll-margin-top:70px}
.case.crash{border-left-color:var(--crash)}.case:target{outline:2px solid var(--fail)}
.case summary{cursor:pointer}.case b{font-variant-numeric:tabular-nums}
.case blockquote{margin:8px 0;padding:0 0 0 12px;border-left:3px solid var(--line);color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:3px 14px;margin:10px 0;font-size:13.5px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre,dd code{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--wash);border-radius:8px;padding:10px 12px;overflow:auto;max-height:320px;margin:8px 0 0}
footer{color:var(--soft);font-size:13px;margin-top:40px}
@media(max-width:760px){main{padding:24px 12px}td.cell,thead th.cell{width:auto;padding:9px 6px}.mark{min-width:0;padding:3px 7px}.level{display:none}}
@media print{.tools{display:none}thead th{position:static}}
`;

/** Filters rows; the page reads well without it. */
export const SCRIPT = `
const rows=[...document.querySelectorAll('tr[data-text]')],q=document.getElementById('q'),open=document.getElementById('open');
const levels=[...document.querySelectorAll('input[data-level]')];
const apply=()=>{const words=q.value.toLowerCase().split(/\\s+/).filter(Boolean);const on=new Set(levels.filter(l=>l.checked).map(l=>l.dataset.level));
for(const row of rows)row.hidden=!(words.every(w=>row.dataset.text.includes(w))&&on.has(row.dataset.level)&&(!open.checked||row.dataset.worst!=='pass'));
for(const body of document.querySelectorAll('tbody'))body.hidden=![...body.querySelectorAll('tr[data-text]')].some(r=>!r.hidden)};
for(const e of [q,open,...levels])e.addEventListener('input',apply);
`;
