import { useState } from 'react';
import { toProblem } from '../api/problem.ts';
import type { Environment } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note } from '../ui/layout.tsx';
import { EmptyState } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { t } from './messages.ts';
import { type TypedContext, typedOf } from './typed-context.ts';
import { type RecordedContext, useRecordedContexts } from './use-why.ts';
import { shortValue } from './value-words.ts';

/** The users that the environment recorded in the last day, to pick one. */
export function RecordedDialog(props: {
  readonly environment: Environment;
  readonly onPick: (typed: TypedContext) => void;
  readonly onClose: () => void;
}) {
  const { environment, onPick, onClose } = props;
  const { hrefTo } = useScope();
  const [search, setSearch] = useState('');
  const recorded = useRecordedContexts(environment.id);
  const all = recorded.data?.pages.flatMap(({ data }) => data);
  const wanted = search.trim().toLowerCase();
  const rows = all?.filter((one) => wanted === '' || textOf(one).toLowerCase().includes(wanted));
  const isRecording = recorded.data?.pages[0]?.meta.is_recording !== false;
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={t.recorded.title(environment.name)}
      intro={t.recorded.intro}
      foot={<Button onPress={onClose}>{t.recorded.close}</Button>}
    >
      <DataList
        label={t.recorded.title(environment.name)}
        columns={columnsOf(onPick)}
        rows={rows}
        rowId={(row) => `${row.recorded_at} ${JSON.stringify(row.context)}`}
        search={{ value: search, onChange: setSearch, placeholder: t.recorded.search }}
        empty={
          <EmptyState
            icon={isRecording ? 'search' : 'people'}
            title={
              !isRecording ? t.recorded.off(environment.name) : wanted === '' ? t.recorded.none : t.nothing
            }
            actions={
              !isRecording && (
                <ButtonLink href={hrefTo('settings/environments')}>{t.recorded.settings}</ButtonLink>
              )
            }
          >
            {isRecording ? t.recorded.noneText : t.recorded.offText}
          </EmptyState>
        }
        error={
          recorded.error ? (
            <ErrorState problem={toProblem(recorded.error)} onRetry={() => void recorded.refetch()} />
          ) : undefined
        }
        more={
          recorded.hasNextPage
            ? { load: () => void recorded.fetchNextPage(), isLoading: recorded.isFetchingNextPage }
            : undefined
        }
      />
    </Dialog>
  );
}

function columnsOf(onPick: (typed: TypedContext) => void): readonly ListColumn<RecordedContext>[] {
  return [
    {
      id: 'user',
      label: t.recorded.user,
      isMain: true,
      cell: (row) => (
        <Button kind="text" onPress={() => onPick(typedOf(row.context, row.recorded_at))}>
          {row.context.user_key ?? t.recorded.noKey}
        </Button>
      ),
    },
    {
      id: 'attributes',
      label: t.context.attributes,
      cell: (row) => <Note tone="muted">{textOf(row)}</Note>,
    },
    {
      id: 'when',
      label: t.recorded.when,
      isNumber: true,
      cell: ({ recorded_at: at }) => (
        <Note tone="faint" isNowrap>
          <Time at={at} />
        </Note>
      ),
    },
  ];
}

/** `plan pro, country LU`. */
function textOf({ context }: RecordedContext): string {
  return Object.entries(context.attributes ?? {})
    .map(([name, value]) => `${name} ${shortValue(value)}`)
    .join(', ');
}
