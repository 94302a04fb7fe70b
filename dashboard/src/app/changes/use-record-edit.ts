import { useQueryClient } from '@tanstack/react-query';
import type { ApiProblem } from '../../api/problem.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { type Attempt, type ChangeState, useChange } from './use-change.ts';

/** An edit as it is kept: what it started from, and what it made of that. */
interface Kept<T> {
  readonly base: T;
  readonly value: T;
  readonly revision: number;
}

export interface RecordEditOptions<T, Output> {
  /** Names the record, such as `member:usr_1`. */
  readonly key: string;
  /** The fields as they are saved now. */
  readonly saved: T;
  readonly revision: number;
  /** Sends the changed fields. Uses `attemptHeaders`. */
  readonly send: (changed: Partial<T>, attempt: Attempt) => Promise<Output>;
  /** First parts of the keys of queries that the change outdates. */
  readonly outdates: readonly string[];
  readonly onSaved: (output: Output, before: Partial<T>) => void;
}

export interface RecordEdit<T> {
  readonly value: T;
  /** What the edit started from. */
  readonly base: T;
  /** The fields that differ from that. */
  readonly changed: Partial<T>;
  readonly state: ChangeState;
  /** Why the last attempt failed. Undefined for a conflict that the page can show. */
  readonly problem: ApiProblem | undefined;
  /** What others saved since the edit began; undefined when nobody did. */
  readonly latest: T | undefined;
  set(part: Partial<T>): void;
  save(attempt?: Pick<Attempt, 'comment'>): void;
  /** Saves on top of what the others saved, without the named fields. */
  resolve(theirs: ReadonlySet<string>): void;
  discard(): void;
}

/** An edit of one record in a dialog. It survives a reload, and shows both versions when somebody saved in between. */
export function useRecordEdit<T extends object, Output>(
  options: RecordEditOptions<T, Output>,
): RecordEdit<T> {
  const { key, saved, revision, send, outdates, onSaved } = options;
  const queries = useQueryClient();
  const draft = useDraft<Kept<T>>(key);
  const { base, value, revision: from } = draft.value ?? { base: saved, value: saved, revision };
  const changed = differing(base, value);
  const isBehind = from !== revision && Object.keys(changed).length > 0;
  const change = useChange({ send, outdates });
  const store = async (edit: Kept<T>, attempt: Pick<Attempt, 'comment'> = {}): Promise<void> => {
    const fields = differing(edit.base, edit.value);
    const before = pick(edit.base, Object.keys(fields));
    const answer = await change.save(fields, { ...attempt, tag: `"${edit.revision}"` });
    if (answer === undefined) {
      // After a conflict the dialog needs what the others saved.
      for (const name of outdates) void queries.invalidateQueries({ queryKey: [name] });
      return;
    }
    draft.clear();
    onSaved(answer, before);
  };
  return {
    value,
    base,
    changed,
    state: change.state,
    problem: isBehind && change.state === 'conflict' ? undefined : change.problem,
    latest: isBehind ? saved : undefined,
    set: (part) => draft.set({ base, revision: from, value: { ...value, ...part } }),
    save: (attempt) => void store({ base, value, revision: from }, attempt),
    resolve(theirs) {
      const mine = Object.keys(changed).filter((field) => !theirs.has(field));
      const next = { base: saved, revision, value: { ...saved, ...pick(value, mine) } };
      change.reset();
      if (Object.keys(differing(next.base, next.value)).length === 0) return draft.clear();
      draft.set(next);
      void store(next);
    },
    discard() {
      draft.clear();
      change.reset();
    },
  };
}

/** The fields of `after` that differ from `before`. */
export function differing<T extends object>(before: T, after: T): Partial<T> {
  const fields = Object.keys(after) as (keyof T)[];
  return pick(
    after,
    fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])) as string[],
  );
}

function pick<T extends object>(record: T, fields: readonly string[]): Partial<T> {
  return Object.fromEntries(fields.map((field) => [field, record[field as keyof T]])) as Partial<T>;
}
