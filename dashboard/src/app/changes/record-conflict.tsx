import type { DiffLine } from '../../ui/diff.tsx';
import { ConflictView } from '../../ui/save-bar.tsx';
import { differing, type RecordEdit } from './use-record-edit.ts';

/** The difference of one field in words. */
export type LineOf<T> = (field: keyof T & string, from: T, to: T) => DiffLine;

/** The lines of what an edit changes. */
export function linesOfEdit<T extends object>(
  { base, value, changed }: RecordEdit<T>,
  lineOf: LineOf<T>,
): readonly DiffLine[] {
  return (Object.keys(changed) as (keyof T & string)[]).map((field) => lineOf(field, base, value));
}

/** Both versions of a record that somebody saved while it was edited. */
export function RecordConflict<T extends object>(props: {
  readonly edit: RecordEdit<T>;
  readonly lineOf: LineOf<T>;
}) {
  const { edit, lineOf } = props;
  const { base, value, changed, latest } = edit;
  if (latest === undefined) return null;
  const theirs = differing(base, latest);
  const fields = [...new Set([...Object.keys(changed), ...Object.keys(theirs)])] as (keyof T & string)[];
  return (
    <ConflictView
      who={undefined}
      fields={fields.map((field) => ({
        id: field,
        what: lineOf(field, base, value).what,
        ...(field in theirs && { theirs: lineOf(field, base, latest) }),
        ...(field in changed && { mine: lineOf(field, base, value) }),
      }))}
      onSave={edit.resolve}
      onTakeTheirs={edit.discard}
      isSaving={edit.state === 'saving'}
    />
  );
}
