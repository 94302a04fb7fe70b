import { PALETTE } from '../report/html-style.ts';

/** The style sheet of the site: system fonts, light and dark. */
export const SITE_STYLE = `${PALETTE}
*{box-sizing:border-box}
body{margin:0;background:var(--wash);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--accent);text-underline-offset:2px}a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.to-content{position:absolute;left:-9999px}.to-content:focus{left:8px;top:8px;background:var(--paper);padding:8px 12px;z-index:2}
header{background:var(--paper);border-bottom:1px solid var(--line)}
header nav{max-width:1240px;margin:0 auto;padding:14px 24px;display:flex;flex-wrap:wrap;gap:4px 22px;align-items:baseline}
header a[aria-current]{color:var(--ink);font-weight:650;text-decoration:none}
main{max-width:1240px;margin:0 auto;padding:36px 24px 80px}
h1{font-size:32px;line-height:1.15;letter-spacing:-.02em;margin:0 0 10px;overflow-wrap:anywhere}
h2{font-size:20px;letter-spacing:-.01em;margin:40px 0 12px;overflow-wrap:anywhere}
h1 small,h2 small{font-weight:400;color:var(--soft);font-size:.6em;white-space:nowrap}
.lead{color:var(--soft);margin:0 0 20px;max-width:70ch}.soft{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(320px,100%),1fr));gap:16px;margin:0;padding:0;list-style:none}
.card{background:var(--paper);border:1px solid var(--line);border-radius:16px;padding:18px 20px}
.card h2{font-size:17px;margin:0;overflow-wrap:anywhere}.card h2 small{font-size:13px}
.big{font-size:34px;font-weight:680;letter-spacing:-.03em;line-height:1.1;margin:12px 0 0;font-variant-numeric:tabular-nums}
.big small{display:block;font-size:13px;font-weight:400;letter-spacing:0;color:var(--soft);line-height:1.5}.big.full{color:var(--pass)}
.bar{display:flex;gap:2px;height:8px;margin:10px 0 12px}.bar i{display:block;min-width:4px;border-radius:4px;background:var(--bar)}
.facts,.badges{display:flex;flex-wrap:wrap;gap:5px;margin:0 0 10px}.badges img{display:block}
.pill{display:inline-block;white-space:nowrap;border-radius:999px;padding:1px 9px;font-size:12px;background:var(--wash);color:var(--soft);border:1px solid var(--line)}
.pass{--mark:var(--pass);--mark-bg:var(--pass-bg);--bar:var(--pass-bar)}.fail{--mark:var(--fail);--mark-bg:var(--fail-bg);--bar:var(--fail-bar)}
.skip{--mark:var(--skip);--mark-bg:var(--skip-bg);--bar:var(--skip-bar)}.crash{--mark:var(--crash);--mark-bg:var(--crash-bg);--bar:var(--crash-bar)}
.inapplicable{--mark:var(--inapplicable);--mark-bg:var(--inapplicable-bg);--bar:var(--inapplicable-bar)}
.pill:is(.pass,.fail,.skip,.crash,.inapplicable){background:var(--mark-bg);color:var(--mark);border-color:transparent}
.mark{display:inline-block;border-radius:8px;padding:2px 9px;font-size:13px;white-space:nowrap;background:var(--mark-bg);color:var(--mark);font-variant-numeric:tabular-nums}
.mark.none{background:none;color:var(--soft);padding-left:0}
.scroll{overflow-x:auto;background:var(--paper);border:1px solid var(--line);border-radius:14px;margin:0 0 8px}
table{width:100%;border-collapse:collapse;font-size:14px}caption{position:absolute;clip-path:inset(50%)}
th,td{padding:9px 14px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
tbody th[scope=row]:not(.what),.date{white-space:nowrap}tbody tr:last-child>*{border-bottom:0}thead th{font-size:13px;font-weight:650;white-space:nowrap}
.what{min-width:260px;max-width:620px}.number{white-space:nowrap;font-variant-numeric:tabular-nums}
code{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.sentence{margin:0 0 16px;padding:14px 18px;background:var(--paper);border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:10px;font-size:18px;max-width:72ch}
.sections{columns:3 260px;overflow-wrap:anywhere;padding:0;margin:0 0 8px;list-style:none}.gaps{padding:0;list-style:none}.gaps li{margin:6px 0}
.chart{display:block;width:100%;max-width:640px;height:auto;margin:0 0 12px}.chart .grid{stroke:var(--line);fill:none}
.chart text{fill:var(--soft);font-size:11px}.chart polyline{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round}.chart circle{fill:var(--accent)}
@media(max-width:640px){main{padding:24px 14px 60px}header nav{padding:12px 14px}h1{font-size:26px}th,td{padding:8px 10px}}
@media print{body{background:none}header{display:none}.scroll,.card{break-inside:avoid}}
`;
