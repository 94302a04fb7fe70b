import { t as changeText } from '../../app/change-words/messages.ts';
import { useMemberNames } from '../../app/scope/use-member-names.ts';
import { DiffWords } from '../../ui/diff.tsx';
import { Note } from '../../ui/layout.tsx';
import { Time } from '../../ui/time.tsx';
import { changeLines } from '../history/change-lines.tsx';
import { t as page } from '../messages.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import styles from './evaluations.module.css';
import { t } from './messages.ts';
import type { FlagChange } from './use-evaluations.ts';

/** More would hide the chart. */
const SHOWN = 6;

/** The changes that the chart marks, with the numbers that they have there. The newest ones, when there are many. */
export function ChangeList(props: {
  readonly place: Place;
  readonly names: Names;
  readonly changes: readonly FlagChange[];
}) {
  const { place, names, changes } = props;
  const hidden = Math.max(0, changes.length - SHOWN);
  return (
    <ol className={styles.changes} aria-label={t.changes}>
      {changes.map(
        (entry, index) =>
          index >= hidden && (
            <li key={entry.id}>
              <span>{index + 1}</span>
              <ChangeWords entry={entry} place={place} names={names} />
              <Note tone="faint">
                <Time at={entry.timestamp} />
              </Note>
            </li>
          ),
      )}
      {hidden > 0 && (
        <li>
          <span />
          <Note tone="faint">{t.more(hidden)}</Note>
        </li>
      )}
    </ol>
  );
}

function ChangeWords(props: { readonly entry: FlagChange; readonly place: Place; readonly names: Names }) {
  const { entry, place, names } = props;
  const { action, actor, changes } = entry;
  const nameOf = useMemberNames();
  const [line] = action.endsWith('created') ? [] : changeLines(changes, place.flag, names);
  const who = nameOf(actor.id) ?? actor.name ?? actor.email ?? page.history.system;
  return (
    <span>
      {line === undefined ? (
        changeText.action(action)
      ) : (
        <>
          {line.what} <DiffWords line={line} />
        </>
      )}{' '}
      <Note tone="faint">{t.by(who)}</Note>
    </span>
  );
}
