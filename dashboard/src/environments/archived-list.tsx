import type { Environment } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentBadge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/layout.tsx';
import { Card, EmptyState } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import styles from './environments.module.css';
import { t } from './messages.ts';

/** Archived environments, with the ways back and out. */
export function ArchivedList(props: {
  readonly environments: readonly Environment[];
  readonly q: string;
  readonly onDo: (what: 'restore' | 'delete', key: string) => void;
}) {
  const { environments, q, onDo } = props;
  const { role } = useScope();
  const wanted = q.trim().toLocaleLowerCase();
  const found = environments.filter(({ name, key }) =>
    `${name}\n${key}`.toLocaleLowerCase().includes(wanted),
  );
  if (found.length === 0)
    return (
      <Card isFlush>
        <EmptyState icon="list" title={wanted === '' ? t.noneArchived : t.nothingFits}>
          {wanted === '' ? t.noneArchivedText : t.nothingFitsText}
        </EmptyState>
      </Card>
    );
  return (
    <Card isFlush>
      <ul className={styles.list} aria-label={t.archived}>
        {found.map(({ id, key, name, type, color, archived_at: at }) => (
          <li key={id} className={styles.row}>
            <span className={styles.swatch} style={{ background: color }} aria-hidden="true" />
            <div className={styles.name}>
              <b>{name}</b>
              <code>{key}</code>
            </div>
            <div className={styles.marks}>
              <EnvironmentBadge environment={{ name: t.types[type], type }} />
              {at !== null && (
                <Note tone="faint" isSmall>
                  {t.archivedAt} <Time at={at} />
                </Note>
              )}
            </div>
            {role === 'admin' && (
              <div className={styles.buttons}>
                <Button isSmall onPress={() => onDo('restore', key)} aria-label={`${t.restore}: ${name}`}>
                  {t.restore}
                </Button>
                <Button
                  kind="quiet"
                  isSmall
                  onPress={() => onDo('delete', key)}
                  aria-label={`${t.delete}: ${name}`}
                >
                  {t.delete}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
