import { useState } from 'react';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { formatAnd } from '../i18n/format-number.ts';
import { Button } from '../ui/button.tsx';
import { DataList } from '../ui/data-list.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { KeyDialog } from './key-dialog.tsx';
import type { KeyDraft } from './key-draft.ts';
import { useKeyColumns } from './key-list.tsx';
import { type KeySearch, parseKeySearch } from './key-search.ts';
import { MadeKeyCard } from './made-key-card.tsx';
import { t } from './messages.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { type ApiKeys, type MadeKey, useApiKeys } from './use-api-keys.ts';

const IN_USE = 'in-use';
const ALL = 'all';

/** The keys with which apps read the flags of this project. */
export function ApiKeysPage() {
  const { hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseKeySearch);
  const [made, setMade] = useState<MadeKey>();
  const [start, setStart] = useState<Partial<KeyDraft>>();
  const all = useApiKeys(made !== undefined);
  const canMake = all.open.length > 0;
  const openNew = (with_?: Partial<KeyDraft>): void => {
    setStart(with_);
    setSearch({ do: 'new', key: undefined });
  };
  useActions(canMake ? [{ id: 'api-key.new', label: t.newKey, run: () => openNew() }] : []);
  const isForOthers = all.keys !== undefined && !canMake;
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Button
            kind="main"
            icon="plus"
            onPress={() => openNew()}
            whyNot={canMake ? undefined : t.onlyEditors}
          >
            {t.newKey}
          </Button>
        }
      />
      {made && (
        <MadeKeyCard
          key={`${made.id} ${made.last_four}`}
          made={made}
          usedAt={firstUse(made, all.keys)}
          onDone={() => setMade(undefined)}
          onMakeClient={() => openNew({ kind: 'client', environmentId: made.environment_id })}
        />
      )}
      {isForOthers ? (
        <EmptyState icon="lock" title={t.viewerTitle}>
          {t.viewer}
        </EmptyState>
      ) : (
        <KeyList all={all} search={search} newId={made?.id} onSearch={setSearch} onNew={() => openNew()} />
      )}
      <KeyDialogs
        search={search}
        all={all}
        start={start}
        onClose={() => setSearch({ do: undefined, key: undefined })}
        onMade={setMade}
      />
    </>
  );
}

/** The keys that the person may see, and whose keys the others are. */
function KeyList(props: {
  readonly all: ApiKeys;
  readonly search: KeySearch;
  readonly newId: string | undefined;
  readonly onSearch: (part: Partial<KeySearch>) => void;
  readonly onNew: () => void;
}) {
  const { all, search, newId, onSearch, onNew } = props;
  const { environments } = useScope();
  const columns = useKeyColumns({ onDo: (what, id) => onSearch({ do: what, key: id }), newId });
  const rows = all.keys?.filter(({ status }) => search.show === ALL || status !== 'revoked');
  return (
    <Stack>
      <DataList
        label={t.title}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        textOf={(key) =>
          `${key.name}\n${key.prefix}\n${key.last_four}\n${t.kinds[key.kind]}\n${environments.find((one) => one.id === key.environment_id)?.name ?? ''}`
        }
        filters={
          <Select
            label={t.show}
            isLabelHidden
            value={search.show ?? IN_USE}
            onChange={(show) => onSearch({ show: show === ALL ? ALL : undefined })}
            options={[
              { id: IN_USE, label: t.inUse },
              { id: ALL, label: t.withRevoked },
            ]}
          />
        }
        {...(rows && { count: t.count(rows.length) })}
        empty={
          <EmptyState
            icon="key"
            title={t.emptyTitle}
            actions={
              <Button kind="main" icon="plus" onPress={onNew}>
                {t.newKey}
              </Button>
            }
          >
            {t.empty}
          </EmptyState>
        }
        error={all.problem && <ErrorState problem={all.problem} onRetry={all.retry} />}
      />
      {all.closed.length > 0 && (
        <Note tone="faint">{t.closedTitle(formatAnd(all.closed.map(({ name }) => name)))}</Note>
      )}
    </Stack>
  );
}

function KeyDialogs(props: {
  readonly search: KeySearch;
  readonly all: ApiKeys;
  readonly start: Partial<KeyDraft> | undefined;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}) {
  const { search, all, start, onClose, onMade } = props;
  if (search.do === undefined || all.keys === undefined || all.open.length === 0) return null;
  const allowed = all.open.map(({ id }) => id);
  if (search.do === 'new')
    return (
      <KeyDialog
        apiKey={undefined}
        allowed={allowed.toReversed()}
        start={start}
        onClose={onClose}
        onMade={onMade}
      />
    );
  const key = all.keys.find(({ id }) => id === search.key);
  if (key === undefined || key.status === 'revoked')
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={t.form.gone}
        foot={<Button onPress={onClose}>{t.form.close}</Button>}
      >
        {t.form.goneText}
      </Dialog>
    );
  if (search.do === 'edit')
    return <KeyDialog key={key.id} apiKey={key} allowed={allowed} onClose={onClose} onMade={onMade} />;
  if (search.do === 'rotate') return <RotateDialog apiKey={key} onClose={onClose} onMade={onMade} />;
  return <RevokeDialog apiKey={key} onClose={onClose} />;
}

/** When the key was used since it was made or rotated. */
function firstUse(made: MadeKey, keys: ApiKeys['keys']): string | undefined {
  const now = keys?.find(({ id }) => id === made.id)?.last_used_at ?? null;
  return now === null || now === made.last_used_at ? undefined : now;
}
