import { RoleCell } from '../app/rights/rights-words.tsx';
import type { Places } from '../app/rights/use-places.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Time } from '../ui/time.tsx';
import styles from './members.module.css';
import { t } from './messages.ts';
import type { Invitation } from './use-members.ts';

/** Invitations that nobody has accepted yet. */
export function PendingCard(props: {
  readonly invitations: readonly Invitation[];
  readonly places: Places;
  readonly onDo: (what: 'resend' | 'revoke', id: string) => void;
}) {
  const { invitations, places, onDo } = props;
  const words = t.pending;
  const columns: readonly ListColumn<Invitation>[] = [
    { id: 'email', label: words.columns.email, isMain: true, cell: ({ email }) => email },
    {
      id: 'role',
      label: words.columns.role,
      cell: (one) => <RoleCell rights={{ ...one, environment_ids: null }} places={places} />,
    },
    { id: 'sent', label: words.columns.sent, isNamed: true, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: 'expires',
      label: words.columns.expires,
      isNamed: true,
      cell: ({ status, expires_at: at }) =>
        status === 'expired' ? (
          <Badge tone="warn">{words.expired}</Badge>
        ) : (
          <Note tone="faint" isNowrap>
            <Time at={at} />
          </Note>
        ),
    },
    {
      id: 'actions',
      label: words.columns.actions,
      isNumber: true,
      cell: ({ id, email }) => (
        <div className={styles.actions}>
          {(['resend', 'revoke'] as const).map((verb) => (
            <Button
              key={verb}
              kind="quiet"
              isSmall
              aria-label={words.nameOf(words[verb], email)}
              onPress={() => onDo(verb, id)}
            >
              {words[verb]}
            </Button>
          ))}
        </div>
      ),
    },
  ];
  return (
    <section aria-labelledby="pending">
      <Stack gap="close">
        <h2 id="pending">{words.title}</h2>
        <DataList
          label={words.title}
          columns={columns}
          rows={invitations}
          rowId={({ id }) => id}
          textOf={({ email }) => email}
          empty={null}
        />
      </Stack>
    </section>
  );
}
