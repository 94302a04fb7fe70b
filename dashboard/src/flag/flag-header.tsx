import type { Flag } from '../api/types.ts';
import { useAvailablePages } from '../app/navigation/use-available-pages.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatDay, toMs } from '../i18n/format-time.ts';
import { Badge, Person, Tag } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { PageHeader } from '../ui/surface.tsx';
import { useNow } from '../ui/time.tsx';
import { t } from './messages.ts';
import { useMemberNames } from './use-member-names.ts';

const DAY_MS = 86_400_000;
const TONES = { draft: 'draft', active: 'neutral', stale: 'warn', archived: 'neutral' } as const;

/** Name, kind and state of the flag, and what belongs to it in every environment. */
export function FlagHeader({
  flag,
  environmentKey,
}: {
  readonly flag: Flag;
  readonly environmentKey: string;
}) {
  const { hrefTo } = useScope();
  const canExplain = useAvailablePages().some(({ id }) => id === 'why');
  const { classification, status, permanent } = flag;
  return (
    <PageHeader
      title={flag.name}
      beside={
        <>
          {classification && <Badge>{t.classifications[classification]}</Badge>}
          {status !== 'active' && <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>}
          {permanent && <Badge>{t.permanent}</Badge>}
        </>
      }
      intro={flag.description === '' ? undefined : flag.description}
      meta={<Meta flag={flag} />}
      actions={
        canExplain && (
          <ButtonLink icon="question" href={hrefTo('why', { flag: flag.key, environment: environmentKey })}>
            {t.why}
          </ButtonLink>
        )
      }
    />
  );
}

function Meta({ flag }: { readonly flag: Flag }) {
  const now = useNow(60_000);
  const owner = useMemberNames()(flag.owner_id);
  const days = Math.max(0, Math.floor((now - toMs(flag.created_at)) / DAY_MS));
  const end = flag.expected_end_at;
  return (
    <>
      <Line>
        <code>{flag.key}</code>
        <CopyButton text={flag.key} label={t.copyKey(flag.key)} />
      </Line>
      <Note tone="faint">{t.types[flag.flag_type]}</Note>
      {owner !== undefined && <Person name={owner} />}
      {flag.tags.length > 0 && (
        <Line>
          {flag.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </Line>
      )}
      <Note tone="faint">
        {t.age(days)}
        {end !== null && `, ${t.plannedEnd(formatDay(end, now))}`}
      </Note>
    </>
  );
}
