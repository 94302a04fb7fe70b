import type { Flag } from '../../api/types.ts';
import { isSame } from '../rules/instructions.ts';

/** A variation while it is edited. */
export interface VariationEdit {
  /** The saved key, or `new-…`: the key of a new variation can still change. */
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly value: unknown;
  /** What was typed as the value, as long as it is no value of the flag's type. */
  readonly text?: string | undefined;
}

const FIELDS = [
  'name',
  'description',
  'owner_id',
  'tags',
  'classification',
  'permanent',
  'expected_end_at',
  'stale_after_days',
  'client_side',
  'track_exposures',
] as const;
export type SharedField = (typeof FIELDS)[number];

/** What is edited of a flag and the same in every environment. */
export interface Shared extends Pick<Flag, SharedField> {
  readonly variations: readonly VariationEdit[];
}

export function sharedOf(flag: Flag): Shared {
  const fields = Object.fromEntries(FIELDS.map((field) => [field, flag[field]])) as Pick<Flag, SharedField>;
  const variations = flag.variations.map(
    ({ key, name, description = '', value }): VariationEdit => ({ id: key, key, name, description, value }),
  );
  return { ...fields, variations };
}

type VariationPart = 'name' | 'description' | 'value';

/** One difference of what all environments share, which can be taken over or undone on its own. */
export type SharedDifference =
  | {
      readonly kind: 'field';
      readonly id: string;
      readonly field: SharedField;
      readonly from: unknown;
      readonly to: unknown;
    }
  | { readonly kind: 'added'; readonly id: string; readonly variation: VariationEdit }
  | { readonly kind: 'removed'; readonly id: string; readonly variation: VariationEdit }
  | {
      readonly kind: VariationPart;
      readonly id: string;
      readonly from: VariationEdit;
      readonly to: VariationEdit;
    };

/** What differs: fields first, then variations in their order. */
export function sharedDifferences(saved: Shared, edited: Shared): readonly SharedDifference[] {
  const fields = FIELDS.filter((field) => !isSame(saved[field], edited[field])).map(
    (field): SharedDifference => ({
      kind: 'field',
      id: `field:${field}`,
      field,
      from: saved[field],
      to: edited[field],
    }),
  );
  const before = new Map(saved.variations.map((one) => [one.id, one]));
  const after = new Set(edited.variations.map(({ id }) => id));
  const variations = edited.variations.flatMap((to): readonly SharedDifference[] => {
    const from = before.get(to.id);
    if (from === undefined) return [{ kind: 'added', id: `variation:${to.id}`, variation: to }];
    return partsOf(from, to);
  });
  const removed = saved.variations
    .filter(({ id }) => !after.has(id))
    .map(
      (variation): SharedDifference => ({
        kind: 'removed',
        id: `variation:${variation.id}`,
        variation,
      }),
    );
  return [...fields, ...variations, ...removed];
}

function partsOf(from: VariationEdit, to: VariationEdit): readonly SharedDifference[] {
  const parts: readonly VariationPart[] = ['name', 'description', 'value'];
  return parts
    .filter((part) => !isSame(from[part], to[part]) || (part === 'value' && to.text !== undefined))
    .map((kind) => ({ kind, id: `${kind}:${to.id}`, from, to }));
}

/** `target` with the part that a difference names as it is in `source`: for an undo, and to join two edits. */
export function takeShared(source: Shared, target: Shared, id: string): Shared {
  const part = id.slice(0, id.indexOf(':'));
  const name = id.slice(part.length + 1);
  if (part === 'field') return { ...target, [name]: source[name as SharedField] };
  const theirs = source.variations.find((one) => one.id === name);
  if (theirs === undefined)
    return { ...target, variations: target.variations.filter((one) => one.id !== name) };
  if (part === 'variation') return { ...target, variations: putBack(source, target, theirs) };
  const change =
    part === 'value' ? { value: theirs.value, text: undefined } : { [part]: theirs[part as VariationPart] };
  return editVariation(target, name, change);
}

/** The variations with one in the place that it has in `source`. */
function putBack(source: Shared, target: Shared, variation: VariationEdit): readonly VariationEdit[] {
  const at = source.variations.indexOf(variation);
  const others = target.variations.filter(({ id }) => id !== variation.id);
  return others.toSpliced(Math.min(at, others.length), 0, variation);
}

export function editVariation(
  shared: Shared,
  id: string,
  change: Partial<Omit<VariationEdit, 'id'>>,
): Shared {
  return {
    ...shared,
    variations: shared.variations.map((one) => (one.id === id ? { ...one, ...change } : one)),
  };
}

/** My edit on top of what somebody else saved. Where both changed the same, it is mine unless its id is in `theirs`. */
export function mergeShared(
  { base, saved, mine }: { readonly base: Shared; readonly saved: Shared; readonly mine: Shared },
  theirs: ReadonlySet<string>,
): Shared {
  const own = new Set(sharedDifferences(base, mine).map(({ id }) => id));
  return sharedDifferences(base, saved)
    .filter(({ id }) => !own.has(id) || theirs.has(id))
    .reduce((merged, { id }) => takeShared(saved, merged, id), mine);
}
