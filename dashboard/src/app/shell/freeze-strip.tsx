import type { Environment, FreezeWindow } from '../../api/types.ts';
import { formatAnd } from '../../i18n/format-number.ts';
import { formatMoment, splitSpan, toMs } from '../../i18n/format-time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/time.tsx';
import { useActiveFreezes, useScope } from '../scope/use-scope.ts';
import styles from './frame.module.css';
import { t } from './messages.ts';

/** Wherever a freeze is active: what is frozen, until when, and what can be done. */
export function FreezeStrip() {
  const { environments, hrefTo } = useScope();
  const frozen = useFrozen();
  if (frozen === undefined) return null;
  const names = formatAnd(
    environments.filter(({ id }) => frozen.environmentIds.includes(id)).map(({ name }) => name),
  );
  const { name, endsAt } = frozen;
  return (
    <div className={styles.strip} role="status">
      <Icon name="snow" />
      <span>
        <b>{t.frozen(names, frozen.environmentIds.length)}</b>{' '}
        <span className={styles.stripNote}>
          {endsAt === undefined ? t.frozenOpen(name) : t.frozenUntil(name, formatMoment(endsAt))}
        </span>
      </span>
      {endsAt !== undefined && <Countdown endsAt={endsAt} />}
      <span className={styles.stripLinks}>
        <Link href={hrefTo('freezes')}>{t.whatStillWorks}</Link>
        <Link href={hrefTo('freezes', { 'break-glass': 'new' })}>{t.breakGlass}</Link>
      </span>
    </div>
  );
}

/** What is frozen in the environments of the page; undefined when nothing is. */
function useFrozen() {
  const { environments, environment } = useScope();
  const { data: windows = [] } = useActiveFreezes(true);
  const frozen = environments.flatMap((one) => {
    const window = windows.find(({ scope }) => covers(scope, one));
    const isSeen = environment === undefined || environment.id === one.id;
    return window !== undefined && isSeen ? [{ id: one.id, window }] : [];
  });
  const window = frozen[0]?.window;
  if (window === undefined) return undefined;
  const endsAt = window.current_occurrence?.ends_at ?? window.ends_at ?? undefined;
  return { environmentIds: frozen.map(({ id }) => id), name: window.name, endsAt };
}

function covers(scope: FreezeWindow['scope'], { id, type, project_id: project }: Environment): boolean {
  const { environment_ids: ids, environment_types: types, project_ids: projects } = scope;
  return (
    (ids.length === 0 || ids.includes(id)) &&
    (types.length === 0 || types.includes(type)) &&
    (projects.length === 0 || projects.includes(project))
  );
}

/** Ticks each second; hidden from screen readers, which would read each tick. */
function Countdown({ endsAt }: { readonly endsAt: string }) {
  const { days, hours, minutes, seconds } = splitSpan(toMs(endsAt) - useNow(1_000));
  const clock = [hours, minutes, seconds].map((part) => String(part).padStart(2, '0')).join(':');
  return (
    <span className={styles.stripCount} aria-hidden="true">
      {days > 0 && `${days} ${t.day} `}
      {clock} {t.left}
    </span>
  );
}
