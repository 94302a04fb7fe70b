import { useMemberNames } from '../../app/scope/use-member-names.ts';
import { formatMoment } from '../../i18n/format-time.ts';
import { Badge, EnvironmentBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { DiffWords } from '../../ui/diff.tsx';
import { Line, Note, Push, Stack } from '../../ui/layout.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Time } from '../../ui/time.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import styles from './planned.module.css';
import { plannedLines } from './planned-lines.tsx';
import { isStuck, type Planned } from './use-planned.ts';

/** One planned change: when, where, what, by whom, and why it did not run. */
export function PlannedItem(props: {
  readonly planned: Planned;
  readonly place: Place;
  readonly names: Names;
  /** Undefined: the person may only look. */
  readonly onEdit?: () => void;
  readonly onRun?: () => void;
  readonly onCancel?: () => void;
}) {
  const { planned, place, names, onEdit, onRun, onCancel } = props;
  const { execute_at: at, timezone: zone, created_by: author, status, error, changes, comment } = planned;
  const nameOf = useMemberNames();
  const lines = plannedLines(place, changes, names);
  const who = nameOf(author.id) ?? author.email;
  return (
    <Stack gap="close">
      <Line>
        <Time at={at} kind="moment" zone={zone} />
        <OwnTime at={at} zone={zone} />
        <Push>
          <EnvironmentBadge environment={place.environment} />
          {onEdit && onRun && onCancel && (
            <PlannedMenu planned={planned} onEdit={onEdit} onRun={onRun} onCancel={onCancel} />
          )}
        </Push>
      </Line>
      {lines.length === 0 && <Note tone="muted">{t.words.nothing}</Note>}
      {lines.map((line) => (
        <div key={line.id} className={styles.line}>
          <Note tone="muted">{line.what}</Note> <DiffWords line={line} />
        </div>
      ))}
      {status === 'blocked' && <Note tone="warn">{t.blocked}</Note>}
      {isStuck(planned) && (
        <Line>
          <Badge tone={status === 'failed' ? 'bad' : 'warn'}>
            {t.states[status as 'failed' | 'conflicted']}
          </Badge>
          <Note tone="muted">{status === 'conflicted' ? t.conflicted : error?.message}</Note>
          {onRun && (
            <Button kind="text" onPress={onRun}>
              {t.runNow}
            </Button>
          )}
        </Line>
      )}
      <Note tone="faint" isSmall>
        {who && t.by(who)}
        {comment !== null && ` “${comment}”`}
      </Note>
    </Stack>
  );
}

/** The same instant for the reader, where the clock shows something else. */
function OwnTime({ at, zone }: { readonly at: string; readonly zone: string }) {
  const own = formatMoment(at);
  if (own === formatMoment(at, zone)) return null;
  return (
    <Note tone="faint" isSmall>
      {t.dialog.yours(own)}
    </Note>
  );
}

function PlannedMenu(props: {
  readonly planned: Planned;
  readonly onEdit: () => void;
  readonly onRun: () => void;
  readonly onCancel: () => void;
}) {
  const { planned, onEdit, onRun, onCancel } = props;
  const label = t.more(formatMoment(planned.execute_at, planned.timezone));
  return (
    <Menu
      label={label}
      groups={[
        {
          entries: [
            { id: 'edit', label: t.edit, icon: 'pencil', run: onEdit },
            { id: 'run', label: t.runNow, icon: 'bolt', run: onRun },
          ],
        },
        {
          entries: [
            {
              id: 'cancel',
              label: isStuck(planned) ? t.dismiss : t.cancel,
              icon: 'trash',
              isDanger: true,
              run: onCancel,
            },
          ],
        },
      ]}
    >
      <IconButton icon="dots" label={label} isSmall />
    </Menu>
  );
}
