import { useScope } from '../app/scope/use-scope.ts';
import { formatCompact } from '../i18n/format-number.ts';
import { toMs } from '../i18n/format-time.ts';
import { Badge, Person, Tag } from '../ui/badge.tsx';
import type { ListColumn } from '../ui/data-list.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-paths.ts';
import { Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { useNow } from '../ui/time.tsx';
import { StateLink } from './flag-state.tsx';
import styles from './flags.module.css';
import { t } from './messages.ts';
import { Sparkline } from './sparkline.tsx';
import type { ProjectFlag } from './use-flags.ts';

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

/** The columns of the list: the flag, its state in each environment, and what explains it. */
export function useFlagColumns(): readonly ListColumn<ProjectFlag>[] {
  const { environments, environment, hrefTo } = useScope();
  const shown = environment === undefined ? environments : [environment];
  return [
    { id: 'name', label: t.columns.name, isMain: true, canSort: true, cell: (flag) => <Name flag={flag} /> },
    ...shown.map(
      (one): ListColumn<ProjectFlag> => ({
        id: one.id,
        label: one.name,
        cell: (flag) => (
          <StateLink
            flag={flag}
            environment={one}
            href={hrefTo(`flags/${flag.key}`, { environment: one.key })}
          />
        ),
      }),
    ),
    { id: 'status', label: t.columns.status, cell: ({ status }) => <Status status={status} /> },
    { id: 'tags', label: t.columns.tags, cell: ({ tags }) => <Tags tags={tags} /> },
    {
      id: 'owner',
      label: t.columns.owner,
      cell: ({ owner }) => owner && <Person name={firstName(owner)} />,
    },
    {
      id: 'last_evaluated_at',
      label: t.columns.evaluated,
      isNumber: true,
      canSort: true,
      cell: (flag) => <Evaluations flag={flag} />,
    },
    {
      id: 'created_at',
      label: t.columns.age,
      isNumber: true,
      canSort: true,
      cell: ({ created_at: at }) => <Age at={at} />,
    },
  ];
}

function Name({ flag: { key, name, classification } }: { readonly flag: ProjectFlag }) {
  const { hrefTo } = useScope();
  return (
    <span className={styles.name}>
      <Icon name={KIND_ICONS[classification ?? 'release']} />
      <span>
        <Link href={hrefTo(`flags/${key}`)} isPlain>
          {name}
        </Link>
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
  const rest = tags.slice(TAGS_SHOWN);
  return (
    <span className={styles.tags}>
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
      {rest.length > 0 && (
        <span title={rest.join(', ')}>
          <Note tone="faint">{t.more(rest.length)}</Note>
        </span>
      )}
    </span>
  );
}

function Evaluations({ flag: { evaluations } }: { readonly flag: ProjectFlag }) {
  if (evaluations === undefined || evaluations.total === 0)
    return <Note tone="faint">{t.noEvaluations}</Note>;
  return (
    <span className={styles.evaluations}>
      <Sparkline values={evaluations.by_hour} />
      {formatCompact(evaluations.total)}
    </span>
  );
}

function Age({ at }: { readonly at: string }) {
  const days = Math.max(0, Math.floor((useNow() - toMs(at)) / DAY_MS));
  const words = days < YEAR_DAYS ? t.days(days) : t.years(Math.floor(days / YEAR_DAYS));
  return (
    <Note tone="muted" isNowrap>
      {words}
    </Note>
  );
}

function firstName({ full_name: name, email }: NonNullable<ProjectFlag['owner']>): string {
  return name?.split(/\s+/u)[0] || email;
}
