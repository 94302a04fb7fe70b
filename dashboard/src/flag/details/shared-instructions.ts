import type { Instruction } from '../rules/instructions.ts';
import { type Shared, type SharedDifference, sharedDifferences, type VariationEdit } from './shared.ts';

/** Instructions for what all environments share, around those for the rules of one. */
export interface SharedInstructions {
  /** Fields, and variations that rules may begin to serve. */
  readonly before: readonly Instruction[];
  /** Variations that no rule serves any more. */
  readonly after: readonly Instruction[];
}

/** The instructions that lead from the saved state to the edited one. */
export function sharedInstructions(saved: Shared, edited: Shared): SharedInstructions {
  const differences = sharedDifferences(saved, edited);
  const changed = new Map<string, Instruction>();
  const before: Instruction[] = [];
  const after: Instruction[] = [];
  for (const difference of differences) {
    if (difference.kind === 'field') before.push(...fieldInstructions(difference, saved, edited));
    else if (difference.kind === 'added') before.push(addition(difference.variation));
    else if (difference.kind === 'removed')
      after.push({ op: 'remove_variation', variation: difference.variation.key });
    else {
      const { to, kind } = difference;
      const known = changed.get(to.id) ?? { op: 'update_variation', variation: to.key };
      changed.set(to.id, { ...known, [kind]: to[kind] });
    }
  }
  return { before: [...before, ...changed.values()], after };
}

function addition({ key, name, description, value }: VariationEdit): Instruction {
  const new_variation = { key, name: name || key, ...(description !== '' && { description }), value };
  return { op: 'add_variation', new_variation };
}

type FieldDifference = Extract<SharedDifference, { readonly kind: 'field' }>;

function fieldInstructions(
  { field }: FieldDifference,
  saved: Shared,
  edited: Shared,
): readonly Instruction[] {
  switch (field) {
    case 'name':
      return [{ op: 'set_name', name: edited.name }];
    case 'description':
      return [{ op: 'set_description', description: edited.description }];
    case 'owner_id':
      return [{ op: 'set_owner', owner_id: edited.owner_id }];
    case 'classification':
      return [{ op: 'set_classification', classification: edited.classification }];
    case 'permanent':
      return [{ op: 'set_permanent', permanent: edited.permanent }];
    case 'expected_end_at':
      return [{ op: 'set_expected_end', expected_end_at: edited.expected_end_at }];
    case 'stale_after_days':
      return [{ op: 'set_stale_after', stale_after_days: edited.stale_after_days }];
    case 'client_side':
      return [{ op: 'set_client_side', client_side: edited.client_side }];
    case 'track_exposures':
      return [{ op: 'set_track_exposures', track_exposures: edited.track_exposures }];
    default:
      return tagInstructions(saved.tags, edited.tags);
  }
}

function tagInstructions(saved: readonly string[], edited: readonly string[]): readonly Instruction[] {
  return [
    ...saved.filter((tag) => !edited.includes(tag)).map((tag) => ({ op: 'remove_tag' as const, tag })),
    ...edited.filter((tag) => !saved.includes(tag)).map((tag) => ({ op: 'add_tag' as const, tag })),
  ];
}
