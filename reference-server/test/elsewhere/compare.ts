import { isDeepStrictEqual } from 'node:util';
import type { DocumentFlag } from '../../src/control-plane/features/imports/document.ts';
import { toKey } from '../../src/control-plane/features/imports/elsewhere/keys.ts';
import { createDice } from '../flagd/random-project.ts';
import { defaultValueOf, type Imported, imported } from './imported.ts';
import type { BothContexts, Product } from './product.ts';

export interface Findings {
  contexts: number;
  answers: number;
  equal: number;
  leftOut: number;
  /** Users who get a value that they did not have, other than the default. */
  readonly widened: string[];
  /** Users who get the default instead of a value, with no loss that says so. */
  readonly unexplained: string[];
  /** How often each explanation was needed. */
  readonly kinds: Map<string, number>;
}

export const createFindings = (): Findings => ({
  ...{ contexts: 0, answers: 0, equal: 0, leftOut: 0 },
  ...{ widened: [], unexplained: [], kinds: new Map() },
});

/** Imports a random document, and compares every flag for random users with the product's own evaluator. */
export async function compareRound(
  product: Product,
  { seed, contexts }: { readonly seed: number; readonly contexts: number },
  findings: Findings,
): Promise<void> {
  const dice = createDice(seed);
  const source = product.randomDocument(dice);
  const project = imported(source, product.format);
  const theirs = await product.load(source);
  const named = product.flagsOf(source);
  const flags = named.flatMap((one) => {
    const flag = project.flag(toKey(one.name));
    return flag === undefined ? [] : [{ ...one, flag }];
  });
  findings.leftOut += named.length - flags.length;
  for (let index = 0; index < contexts; index++) {
    const context = product.randomContext(dice);
    findings.contexts++;
    for (const { name, path, flag } of flags) {
      const value = await theirs(name, context.theirs);
      compareOne({ product, project, flags, flag, path, context, value, seed }, findings);
    }
  }
}

interface One {
  readonly product: Product;
  readonly project: Imported;
  readonly flags: readonly Involved[];
  readonly flag: DocumentFlag;
  readonly path: string;
  readonly context: BothContexts;
  readonly value: unknown;
  readonly seed: number;
}

function compareOne(one: One, findings: Findings): void {
  const { project, flag, value, context, seed } = one;
  const served = project.evaluator.evaluate(flag.key, context.ours).value;
  findings.answers++;
  if (isDeepStrictEqual(served, value)) {
    findings.equal++;
    return;
  }
  const isDefault = isDeepStrictEqual(served, defaultValueOf(flag));
  const kind = explain(one, isDefault);
  if (kind !== undefined) {
    findings.kinds.set(kind, (findings.kinds.get(kind) ?? 0) + 1);
    return;
  }
  const shown = { seed, flag, ours: served, theirs: value, context: context.theirs };
  (isDefault ? findings.unexplained : findings.widened).push(JSON.stringify(shown).slice(0, 3_000));
}

/** The loss that says why an answer differs. Only one kind allows an answer other than the default. */
function explain(one: One, isDefault: boolean): string | undefined {
  const { product, project, context } = one;
  const involved = [one, ...parentsOf(one)];
  const told = (code: string) => project.losses.some((loss) => loss.code === code);
  const { attributes = {}, user_key } = context.ours;
  const conditions = involved.flatMap((each) => project.conditionsOf(each.flag));
  const isOther = conditions.some((condition) => {
    const { attribute } = condition;
    const own = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    const compared = attribute === 'user_key' ? (own ?? user_key) : own;
    return compared !== undefined && product.isOtherType(compared, condition);
  });
  if (isOther && told('other-types-match')) return 'other-types-match';
  if (!isDefault) return undefined;
  return project.losses.find(
    (loss) =>
      loss.code !== 'other-types-match' &&
      loss.code !== 'flag-renamed' &&
      (loss.path.startsWith('segments.') ||
        involved.some(({ path }) => loss.path === path || loss.path.startsWith(`${path}.`))),
  )?.code;
}

type Involved = Pick<One, 'flag' | 'path'>;

/** The flags that must serve a variation before the flag does. */
function parentsOf({ flag, flags }: Pick<One, 'flag' | 'flags'>): readonly Involved[] {
  const keys = (flag.environments?.['env']?.prerequisites ?? []).map((one) => one.flag_key);
  const parents = flags.filter((one) => keys.includes(one.flag.key));
  return [...parents, ...parents.flatMap((parent) => parentsOf({ flag: parent.flag, flags }))];
}
