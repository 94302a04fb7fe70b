import type { Flag } from '../api/types.ts';
import { useAvailablePages } from '../app/navigation/use-available-pages.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatDay, toMs } from '../i18n/format-time.ts';
import { Badge, Person, Tag } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { PageHeader } from '../ui/surface.tsx';
import { useNow } from '../ui/time.tsx';
import type { Shared } from './details/shared.ts';
import { FlagMenu } from './lifecycle/flag-menu.tsx';
import { t } from './messages.ts';
import { useEdit } from './rules/use-edit.ts';
import type { Place } from './use-flag.ts';

const DAY_MS = 86_400_000;
const TONES = { draft: 'draft', active: 'neutral', stale: 'warn', archived: 'neutral' } as const;

/** Name, kind and state of the flag as they are edited, and what can be done with it as a whole. */
export function FlagHeader({ place }: { readonly place: Place }) {
  const { flag, environment } = place;
  const { hrefTo } = useScope();
  const canExplain = useAvailablePages().some(({ id }) => id === 'why');
  const edit = useEdit(place);
  const { name, description, classification, permanent } = edit.shared.mine;
  const isEdited = edit.shared.differences.some(({ kind }) => kind === 'field');
  const { status } = flag;
  return (
    <PageHeader
      title={name.trim() === '' ? flag.key : name}
      beside={
        <>
          {classification && <Badge>{t.classifications[classification]}</Badge>}
          {status !== 'active' && <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>}
          {permanent && <Badge>{t.permanent}</Badge>}
          {isEdited && <Badge tone="info">{t.rules.edited}</Badge>}
        </>
      }
      intro={description === '' ? undefined : description}
      meta={<Meta flag={flag} shared={edit.shared.mine} />}
      actions={
        <>
          {canExplain && (
            <ButtonLink
              icon="question"
              href={hrefTo('why', { flag: flag.key, environment: environment.key })}
            >
              {t.why}
            </ButtonLink>
          )}
          <FlagMenu place={place} edit={edit} />
        </>
      }
    />
  );
}

function Meta({ flag, shared }: { readonly flag: Flag; readonly shared: Shared }) {
  const now = useNow(60_000);
  const owner = useMemberNames()(shared.owner_id);
  const days = Math.max(0, Math.floor((now - toMs(flag.created_at)) / DAY_MS));
  const end = shared.expected_end_at;
  return (
    <>
      <Line>
        <code>{flag.key}</code>
        <CopyButton text={flag.key} label={t.copyKey(flag.key)} />
      </Line>
      <Note tone="faint">{t.types[flag.flag_type]}</Note>
      {owner !== undefined && <Person name={owner} />}
      {shared.tags.length > 0 && (
        <Line>
          {shared.tags.map((tag) => (
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
