import { type ReactNode, useMemo } from 'react';
import { usePreference } from '../app/preferences/use-preferences.ts';
import { useFewEnvironments } from '../app/scope/use-pinned.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatCompact } from '../i18n/format-number.ts';
import { formatExact, toMs } from '../i18n/format-time.ts';
import { Badge, Person, Tag } from '../ui/badge.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-paths.ts';
import { Note } from '../ui/layout.tsx';
import { StateLink } from './flag-state.tsx';
import styles from './flags.module.css';
import { t } from './messages.ts';
import { Sparkline } from './sparkline.tsx';
import type { ProjectFlag } from './use-flag-list.ts';

export interface FlagColumn {
  readonly id: string;
  readonly label: string;
  readonly cell: (flag: ProjectFlag) => ReactNode;
  /** In rem; without one, the column takes the rest. */
  readonly width?: number;
  readonly isNumber?: boolean;
  readonly isMain?: boolean;
  readonly isEnvironment?: boolean;
  readonly isProduction?: boolean;
  readonly canSort?: boolean;
}

const TAGS_SHOWN = 2;
const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
const KIND_ICONS: Readonly<Record<NonNullable<ProjectFlag['classification']>, IconName>> = {
  release: 'flag',
  experiment: 'flask',
  ops_killswitch: 'power',
  permission: 'key',
  migration: 'swap',
};

/** The columns that explain a flag, which a person can hide. */
const FACTS: readonly FlagColumn[] = [
  { id: 'status', label: t.columns.status, width: 5.25, cell: ({ status }) => <Status status={status} /> },
  { id: 'tags', label: t.columns.tags, width: 11.5, cell: ({ tags }) => <Tags tags={tags} /> },
  {
    id: 'owner',
    label: t.columns.owner,
    width: 6.25,
    cell: ({ owner }) => owner && <Person name={owner.full_name || owner.email} short={firstName(owner)} />,
  },
  {
    id: 'last_evaluated_at',
    label: t.columns.evaluated,
    width: 8.5,
    isNumber: true,
    canSort: true,
    cell: (flag) => <Evaluations flag={flag} />,
  },
  {
    id: 'updated_at',
    label: t.columns.changed,
    width: 5.25,
    isNumber: true,
    canSort: true,
    cell: ({ updated_at: at }) => <Age at={at} />,
  },
  {
    id: 'created_at',
    label: t.columns.age,
    width: 4.25,
    isNumber: true,
    canSort: true,
    cell: ({ created_at: at }) => <Age at={at} />,
  },
];

/** Hidden until a person shows it: the list is sorted by the last change. */
const HIDDEN: readonly string[] = ['created_at'];

/** The columns that a person can show or hide, and those that are hidden. */
export function useColumnChoice() {
  const environments = useFewEnvironments();
  const [hidden, setHidden] = usePreference<readonly string[]>('flags.hidden', HIDDEN);
  const choices = [...environments.map(({ id, name: label }) => ({ id, label })), ...FACTS];
  return { choices, hidden, setHidden };
}

/** The columns of the list: the flag, its state in each environment, and what explains it. */
export function useFlagColumns(): readonly FlagColumn[] {
  const { environment, hrefTo } = useScope();
  const environments = useFewEnvironments();
  const { hidden } = useColumnChoice();
  const chosen = hidden.join();
  return useMemo(() => {
    const isShown = ({ id }: { readonly id: string }) => !chosen.split(',').includes(id);
    const shown = environment === undefined ? environments.filter(isShown) : [environment];
    return [
      {
        id: 'name',
        label: t.columns.name,
        isMain: true,
        canSort: true,
        cell: (flag) => <Name flag={flag} href={hrefTo(`flags/${flag.key}`)} />,
      },
      ...shown.map(
        (one): FlagColumn => ({
          id: one.id,
          label: one.name,
          width: 6.25,
          isEnvironment: true,
          isProduction: one.type === 'production',
          cell: (flag) => (
            <StateLink
              flag={flag}
              environment={one}
              href={hrefTo(`flags/${flag.key}`, { environment: one.key })}
            />
          ),
        }),
      ),
      ...FACTS.filter(isShown),
    ];
  }, [environments, environment, hrefTo, chosen]);
}

function Name({ flag, href }: { readonly flag: ProjectFlag; readonly href: string }) {
  const { key, name, classification } = flag;
  return (
    <span className={styles.name}>
      <Icon name={KIND_ICONS[classification ?? 'release']} />
      <span>
        <a href={href} title={name}>
          {name}
        </a>
        <code>{key}</code>
      </span>
    </span>
  );
}

/** Active is the quiet default. */
function Status({ status }: Pick<ProjectFlag, 'status'>) {
  if (status === 'active') return <Note tone="faint">{t.status.active}</Note>;
  const tone = status === 'stale' ? 'warn' : status === 'draft' ? 'draft' : 'neutral';
  return <Badge tone={tone}>{t.status[status]}</Badge>;
}

function Tags({ tags }: Pick<ProjectFlag, 'tags'>) {
  const rest = tags.length - TAGS_SHOWN;
  return (
    <span className={styles.tags} title={tags.join(', ')}>
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {rest > 0 && <Note tone="faint">{t.more(rest)}</Note>}
    </span>
  );
}

function Evaluations({ flag: { evaluations } }: { readonly flag: ProjectFlag }) {
  if (evaluations === undefined || evaluations.total === 0)
    return <Note tone="faint">{t.noEvaluations}</Note>;
  return (
    <span className={styles.evaluations}>
      {/* The last hour is not over: its count would end every line with a fall. */}
      <Sparkline values={evaluations.by_hour.slice(0, -1)} />
      <span>{formatCompact(evaluations.total)}</span>
    </span>
  );
}

function Age({ at }: { readonly at: string }) {
  const days = Math.max(0, Math.floor((Date.now() - toMs(at)) / DAY_MS));
  return (
    <time dateTime={at} title={formatExact(at)} className={styles.age}>
      {days < YEAR_DAYS ? t.days(days) : t.years(Math.floor(days / YEAR_DAYS))}
    </time>
  );
}

function firstName({ full_name: name, email }: NonNullable<ProjectFlag['owner']>): string {
  return name?.split(/\s+/u)[0] || email;
}
