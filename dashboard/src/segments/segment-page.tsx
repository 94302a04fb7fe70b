import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Segment } from '../api/types.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Tag } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Note, Stack } from '../ui/layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Card, EmptyState, PageHeader, Skeleton } from '../ui/surface.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ConditionsCard } from './conditions-card.tsx';
import { ConflictCard } from './conflict-card.tsx';
import { conflictsOf, draftWith, editWith, type SegmentDraft } from './draft.ts';
import { HistoryCard } from './history-card.tsx';
import { KeyListCard } from './key-list-card.tsx';
import { t } from './messages.ts';
import { changedLines, type Edit, editFault, editOf } from './segment-edit.ts';
import styles from './segments.module.css';
import { TestCard } from './test-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { useSegment, useSegments } from './use-segments.ts';

const SaveDialog = lazy(async () => ({ default: (await import('./save-dialog.tsx')).SaveDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }));

/** One segment: who is in, who uses it, and what it was before. */
export function SegmentPage() {
  const { segment: key } = useParams({ strict: false }) as { segment: string };
  const { hrefTo } = useScope();
  const all = useSegments();
  const item = all.data?.find((one) => one.key === key);
  const { data: segment, error, refetch } = useSegment(item?.id);
  usePage(segment?.name || key, [{ label: t.title, href: hrefTo('segments') }]);
  if (segment) return <Content key={segment.id} segment={segment} />;
  const problem = error ?? all.error;
  return (
    <>
      <PageHeader title={key} />
      {problem ? (
        <ErrorState
          problem={toProblem(problem)}
          onRetry={() => void (all.error ? all.refetch() : refetch())}
        />
      ) : all.data && !item ? (
        <EmptyState
          icon="search"
          title={t.notFound}
          actions={<ButtonLink href={hrefTo('segments')}>{t.back}</ButtonLink>}
        >
          {t.notFoundText}
        </EmptyState>
      ) : (
        <Skeleton lines={8} />
      )}
    </>
  );
}

function Content({ segment }: { readonly segment: Segment }) {
  const { canEdit } = useRights();
  const stored = useDraft<SegmentDraft>(`segment-edit:${segment.id}`);
  const [open, setOpen] = useState<'save' | 'delete'>();
  const close = () => setOpen(undefined);
  const edit = editWith(segment, stored.value);
  const lines = canEdit ? changedLines(edit, segment) : [];
  const conflicts = conflictsOf(segment, stored.value);
  const set = (part: Partial<Edit>) => stored.set(draftWith(segment, stored.value, part));
  const keyCard = (field: 'included' | 'excluded', keys: readonly string[]) => (
    <KeyListCard
      title={t[field]}
      text={field === 'included' ? t.includedText : t.excludedText}
      keys={keys}
      canEdit={canEdit}
      onChange={(next) => set({ [field]: next })}
    />
  );
  return (
    <>
      <Head segment={segment} canEdit={canEdit} onDelete={() => setOpen('delete')} />
      <Columns>
        <Stack>
          <ConditionsCard
            conditions={edit.conditions}
            saved={segment.conditions}
            hasList={edit.included !== null}
            canEdit={canEdit}
            onChange={(conditions) => set({ conditions: [...conditions] })}
          />
          {keyCard('included', edit.included ?? [])}
          {keyCard('excluded', edit.excluded)}
          {canEdit && <NameCard edit={edit} onChange={set} />}
          {conflicts.length > 0 && (
            <ConflictCard fields={conflicts} theirs={editOf(segment)} mine={edit} onTake={set} />
          )}
          <SaveBar
            lines={lines}
            onUndo={({ id }) => set({ [id]: editOf(segment)[id as keyof Edit] })}
            onSave={() => setOpen('save')}
            onDiscard={stored.clear}
            whyNot={conflicts.length > 0 ? t.decideFirst : editFault(edit)}
          />
        </Stack>
        <Stack>
          <UsageCard id={segment.id} />
          <TestCard segment={segment} />
          <HistoryCard segment={segment} canEdit={canEdit} />
        </Stack>
      </Columns>
      <Suspense>
        {open === 'save' && (
          <SaveDialog
            segment={segment}
            edit={edit}
            onClose={close}
            onSaved={() => {
              stored.clear();
              close();
            }}
          />
        )}
        {open === 'delete' && <DeleteDialog segment={segment} onClose={close} />}
      </Suspense>
    </>
  );
}

function Head(props: {
  readonly segment: Segment;
  readonly canEdit: boolean;
  readonly onDelete: () => void;
}) {
  const { segment, canEdit, onDelete } = props;
  return (
    <PageHeader
      title={segment.name || segment.key}
      meta={
        <>
          <span className={styles.key}>{segment.key}</span>
          {segment.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          {!canEdit && <Note tone="faint">{t.viewerOnly}</Note>}
        </>
      }
      {...(segment.description !== '' && { intro: segment.description })}
      actions={
        canEdit && (
          <Button icon="trash" onPress={onDelete}>
            {t.deletion.open}
          </Button>
        )
      }
    />
  );
}

function NameCard(props: { readonly edit: Edit; readonly onChange: (part: Partial<Edit>) => void }) {
  const { edit, onChange } = props;
  return (
    <Card title={t.about}>
      <Stack>
        <TextField
          label={t.fields.name}
          value={edit.name}
          onChange={(name) => onChange({ name })}
          maxLength={200}
        />
        <TextField
          label={t.fields.description}
          value={edit.description}
          onChange={(description) => onChange({ description })}
          maxLength={2_000}
        />
        <TagInput
          label={t.fields.tags}
          values={edit.tags}
          onChange={(tags) => onChange({ tags: [...tags] })}
        />
      </Stack>
    </Card>
  );
}
