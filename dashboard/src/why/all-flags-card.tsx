import type { Context } from '@flagsvc/sdk-core';
import { useMemo, useState } from 'react';
import type { Environment } from '../api/types.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useTypedText } from '../app/navigation/use-typed-text.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge, VariationChip } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/choice.tsx';
import { DataList, type ListColumn } from '../ui/data-list.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { EmptyState } from '../ui/surface.tsx';
import type { Evaluators } from './evaluators.ts';
import { type FlagRow, flagRows } from './flag-rows.ts';
import { t } from './messages.ts';
import { shortValue } from './value-words.ts';
import styles from './why.module.css';
import { parseWhySearch } from './why-search.ts';

/** Rows at a time: the table is below the answer, and typing in the answer's fields draws it again. */
const PAGE = 25;

/** What every flag serves to the context, and why. */
export function AllFlagsCard(props: {
  readonly context: Context;
  readonly evaluators: Evaluators;
  readonly environment: Environment;
  readonly nameOf: (key: string) => string;
}) {
  const { context, evaluators, environment, nameOf } = props;
  const { saved, edited } = evaluators;
  const [search, setSearch] = useSearchState(parseWhySearch);
  const [shown, setShown] = useState(PAGE);
  const typed = useTypedText(search.q ?? '', (q) => setSearch({ q }, { replace: true }));
  const all = useMemo(() => flagRows(saved, context, { edited, nameOf }), [saved, edited, context, nameOf]);
  const wanted = (search.q ?? '').toLowerCase();
  const rows = all.filter(
    ({ key, name, isSpecial, edited: change }) =>
      (!search.special || isSpecial || change !== undefined) &&
      (key.includes(wanted) || name.toLowerCase().includes(wanted)),
  );
  const columns = useColumns(environment, nameOf);
  const isFiltered = wanted !== '' || search.special === true;
  return (
    <section aria-labelledby="all-flags">
      <Stack gap="close">
        <h2 id="all-flags" className={styles.tableTitle}>
          {t.all.title}{' '}
          <span className={styles.note}>{edited ? t.all.withEdit(environment.name) : environment.name}</span>
        </h2>
        <DataList
          label={t.all.title}
          columns={columns}
          rows={rows.slice(0, shown)}
          rowId={({ key }) => key}
          search={{ ...typed, placeholder: t.all.search }}
          filters={
            <Checkbox
              label={t.all.special}
              isSelected={search.special === true}
              onChange={(is) => setSearch({ special: is || undefined }, { replace: true })}
            />
          }
          count={t.all.count(rows.length)}
          empty={
            isFiltered ? (
              <EmptyState
                icon="search"
                title={t.nothing}
                actions={
                  <Button onPress={() => setSearch({ q: undefined, special: undefined })}>
                    {t.all.clear}
                  </Button>
                }
              >
                {search.special && wanted === '' ? t.all.noneSpecial : t.all.noneFound}
              </EmptyState>
            ) : (
              <EmptyState icon="flag" title={t.all.noFlags}>
                {t.all.noFlagsText}
              </EmptyState>
            )
          }
          more={rows.length > shown ? { load: () => setShown(shown + PAGE), isLoading: false } : undefined}
        />
      </Stack>
    </section>
  );
}

function useColumns(
  environment: Environment,
  nameOf: (key: string) => string,
): readonly ListColumn<FlagRow>[] {
  const { hrefTo } = useScope();
  return [
    {
      id: 'flag',
      label: t.all.flag,
      isMain: true,
      cell: ({ key, name }) => (
        <>
          <Link href={hrefTo('why', { flag: key, environment: environment.key })}>{name}</Link>
          {name !== key && <code className={styles.key}>{key}</code>}
        </>
      ),
    },
    { id: 'gets', label: t.all.gets, cell: (row) => <Gets row={row} /> },
    {
      id: 'because',
      label: t.all.because,
      cell: (row) => (
        <Line>
          <Note tone="muted">{becauseWords(row, nameOf)}</Note>
          {row.edited && <Badge tone="info">{t.all.changes}</Badge>}
        </Line>
      ),
    },
  ];
}

function Gets({ row: { flag, result, edited } }: { readonly row: FlagRow }) {
  const { variation_key: key, value } = edited ?? result;
  const series = flag.variations.findIndex((one) => one.key === key) + 1;
  const text = shortValue(value);
  const isSaid = text === key || flag.flag_type === 'boolean';
  return (
    <Line>
      <VariationChip series={Math.max(1, series)}>{key}</VariationChip>
      {!isSaid && <code className={styles.small}>{text}</code>}
      {edited && (
        <Note tone="faint" isSmall>
          {t.all.was(result.variation_key ?? '')}
        </Note>
      )}
    </Line>
  );
}

function becauseWords(
  { flag, result, edited, rule, missing }: FlagRow,
  nameOf: (key: string) => string,
): string {
  const { reason } = edited ?? result;
  if (rule !== undefined)
    return rule.share === undefined ? t.all.rule(rule.number) : t.all.share(rule.number, rule.share);
  if (missing !== undefined) return t.all.needs(nameOf(missing.flagKey), missing.variation);
  if (flag.archived === true) return t.all.archived;
  if (reason === 'DISABLED') return t.all.off;
  return flag.targeting_rules.length === 0 ? t.all.noRules : t.all.noMatch;
}
