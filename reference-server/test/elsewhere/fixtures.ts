import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** Public test cases of the three products, each an evaluation with what the product answers. */

export interface Case {
  readonly title: string;
  /** The document to import. */
  readonly document: object;
  readonly flag: string;
  readonly context: object;
  readonly expected: unknown;
}

const folder = join(import.meta.dirname, 'fixtures');

/** Unleash's client specification. */
export function unleashCases(): readonly Case[] {
  const specifications = createRequire(import.meta.url)(
    '@unleash/client-specification/specifications/index.json',
  ) as string[];
  const read = (name: string) =>
    createRequire(import.meta.url)(
      `@unleash/client-specification/specifications/${name}`,
    ) as UnleashSpecification;
  return (
    specifications
      .map((name) => ({ name, specification: read(name) }))
      // Two specify how clients apply updates, not how flags are evaluated.
      .filter(({ specification }) => specification.state?.features !== undefined)
      .flatMap(({ name, specification: { state, tests = [], variantTests = [] } }) =>
        [...tests, ...variantTests].map((one) => ({
          ...{ title: `${name}: ${one.description}`, document: state!, flag: one.toggleName },
          ...{ context: one.context ?? {}, expected: one.expectedResult },
        })),
      )
  );
}

interface UnleashSpecification {
  readonly state?: { readonly features?: readonly object[] };
  readonly tests?: readonly UnleashTest[];
  readonly variantTests?: readonly UnleashTest[];
}

interface UnleashTest {
  readonly description: string;
  readonly context?: object;
  readonly toggleName: string;
  readonly expectedResult: unknown;
}

/** GrowthBook's SDK cases: conditions, each as the one rule of a feature, and whole features. */
export function growthBookCases(): readonly Case[] {
  const { evalCondition, feature } = JSON.parse(
    readFileSync(join(folder, 'growthbook', 'cases.json'), 'utf8'),
  ) as {
    readonly evalCondition: readonly [string, object, object, boolean, object?][];
    readonly feature: readonly [string, GrowthBookContext, string, { readonly value: unknown }][];
  };
  return [
    ...evalCondition.map(([title, condition, attributes, expected, savedGroups = {}]) => ({
      title,
      document: {
        features: { f: { defaultValue: false, rules: [{ condition, force: true }] } },
        savedGroups,
      },
      ...{ flag: 'f', context: attributes, expected },
    })),
    ...feature.map(([title, { features = {}, savedGroups = {}, attributes = {} }, flag, { value }]) => ({
      ...{ title, document: { features, savedGroups }, flag, context: attributes, expected: value },
    })),
  ];
}

interface GrowthBookContext {
  readonly features?: object;
  readonly savedGroups?: object;
  readonly attributes?: object;
}

interface LaunchDarklyFile {
  readonly name: string;
  readonly constants?: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly Readonly<Record<string, unknown>>[];
  readonly sdkData: { readonly flags: object; readonly segments?: object };
  readonly evaluations: readonly {
    readonly name: string;
    readonly flagKey: string;
    readonly context?: object;
    readonly user?: object;
    readonly expect: { readonly value: unknown; readonly reason: { readonly kind: string } };
  }[];
}

/** The cases of LaunchDarkly's SDK test harness. */
export function launchDarklyCases(): readonly Case[] {
  const files = readdirSync(join(folder, 'launchdarkly')).filter((name) => name.endsWith('.yml'));
  return files.flatMap((name) => {
    const file = load(readFileSync(join(folder, 'launchdarkly', name), 'utf8')) as LaunchDarklyFile;
    const { constants = {}, parameters = [{}] } = file;
    return parameters.flatMap((own) => {
      const names = { ...own, ...constants };
      // Twice, since parameters name constants.
      const { sdkData, evaluations } = fill(fill(file, names), names) as LaunchDarklyFile;
      return (
        evaluations
          // A malformed flag has no answer.
          .filter(({ expect }) => expect.reason.kind !== 'ERROR')
          .map(({ name: title, flagKey, context, user, expect }) => ({
            ...{ title: `${name}: ${title}`, document: sdkData, flag: flagKey },
            ...{ context: context ?? user ?? {}, expected: expect.value },
          }))
      );
    });
  });
}

/** Puts values in the place of `<NAME>`, whole values or parts of texts. */
function fill(value: unknown, names: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') {
    const whole = /^<(\w+)>$/.exec(value);
    if (whole !== null && Object.hasOwn(names, whole[1]!)) return names[whole[1]!];
    return value.replace(/<(\w+)>/g, (text, name: string) =>
      Object.hasOwn(names, name) ? String(names[name]) : text,
    );
  }
  if (Array.isArray(value)) return value.map((one) => fill(one, names));
  if (typeof value !== 'object' || value === null) return value;
  // A merge key, which YAML 1.2 does not have.
  const { '<<': base = {}, ...own } = value as Readonly<Record<string, unknown>>;
  const all = { ...(base as object), ...own };
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, fill(one, names)]));
}
