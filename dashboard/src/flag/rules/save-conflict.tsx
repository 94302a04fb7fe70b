import { useMemberNames } from '../../app/scope/use-member-names.ts';
import type { DiffLine } from '../../ui/diff.tsx';
import { type ConflictField, ConflictView } from '../../ui/save-bar.tsx';
import { mergeShared, type Shared, sharedDifferences } from '../details/shared.ts';
import { sharedLine } from '../details/shared-lines.ts';
import { useHistory } from '../history/use-history.ts';
import type { Place } from '../use-flag.ts';
import type { Config } from './config.ts';
import { differenceLine } from './difference-lines.tsx';
import { differencesOf, mergeConfigs } from './differences.ts';
import type { Names } from './rule-sentence.tsx';
import styles from './rules.module.css';
import type { Edit } from './use-edit.ts';

/** Somebody saved in between: both versions, and an edit on top of theirs. */
export function Conflict(props: {
  readonly place: Place;
  readonly edit: Edit;
  readonly names: Names;
  readonly onSave: (config: Config, shared: Shared) => Promise<void>;
}) {
  const { place, edit, names, onSave } = props;
  const [last] = useHistory(place).items ?? [];
  const nameOf = useMemberNames();
  const who = last && (nameOf(last.actor.id) ?? last.actor.name ?? last.actor.email ?? undefined);
  const { shared } = edit;
  const theirs = [
    ...sharedDifferences(shared.base, shared.saved).map((one) => sharedLine(one, nameOf)),
    ...differencesOf(edit.base, edit.saved).map((one) => differenceLine(one, names)),
  ];
  const mine = [
    ...shared.differences.map((one) => sharedLine(one, nameOf)),
    ...edit.differences.map((one) => differenceLine(one, names)),
  ];
  const versions = { base: edit.base, saved: edit.saved, mine: edit.config };
  return (
    <div className={styles.conflict}>
      <ConflictView
        who={who}
        fields={fieldsOf(theirs, mine)}
        onSave={(chosen) => void onSave(mergeConfigs(versions, chosen), mergeShared(shared, chosen))}
        onTakeTheirs={edit.discard}
      />
    </div>
  );
}

/** What either of both changed, once. */
function fieldsOf(theirs: readonly DiffLine[], mine: readonly DiffLine[]): readonly ConflictField[] {
  const ids = [...new Set([...theirs, ...mine].map(({ id }) => id))];
  return ids.map((id) => {
    const [their, own] = [theirs, mine].map((lines) => lines.find((line) => line.id === id));
    return {
      id,
      what: (own ?? their)!.what,
      ...(their && { theirs: their }),
      ...(own && { mine: own }),
    };
  });
}
