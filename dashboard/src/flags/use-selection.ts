import { useCallback, useMemo, useState } from 'react';
import type { ProjectFlag } from './use-flag-list.ts';

/** The flags that a person picked for one action, by id. They stay while the filters change. */
export interface Selection {
  readonly flags: ReadonlyMap<string, ProjectFlag>;
  readonly toggle: (flag: ProjectFlag) => void;
  /** Picks every flag that fits the filters. */
  readonly all: () => void;
  readonly clear: () => void;
}

const NONE: ReadonlyMap<string, ProjectFlag> = new Map();

export function useSelection(loadAll: () => Promise<readonly ProjectFlag[]>): Selection {
  const [flags, setFlags] = useState(NONE);
  const toggle = useCallback(
    (flag: ProjectFlag) =>
      setFlags((before) => {
        const next = new Map(before);
        if (!next.delete(flag.id)) next.set(flag.id, flag);
        return next;
      }),
    [],
  );
  const clear = useCallback(() => setFlags(NONE), []);
  return useMemo(
    () => ({
      flags,
      toggle,
      clear,
      all: () => void loadAll().then((all) => setFlags(new Map(all.map((flag) => [flag.id, flag])))),
    }),
    [flags, toggle, clear, loadAll],
  );
}
