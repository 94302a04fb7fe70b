import { toProblem } from '../api/problem.ts';
import { usePage } from '../app/navigation/use-page.ts';
import {
  readChoice,
  readText,
  type SearchParams,
  useSearchState,
} from '../app/navigation/use-search-state.ts';
import { useActions } from '../app/palette/actions.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { Tag } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { t } from './messages.ts';
import { sentenceOf } from './segment-words.ts';
import styles from './segments.module.css';
import { type SegmentItem, useSegments } from './use-segments.ts';

const parseSearch = (raw: SearchParams) => ({
  q: readText(raw['q']),
  open: readChoice(raw['open'], ['new'] as const),
});

/** All segments of the project, with who is in and how many flags use them. */
export function SegmentsPage() {
  usePage(t.title);
  const { hrefTo } = useScope();
  const { canEdit } = useRights();
  const [search, setSearch] = useSearchState(parseSearch);
  const segments = useSegments();
  const q = search.q ?? '';
  const rows = segments.data?.filter((segment) => isFound(segment, q));
  const openNew = () => setSearch({ open: 'new' });
  const newButton = (kind: 'main' | 'plain') => (
    <Button kind={kind} icon="plus" onPress={openNew} whyNot={canEdit ? undefined : t.viewerOnly}>
      {t.new}
    </Button>
  );
  useActions(canEdit ? [{ id: 'segment.new', label: t.new, run: openNew }] : []);
  return (
    <>
      <PageHeader title={t.title} intro={t.intro} actions={newButton('main')} />
      <DataList
        label={t.title}
        columns={columnsOf((segment) => hrefTo(`segments/${segment.key}`))}
        rows={rows}
        rowId={({ id }) => id}
        search={{
          value: q,
          onChange: (next) => setSearch({ q: next }, { replace: true }),
          placeholder: t.search,
        }}
        {...(rows && { count: t.count(rows.length) })}
        error={
          segments.error && !segments.data ? (
            <ErrorState problem={toProblem(segments.error)} onRetry={() => void segments.refetch()} />
          ) : undefined
        }
        empty={
          q === '' ? (
            <EmptyState icon="people" title={t.none} actions={newButton('plain')}>
              {t.noneText}
            </EmptyState>
          ) : (
            <EmptyState icon="search" title={t.nothingFits}>
              {t.nothingFitsText}
            </EmptyState>
          )
        }
      />
      {search.open === 'new' && canEdit && <CreateDialog onClose={() => setSearch({ open: undefined })} />}
    </>
  );
}

function columnsOf(hrefOf: (segment: SegmentItem) => string): readonly ListColumn<SegmentItem>[] {
  return [
    {
      id: 'segment',
      label: t.columns.segment,
      isMain: true,
      cell: (segment) => (
        <div className={styles.two}>
          <Line>
            <Link href={hrefOf(segment)} isPlain>
              {segment.name || segment.key}
            </Link>
            {segment.tags.slice(0, 2).map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </Line>
          <span className={styles.key}>{segment.key}</span>
        </div>
      ),
    },
    {
      id: 'members',
      label: t.columns.members,
      isMain: true,
      cell: (segment) => <Members segment={segment} />,
    },
    {
      id: 'flags',
      label: t.columns.flags,
      isNumber: true,
      isNamed: true,
      cell: ({ usage_count: count }) => formatNumber(count),
    },
    {
      id: 'changed',
      label: t.columns.changed,
      isNumber: true,
      isNamed: true,
      cell: ({ updated_at: at }) => (
        <Note tone="faint" isNowrap>
          <Time at={at} />
        </Note>
      ),
    },
  ];
}

function Members({ segment }: { readonly segment: SegmentItem }) {
  const { conditions, included_count: included, excluded_count: excluded } = segment;
  const lists = [included !== null && t.always(included), excluded > 0 && t.never(excluded)].filter(Boolean);
  return (
    <div className={styles.two}>
      <span>{sentenceOf(conditions, included !== null)}</span>
      {lists.length > 0 && (
        <Note tone="faint" isSmall>
          {lists.join(', ')}
        </Note>
      )}
    </div>
  );
}

function isFound({ key, name, tags, conditions }: SegmentItem, q: string): boolean {
  const text = [key, name, ...tags, ...conditions.map(({ attribute }) => attribute)].join('\n');
  return text.toLocaleLowerCase().includes(q.trim().toLocaleLowerCase());
}
