import { lazy, Suspense, useState } from 'react';
import { usePage } from '../app/navigation/use-page.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useActions } from '../app/palette/actions.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ShownOnce } from '../app/secrets/shown-once.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/copy.tsx';
import { DataList } from '../ui/data-list.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { EmptyState, PageHeader } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { tokenColumns } from './token-list.tsx';
import { parseTokenSearch } from './token-search.ts';
import { type MadeToken, TOKENS_MAX, useTokens } from './use-tokens.ts';

const TokenDialog = lazy(async () => ({ default: (await import('./token-dialog.tsx')).TokenDialog }));
const RevokeDialog = lazy(async () => ({ default: (await import('./revoke-dialog.tsx')).RevokeDialog }));

/** The person's tokens for scripts. */
export function TokensPage() {
  const { hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const [search, setSearch] = useSearchState(parseTokenSearch);
  const [made, setMade] = useState<MadeToken>();
  const { tokens, problem, retry } = useTokens();
  const openNew = (): void => setSearch({ do: 'new', token: undefined });
  const close = (): void => setSearch({ do: undefined, token: undefined });
  const isFull = tokens !== undefined && tokens.length >= TOKENS_MAX;
  useActions(isFull ? [] : [{ id: 'token.new', label: t.newToken, run: openNew }]);
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Button kind="main" icon="plus" onPress={openNew} whyNot={isFull ? t.full(TOKENS_MAX) : undefined}>
            {t.newToken}
          </Button>
        }
      />
      {made && <MadeTokenCard key={made.id} made={made} onDone={() => setMade(undefined)} />}
      <DataList
        label={t.title}
        columns={tokenColumns({ newId: made?.id, onRevoke: (token) => setSearch({ do: 'revoke', token }) })}
        rows={tokens}
        rowId={({ id }) => id}
        textOf={({ name, last_four: lastFour }) => `${name}\n${lastFour}`}
        {...(tokens && { count: t.count(tokens.length) })}
        empty={
          <EmptyState
            icon="key"
            title={t.emptyTitle}
            actions={
              <Button kind="main" icon="plus" onPress={openNew}>
                {t.newToken}
              </Button>
            }
          >
            {t.empty}
          </EmptyState>
        }
        error={problem && <ErrorState problem={problem} onRetry={retry} />}
      />
      <Suspense>
        {search.do === 'new' && !isFull && <TokenDialog onClose={close} onMade={setMade} />}
        {search.do === 'revoke' && tokens !== undefined && (
          <RevokeDialog
            token={tokens.find(({ id }) => id === search.token)}
            onClose={close}
            onRevoked={(id) => setMade((one) => (one?.id === id ? undefined : one))}
          />
        )}
      </Suspense>
    </>
  );
}

function MadeTokenCard({ made, onDone }: { readonly made: MadeToken; readonly onDone: () => void }) {
  return (
    <ShownOnce
      title={t.made.title(made.name)}
      badges={<Badge>{t.scopes[made.scopes.at(-1) ?? '']}</Badge>}
      secret={made.token}
      noSecret={t.made.noSecret}
      copy={t.made.copy}
      leave={{ title: t.made.leaveTitle, text: t.made.leave }}
      onDone={onDone}
    >
      {made.token && (
        <CodeBlock
          title={t.made.try}
          code={`curl -s ${location.origin}/api/v1/auth/me -H 'Authorization: Bearer ${made.token}'`}
        />
      )}
    </ShownOnce>
  );
}
