import { useMemo } from 'react';
import { type FlagEdit, useFlagDraft } from '../../app/drafts/flag-draft.ts';
import { useDraft } from '../../app/drafts/use-draft.ts';
import { type Shared, type SharedDifference, sharedDifferences, sharedOf } from '../details/shared.ts';
import { sharedInstructions } from '../details/shared-instructions.ts';
import type { Place } from '../use-flag.ts';
import { type Config, configOf } from './config.ts';
import { type Difference, differencesOf } from './differences.ts';
import { type Instruction, instructionsOf, isSame } from './instructions.ts';

interface KeptShared {
  readonly base: Shared;
  readonly mine: Shared;
}

/** The edit of what all environments share, kept whatever environment is shown. */
export interface SharedEdit {
  readonly base: Shared;
  readonly mine: Shared;
  readonly saved: Shared;
  readonly differences: readonly SharedDifference[];
  change(mine: Shared): void;
}

/** The edit of a flag in one environment and of what all share, kept in this tab until it is saved or discarded. */
export interface Edit {
  /** What the edit began with: the saved state, unless somebody saved in between. */
  readonly base: Config;
  readonly revision: number;
  readonly config: Config;
  readonly saved: Config;
  /** Those of the environment. */
  readonly differences: readonly Difference[];
  readonly shared: SharedEdit;
  /** The differences of both. */
  readonly count: number;
  /** What saves both at once. */
  readonly instructions: readonly Instruction[];
  /** True when somebody saved after the edit began. */
  readonly isBehind: boolean;
  change(config: Config): void;
  /** Goes on with an edit on top of what is saved now. */
  rebase(config: Config, shared: Shared): void;
  discard(): void;
}

export function useEdit({ environment, flag }: Place): Edit {
  const draft = useFlagDraft(flag.id, environment.id);
  const saved = useMemo(() => configOf(flag), [flag]);
  const shared = useSharedEdit({ environment, flag });
  const kept = draft.value;
  const base = kept?.base ?? saved;
  const config = kept?.mine ?? saved;
  const isSameBase = useMemo(() => isSame(base, saved), [base, saved]);
  // What others changed outside of the rules, such as the switch, is no conflict.
  const revision = isSameBase ? flag.revision : (kept?.revision ?? flag.revision);
  const differences = useMemo(() => differencesOf(base, config), [base, config]);
  const keep = (next: FlagEdit) =>
    differencesOf(next.base, next.mine).length === 0 ? draft.clear() : draft.set(next);
  const isRulesBehind = kept !== undefined && kept.revision < flag.revision && !isSameBase;
  return {
    base,
    revision,
    config,
    saved,
    differences,
    shared,
    count: differences.length + shared.differences.length,
    instructions: useMemo(
      () => allInstructions(base, config, { base: shared.base, mine: shared.mine }),
      [base, config, shared.base, shared.mine],
    ),
    isBehind: isRulesBehind || shared.isBehind,
    change: (mine) => keep({ base, revision, mine }),
    rebase: (mine, mineShared) => {
      keep({ base: saved, revision: flag.revision, mine });
      shared.rebase(mineShared);
    },
    discard: () => {
      draft.clear();
      shared.discard();
    },
  };
}

/** The instructions that save an edit, in an order in which each is possible. */
export function allInstructions(
  base: Config,
  config: Config,
  shared: { readonly base: Shared; readonly mine: Shared },
): readonly Instruction[] {
  const { before, after } = sharedInstructions(shared.base, shared.mine);
  return [...before, ...instructionsOf(base, config), ...after];
}

function useSharedEdit({ flag }: Place) {
  const draft = useDraft<KeptShared>(`flag:${flag.id}`);
  const saved = useMemo(() => sharedOf(flag), [flag]);
  const base = draft.value?.base ?? saved;
  const mine = draft.value?.mine ?? saved;
  const keep = (next: KeptShared) =>
    sharedDifferences(next.base, next.mine).length === 0 ? draft.clear() : draft.set(next);
  return {
    base,
    mine,
    saved,
    differences: useMemo(() => sharedDifferences(base, mine), [base, mine]),
    isBehind: useMemo(() => !isSame(base, saved), [base, saved]),
    change: (next: Shared) => keep({ base, mine: next }),
    rebase: (next: Shared) => keep({ base: saved, mine: next }),
    discard: draft.clear,
  };
}
