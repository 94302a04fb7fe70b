import type { Member } from '../api/types.ts';
import { RoleCell, WhereCell } from '../app/rights/rights-words.tsx';
import type { Places } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Avatar, Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import type { ListColumn } from '../ui/data-list.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Menu } from '../ui/menu.tsx';
import { Time } from '../ui/time.tsx';
import type { MemberSearch } from './member-search.ts';
import styles from './members.module.css';
import { t } from './messages.ts';
import { isLastAdmin, nameOf } from './use-members.ts';

type Dialog = NonNullable<MemberSearch['do']>;

/** The columns of the list. Second factors and actions are for admins. */
export function useMemberColumns(props: {
  readonly all: readonly Member[];
  readonly places: Places;
  readonly onDo: (what: Dialog, id: string) => void;
}): readonly ListColumn<Member>[] {
  const { all, places, onDo } = props;
  const { role } = useScope();
  const isAdmin = role === 'admin';
  return [
    {
      id: 'person',
      label: t.columns.person,
      isMain: true,
      cell: (member) => <Person member={member} isAdmin={isAdmin} />,
    },
    { id: 'role', label: t.columns.role, cell: (member) => <RoleCell rights={member} places={places} /> },
    {
      id: 'where',
      label: t.columns.where,
      isNamed: true,
      cell: (member) => <WhereCell rights={member} places={places} />,
    },
    ...(isAdmin ? [{ id: 'factor', label: t.columns.factor, isNamed: true, cell: factorCell }] : []),
    {
      id: 'active',
      label: t.columns.active,
      isNamed: true,
      cell: ({ last_active_at: at }) => (
        <Note tone="faint" isNowrap>
          {at === null ? t.neverActive : <Time at={at} />}
        </Note>
      ),
    },
    ...(isAdmin
      ? [
          {
            id: 'actions',
            label: t.columns.actions,
            isMenu: true,
            cell: (member: Member) => (
              <Actions member={member} isLast={isLastAdmin(member, all)} onDo={onDo} />
            ),
          },
        ]
      : []),
  ];
}

function Person({ member, isAdmin }: { readonly member: Member; readonly isAdmin: boolean }) {
  const { me, hrefTo } = useScope();
  const name = nameOf(member);
  return (
    <div className={styles.person}>
      <Avatar name={name} />
      <div className={styles.name}>
        <span className={styles.nameLine}>
          {isAdmin ? (
            <Link isPlain href={hrefTo('settings/members', { do: 'edit', member: member.id })}>
              {name}
            </Link>
          ) : (
            <Note isStrong>{name}</Note>
          )}
          {member.id === me.id && <Badge>{t.you}</Badge>}
          {member.status === 'disabled' && <Badge tone="warn">{t.disabled}</Badge>}
        </span>
        {member.user.full_name !== '' && <span className={styles.email}>{member.user.email}</span>}
      </div>
    </div>
  );
}

function factorCell({ mfa_enabled: isOn }: Member) {
  return <Note tone={isOn ? 'good' : 'faint'}>{isOn ? t.factorOn : t.factorOff}</Note>;
}

function Actions(props: {
  readonly member: Member;
  readonly isLast: boolean;
  readonly onDo: (what: Dialog, id: string) => void;
}) {
  const { member, isLast, onDo } = props;
  const { me } = useScope();
  const { id, mfa_enabled: hasFactor } = member;
  const isOwn = id === me.id;
  const label = t.actionsOf(nameOf(member));
  return (
    <Menu
      label={label}
      groups={[
        {
          entries: [
            { id: 'edit', label: t.change, icon: 'pencil', run: () => onDo('edit', id) },
            {
              id: 'reset-factor',
              label: t.resetFactor,
              note: isOwn ? t.ownFactor : hasFactor ? undefined : t.factorIsOff,
              icon: 'shield',
              isDisabled: isOwn || !hasFactor,
              run: () => onDo('reset-factor', id),
            },
          ],
        },
        {
          entries: [
            {
              id: 'remove',
              label: t.remove,
              note: isLast ? t.lastAdmin : undefined,
              icon: 'trash',
              isDanger: true,
              isDisabled: isLast,
              run: () => onDo('remove', id),
            },
          ],
        },
      ]}
    >
      <IconButton icon="dots" label={label} isSmall />
    </Menu>
  );
}
