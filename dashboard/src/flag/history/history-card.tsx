import { lazy, Suspense, useState } from 'react';
import { t as changeText } from '../../app/change-words/messages.ts';
import { useMemberNames } from '../../app/scope/use-member-names.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Avatar } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Diff } from '../../ui/diff.tsx';
import { Note } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import { t } from '../messages.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { changeLines } from './change-lines.tsx';
import styles from './history.module.css';
import { type HistoryItem, useHistory } from './use-history.ts';

const RestoreDialog = lazy(async () => ({
  default: (await import('./restore-dialog.tsx')).RestoreDialog,
}));

const LINES = 3;

/** The last changes of the flag in the environment, each of which can be brought back. */
export function HistoryCard(props: {
  readonly place: Place;
  readonly names: Names;
  /** False for people who may only look. */
  readonly canRestore: boolean;
  readonly breakGlass: string | undefined;
}) {
  const { place, names, canRestore, breakGlass } = props;
  const { hrefTo } = useScope();
  const { items, total } = useHistory(place);
  const [restored, setRestored] = useState<number>();
  return (
    <Card
      title={t.history.title}
      end={
        total !== undefined && total > 0 ? (
          <Link href={hrefTo('changes', { of: 'flag', q: place.flag.key })}>{t.history.all(total)}</Link>
        ) : undefined
      }
      isFlush
    >
      {items === undefined ? (
        <Skeleton lines={4} />
      ) : items.length === 0 ? (
        <EmptyState icon="clock" title={t.history.none} />
      ) : (
        <ul className={styles.feed}>
          {items.map((item) => (
            <Item
              key={item.revision}
              item={item}
              place={place}
              names={names}
              {...(canRestore &&
                item.revision !== place.flag.revision && { onRestore: () => setRestored(item.revision) })}
            />
          ))}
        </ul>
      )}
      {restored !== undefined && (
        <Suspense>
          <RestoreDialog
            place={place}
            revision={restored}
            names={names}
            breakGlass={breakGlass}
            onClose={() => setRestored(undefined)}
          />
        </Suspense>
      )}
    </Card>
  );
}

function Item(props: {
  readonly item: HistoryItem;
  readonly place: Place;
  readonly names: Names;
  readonly onRestore?: () => void;
}) {
  const { item, place, names, onRestore } = props;
  const { hrefTo } = useScope();
  const { action, actor, changes, comment, created_at, revision } = item;
  const nameOf = useMemberNames();
  const who = nameOf(actor.id) ?? actor.name ?? actor.email ?? t.history.system;
  const lines = changes && !action.endsWith('created') ? changeLines(changes, place.flag, names) : [];
  return (
    <li className={styles.item}>
      <Avatar name={who} isProgram={actor.kind !== 'user'} />
      <div className={styles.text}>
        <div>
          <b>{changeText.action(action)}</b> <Note tone="faint">{t.history.by(who)}</Note>
        </div>
        {lines.length > 0 && <Diff lines={lines.slice(0, LINES)} isPlain />}
        {lines.length > LINES && (
          <Link href={hrefTo('changes', { entry: item.audit_id ?? undefined })}>
            {t.history.more(lines.length - LINES)}
          </Link>
        )}
        {comment !== null && <Note tone="faint">“{comment}”</Note>}
      </div>
      <div className={styles.end}>
        <Time at={created_at} />
        {onRestore && (
          <Button kind="text" onPress={onRestore} aria-label={t.history.restoreLabel(revision)}>
            {t.history.restore}
          </Button>
        )}
      </div>
    </li>
  );
}
