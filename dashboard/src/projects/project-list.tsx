import type { Project } from '../api/types.ts';
import { projectHref, useScope } from '../app/scope/use-scope.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { toMs } from '../i18n/format-time.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import type { ListColumn } from '../ui/data-list.tsx';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { Menu } from '../ui/menu.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import styles from './projects.module.css';

const RESTORABLE_MS = 30 * 86_400_000;

/** The columns of the list of projects in use, or of the archived ones. */
export function useProjectColumns(props: {
  readonly isArchived: boolean;
  readonly onDo: (what: 'archive' | 'restore', key: string) => void;
}): readonly ListColumn<Project>[] {
  const { isArchived, onDo } = props;
  const { role } = useScope();
  const words = t.list.columns;
  const count = (id: 'flags' | 'environments', read: (project: Project) => number): ListColumn<Project> => ({
    id,
    label: words[id],
    isNumber: true,
    isNamed: true,
    cell: (project) => formatNumber(read(project)),
  });
  return [
    {
      id: 'project',
      label: words.project,
      isMain: true,
      cell: (project) => <Name project={project} isArchived={isArchived} />,
    },
    count('flags', (project) => project.flags_count),
    count('environments', (project) => project.environments_count),
    isArchived
      ? {
          id: 'until',
          label: words.until,
          isNumber: true,
          isNamed: true,
          cell: ({ archived_at: at }) =>
            at && <Time at={new Date(toMs(at) + RESTORABLE_MS).toISOString()} kind="moment" />,
        }
      : {
          id: 'changed',
          label: words.changed,
          isNumber: true,
          isNamed: true,
          cell: ({ updated_at: at }) => (
            <Note tone="faint" isNowrap>
              <Time at={at} />
            </Note>
          ),
        },
    ...(role === 'admin'
      ? [
          {
            id: 'actions',
            label: words.actions,
            ...(isArchived ? { isNumber: true } : { isMenu: true }),
            cell: ({ key, name }: Project) =>
              isArchived ? (
                <Button
                  isSmall
                  aria-label={`${t.list.restore}: ${name}`}
                  onPress={() => onDo('restore', key)}
                >
                  {t.list.restore}
                </Button>
              ) : (
                <Actions projectKey={key} name={name} onArchive={() => onDo('archive', key)} />
              ),
          },
        ]
      : []),
  ];
}

function Name({ project, isArchived }: { readonly project: Project; readonly isArchived: boolean }) {
  const { organization, project: here } = useScope();
  const { id, key, name, description } = project;
  return (
    <div className={styles.name}>
      <span className={styles.nameLine}>
        {isArchived ? (
          <b>{name}</b>
        ) : (
          <Link isPlain href={projectHref({ organization: organization.id, project: key }, '')}>
            {name}
          </Link>
        )}
        {id === here.id && <Badge>{t.list.here}</Badge>}
      </span>
      <code>{key}</code>
      {description !== '' && <span className={styles.description}>{description}</span>}
    </div>
  );
}

function Actions(props: {
  readonly projectKey: string;
  readonly name: string;
  readonly onArchive: () => void;
}) {
  const { projectKey, name, onArchive } = props;
  const { organization, projects } = useScope();
  const isLast = projects.length === 1;
  const place = { organization: organization.id, project: projectKey };
  return (
    <Menu
      label={t.list.actionsOf(name)}
      groups={[
        {
          entries: [
            { id: 'open', label: t.list.open, icon: 'flag', href: projectHref(place, '') },
            {
              id: 'edit',
              label: t.list.edit,
              icon: 'pencil',
              href: projectHref(place, 'settings/project'),
            },
          ],
        },
        {
          entries: [
            {
              id: 'archive',
              label: t.list.archive,
              note: isLast ? t.archiving.last : undefined,
              icon: 'trash',
              isDanger: true,
              isDisabled: isLast,
              run: onArchive,
            },
          ],
        },
      ]}
    >
      <IconButton icon="dots" label={t.list.actionsOf(name)} isSmall />
    </Menu>
  );
}
