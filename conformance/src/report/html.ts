import { brief } from '../suite/json-value.ts';
import type { Requirement } from '../suite/suite.ts';
import { SCRIPT, STYLE } from './html-style.ts';
import { type Cell, type Row, type Section, toMatrix } from './matrix.ts';
import {
  type CaseResult,
  type Counts,
  countOutcomes,
  OUTCOMES,
  type Problem,
  type RunReport,
  SIGNS,
  WORDS,
} from './results.ts';

const LEVELS = ['stated', 'decided', 'optional'] as const;
/** More failures than these are in the other files. */
const MAX_DETAILS = 200;

/** One page without a request to anywhere: requirements down, implementations across, failures below. */
export const toHtml = (
  reports: readonly RunReport[],
  requirements: ReadonlyMap<string, Requirement>,
): string => {
  const sections = toMatrix(reports, requirements);
  const suites = [...new Set(reports.map(({ suite }) => suite))].join(', ');
  const rows = sections.reduce((sum, section) => sum + section.rows.length, 0);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Conformance: ${text(reports.map(({ implementation }) => implementation.name).join(', '))}</title><style>${STYLE}</style></head>
<body><main>
<h1>Conformance</h1>
<p class="lead">Feature Flag Service, suite ${text(suites)}. ${rows} sentences that can be tested, and what each implementation does about them. A cell counts cases; a case counts for every sentence that it tests.</p>
<div class="cards">${reports.map(card).join('')}</div>
<div class="tools"><input id="q" type="search" placeholder="Find a sentence, an id, a section" aria-label="Find">
<label><input id="open" type="checkbox"> only what is open</label>
${LEVELS.map((level) => `<label><input type="checkbox" data-level="${level}" checked> ${level}</label>`).join('')}</div>
<table><thead><tr><th>Requirement</th>${reports.map(({ implementation }) => `<th class="cell">${text(implementation.name)}<small>${text(implementation.version)}</small></th>`).join('')}</tr></thead>
${sections.map((section) => sectionBody(section, reports)).join('')}</table>
${reports.map((report, at) => details(report, at, requirements)).join('')}
<footer>${OUTCOMES.map((outcome) => `<span class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}</span>`).join(' ')} A failure is a wrong answer, a crash is none, a skip is a gap that the implementation declares. Only a run without skips is full.</footer>
</main><script>${SCRIPT}</script></body></html>
`;
};

const card = (report: RunReport): string => {
  const { implementation, cases, planned, started_at, duration_ms } = report;
  const counts = countOutcomes(cases);
  const share = planned ? Math.floor((counts.pass / planned) * 1000) / 10 : 0;
  const who = [implementation.language, implementation.runtime].filter(Boolean).join(' · ');
  const pills = OUTCOMES.filter((outcome) => counts[outcome]).map(
    (outcome) =>
      `<span class="pill ${outcome}">${SIGNS[outcome]} ${counts[outcome].toLocaleString('en')} ${WORDS[outcome]}</span>`,
  );
  const partial = `<span class="pill">${text(report.parts.join(' + '))}${report.partial ? ', in part' : ''}</span>`;
  return `<section class="card"><h2>${text(implementation.name)} ${text(implementation.version)}</h2><p class="who">${text(who)}</p>
<div class="big">${share}% <small>of ${planned.toLocaleString('en')} cases</small></div>${bar(counts)}
<div class="facts">${pills.join('')}${partial}<span class="pill">${text(started_at.slice(0, 10))}</span><span class="pill">${(duration_ms / 1000).toFixed(1)} s</span></div></section>`;
};

const bar = (counts: Counts): string =>
  `<div class="bar">${OUTCOMES.filter((outcome) => counts[outcome])
    .map((outcome) => `<i class="${outcome}" style="flex:${counts[outcome]}"></i>`)
    .join('')}</div>`;

const sectionBody = ({ name, rows }: Section, reports: readonly RunReport[]): string =>
  `<tbody><tr class="section"><th colspan="${reports.length + 1}">${text(name)}</th></tr>${rows.map(rowOf).join('')}</tbody>`;

const rowOf = ({ requirement, cells }: Row): string => {
  const { id, sentence, level, section } = requirement;
  const worst =
    (['crash', 'fail', 'skip'] as const).find((one) => cells.some(({ outcome }) => outcome === one)) ??
    'pass';
  const search = `${id} ${sentence} ${section}`.toLowerCase();
  return `<tr data-text="${text(search)}" data-level="${level}" data-worst="${worst}"><td class="what"><span class="pill level">${level}</span>${prose(sentence)}<code>${text(id)}</code></td>${cells.map(cellOf).join('')}</tr>`;
};

const cellOf = ({ counts, outcome, open }: Cell, column: number): string => {
  if (!outcome) return '<td class="cell"><span class="mark none">·</span></td>';
  const total = OUTCOMES.reduce((sum, one) => sum + counts[one], 0);
  const words = OUTCOMES.filter((one) => counts[one]).map((one) => `${counts[one]} ${WORDS[one]}`);
  const shown = `${SIGNS[outcome]} ${counts.pass === total ? total : `${counts.pass}/${total}`}`;
  const attributes = `class="mark ${outcome}" title="${words.join(', ')}"`;
  const first = open[0];
  return `<td class="cell">${first ? `<a ${attributes} href="#${column}-${text(first.id)}">${shown}</a>` : `<span ${attributes}>${shown}</span>`}</td>`;
};

const details = (
  report: RunReport,
  column: number,
  requirements: ReadonlyMap<string, Requirement>,
): string => {
  const open = report.cases.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash');
  const skips = [
    ...Map.groupBy(
      report.cases.filter(({ outcome }) => outcome === 'skip'),
      ({ reason = '' }) => reason,
    ),
  ];
  if (open.length === 0 && skips.length === 0) return '';
  const { name } = report.implementation;
  const rest =
    open.length > MAX_DETAILS
      ? `<p>${open.length - MAX_DETAILS} more are in the other report files.</p>`
      : '';
  const skipped = skips.length
    ? `<ul>${skips.map(([reason, cases]) => `<li><span class="pill skip">${cases.length} skipped</span> ${text(reason)}</li>`).join('')}</ul>`
    : '';
  return `<h2 class="part">${text(name)}: what is open</h2>${skipped}${open
    .slice(0, MAX_DETAILS)
    .map((result) => caseOf(result, column, requirements))
    .join('')}${rest}`;
};

const caseOf = (
  result: CaseResult,
  column: number,
  requirements: ReadonlyMap<string, Requirement>,
): string => {
  const { id, title, outcome, reason, problems, log, group } = result;
  const sentences = result.requirements
    .slice(0, 3)
    .map((name) => requirements.get(name))
    .filter((found) => found !== undefined)
    .map(({ section, sentence }) => `<blockquote>${text(section)}: ${prose(sentence)}</blockquote>`);
  return `<details class="case ${outcome}" id="${column}-${text(id)}" open><summary><span class="pill ${outcome}">${SIGNS[outcome]} ${WORDS[outcome]}</span> <b>${text(id)}</b> ${text(title)} <span class="pill">${text(group)}</span></summary>
${sentences.join('')}${reason ? `<p>${text(reason)}</p>` : ''}${problems.slice(0, 5).map(problemOf).join('')}${log ? `<pre>${text(log.slice(-4_000))}</pre>` : ''}</details>`;
};

const problemOf = ({ where, message, given, expected, actual }: Problem): string => {
  const lines: [string, string][] = [[where, message ? text(message) : '']];
  if (given !== undefined) lines.push(['asked', code(given)]);
  if (expected !== undefined) lines.push(['expected', code(expected)]);
  if (actual !== undefined) lines.push(['actual', code(actual)]);
  return `<dl>${lines.map(([name, value]) => `<dt>${text(name)}</dt><dd>${value}</dd>`).join('')}</dl>`;
};

const code = (value: unknown): string => `<code>${text(brief(value, 1_200))}</code>`;

/** Words in backquotes become code, as in the specification. */
const prose = (sentence: string): string => text(sentence).replace(/`([^`]+)`/g, '<b>$1</b>');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (raw: string): string => raw.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
