import { Button } from 'react-aria-components';
import { EnvironmentMark } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { SegmentedControl } from '../../ui/choice.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { Link } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useLiveState } from '../live/use-live.ts';
import { useCurrentPath } from '../navigation/use-available-pages.ts';
import type { Crumb } from '../navigation/use-page.ts';
import { readText, type SearchParams, useSearchState } from '../navigation/use-search-state.ts';
import { useFewEnvironments } from '../scope/use-pinned.ts';
import { projectHref, useScope } from '../scope/use-scope.ts';
import styles from './frame.module.css';
import { t } from './messages.ts';

const ALL = '';
const readEnvironment = (raw: SearchParams) => ({ environment: readText(raw['environment']) });

/** Where the person is, whether the page is live, and the environment that it is limited to. */
export function TopBar(props: {
  readonly title: string;
  readonly crumbs: readonly Crumb[];
  readonly onFind: () => void;
}) {
  const { title, crumbs, onFind } = props;
  const { environment } = useScope();
  const shown = useFewEnvironments();
  const isOfProject = !useCurrentPath().startsWith('/');
  const [, setSearch] = useSearchState(readEnvironment);
  const isLive = useLiveState() === 'on';
  return (
    <header className={classes(styles.top, environment?.type === 'production' && styles.topProduction)}>
      <nav className={styles.crumbs} aria-label={t.youAreHere}>
        <ProjectSwitcher />
        {[...crumbs, { label: title }].map(({ label, href }, index, all) => [
          <Icon key={`${label} arrow`} name="right" className={classes(styles.arrow, styles.wide)} />,
          index === all.length - 1 ? (
            <span key={label} className={classes(styles.here, styles.wide)} aria-current="page">
              {label}
            </span>
          ) : (
            <span key={label} className={styles.wide}>
              <Link href={href ?? '.'}>{label}</Link>
            </span>
          ),
        ])}
      </nav>
      <div className={styles.topEnd}>
        <span className={classes(styles.live, !isLive && styles.liveOff, styles.wide)} role="status">
          {isLive ? t.live : t.notLive}
        </span>
        {isOfProject && shown.length > 0 && (
          <div className={styles.wide}>
            <SegmentedControl
              label={t.environment}
              value={environment?.key ?? ALL}
              onChange={(key) => setSearch({ environment: key === ALL ? undefined : key })}
              choices={[
                { id: ALL, label: t.all },
                ...shown.map(({ key, name, type }) => ({
                  id: key,
                  label: name,
                  mark: <EnvironmentMark type={type} />,
                })),
              ]}
            />
          </div>
        )}
        <IconButton icon="search" label={t.findOrDo} onPress={onFind} />
      </div>
    </header>
  );
}

function ProjectSwitcher() {
  const { organization, project, projects } = useScope();
  return (
    <Menu
      label={t.switchProject}
      groups={[
        {
          title: organization.name,
          entries: projects.map(({ id, key, name }) => ({
            id,
            label: name,
            note: key,
            isCurrent: id === project.id,
            href: projectHref({ organization: organization.id, project: key }, ''),
          })),
        },
      ]}
    >
      <Button className={styles.project}>
        <span className={styles.wide}>{organization.name} / </span>
        {project.name}
      </Button>
    </Menu>
  );
}
