import { useState } from 'react';
import type { Environment, EnvironmentType } from '../api/types.ts';
import { PINS_MAX, usePinned } from '../app/scope/use-pinned.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { Card, EmptyState } from '../ui/surface.tsx';
import { useReorder } from '../ui/use-reorder.ts';
import { EnvironmentRow, type RowActions } from './environment-row.tsx';
import type { EnvironmentSearch } from './environment-search.ts';
import styles from './environments.module.css';
import { t } from './messages.ts';
import { useOrder } from './use-environments.ts';

const TYPES: readonly EnvironmentType[] = ['production', 'staging', 'development'];

interface EnvironmentListProps {
  readonly q: string;
  readonly isByType: boolean;
  readonly onDo: (what: NonNullable<EnvironmentSearch['do']>, key: string) => void;
}

/** The environments in use: in their order, which an admin changes here, or grouped by type with pinned ones first. */
export function EnvironmentList({ q, isByType, onDo }: EnvironmentListProps) {
  const { environments } = useScope();
  const order = useOrder();
  const wanted = q.trim().toLocaleLowerCase();
  const found = environments.filter(({ name, key }) =>
    `${name}\n${key}`.toLocaleLowerCase().includes(wanted),
  );
  return (
    <>
      {order.problem && <ErrorState problem={order.problem} />}
      {found.length === 0 ? (
        <Card isFlush>
          <EmptyState icon="search" title={t.nothingFits}>
            {t.nothingFitsText}
          </EmptyState>
        </Card>
      ) : isByType ? (
        <Groups found={found} onDo={onDo} />
      ) : (
        <Ordered found={found} onDo={onDo} onMove={(id, place) => void order.move(id, place)} />
      )}
    </>
  );
}

/** All in their order. A search hides neighbours, so what it finds cannot be moved. */
function Ordered(props: {
  readonly found: readonly Environment[];
  readonly onDo: EnvironmentListProps['onDo'];
  readonly onMove: (id: string, place: number) => void;
}) {
  const { found, onDo, onMove } = props;
  const { environments, role } = useScope();
  const [announcement, announce] = useState('');
  const ids = environments.map(({ id }) => id);
  const move = (id: string, place: number): void => {
    onMove(id, place);
    announce(t.moved(place + 1, ids.length));
  };
  const reorder = useReorder(ids, move);
  const actionsOf = useRowActions(onDo);
  const canMove = role === 'admin' && found.length === environments.length && ids.length > 1;
  return (
    <Card isFlush>
      <ol className={styles.list} ref={reorder.list} aria-label={t.list}>
        {found.map((environment, index) => (
          <EnvironmentRow
            key={environment.id}
            environment={environment}
            actions={actionsOf(environment)}
            {...(canMove && {
              moving: {
                place: index,
                count: ids.length,
                moveTo: (place: number) => move(environment.id, place),
                handle: reorder.handleOf(environment.id),
                isDragged: reorder.dragged === environment.id,
                drop: reorder.markOf(index),
              },
            })}
          />
        ))}
      </ol>
      <span className={styles.quiet} role="status">
        {announcement}
      </span>
    </Card>
  );
}

function Groups({
  found,
  onDo,
}: Pick<EnvironmentListProps, 'onDo'> & { readonly found: readonly Environment[] }) {
  const [pins] = usePinned();
  const actionsOf = useRowActions(onDo);
  const groups = [
    { id: 'pinned', title: t.pinned, rows: found.filter(({ id }) => pins.includes(id)) },
    ...TYPES.map((type) => ({
      id: type,
      title: t.types[type],
      rows: found.filter((one) => one.type === type && !pins.includes(one.id)),
    })),
  ].filter(({ rows }) => rows.length > 0);
  return (
    <div className={styles.groups}>
      {groups.map(({ id, title, rows }) => (
        <Card
          key={id}
          title={title}
          end={
            <Note tone="faint" isSmall>
              {t.count(rows.length)}
            </Note>
          }
          isFlush
        >
          <ul className={styles.list} aria-label={title}>
            {rows.map((environment) => (
              <EnvironmentRow
                key={environment.id}
                environment={environment}
                actions={actionsOf(environment)}
              />
            ))}
          </ul>
        </Card>
      ))}
    </div>
  );
}

/** What the person can do with a row. */
function useRowActions(onDo: EnvironmentListProps['onDo']) {
  const { environments, role } = useScope();
  const [pins, setPins] = usePinned();
  return ({ id, key }: Environment): RowActions => ({
    isPinned: pins.includes(id),
    canPin: environments.length > 1,
    isPinFull: pins.length >= PINS_MAX,
    pin: () => setPins(pins.includes(id) ? pins.filter((one) => one !== id) : [...pins, id]),
    isAdmin: role === 'admin',
    isLast: environments.length === 1,
    open: (what) => onDo(what, key),
  });
}
