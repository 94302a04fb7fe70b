import { styleText } from 'node:util';
import { brief } from '../suite/json-value.ts';
import { sourceOf } from '../suite/requirements.ts';
import type { Requirement } from '../suite/suite.ts';
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
/** More failures than these are only in the files. */
const MAX_SHOWN = 20;
const MAX_LISTED = 10;
const MAX_SENTENCES = 5;

/** Where nothing can be rewritten, a run that is soon over needs no word on how far it is. */
const QUIET_MS = 3_000;

/** Where text goes, and whether it may be coloured and rewritten. */
export interface Terminal {
  write(text: string): void;
  /** True for a terminal: progress is one line that is rewritten. */
  readonly live: boolean;
}

/** What the reporter needs to know of the run. */
export interface HumanOptions {
  readonly out: Terminal;
  readonly planned: number;
  readonly requirements: ReadonlyMap<string, Requirement>;
  /** Whether there are files that hold everything. */
  readonly writes: boolean;
  /** The command that repeats one case. */
  repeat(id: string): string;
}

/** Tells people how it goes: progress, each failure with what helps to mend it, and a summary. */
export const createHuman = ({ out, planned, requirements, writes, repeat }: HumanOptions) => {
  let done = 0;
  let bad = 0;
  let lastShare = -1;
  let toldAt = performance.now();
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
    } else if (performance.now() - toldAt > QUIET_MS) {
      toldAt = performance.now();
      out.write(`# ${done}/${planned}\n`);
    }
  };
  const problem = ({ where, message, flag, given, expected, actual }: Problem, above?: Problem): string => {
    const lines = [`    ${where}${message ? `: ${message}` : ''}`];
    if (flag !== undefined && flag !== above?.flag) {
      lines.push(`      flag      ${flag.replaceAll('\n', '\n                ')}`);
    }
    if (given !== undefined) lines.push(`      asked     ${brief(given)}`);
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
      out.write(`\n${summary(report, { requirements, writes }, paint)}`);
    },
  };
};

/** Writes in a colour, or as it is. */
type Paint = (color: Parameters<typeof styleText>[0], text: string) => string;

const summary = (
  report: RunReport,
  { requirements, writes }: Pick<HumanOptions, 'requirements' | 'writes'>,
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
              `  and ${surprises.length - MAX_LISTED} more${writes ? '' : '; --out DIR writes all of them down'}`,
            ]
          : []),
        ...whereItFails(report, requirements, paint),
      ]
    : [paint('green', total.skip ? 'as expected, but not in full: there are skips' : 'all as it should be')];
  const who = `${name} ${version}${runtime ? ` (${runtime})` : ''}, suite ${report.suite}: ${total.pass} of ${report.planned - total.inapplicable} pass in ${(report.duration_ms / 1000).toFixed(1)} s`;
  return `${[...lines, ...reasons, who, ...verdict].join('\n')}\n`;
};

/** The sentences that most failures are about: what to mend first. */
const whereItFails = (
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
    'most failures are about:',
    ...most.map(
      ([id, count]) =>
        `  ${String(count).padStart(4)}  ${requirements.get(id)?.sentence ?? ''} ${paint('dim', `(${id})`)}`,
    ),
  ];
};

const indent = (text: string): string => text.replace(/^/gm, '    | ');
