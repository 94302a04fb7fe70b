import { brief } from '../suite/json-value.ts';
import { sourceOf } from '../suite/requirements.ts';
import type { Requirement } from '../suite/suite.ts';
import { SCRIPT, STYLE } from './html-style.ts';
import { type Cell, type Row, type Section, toMatrix } from './matrix.ts';
import {
  type CaseResult,
  type Counts,
  countOutcomes,
  OUTCOMES,
  type Outcome,
  type Problem,
  type RunReport,
  SIGNS,
  WORDS,
} from './results.ts';

const LEVELS = ['stated', 'decided', 'optional'] as const;
/** As they are listed for people: what went well first, what does not count last. */
const LISTED: readonly Outcome[] = ['pass', 'skip', 'fail', 'crash', 'inapplicable'];
const MEANINGS: Readonly<Record<Outcome, string>> = {
  pass: 'as it should be',
  skip: 'a gap that the implementation declares',
  fail: 'a wrong answer',
  crash: 'no answer',
  inapplicable: 'cannot be asked there',
};
/** More failures than these, beyond the first of each sentence, are in the other files. */
const MAX_DETAILS = 200;
/** So many are unfolded. */
const MAX_UNFOLDED = 10;

/** One page without a request to anywhere: requirements down, implementations across, failures below. */
export const toHtml = (
  reports: readonly RunReport[],
  requirements: ReadonlyMap<string, Requirement>,
): string => {
  const sections = toMatrix(reports, requirements);
  const suites = [...new Set(reports.map(({ suite }) => suite))].join(', ');
  const rows = sections.flatMap((section) => section.rows);
  const heads = reports.map(
    ({ implementation: { name, version } }) =>
      `<th class="cell" scope="col">${text(name)}<small>${text(version)}</small></th>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Conformance: ${text(reports.map(({ implementation }) => implementation.name).join(', '))}</title><style>${STYLE}</style></head>
<body><main>
<h1>Conformance</h1>
<p class="lead">Feature Flag Service, suite ${text(suites)}. ${rows.length} sentences that can be tested, and what ${reports.length === 1 ? 'this implementation does' : 'each implementation does'} about them. A cell counts cases; a case counts for every sentence that it tests.</p>
<ul class="legend" aria-label="Outcomes">${LISTED.map((outcome) => `<li class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}: ${MEANINGS[outcome]}</li>`).join('')}</ul>
<div class="cards">${reports.map((report, at) => card(report, at, rows)).join('')}</div>
<div class="tools" role="search"><input id="q" type="search" placeholder="Find a sentence, an id, a section" aria-label="Find" aria-keyshortcuts="/">
<label><input id="open" type="checkbox"> only what is open</label>
${LEVELS.map((level) => `<label><input type="checkbox" data-level="${level}" checked> ${level}</label>`).join('')}<output id="shown"></output></div>
<table><thead><tr><th scope="col">Sentence</th>${heads.join('')}</tr></thead>
${sections.map((section) => sectionBody(section, reports)).join('')}</table>
${reports.map((report, at) => details(report, at, rows, requirements)).join('')}
<footer>"Full" is only what has no skip. <kbd>/</kbd> searches, <kbd>Esc</kbd> ends it; a cell with a failure leads to it.</footer>
</main><script>${SCRIPT}</script></body></html>
`;
};

const card = (report: RunReport, column: number, rows: readonly Row[]): string => {
  const { implementation, cases, planned, started_at, duration_ms } = report;
  const counts = countOutcomes(cases);
  const asked = planned - counts.inapplicable;
  const share = asked ? Math.floor((counts.pass / asked) * 1000) / 10 : 0;
  const who = [implementation.language, implementation.runtime].filter(Boolean).join(' · ');
  const pills = LISTED.filter((outcome) => counts[outcome]).map(
    (outcome) =>
      `<span class="pill ${outcome}">${SIGNS[outcome]} ${counts[outcome].toLocaleString('en')} ${WORDS[outcome]}</span>`,
  );
  const facts = [
    `${report.parts.join(' + ')}${report.partial ? ', in part' : ''}`,
    started_at.slice(0, 10),
    `${(duration_ms / 1000).toFixed(1)} s`,
  ].map((fact) => `<span class="pill">${text(fact)}</span>`);
  return `<section class="card"><h2>${text(implementation.name)} <small>${text(implementation.version)}</small></h2><p class="who">${text(who)}</p>
<div class="big${share === 100 ? ' full' : ''}">${share}% <small>of ${asked.toLocaleString('en')} cases</small></div>${bar(counts)}
${mosaic(column, rows)}<div class="facts">${pills.join('')}${facts.join('')}</div></section>`;
};

const bar = (counts: Counts): string =>
  `<div class="bar" aria-hidden="true">${LISTED.filter((outcome) => counts[outcome])
    .map((outcome) => `<i class="${outcome}" style="flex:${counts[outcome]}"></i>`)
    .join('')}</div>`;

/** A stone for each sentence: the whole at a glance, and a way to the row. */
const mosaic = (column: number, rows: readonly Row[]): string =>
  `<div class="mosaic" aria-hidden="true">${rows
    .map(({ requirement: { id }, cells }) => {
      const { outcome } = cells[column]!;
      const words = outcome ? WORDS[outcome] : 'not asked';
      return `<a class="${outcome ?? 'none'}" href="#s-${text(id)}" title="${text(id)}: ${words}" tabindex="-1"></a>`;
    })
    .join('')}</div>`;

/** The head of a section says of how many of its sentences all is well. */
const sectionBody = ({ name, rows }: Section, reports: readonly RunReport[]): string => {
  const sums = reports.map((_report, column) => {
    const cells = rows.map(({ cells }) => cells[column]!).filter(({ outcome }) => outcome !== undefined);
    const good = cells.filter(({ outcome }) => outcome === 'pass' || outcome === 'inapplicable').length;
    return `<td class="cell">${cells.length ? `${good} of ${cells.length}` : ''}</td>`;
  });
  const names = reports.map(({ implementation }) => implementation.name);
  return `<tbody><tr class="section"><th scope="rowgroup">${text(name)}</th>${sums.join('')}</tr>${rows.map((row) => rowOf(row, names)).join('')}</tbody>`;
};

const rowOf = ({ requirement, cells }: Row, names: readonly string[]): string => {
  const { id, sentence, level, section } = requirement;
  const worst = OUTCOMES.findLast((one) => cells.some(({ outcome }) => outcome === one)) ?? 'pass';
  const search = `${id} ${sentence} ${section}`.toLowerCase();
  return `<tr id="s-${text(id)}" data-text="${text(search)}" data-level="${level}" data-worst="${worst}"><th class="what" scope="row"><p>${prose(sentence)}</p><code>${text(id)}</code> <span class="pill">${level}</span></th>${cells.map((cell, at) => cellOf(cell, at, names[at]!)).join('')}</tr>`;
};

const cellOf = ({ counts, outcome, open }: Cell, column: number, name: string): string => {
  const cell = (inner: string) => `<td class="cell" data-who="${text(name)}">${inner}</td>`;
  if (!outcome) return cell('<span class="mark none" title="not asked">·</span>');
  const asked = OUTCOMES.reduce((sum, one) => sum + counts[one], 0) - counts.inapplicable;
  const words = LISTED.filter((one) => counts[one]).map((one) => `${counts[one]} ${WORDS[one]}`);
  const number = counts.pass === asked ? `${asked || WORDS.inapplicable}` : `${counts.pass}/${asked}`;
  const attributes = `class="mark ${outcome}" title="${words.join(', ')}"`;
  const shown = `${SIGNS[outcome]} ${number}`;
  const [first] = open;
  return cell(
    first
      ? `<a ${attributes} href="#${column}-${text(first.id)}">${shown}</a>`
      : `<span ${attributes}>${shown}</span>`,
  );
};

const details = (
  report: RunReport,
  column: number,
  rows: readonly Row[],
  requirements: ReadonlyMap<string, Requirement>,
): string => {
  const open = report.cases.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash');
  const reasons = (['skip', 'inapplicable'] as const).flatMap((outcome) =>
    [
      ...Map.groupBy(
        report.cases.filter((result) => result.outcome === outcome),
        ({ reason = '' }) => reason,
      ),
    ].map(
      ([reason, cases]) =>
        `<li><span class="pill ${outcome}">${SIGNS[outcome]} ${cases.length} ${WORDS[outcome]}</span> ${text(reason)}</li>`,
    ),
  );
  if (open.length === 0 && reasons.length === 0) return '';
  // What a cell leads to has to be there.
  const linked = new Set(rows.flatMap(({ cells }) => cells[column]!.open.slice(0, 1)));
  const listed = open.filter((result, at) => at < MAX_DETAILS || linked.has(result));
  const rest = open.length - listed.length;
  return `<h2 class="part">${text(report.implementation.name)}: what is open</h2>${reasons.length ? `<ul class="reasons">${reasons.join('')}</ul>` : ''}${listed
    .map((result, at) => caseOf(result, column, requirements, { isOpen: at < MAX_UNFOLDED, report }))
    .join('')}${rest ? `<p>${rest.toLocaleString('en')} more are in the other report files.</p>` : ''}`;
};

const caseOf = (
  result: CaseResult,
  column: number,
  requirements: ReadonlyMap<string, Requirement>,
  { isOpen, report }: { readonly isOpen: boolean; readonly report: RunReport },
): string => {
  const { id, title, outcome, reason, problems, log, group } = result;
  const sentences = result.requirements
    .slice(0, 3)
    .map((name) => requirements.get(name))
    .filter((found) => found !== undefined)
    .map((found) => `<blockquote>${text(sourceOf(found))}: ${prose(found.sentence)}</blockquote>`);
  const again = report.repeat?.replace('{id}', () => id);
  return `<details class="case ${outcome}" id="${column}-${text(id)}"${isOpen ? ' open' : ''}><summary><span class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}</span> <b>${text(id)}</b> ${text(title)} <span class="pill">${text(group)}</span></summary>
${sentences.join('')}${reason ? `<p>${text(reason)}</p>` : ''}${problems
  .slice(0, 5)
  .map((problem, at) => problemOf(problem, problems[at - 1]))
  .join(
    '',
  )}${log ? `<pre tabindex="0">${text(log.slice(-4_000))}</pre>` : ''}${again ? `<code class="again">${text(again)}</code>` : ''}</details>`;
};

/** The flag is told once where the problem above is about the same. */
const problemOf = ({ where, message, flag, given, expected, actual }: Problem, above?: Problem): string => {
  const line = (name: string, value: unknown) =>
    value === undefined
      ? ''
      : `<dt>${name}</dt><dd class="${name}"><code>${text(brief(value, 1_200))}</code></dd>`;
  const about =
    flag === undefined || flag === above?.flag
      ? ''
      : `<dt>flag</dt><dd class="flag"><code>${text(flag)}</code></dd>`;
  return `<p class="where"><b>${text(where)}</b> ${text(message ?? '')}</p><dl>${about}${line('asked', given)}${line('expected', expected)}${line('actual', actual)}</dl>`;
};

/** Words in backquotes become code, as in the specification. */
const prose = (sentence: string): string => text(sentence).replace(/`([^`]+)`/g, '<b>$1</b>');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (raw: string): string => raw.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
