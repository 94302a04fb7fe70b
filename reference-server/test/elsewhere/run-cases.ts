import { isDeepStrictEqual } from 'node:util';
import type { Context } from '@flagsvc/sdk-core';
import { toKey } from '../../src/control-plane/features/imports/elsewhere/keys.ts';
import type { Case } from './fixtures.ts';
import { defaultValueOf, type Imported, imported } from './imported.ts';

export interface Outcome {
  equal: number;
  /** The flag has no counterpart, and the import says so. */
  leftOut: number;
  /** The default instead of the expected value, and the import says why. */
  narrower: number;
  rollouts: number;
  /** Titles of cases that compare an attribute with a value of another type, which the import warns of. */
  readonly otherTypes: string[];
  /** None of these. */
  readonly wrong: string[];
}

/** Imports the document of each case and compares what the flag serves with what the product serves. */
export function runCases(
  cases: readonly Case[],
  format: Parameters<typeof imported>[1],
  toContext: (context: never) => Context,
): Outcome {
  const outcome: Outcome = { equal: 0, leftOut: 0, narrower: 0, rollouts: 0, otherTypes: [], wrong: [] };
  const known = new Map<object, Imported>();
  for (const { title, document, flag: name, context, expected } of cases) {
    const project = known.get(document) ?? imported(document, format);
    known.set(document, project);
    const flag = project.flag(toKey(name));
    if (flag === undefined) {
      const isTold = project.losses.some(({ code }) => code === 'flag-left-out');
      const isAbsent = !JSON.stringify(document).includes(`"${name}"`);
      if (isTold || isAbsent) outcome.leftOut++;
      else outcome.wrong.push(`${title}: lost`);
      continue;
    }
    const served = project.evaluator.evaluate(flag.key, toContext(context as never)).value;
    const told = (...codes: string[]) => project.losses.some(({ code }) => codes.includes(code));
    // The flag's own rollout, or one of a flag that it depends on.
    const isRollout = JSON.stringify(
      flag.environments?.['env']?.prerequisites === undefined ? flag : project.document,
    ).includes('percentage_rollout');
    if (isSame(served, expected)) outcome.equal++;
    else if (isRollout) outcome.rollouts++;
    else if (
      isDeepStrictEqual(served, defaultValueOf(flag)) &&
      project.losses.some(({ code }) => code !== 'flag-renamed' && code !== 'other-types-match')
    ) {
      outcome.narrower++;
    } else if (told('other-types-match')) outcome.otherTypes.push(title);
    else outcome.wrong.push(`${title}: ${JSON.stringify([served, expected, flag.environments, context])}`);
  }
  return outcome;
}

/** Unleash's cases ask whether a flag with variants is on; an off boolean of GrowthBook is null. */
function isSame(served: unknown, expected: unknown): boolean {
  const isOn = (value: unknown): unknown => (value as { feature_enabled?: unknown } | null)?.feature_enabled;
  if (typeof expected === 'boolean' && typeof served === 'object') return isOn(served) === expected;
  if (typeof served === 'boolean' && isOn(expected) !== undefined) return isOn(expected) === served;
  return isDeepStrictEqual(served, expected) || (served === false && expected === null);
}

/** Nested objects under the names that the import says: their paths with dots. */
export function flattened(fields: object, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const own = [[`${prefix}${name}`, value] as const];
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isObject ? [...own, ...Object.entries(flattened(value as object, `${prefix}${name}.`))] : own;
    }),
  );
}

export interface LaunchDarklyContext {
  readonly kind?: string;
  readonly key?: string;
  readonly custom?: object;
}

export function launchDarklyContext(context: LaunchDarklyContext): Context {
  const { kind = 'user', key, custom = {}, ...fields } = context;
  if (kind === 'multi') {
    const kinds = Object.entries(fields) as [string, LaunchDarklyContext][];
    const parts = kinds.map(([name, part]) => launchDarklyContext({ ...part, kind: name }));
    return {
      ...Object.assign({}, ...parts.filter((part) => part.user_key !== undefined)),
      attributes: Object.assign({}, ...parts.map((part) => part.attributes)),
    };
  }
  if (kind === 'user') return { user_key: key!, attributes: flattened({ ...fields, ...custom }) };
  return { attributes: flattened({ key, ...fields }, `${kind}.`) };
}

export function unleashContext(context: object): Context {
  const { userId, properties = {}, ...fields } = context as Readonly<Record<string, unknown>>;
  return {
    ...(userId !== undefined && { user_key: userId as string }),
    attributes: { ...(properties as object), ...fields },
  };
}

export function growthBookContext(context: object): Context {
  const { id, ...attributes } = context as Readonly<Record<string, unknown>>;
  return { ...(id !== undefined && { user_key: String(id) }), attributes: flattened(attributes) };
}
