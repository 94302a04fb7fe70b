import { styleText } from 'node:util';
import { brief } from '../suite/json-value.ts';
import { type Requirement, sourceOf } from '../suite/requirement.ts';
import {
  type CaseResult,
  countOutcomes,
  type Outcome,
  type Problem,
  type RunReport,
  SIGNS,
  unexpected,
  WORDS,
} from './results.ts';

const COLORS = {
  pass: 'green',
  fail: 'red',
  skip: 'yellow',
  crash: 'magenta',
  inapplicable: 'dim',
} as const satisfies Record<Outcome, string>;
/** How many failures are shown; the files contain all of them. */
const MAX_SHOWN = 20;
const MAX_LISTED = 10;
const MAX_SENTENCES = 5;

/** Without a terminal, progress is printed at this interval, so that short runs print none. */
const PROGRESS_INTERVAL_MS = 3_000;

/** Where text is written. */
export interface Terminal {
  write(text: string): void;
  /** True for a terminal: text has colours, and progress is one line that is overwritten. */
  readonly live: boolean;
}

/** Options of `createHuman`. */
export interface HumanOptions {
  readonly out: Terminal;
  readonly planned: number;
  readonly requirements: ReadonlyMap<string, Requirement>;
  /** Whether the results are also written to files. */
  readonly hasFiles: boolean;
  /** The command that repeats one case. */
  repeat(id: string): string;
}

/** Prints results for people: progress, each failure with details, and a summary. */
export const createHuman = ({ out, planned, requirements, hasFiles, repeat }: HumanOptions) => {
  let done = 0;
  let bad = 0;
  let lastShare = -1;
  let printedAt = performance.now();
  const paint = (color: Parameters<typeof styleText>[0], text: string) =>
    out.live ? styleText(color, text) : text;
  const clear = () => {
    if (out.live) out.write('\r\u001b[K');
  };
  const progress = (group: string) => {
    const share = Math.floor((done / planned) * (out.live ? 100 : 10));
    if (share === lastShare) return;
    lastShare = share;
    if (out.live) {
      const filled = Math.round((done / planned) * 24);
      const bar = `${'━'.repeat(filled)}${'┄'.repeat(Math.max(0, 24 - filled))}`;
      out.write(`\r\u001b[K${paint(bad ? 'red' : 'green', bar)} ${done}/${planned} ${paint('dim', group)}`);
    } else if (performance.now() - printedAt > PROGRESS_INTERVAL_MS) {
      printedAt = performance.now();
      out.write(`# ${done}/${planned}\n`);
    }
  };
  const problem = (
    { where, message, flag, given, expected, actual }: Problem,
    previous?: Problem,
  ): string => {
    const lines = [`    ${where}${message ? `: ${message}` : ''}`];
    if (flag !== undefined && flag !== previous?.flag) {
      lines.push(`      flag      ${flag.replaceAll('\n', '\n                ')}`);
    }
    if (given !== undefined) lines.push(`      given     ${brief(given)}`);
    if (expected !== undefined) lines.push(`      expected  ${paint('green', brief(expected))}`);
    if (actual !== undefined) lines.push(`      actual    ${paint('red', brief(actual))}`);
    return lines.join('\n');
  };
  const show = (result: CaseResult) => {
    const { id, title, outcome, problems, reason, log } = result;
    const sentences = result.requirements.slice(0, 3).map((name) => {
      const found = requirements.get(name);
      return found
        ? `    ${paint('dim', `${sourceOf(found)}:`)} “${found.sentence}”`
        : `    ${paint('dim', name)}`;
    });
    const lines = [
      `${paint(COLORS[outcome], `${SIGNS[outcome]} ${id}`)} ${title}`,
      ...sentences,
      ...(reason ? [`    ${reason}`] : []),
      ...problems.slice(0, 3).map((one, at) => problem(one, problems[at - 1])),
      ...(problems.length > 3 ? [`    and ${problems.length - 3} more`] : []),
      ...(log ? [paint('dim', indent(log.slice(-1_500)))] : []),
      `    ${paint('cyan', repeat(id))}`,
    ];
    out.write(`${lines.join('\n')}\n\n`);
  };

  return {
    caseDone(result: CaseResult): void {
      done++;
      if (result.outcome === 'fail' || result.outcome === 'crash') {
        bad++;
        clear();
        if (out.live) lastShare = -1;
        if (bad <= MAX_SHOWN) show(result);
        if (bad === MAX_SHOWN + 1) out.write(`${paint('dim', 'more failures are not shown here')}\n`);
      }
      progress(result.group);
    },
    end(report: RunReport): void {
      clear();
      out.write(`\n${summary(report, { requirements, hasFiles }, paint)}`);
    },
  };
};

/** Colours a text if the output is a terminal. */
type Paint = (color: Parameters<typeof styleText>[0], text: string) => string;

const summary = (
  report: RunReport,
  { requirements, hasFiles }: Pick<HumanOptions, 'requirements' | 'hasFiles'>,
  paint: Paint,
): string => {
  const groups = Map.groupBy(report.cases, ({ group }) => group);
  const width = Math.max(...[...groups.keys()].map((name) => name.length), 5);
  const lines = [...groups].map(([name, cases]) => {
    const counts = countOutcomes(cases);
    const rest = (['inapplicable', 'skip', 'fail', 'crash'] as const)
      .filter((outcome) => counts[outcome])
      .map((outcome) => paint(COLORS[outcome], `  ${counts[outcome]} ${WORDS[outcome]}`));
    return `${name.padEnd(width)}  ${paint('green', `${counts.pass}/${cases.length - counts.inapplicable}`)}${rest.join('')}`;
  });
  const reasons = (['skip', 'inapplicable'] as const).flatMap((outcome) =>
    [
      ...Map.groupBy(
        report.cases.filter((result) => result.outcome === outcome),
        ({ reason = 'no reason given' }) => reason,
      ),
    ].map(([reason, cases]) => {
      const words = outcome === 'skip' ? 'skipped' : 'not applicable';
      return paint(COLORS[outcome], `${cases.length} ${words}: ${reason}`);
    }),
  );
  const { name, version, runtime } = report.implementation;
  const surprises = unexpected(report);
  const total = countOutcomes(report.cases);
  const verdict = surprises.length
    ? [
        paint('red', `not as expected: ${surprises.length}`),
        ...surprises.slice(0, MAX_LISTED).map((line) => `  ${line}`),
        ...(surprises.length > MAX_LISTED
          ? [
              `  and ${surprises.length - MAX_LISTED} more${hasFiles ? '' : '; --out DIR writes all of them to files'}`,
            ]
          : []),
        ...mostFailedSentences(report, requirements, paint),
      ]
    : [paint('green', total.skip ? 'as expected, but some cases were skipped' : 'all as expected')];
  const who = `${name} ${version}${runtime ? ` (${runtime})` : ''}, suite ${report.suite}: ${total.pass} of ${report.planned - total.inapplicable} pass in ${(report.duration_ms / 1000).toFixed(1)} s`;
  return `${[...lines, ...reasons, who, ...verdict].join('\n')}\n`;
};

/** The sentences with the most failures, as a hint about what to fix first. */
const mostFailedSentences = (
  report: RunReport,
  requirements: HumanOptions['requirements'],
  paint: Paint,
): string[] => {
  const bad = report.cases.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash');
  if (bad.length <= MAX_LISTED) return [];
  const counts = new Map<string, number>();
  for (const id of bad.flatMap((result) => result.requirements)) counts.set(id, (counts.get(id) ?? 0) + 1);
  const most = [...counts].sort(([, left], [, right]) => right - left).slice(0, MAX_SENTENCES);
  return [
    'sentences with the most failures:',
    ...most.map(
      ([id, count]) =>
        `  ${String(count).padStart(4)}  ${requirements.get(id)?.sentence ?? ''} ${paint('dim', `(${id})`)}`,
    ),
  ];
};

const indent = (text: string): string => text.replace(/^/gm, '    | ');
