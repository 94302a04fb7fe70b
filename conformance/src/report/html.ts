import { brief } from '../suite/json-value.ts';
import { type Requirement, sourceOf } from '../suite/requirement.ts';
import { SCRIPT, STYLE } from './html-style.ts';
import { prose, text } from './html-text.ts';
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
/** The order in which outcomes are listed. */
const LISTED: readonly Outcome[] = ['pass', 'skip', 'fail', 'crash', 'inapplicable'];
const MEANINGS: Readonly<Record<Outcome, string>> = {
  pass: 'as expected',
  skip: 'a gap that the implementation declares',
  fail: 'a wrong answer',
  crash: 'no answer',
  inapplicable: 'cannot exist on the platform, or tests an extra that is not claimed',
};
/**
 * How many failures the page shows in detail, besides the first of each sentence. The other files contain all failures.
 */
const MAX_DETAILS = 200;
/** How many of these failures are unfolded at first. */
const MAX_UNFOLDED = 10;

/** Sentences by id. */
type Requirements = ReadonlyMap<string, Requirement>;

/** One run in the matrix. */
interface Column {
  readonly index: number;
  readonly report: RunReport;
}

/** Writes a page that sends no requests: a row per sentence, a column per implementation, and the failures below. */
export const toHtml = (reports: readonly RunReport[], requirements: Requirements): string => {
  const sections = toMatrix(reports, requirements);
  const suites = [...new Set(reports.map(({ suite }) => suite))].join(', ');
  const rows = sections.flatMap((section) => section.rows);
  const columns = reports.map((report, index) => ({ index, report }));
  const heads = reports.map(
    ({ implementation: { name, version } }) =>
      `<th class="cell" scope="col">${text(name)}<small>${text(version)}</small></th>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Conformance: ${text(reports.map(({ implementation }) => implementation.name).join(', '))}</title><style>${STYLE}</style></head>
<body><main>
<h1>Conformance</h1>
<p class="lead">Feature Flag Service, suite ${text(suites)}. ${rows.length} sentences can be tested; the table shows how ${reports.length === 1 ? 'this implementation meets' : 'each implementation meets'} them. A cell counts cases. A case counts for each sentence that it tests.</p>
<ul class="legend" aria-label="Outcomes">${LISTED.map((outcome) => `<li class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}: ${MEANINGS[outcome]}</li>`).join('')}</ul>
<div class="cards">${columns.map((column) => card(column, rows)).join('')}</div>
<div class="tools" role="search"><input id="q" type="search" placeholder="Find a sentence, an id, a section" aria-label="Find" aria-keyshortcuts="/">
<label><input id="open" type="checkbox"> only open sentences</label>
${LEVELS.map((level) => `<label><input type="checkbox" data-level="${level}" checked> ${level}</label>`).join('')}<output id="shown"></output></div>
<table><thead><tr><th scope="col">Sentence</th>${heads.join('')}</tr></thead>
${sections.map((section) => sectionBody(section, reports)).join('')}</table>
${columns.map((column) => details(column, rows, requirements)).join('')}
<footer>A run with skipped cases is not full. <kbd>/</kbd> starts a search, <kbd>Esc</kbd> ends it. A cell with failures links to the first one.</footer>
</main><script>${SCRIPT}</script></body></html>
`;
};

const card = ({ index, report }: Column, rows: readonly Row[]): string => {
  const { implementation, cases, planned, started_at, duration_ms } = report;
  const counts = countOutcomes(cases);
  const applicable = planned - counts.inapplicable;
  const share = applicable ? Math.floor((counts.pass / applicable) * 1000) / 10 : 0;
  const who = [implementation.language, implementation.runtime].filter(Boolean).join(' · ');
  const pills = LISTED.filter((outcome) => counts[outcome]).map(
    (outcome) =>
      `<span class="pill ${outcome}">${SIGNS[outcome]} ${counts[outcome].toLocaleString('en')} ${WORDS[outcome]}</span>`,
  );
  const facts = [
    `${report.parts.join(' + ')}${report.partial ? ', partial run' : ''}`,
    started_at.slice(0, 10),
    `${(duration_ms / 1000).toFixed(1)} s`,
  ].map((fact) => `<span class="pill">${text(fact)}</span>`);
  return `<section class="card"><h2>${text(implementation.name)} <small>${text(implementation.version)}</small></h2><p class="who">${text(who)}</p>
<div class="big${share === 100 ? ' full' : ''}">${share}% <small>of ${applicable.toLocaleString('en')} cases</small></div>${bar(counts)}
${mosaic(index, rows)}<div class="facts">${pills.join('')}${facts.join('')}</div></section>`;
};

const bar = (counts: Counts): string =>
  `<div class="bar" aria-hidden="true">${LISTED.filter((outcome) => counts[outcome])
    .map((outcome) => `<i class="${outcome}" style="flex:${counts[outcome]}"></i>`)
    .join('')}</div>`;

/** One small square per sentence, which links to its row. */
const mosaic = (index: number, rows: readonly Row[]): string =>
  `<div class="mosaic" aria-hidden="true">${rows
    .map(({ requirement: { id }, cells }) => {
      const { outcome } = cells[index]!;
      const words = outcome ? WORDS[outcome] : 'not run';
      return `<a class="${outcome ?? 'none'}" href="#s-${text(id)}" title="${text(id)}: ${words}" tabindex="-1"></a>`;
    })
    .join('')}</div>`;

/** A section of the table. Its head shows how many of its sentences are met. */
const sectionBody = ({ name, rows }: Section, reports: readonly RunReport[]): string => {
  const sums = reports.map((_report, index) => {
    const cells = rows.map(({ cells }) => cells[index]!).filter(({ outcome }) => outcome !== undefined);
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
  return `<tr id="s-${text(id)}" data-text="${text(search)}" data-level="${level}" data-worst="${worst}"><th class="what" scope="row"><p>${prose(sentence)}</p><code>${text(id)}</code> <span class="pill">${level}</span></th>${cells.map((cell, index) => cellOf(cell, index, names[index]!)).join('')}</tr>`;
};

const cellOf = ({ counts, outcome, open }: Cell, index: number, name: string): string => {
  const cell = (inner: string) => `<td class="cell" data-who="${text(name)}">${inner}</td>`;
  if (!outcome) return cell('<span class="mark none" title="not run">·</span>');
  const applicable = OUTCOMES.reduce((sum, one) => sum + counts[one], 0) - counts.inapplicable;
  const words = LISTED.filter((one) => counts[one]).map((one) => `${counts[one]} ${WORDS[one]}`);
  const number =
    counts.pass === applicable ? `${applicable || WORDS.inapplicable}` : `${counts.pass}/${applicable}`;
  const attributes = `class="mark ${outcome}" title="${words.join(', ')}"`;
  const shown = `${SIGNS[outcome]} ${number}`;
  const [first] = open;
  return cell(
    first
      ? `<a ${attributes} href="#${index}-${text(first.id)}">${shown}</a>`
      : `<span ${attributes}>${shown}</span>`,
  );
};

const details = (column: Column, rows: readonly Row[], requirements: Requirements): string => {
  const { index, report } = column;
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
  // A failure that a cell links to is always shown in detail.
  const linked = new Set(rows.flatMap(({ cells }) => cells[index]!.open.slice(0, 1)));
  const listed = open.filter((result, at) => at < MAX_DETAILS || linked.has(result));
  const rest = open.length - listed.length;
  return `<h2 class="part">${text(report.implementation.name)}: open cases</h2>${reasons.length ? `<ul class="reasons">${reasons.join('')}</ul>` : ''}${listed
    .map((result, at) => caseOf(result, requirements, { column, isOpen: at < MAX_UNFOLDED }))
    .join('')}${rest ? `<p>The other report files contain ${rest.toLocaleString('en')} more.</p>` : ''}`;
};

const caseOf = (
  result: CaseResult,
  requirements: Requirements,
  { column, isOpen }: { readonly column: Column; readonly isOpen: boolean },
): string => {
  const { id, title, outcome, reason, problems, log, group } = result;
  const sentences = result.requirements
    .slice(0, 3)
    .map((name) => requirements.get(name))
    .filter((found) => found !== undefined)
    .map((found) => `<blockquote>${text(sourceOf(found))}: ${prose(found.sentence)}</blockquote>`);
  const again = column.report.repeat?.replace('{id}', () => id);
  return `<details class="case ${outcome}" id="${column.index}-${text(id)}"${isOpen ? ' open' : ''}><summary><span class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}</span> <b>${text(id)}</b> ${text(title)} <span class="pill">${text(group)}</span></summary>
${sentences.join('')}${reason ? `<p>${text(reason)}</p>` : ''}${problems
  .slice(0, 5)
  .map((problem, at) => problemOf(problem, problems[at - 1]))
  .join(
    '',
  )}${log ? `<pre tabindex="0">${text(log.slice(-4_000))}</pre>` : ''}${again ? `<code class="again">${text(again)}</code>` : ''}</details>`;
};

/** One problem. The summary of the flag is left out if the problem above shows the same one. */
const problemOf = ({ where, message, flag, given, expected, actual }: Problem, above?: Problem): string => {
  const line = (name: string, value: unknown) =>
    value === undefined
      ? ''
      : `<dt>${name}</dt><dd class="${name}"><code>${text(brief(value, 1_200))}</code></dd>`;
  const about =
    flag === undefined || flag === above?.flag
      ? ''
      : `<dt>flag</dt><dd class="flag"><code>${text(flag)}</code></dd>`;
  return `<p class="where"><b>${text(where)}</b> ${text(message ?? '')}</p><dl>${about}${line('given', given)}${line('expected', expected)}${line('actual', actual)}</dl>`;
};
