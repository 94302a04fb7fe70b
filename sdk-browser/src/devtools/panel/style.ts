/** The panel's style sheet, with the colors of the dashboard. */
const CSS = `
:host { all: initial; color-scheme: light dark; }
:host([data-theme=light]) { color-scheme: light; }
:host([data-theme=dark]) { color-scheme: dark; }
* { box-sizing: border-box; font: inherit; color: inherit; margin: 0; }
[hidden] { display: none !important; }
.launcher, .panel {
  --surface: light-dark(#ffffff, #1b202b); --sunken: light-dark(#f6f7f9, #10131b); --line: light-dark(#e1e5ec, #272d3a);
  --control: light-dark(#848da0, #6a7489); --text: light-dark(#171b26, #eceff5); --faint: light-dark(#5c6579, #949eb2);
  --accent: light-dark(#2563eb, #2f6bea); --accent-text: light-dark(#1b4ec4, #8fb4ff);
  --warm: light-dark(#fff6e2, #271d0c); --warm-text: light-dark(#834a00, #f0b75e); --red: light-dark(#ac2219, #ff9c94);
  position: fixed; right: 12px; bottom: 12px; z-index: 2147483647; color: var(--text); background: var(--surface);
  font: 13px/1.45 system-ui, sans-serif; border: 1px solid var(--line);
}
.launcher { padding: 7px 13px; border-radius: 20px; box-shadow: 0 2px 8px #0003; cursor: pointer; }
.launcher b { color: var(--warm-text); font-weight: 600; }
.panel {
  display: flex; flex-direction: column; width: min(560px, calc(100vw - 24px)); height: min(640px, calc(100vh - 24px));
  border-radius: 10px; box-shadow: 0 8px 32px #0005; overflow: hidden;
}
header, .tabs, .tools, .add { display: flex; align-items: center; gap: 8px; }
header { padding: 10px 12px 4px; }
h2 { font-size: 15px; font-weight: 600; }
.status { color: var(--faint); flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tabs { padding: 0 12px; border-bottom: 1px solid var(--line); }
.tabs button { border: 0; background: none; border-radius: 0; padding: 8px 4px; color: var(--faint); }
.tabs [aria-selected=true] { color: var(--accent-text); box-shadow: inset 0 -2px var(--accent); }
.body { flex: 1; overflow: auto; overscroll-behavior: contain; }
.body > div { padding: 12px; }
.tools { flex-wrap: wrap; margin-bottom: 10px; }
.tools input, .tools .why { flex: 1; min-width: 130px; }
button, input, select, textarea { border: 1px solid var(--control); border-radius: 6px; padding: 4px 8px; background: var(--surface); min-height: 30px; }
button { border-color: var(--line); background: var(--sunken); cursor: pointer; white-space: nowrap; }
button.primary { background: var(--accent); border-color: var(--accent); color: #fff; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
input::placeholder, textarea::placeholder { color: var(--faint); opacity: 1; }
textarea { width: 100%; resize: vertical; }
code, textarea, .activity { font-family: ui-monospace, monospace; font-size: 12px; }
[aria-invalid=true] { border-color: var(--red); outline-color: var(--red); }
ul, ol { list-style: none; padding: 0; }
.flags li { display: grid; grid-template-columns: 1fr 200px; gap: 2px 12px; padding: 9px 12px; margin: 0 -12px; border-top: 1px solid var(--line); }
.flags li.overridden { background: var(--warm); }
.head { display: flex; align-items: center; gap: 8px; min-width: 0; }
strong { font-weight: 600; overflow-wrap: anywhere; }
.source { font-size: 11px; padding: 0 6px; border-radius: 9px; border: 1px solid var(--line); color: var(--faint); white-space: nowrap; }
.source[data-source=override] { color: var(--warm-text); border-color: currentColor; }
.editor { display: flex; gap: 6px; grid-row: span 2; align-self: start; }
.editor > :first-child { flex: 1; min-width: 0; width: 0; }
.value { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.why, .flags details { grid-column: 1 / -1; color: var(--faint); font-size: 12px; overflow-wrap: anywhere; }
summary { cursor: pointer; }
.add { margin-top: 12px; }
.add input { flex: 1; min-width: 0; }
.link { width: 100%; margin-bottom: 10px; }
.empty { padding: 16px 0; color: var(--faint); }
.activity li { display: flex; gap: 10px; padding: 3px 0; border-top: 1px solid var(--line); }
time, .kind { color: var(--faint); white-space: nowrap; }
.kind { width: 60px; }
[data-kind=fault] .kind { color: var(--red); }
[data-kind=override] .kind { color: var(--warm-text); }
.text { overflow-wrap: anywhere; }
[role=status] { margin-top: 8px; min-height: 20px; color: var(--faint); }
@media (max-width: 480px) { .flags li { grid-template-columns: 1fr; } .editor { grid-row: auto; } }
`;

/** Adds the style to the panel. A constructed sheet needs no exception in a strict Content-Security-Policy. */
export const addStyle = (root: ShadowRoot): void => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
};
