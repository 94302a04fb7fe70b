import { useEffect, useRef } from 'react';

/** Something that can be done from the palette: a verb of the page on the screen, or of every page. */
export interface Action {
  readonly id: string;
  /** A verb first: "Archive this flag". */
  readonly label: string;
  readonly hint?: string | undefined;
  readonly run: () => void;
}

const known = new Map<string, Action>();

/** All actions that pages have added. */
export const listActions = (): readonly Action[] => [...known.values()];

/** Adds actions to the palette while the component is on the screen. */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  const ids = actions.map(({ id, label }) => `${id}\n${label}`).join('\n\n');
  useEffect(() => {
    const added = latest.current.map((action, index) => ({
      ...action,
      run: () => latest.current[index]?.run(),
    }));
    // The texts of the actions are in `ids`: a change of them adds the actions anew.
    if (ids !== '') for (const action of added) known.set(action.id, action);
    return () => {
      for (const { id } of added) known.delete(id);
    };
  }, [ids]);
}
