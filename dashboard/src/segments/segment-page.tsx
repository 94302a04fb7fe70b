import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Segment } from '../api/types.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Tag } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Columns, Note, Stack } from '../ui/layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Card, EmptyState, Notice, PageHeader, Skeleton } from '../ui/surface.tsx';
import { TagInput } from '../ui/tag-input.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ConditionsCard } from './conditions-card.tsx';
import { HistoryCard } from './history-card.tsx';
import { KeyListCard } from './key-list-card.tsx';
import { t } from './messages.ts';
import { SaveDialog } from './save-dialog.tsx';
import { changedLines, type Edit, editFault, editOf } from './segment-edit.ts';
import styles from './segments.module.css';
import { TestCard } from './test-card.tsx';
import { UsageCard } from './usage-card.tsx';
import { useSegment, useSegments } from './use-segments.ts';

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

/** An edit with the revision that it started from. */
interface Draft {
  readonly revision: number;
  readonly edit: Edit;
}

function Content({ segment }: { readonly segment: Segment }) {
  const { canEdit } = useRights();
  const stored = useDraft<Draft>(`segment:${segment.id}`);
  const [isSaving, setSaving] = useState(false);
  const edit = stored.value?.edit ?? editOf(segment);
  const revision = stored.value?.revision ?? segment.revision;
  const lines = canEdit ? changedLines(edit, segment) : [];
  const isOutdated = lines.length > 0 && revision !== segment.revision;
  const set = (part: Partial<Edit>) => {
    const next = { ...edit, ...part };
    if (changedLines(next, segment).length === 0) stored.clear();
    else stored.set({ revision, edit: next });
  };
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
      <Head segment={segment} canEdit={canEdit} />
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
          {isOutdated && (
            <Notice tone="warn" title={t.conflict} isUrgent>
              {t.conflictText}
            </Notice>
          )}
          <SaveBar
            lines={lines}
            onUndo={({ id }) => set({ [id]: editOf(segment)[id as keyof Edit] })}
            onSave={() => setSaving(true)}
            onDiscard={stored.clear}
            whyNot={editFault(edit)}
          />
        </Stack>
        <Stack>
          <UsageCard id={segment.id} />
          <TestCard segment={segment} />
          <HistoryCard id={segment.id} />
        </Stack>
      </Columns>
      {isSaving && (
        <SaveDialog
          segment={segment}
          edit={edit}
          onClose={() => setSaving(false)}
          onSaved={() => {
            stored.clear();
            setSaving(false);
          }}
        />
      )}
    </>
  );
}

function Head({ segment, canEdit }: { readonly segment: Segment; readonly canEdit: boolean }) {
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
    />
  );
}

function NameCard(props: { readonly edit: Edit; readonly onChange: (part: Partial<Edit>) => void }) {
  const { edit, onChange } = props;
  return (
    <Card>
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
