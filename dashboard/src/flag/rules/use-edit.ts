import { useMemo } from 'react';
import { type FlagEdit, useFlagDraft } from '../../app/drafts/flag-draft.ts';
import type { Place } from '../use-flag.ts';
import { type Config, configOf } from './config.ts';
import { type Difference, differencesOf } from './differences.ts';
import { isSame } from './instructions.ts';

/** The edit of a flag's rules in one environment, kept in this tab until it is saved or discarded. */
export interface Edit {
  /** What the edit began with: the saved state, unless somebody saved in between. */
  readonly base: Config;
  readonly revision: number;
  readonly config: Config;
  readonly saved: Config;
  readonly differences: readonly Difference[];
  readonly count: number;
  /** True when somebody saved after the edit began. */
  readonly isBehind: boolean;
  change(config: Config): void;
  /** Goes on with an edit on top of what is saved now. */
  rebase(config: Config): void;
  discard(): void;
}

export function useEdit({ environment, flag }: Place): Edit {
  const draft = useFlagDraft(flag.id, environment.id);
  const saved = useMemo(() => configOf(flag), [flag]);
  const kept = draft.value;
  const base = kept?.base ?? saved;
  const config = kept?.mine ?? saved;
  const isSameBase = useMemo(() => isSame(base, saved), [base, saved]);
  // What others changed outside of the rules, such as the switch, is no conflict.
  const revision = isSameBase ? flag.revision : (kept?.revision ?? flag.revision);
  const differences = useMemo(() => differencesOf(base, config), [base, config]);
  const keep = (next: FlagEdit) =>
    differencesOf(next.base, next.mine).length === 0 ? draft.clear() : draft.set(next);
  return {
    base,
    revision,
    config,
    saved,
    differences,
    count: differences.length,
    isBehind: kept !== undefined && kept.revision < flag.revision && !isSameBase,
    change: (mine) => keep({ base, revision, mine }),
    rebase: (mine) => keep({ base: saved, revision: flag.revision, mine }),
    discard: draft.clear,
  };
}
