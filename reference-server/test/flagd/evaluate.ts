import { type Context, createEvaluator, type Evaluator } from '@flagsvc/sdk-core';
import { FlagdCore, MemoryStorage } from '@openfeature/flagd-core';
import type { Logger } from '@openfeature/server-sdk';
import { type FlagdExport, writeFlagd } from '../../src/control-plane/features/imports/flagd/write-flagd.ts';
import { compileRuleset } from '../../src/publishing/compile.ts';
import type { RandomProject, ScopedFlag } from './random-project.ts';

/** The answer of flagd for a flag. */
export interface FlagdAnswer {
  readonly variant: string | undefined;
  readonly reason: string | undefined;
  readonly errorCode: string | undefined;
}

export interface Flagd {
  evaluate(flag: Pick<ScopedFlag, 'key' | 'flagType'>, context: Context): FlagdAnswer;
}

const noop = (): void => {};
const SILENT: Logger = { error: noop, warn: noop, info: noop, debug: noop };

/** flagd's own evaluator for a file, compiled or interpreted. Throws if the file does not match flagd's schema. */
export function createFlagd(document: unknown, mode: 'compiled' | 'interpreted'): Flagd {
  const storage = new MemoryStorage(SILENT, { disableDynamicCodeGeneration: mode === 'interpreted' });
  storage.setConfigurations(JSON.stringify(document), true);
  const core = new FlagdCore(storage, SILENT);
  return {
    evaluate({ key, flagType }, context) {
      const flagdContext = toFlagdContext(context) as never;
      // The default values do not matter, because only the variant, the reason and the error code are read.
      const { variant, reason, errorCode } =
        flagType === 'boolean'
          ? core.resolveBooleanEvaluation(key, false, flagdContext, SILENT)
          : flagType === 'string'
            ? core.resolveStringEvaluation(key, 'default', flagdContext, SILENT)
            : flagType === 'number'
              ? core.resolveNumberEvaluation(key, 4_711, flagdContext, SILENT)
              : core.resolveObjectEvaluation(key, {}, flagdContext, SILENT);
      return { variant, reason, errorCode };
    },
  };
}

/** The context as OpenFeature's flat map, with the user key as the targeting key. */
function toFlagdContext({ user_key, attributes = {} }: Context): object {
  const own = Object.entries(Object.getOwnPropertyDescriptors(attributes)).filter(
    ([name, { value }]) =>
      name !== 'targetingKey' &&
      // flagd-core copies a context by assignment, which would make an object under this name the prototype of the
      // copy.
      (name !== '__proto__' || typeof value !== 'object' || value === null),
  );
  const context = Object.defineProperties({}, Object.fromEntries(own));
  if (user_key !== undefined) Object.assign(context, { targetingKey: user_key });
  return context;
}

/** Our evaluator for a project, and flagd's for its export. */
export function bothSides(
  { flags, segments }: RandomProject,
  mode: 'compiled' | 'interpreted',
): {
  readonly ours: Evaluator;
  readonly theirs: Flagd;
  readonly written: FlagdExport;
} {
  const rows = flags.map((flag) => ({
    key: flag.key,
    flag_type: flag.flagType,
    status: flag.status,
    enabled: flag.enabled ? (1 as const) : (0 as const),
    client_side: 0 as const,
    variations_json: JSON.stringify(flag.variations),
    default_variation: flag.defaultVariation,
    rules_json: JSON.stringify(flag.rules),
    prerequisites_json: JSON.stringify(flag.prerequisites),
  }));
  const ruleset = compileRuleset({ environmentId: 'env', version: 1, flags: rows, segments }, '');
  const written = writeFlagd(flags, segments);
  return { ours: createEvaluator(ruleset), theirs: createFlagd(written.document, mode), written };
}
