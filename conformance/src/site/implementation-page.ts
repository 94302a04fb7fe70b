import { text } from '../report/html-text.ts';
import type { CaseResult, RunReport } from '../report/results.ts';
import { countOutcomes } from '../report/results.ts';
import { lastRun, shareOf, type TestedImplementation, type TestedVersion } from './history.ts';
import { badgesOf, barOf, markOf, type Page, pillsOf, sentenceFile, tableOf, toPage } from './layout.ts';

/** How many open cases a page lists. */
const MAX_OPEN = 500;

/** The page of an implementation: badges, history, runs, and the open cases of its newest version. */
export const toImplementationPage = (one: TestedImplementation): Page => {
  const { name, slug, versions } = one;
  const [newest] = versions;
  const { implementation } = lastRun(newest);
  const who = [implementation.language, implementation.runtime].filter(Boolean).join(' · ');
  const open = [...newest.cases.values()].filter(({ outcome }) => outcome === 'fail' || outcome === 'crash');
  return toPage(
    `implementations/${slug}.html`,
    name,
    `<h1>${text(name)} <small>${text(newest.version)}</small></h1>
<p class="lead">${text(who)}</p><p class="badges">${badgesOf(one, '../')}</p>${barOf(newest.counts)}<p class="facts">${pillsOf(newest.counts)}</p>
<h2>History</h2>${chartOf(versions)}${tableOf('Versions, newest first', ['Version', 'Tested', 'Suite', 'Passed', 'Outcomes', 'Since the version before'], versions.map(versionRow))}
<h2>Runs of ${text(newest.version)}</h2>${tableOf('Runs, newest first', ['Started', 'Parts', 'Duration', 'Outcomes'], [...newest.runs].reverse().map(runRow))}
<h2>Open cases</h2>${open.length === 0 ? '<p>Every case that was run passes, is skipped or does not apply.</p>' : openCases(open)}${gapsOf(newest)}`,
  );
};

const versionRow = (one: TestedVersion, at: number, all: readonly TestedVersion[]): string => {
  const { applicable, percent } = shareOf(one.counts);
  const { suite, started_at } = lastRun(one);
  return `<tr><th scope="row">${text(one.version)}</th><td class="date">${started_at.slice(0, 10)}</td><td>${text(suite)}</td><td class="number">${percent} % of ${applicable.toLocaleString('en')}</td><td>${pillsOf(one.counts)}</td><td>${changeSince(one, all[at + 1])}</td></tr>`;
};

/** How many cases that both versions ran were mended or broken. */
const changeSince = (one: TestedVersion, before: TestedVersion | undefined): string => {
  if (before === undefined) return 'first version';
  let [mended, broken] = [0, 0];
  for (const [id, { outcome }] of one.cases) {
    const earlier = before.cases.get(id)?.outcome;
    if (earlier === undefined || earlier === outcome) continue;
    if (outcome === 'pass') mended++;
    else if (earlier === 'pass') broken++;
  }
  return `${mended} mended, ${broken} broken`;
};

const runRow = (run: RunReport): string =>
  `<tr><th scope="row">${text(run.started_at.slice(0, 16).replace('T', ' '))}</th><td>${text(run.parts.join(' + '))}${run.profile === undefined ? '' : `, profile ${text(run.profile)}`}${run.partial ? ', partial' : ''}</td><td class="number">${(run.duration_ms / 1000).toFixed(1)} s</td><td>${pillsOf(countOutcomes(run.cases))}</td></tr>`;

const openCases = (open: readonly CaseResult[]): string =>
  tableOf(
    'Open cases of the newest version',
    ['Case', 'Outcome', 'Title', 'Sentences', 'Problem'],
    open
      .slice(0, MAX_OPEN)
      .map(
        ({ id, outcome, title, requirements, problems, reason }) =>
          `<tr><th scope="row"><code>${text(id)}</code></th><td>${markOf(outcome)}</td><td>${text(title)}</td><td>${requirements
            .map((name) => `<a href="../sentences/${sentenceFile(name)}">${text(name)}</a>`)
            .join(
              ', ',
            )}</td><td>${text([problems[0]?.where, problems[0]?.message ?? reason].filter(Boolean).join(': ').slice(0, 300))}</td></tr>`,
      ),
  ) + (open.length > MAX_OPEN ? `<p>${open.length - MAX_OPEN} more are open.</p>` : '');

/** Why cases were skipped or do not apply. */
const gapsOf = ({ cases }: TestedVersion): string => {
  const left = [...cases.values()].filter(({ outcome }) => outcome === 'skip' || outcome === 'inapplicable');
  if (left.length === 0) return '';
  const groups = Map.groupBy(left, ({ outcome, reason = '' }) => `${outcome}\n${reason}`);
  return `<h2>Gaps</h2><ul class="gaps">${[...groups.values()]
    .map((listed) => {
      const [{ outcome, reason = '' }] = listed as [CaseResult];
      return `<li>${markOf(outcome, ` ${listed.length}`)} ${text(reason)}</li>`;
    })
    .join('')}</ul>`;
};

/** The share of passing cases by version, oldest first. The table below says the same in numbers. */
const chartOf = (versions: readonly TestedVersion[]): string => {
  if (versions.length < 2) return '';
  const shares = [...versions].reverse().map(({ counts }) => shareOf(counts).percent);
  const step = 560 / (shares.length - 1);
  const points = shares.map((share, at) => [60 + at * step, 110 - share] as const);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return `<svg class="chart" viewBox="0 0 640 120" aria-hidden="true"><path class="grid" d="M50 10H630M50 60H630M50 110H630"/><text x="4" y="14">100 %</text><text x="4" y="114">0 %</text><polyline points="${line}"/>${points.map(([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4"/>`).join('')}</svg>`;
};
