import type { Context } from '@flagsvc/sdk-core';
import { bothSides } from './evaluate.ts';
import { KINDS } from './export-differences.ts';
import { randomContext } from './random-context.ts';
import {
  createDice,
  type Options,
  type RandomProject,
  randomProject,
  type ScopedFlag,
} from './random-project.ts';

export interface Findings {
  answers: number;
  /** Answers of flags that are enabled and whose prerequisites are met, of which `plainEqual` equal flagd's answers. */
  plain: number;
  plainEqual: number;
  /** Cases in which flagd serves a rule to a user and our evaluator does not. */
  readonly widened: string[];
  /** Differences that no kind explains. */
  readonly unexplained: string[];
  readonly faults: string[];
  readonly kinds: Map<string, number>;
}

export const createFindings = (): Findings => ({
  ...{ answers: 0, plain: 0, plainEqual: 0 },
  ...{ widened: [], unexplained: [], faults: [], kinds: new Map() },
});

/** The flag with one variation per rule, so that the answer shows which rule decided. */
function marked(flag: ScopedFlag): ScopedFlag {
  const keys = ['default', ...flag.rules.map(({ id }) => id)];
  return {
    ...flag,
    flagType: 'string',
    variations: keys.map((key) => ({ key, name: key, value: key })),
    defaultVariation: 'default',
    rules: flag.rules.map(({ percentage_rollout: _, bucketing: __, ...rule }) => ({
      ...rule,
      variation: rule.id,
    })),
    // Prerequisites would refer to variations that no longer exist.
    prerequisites: [],
  };
}

/** Compares our evaluator's answers for a random project with flagd's answers for its export. */
export function compareExport(
  seed: number,
  size: { readonly flags: number; readonly contexts: number },
  options: Options,
  findings: Findings,
): void {
  const dice = createDice(seed);
  const project = randomProject(dice, size.flags, options);
  const mode = seed % 4 === 0 ? 'interpreted' : 'compiled';
  const raw = bothSides(project, mode);
  const byRule = bothSides({ ...project, flags: project.flags.map(marked) }, mode);
  const prepared = project.flags.map((flag) => ({ flag, mark: marked(flag) }));
  for (let index = 0; index < size.contexts; index++) {
    const context = randomContext(dice);
    for (const { flag, mark } of prepared) {
      compareOne({ project, raw, byRule, flag, mark, context, seed }, findings);
    }
  }
}

interface One {
  readonly project: RandomProject;
  readonly raw: ReturnType<typeof bothSides>;
  readonly byRule: ReturnType<typeof bothSides>;
  readonly flag: ScopedFlag;
  readonly mark: ScopedFlag;
  readonly context: Context;
  readonly seed: number;
}

function compareOne({ project, raw, byRule, flag, mark, context, seed }: One, findings: Findings): void {
  const describe = (what: object): string =>
    JSON.stringify({ seed, flag: flag.key, ...what, rules: flag.rules, context }).slice(0, 3_000);
  findings.answers++;
  const decided = byRule.ours.evaluate(flag.key, context).variation_key;
  const rule = byRule.theirs.evaluate(mark, context);
  if (rule.reason === 'ERROR') findings.faults.push(describe({ error: rule.errorCode }));
  if (rule.reason === 'TARGETING_MATCH' && rule.variant !== decided) {
    findings.widened.push(describe({ ours: decided, theirs: rule.variant }));
  }
  const answer = raw.theirs.evaluate(flag, context);
  const { variation_key, reason } = raw.ours.evaluate(flag.key, context);
  const position = flag.rules.findIndex(({ id }) => id === decided);
  const tried = position < 0 ? flag.rules : flag.rules.slice(0, position + 1);
  const { warnings } = raw.written;
  const isLeftOut = warnings.includes(`flag-left-out=${flag.key}`);
  if (answer.reason === 'ERROR' && !isLeftOut) findings.faults.push(describe({ error: answer.errorCode }));
  // flagd may serve only the variations of the deciding rule, and the default.
  const own = tried.at(-1)?.percentage_rollout?.map((entry) => entry.variation) ?? [variation_key];
  if (answer.reason === 'TARGETING_MATCH' && ![...own, flag.defaultVariation].includes(answer.variant!)) {
    findings.widened.push(describe({ ours: variation_key, theirs: answer.variant }));
  }
  const isEqual = answer.variant === variation_key;
  if (reason !== 'DISABLED' && reason !== 'PREREQUISITE') {
    findings.plain++;
    if (isEqual) findings.plainEqual++;
  }
  if (isEqual) return;
  const difference = { project, flag, context, answer, tried, warnings };
  const kind = KINDS.find(({ is }) => is(difference));
  if (kind === undefined) {
    findings.unexplained.push(describe({ ours: variation_key, theirs: answer }));
    return;
  }
  findings.kinds.set(kind.name, (findings.kinds.get(kind.name) ?? 0) + 1);
}
