import { useState } from 'react';
import type { Role } from '../../api/types.ts';
import { EnvironmentMark } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Checkbox, RadioGroup } from '../../ui/choice.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { t } from './messages.ts';
import styles from './rights.module.css';
import { type AssignedRights, isAbleToEdit, withRole } from './rights.ts';
import type { Places } from './use-places.ts';

/** With more environments than this, the choice has a search. */
const SEARCHED_FROM = 12;

interface RightsFieldsProps {
  readonly rights: AssignedRights;
  readonly onChange: (rights: AssignedRights) => void;
  readonly places: Places;
  readonly errors: Readonly<Record<string, string>>;
  /** True leaves out the role of admin. */
  readonly isAgent?: boolean;
  /** False leaves out the environments: an invitation has none. */
  readonly hasEnvironments?: boolean;
}

/** The role in the organization, the environments it may change, and roles in single projects. */
export function RightsFields(props: RightsFieldsProps) {
  const { rights, onChange, places, errors, isAgent = false, hasEnvironments = true } = props;
  return (
    <>
      <RadioGroup
        label={t.role}
        name="role"
        choices={t.roleChoices.filter(({ id }) => !isAgent || id !== 'admin')}
        value={rights.role}
        onChange={(role) => onChange(withRole(rights, role))}
        {...(isAgent && { help: t.agentNotAdmin })}
        error={errors['role']}
      />
      {hasEnvironments && isAbleToEdit(rights) && (
        <Environments rights={rights} onChange={onChange} places={places} error={errors['environment_ids']} />
      )}
      {rights.role !== 'admin' && (
        <ProjectRoles rights={rights} onChange={onChange} places={places} isAgent={isAgent} />
      )}
    </>
  );
}

function Environments(
  props: Pick<RightsFieldsProps, 'rights' | 'onChange' | 'places'> & { readonly error: string | undefined },
) {
  const { rights, onChange, places, error } = props;
  const { environment_ids: ids } = rights;
  const everyId = places.projects.flatMap(({ environments }) => environments.map(({ id }) => id));
  return (
    <Stack gap="close">
      <RadioGroup
        label={t.where}
        name="where"
        choices={[
          { id: 'all', label: t.whereChoices.all },
          { id: 'some', label: t.whereChoices.some },
        ]}
        value={ids === null ? 'all' : 'some'}
        onChange={(where) => onChange({ ...rights, environment_ids: where === 'all' ? null : everyId })}
        error={error}
      />
      {ids !== null && (
        <EnvironmentChoice
          ids={ids}
          places={places}
          onChange={(next) => onChange({ ...rights, environment_ids: next })}
        />
      )}
    </Stack>
  );
}

function EnvironmentChoice(props: {
  readonly ids: readonly string[];
  readonly places: Places;
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const { ids, places, onChange } = props;
  const [text, setText] = useState('');
  const total = places.projects.reduce((sum, { environments }) => sum + environments.length, 0);
  const wanted = text.trim().toLocaleLowerCase();
  const groups = places.projects
    .map(({ project, environments }) => ({
      project,
      environments: environments.filter(({ name, key }) =>
        `${name}\n${key}\n${project.name}`.toLocaleLowerCase().includes(wanted),
      ),
    }))
    .filter(({ environments }) => environments.length > 0);
  return (
    <div className={styles.choice}>
      {total > SEARCHED_FROM && (
        <SearchField
          label={t.findEnvironment}
          placeholder={t.findEnvironment}
          value={text}
          onChange={setText}
        />
      )}
      <div className={styles.groups}>
        {groups.length === 0 && <Note tone="faint">{t.nothingFits}</Note>}
        {groups.map(({ project, environments }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid in every browser.
          <div key={project.id} role="group" aria-label={project.name} className={styles.group}>
            {places.projects.length > 1 && (
              <Note tone="faint" isSmall>
                {project.name}
              </Note>
            )}
            {environments.map(({ id, name, type }) => (
              <span key={id} className={styles.environment}>
                <Checkbox
                  label={name}
                  isSelected={ids.includes(id)}
                  onChange={(isOn) => onChange(isOn ? [...ids, id] : ids.filter((one) => one !== id))}
                />
                <EnvironmentMark type={type} />
              </span>
            ))}
          </div>
        ))}
      </div>
      <Note tone={ids.length === 0 ? 'warn' : 'faint'} isSmall>
        {ids.length === 0 ? t.noneChosen : t.production}
      </Note>
    </div>
  );
}

function ProjectRoles(
  props: Pick<RightsFieldsProps, 'rights' | 'onChange' | 'places'> & { readonly isAgent: boolean },
) {
  const { rights, onChange, places, isAgent } = props;
  const { project_roles: roles } = rights;
  const set = (next: AssignedRights['project_roles']): void => onChange({ ...rights, project_roles: next });
  const free = places.projects.filter(({ project: { id } }) => roles.every((own) => own.project_id !== id));
  const choices = (['admin', 'editor', 'viewer'] as const).filter((id) => !isAgent || id !== 'admin');
  return (
    <details className={styles.more} open={roles.length > 0}>
      <summary>{t.projectRoles}</summary>
      <div className={styles.projects}>
        <Note tone="faint" isSmall>
          {t.projectRolesHelp}
        </Note>
        {roles.map((own) => {
          const name = places.project(own.project_id)?.name ?? t.goneProject;
          return (
            <div key={own.project_id} className={styles.projectRole}>
              <span className={styles.projectName}>{name}</span>
              <Select<Role>
                label={t.roleIn(name)}
                isLabelHidden
                options={choices.map((id) => ({ id, label: t.roles[id] }))}
                value={own.role}
                onChange={(role) => set(roles.map((one) => (one === own ? { ...own, role } : one)))}
              />
              <IconButton
                icon="close"
                label={t.remove(name)}
                isSmall
                onPress={() => set(roles.filter((one) => one !== own))}
              />
            </div>
          );
        })}
        {free.length > 0 && (
          <Select
            label={t.addProject}
            isLabelHidden
            placeholder={t.addProject}
            options={free.map(({ project: { id, name } }) => ({ id, label: name }))}
            value={undefined}
            onChange={(project_id) => set([...roles, { project_id, role: 'editor' }])}
          />
        )}
      </div>
    </details>
  );
}
