import { lazy, Suspense, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Member } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useActions } from '../app/palette/actions.ts';
import { usePlaces } from '../app/rights/use-places.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { DataList } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { useMemberColumns } from './member-list.tsx';
import { type MemberSearch, parseMemberSearch } from './member-search.ts';
import { t } from './messages.ts';
import { PendingCard } from './pending-card.tsx';
import { type MadeInvitation, nameOf, useInvitations, useMembers } from './use-members.ts';

const MemberDialogs = lazy(async () => ({ default: (await import('./member-dialogs.tsx')).MemberDialogs }));

const EVERY = 'every';

/** The people of the organization, what each may change, and who is invited. */
export function MembersPage() {
  const { organization, role, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseMemberSearch);
  const [made, setMade] = useState<MadeInvitation>();
  const isAdmin = role === 'admin';
  const members = useMembers();
  const invitations = useInvitations(isAdmin);
  const places = usePlaces();
  const invite = () => setSearch({ do: 'invite' });
  useActions(isAdmin ? [{ id: 'member.invite', label: t.inviteAction, run: invite }] : []);
  const open = invitations.data ?? [];
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro(organization.name)}
        {...(!isAdmin && { meta: <Note tone="faint">{t.onlyAdminsChange}</Note> })}
        actions={
          <Button kind="main" icon="plus" onPress={invite} whyNot={isAdmin ? undefined : t.onlyAdmins}>
            {t.invite}
          </Button>
        }
      />
      <Stack gap="far">
        {invitations.error && (
          <ErrorState problem={toProblem(invitations.error)} onRetry={() => void invitations.refetch()} />
        )}
        {open.length > 0 && (
          <PendingCard
            invitations={open}
            places={places}
            onDo={(what, invitation) => setSearch({ do: what, invitation })}
          />
        )}
        <MemberList
          members={members}
          places={places}
          search={search}
          onSearch={(part) => setSearch(part, { replace: true })}
          onDo={(what, member) => setSearch({ do: what, member })}
          onInvite={isAdmin ? invite : undefined}
        />
      </Stack>
      {isAdmin && (search.do !== undefined || made !== undefined) && members.data && (
        <Suspense>
          <MemberDialogs
            search={search}
            members={members.data}
            invitations={invitations.data}
            places={places}
            made={made}
            onMade={setMade}
            onClose={() => setSearch({ do: undefined, member: undefined, invitation: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

function MemberList(props: {
  readonly members: ReturnType<typeof useMembers>;
  readonly places: ReturnType<typeof usePlaces>;
  readonly search: MemberSearch;
  readonly onSearch: (part: Partial<MemberSearch>) => void;
  readonly onDo: (what: NonNullable<MemberSearch['do']>, id: string) => void;
  readonly onInvite: (() => void) | undefined;
}) {
  const { members, places, search, onSearch, onDo, onInvite } = props;
  const { data: all, error } = members;
  const text = useTypedText(search.q ?? '', (q) => onSearch({ q }));
  const columns = useMemberColumns({ all: all ?? [], places, onDo });
  const rows = all?.filter((member) => isFound(member, search));
  const isAlone = all?.length === 1 && onInvite !== undefined;
  return (
    <Stack>
      <DataList
        label={t.title}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        search={{ ...text, placeholder: t.search }}
        filters={
          <Select
            label={t.show}
            isLabelHidden
            value={search.role ?? EVERY}
            onChange={(role) => onSearch({ role: role === EVERY ? undefined : role })}
            options={[
              { id: EVERY, label: t.everyRole },
              ...(['admin', 'editor', 'viewer'] as const).map((id) => ({ id, label: t.roles[id] })),
            ]}
          />
        }
        {...(rows && { count: t.count(rows.length) })}
        error={
          error && !all ? (
            <ErrorState problem={toProblem(error)} onRetry={() => void members.refetch()} />
          ) : undefined
        }
        empty={
          <EmptyState icon="search" title={t.nothingFits}>
            {t.nothingFitsText}
          </EmptyState>
        }
      />
      {isAlone && (
        <EmptyState
          icon="people"
          title={t.alone}
          actions={
            <Button icon="plus" onPress={onInvite}>
              {t.inviteAction}
            </Button>
          }
        >
          {t.aloneText}
        </EmptyState>
      )}
    </Stack>
  );
}

function isFound(member: Member, { q = '', role }: MemberSearch): boolean {
  if (role !== undefined && member.role !== role) return false;
  const text = `${nameOf(member)}\n${member.user.email}\n${t.roles[member.role]}`.toLocaleLowerCase();
  return text.includes(q.trim().toLocaleLowerCase());
}
