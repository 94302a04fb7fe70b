import { formatAnd } from '../../i18n/format-number.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import type { DiffLine } from '../../ui/diff.tsx';
import { Line, Note } from '../../ui/layout.tsx';
import { t } from './messages.ts';
import { type AssignedRights, isAbleToEdit } from './rights.ts';
import type { Places } from './use-places.ts';

const SHOWN = 3;

/** Where changes are allowed, as badges. */
export function WhereCell({ rights, places }: { readonly rights: AssignedRights; readonly places: Places }) {
  const { role, environment_ids: ids } = rights;
  if (role === 'admin') return <Note tone="muted">{t.allEnvironments}</Note>;
  if (!isAbleToEdit(rights)) return <Note tone="faint">{t.nothing}</Note>;
  if (ids === null) return <Note tone="muted">{t.allEnvironments}</Note>;
  const found = ids.flatMap((id) => places.environment(id) ?? []);
  if (found.length === 0) return <Note tone="warn">{t.noEnvironment}</Note>;
  return (
    <Line>
      {found.slice(0, SHOWN).map((environment) => (
        <EnvironmentBadge key={environment.id} environment={environment} />
      ))}
      {found.length > SHOWN && (
        <Note tone="faint" isSmall>
          {t.more(found.length - SHOWN)}
        </Note>
      )}
    </Line>
  );
}

/** The role, with roles in single projects below it. */
export function RoleCell({ rights, places }: { readonly rights: AssignedRights; readonly places: Places }) {
  const { role, project_roles: roles } = rights;
  return (
    <>
      {role === 'admin' ? <Note isStrong>{t.roles.admin}</Note> : t.roles[role]}
      {roles.map((own) => (
        <Note key={own.project_id} tone="faint" isSmall>
          <br />
          {t.inProject(t.roles[own.role], places.project(own.project_id)?.name ?? t.goneProject)}
        </Note>
      ))}
    </>
  );
}

/** What an edit of rights changes, in words. */
export function rightsLine(places: Places) {
  return (field: keyof AssignedRights, from: AssignedRights, to: AssignedRights): DiffLine => {
    const words = (rights: AssignedRights): string => {
      if (field === 'role') return t.roles[rights.role];
      if (field === 'environment_ids') return environmentWords(rights, places);
      const roles = rights.project_roles.map((own) =>
        t.inProject(t.roles[own.role], places.project(own.project_id)?.name ?? t.goneProject),
      );
      return roles.length === 0 ? t.nothing : formatAnd(roles);
    };
    const what = { role: t.role, environment_ids: t.where, project_roles: t.projectRoles }[field];
    return { id: field, what, from: words(from), to: words(to) };
  };
}

function environmentWords({ environment_ids: ids }: AssignedRights, places: Places): string {
  if (ids === null) return t.allEnvironments;
  if (ids.length === 0) return t.noEnvironment;
  return formatAnd(ids.map((id) => places.environment(id)?.name ?? t.gone));
}
