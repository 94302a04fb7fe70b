import { type ReactNode, useState } from 'react';
import { formatNumber } from '../i18n/format-number.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './data-list.module.css';
import { Icon } from './icon.tsx';
import { t } from './messages.ts';
import { SearchField } from './search-field.tsx';
import { Card, EmptyState, Skeleton } from './surface.tsx';

/** A list with fewer rows needs no search. */
const SEARCH_FROM = 6;

export interface ListColumn<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** True takes the whole first line of the card that a row becomes on a phone. */
  readonly isMain?: boolean;
  /** True puts the label before the value on a phone, where the header is hidden: "Flags 20". */
  readonly isNamed?: boolean;
  /** True for a menu of actions: on a phone it stands in the corner of the card. */
  readonly isMenu?: boolean;
  /** True lets the header sort by this column. */
  readonly canSort?: boolean;
}

/** The column and direction of the order; pages keep it in the address. */
export interface ListSort {
  readonly column: string;
  readonly isDown: boolean;
}

export interface DataListProps<Row> {
  /** Names the list for screen readers. */
  readonly label: string;
  readonly columns: readonly ListColumn<Row>[];
  /** Undefined while it loads. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  readonly search?: {
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly placeholder?: string;
  };
  /**
   * Instead of `search`, for lists that are loaded whole: the text of a row in which the list itself searches, once there
   * are enough rows.
   */
  readonly textOf?: (row: Row) => string;
  readonly sort?: { readonly value: ListSort; readonly onChange: (sort: ListSort) => void };
  /** Filters beside the search. */
  readonly filters?: ReactNode;
  /** How many there are, in words. */
  readonly count?: string;
  /** In the place of the rows when there are none. */
  readonly empty: ReactNode;
  /** In the place of the rows when they could not be loaded. */
  readonly error?: ReactNode;
  /** More rows behind a cursor. */
  readonly more?: { readonly load: () => void; readonly isLoading: boolean } | undefined;
}

/** Every list that is not the list of flags: search, filters, order, cursor, and its empty, failing and loading states. */
export function DataList<Row>(given: DataListProps<Row>) {
  const props = useOwnSearch(given);
  const { label, rows, search, filters, count, empty, error, more } = props;
  return (
    <div>
      {(search || filters || count) && (
        <search className={styles.tools}>
          {search && (
            <div className={styles.search}>
              <SearchField label={t.search} {...search} />
            </div>
          )}
          {filters}
          {count && (
            <span className={styles.end} role="status">
              {count}
            </span>
          )}
        </search>
      )}
      {error ?? (
        <Card isFlush>
          {rows === undefined ? (
            <Skeleton lines={6} label={`${t.loading}: ${label}`} />
          ) : rows.length === 0 ? (
            empty
          ) : (
            <Rows {...props} rows={rows} />
          )}
          {more && (
            <div className={styles.more}>
              <Button kind="quiet" onPress={more.load} isPending={more.isLoading}>
                {t.loadMore}
              </Button>
            </div>
          )}
        </Card>
      )}
    </div>
  );
}

/** The list as its own search leaves it. */
function useOwnSearch<Row>(given: DataListProps<Row>): DataListProps<Row> {
  const [value, setValue] = useState('');
  const { rows = [], textOf } = given;
  if (textOf === undefined || (rows.length < SEARCH_FROM && value === '')) return given;
  const search = { value, onChange: setValue };
  const wanted = value.trim().toLocaleLowerCase();
  if (wanted === '') return { ...given, search };
  const found = rows.filter((row) => textOf(row).toLocaleLowerCase().includes(wanted));
  return {
    ...given,
    rows: found,
    search,
    count: t.found(found.length, rows.length),
    empty: <EmptyState icon="search" title={t.nothingFits} />,
  };
}

function Rows<Row>({
  label,
  columns,
  rows,
  rowId,
  sort,
}: DataListProps<Row> & { readonly rows: readonly Row[] }) {
  return (
    <div className={styles.scroller}>
      <table className={styles.table} aria-label={`${label}, ${formatNumber(rows.length)}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {columns.map((column) => (
                <td
                  key={column.id}
                  className={classOf(column)}
                  data-label={column.isNamed ? column.label : undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ isMain, isMenu, isNumber }: ListColumn<Row>): string | undefined {
  if (isMain) return styles.main;
  return isMenu || isNumber ? classes(styles.number, isMenu && styles.menu) : undefined;
}

function HeadCell<Row>(props: {
  readonly column: ListColumn<Row>;
  readonly sort: DataListProps<Row>['sort'];
}) {
  const { column, sort } = props;
  const isSorted = sort?.value.column === column.id;
  const direction = isSorted ? (sort.value.isDown ? 'descending' : 'ascending') : undefined;
  return (
    <th
      scope="col"
      className={column.isNumber || column.isMenu ? styles.number : undefined}
      aria-sort={direction}
    >
      {sort && column.canSort ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() => sort.onChange({ column: column.id, isDown: isSorted && !sort.value.isDown })}
        >
          {column.label}
          {isSorted && <Icon name={sort.value.isDown ? 'down' : 'up'} isSmall />}
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}
