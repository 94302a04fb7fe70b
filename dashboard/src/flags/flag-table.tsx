import { useNavigate, useRouter } from '@tanstack/react-router';
import { Fragment, type RefObject, useEffect, useRef } from 'react';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import type { FlagColumn } from './flag-columns.tsx';
import { FlagRow } from './flag-row.tsx';
import styles from './flag-table.module.css';
import { t } from './messages.ts';
import type { FlagList } from './use-flag-list.ts';
import { useRowFocus } from './use-row-focus.ts';
import { type Range, useRowWindow } from './use-row-window.ts';
import type { Selection } from './use-selection.ts';

/** The scripts of a flag's page are loaded when the list has been there for this long. */
const PRELOAD_MS = 500;

/** The column and direction of the order. */
export interface Sort {
  readonly column: string;
  readonly isDown: boolean;
}

interface FlagTableProps {
  readonly label: string;
  readonly columns: readonly FlagColumn[];
  readonly list: FlagList & { readonly total: number };
  readonly range: Range;
  readonly onRange: (range: Range) => void;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** Undefined for people who may change nothing. */
  readonly selection: Selection | undefined;
}

/** Thousands of rows, of which only those around the screen are in the document. */
export function FlagTable({ label, columns, list, range, onRange, sort, onSort, selection }: FlagTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { total: count } = list;
  const rowHeight = useRowWindow(body, { count, onChange: onRange });
  const { focused, ...focus } = useRowFocus(body, { count, rowHeight });
  useOpenLinks(body);
  let done = 0;
  const gapTo = (row: number) => {
    const gap = row - done;
    done = row + 1;
    return gap > 0 && <Gap height={gap * rowHeight} columns={columns.length + 1} />;
  };
  return (
    <div className={styles.scroller}>
      <table
        className={classes(styles.table, list.isOld && styles.old)}
        aria-label={label}
        aria-rowcount={count + 1}
        aria-busy={list.isOld}
      >
        <Columns columns={columns} hasSelection={selection !== undefined} />
        <thead>
          <tr aria-rowindex={1}>
            {selection && (
              <th scope="col" className={styles.select}>
                <SelectAll selection={selection} count={count} />
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body} {...focus}>
          {rowsIn(range, { count, focused }).map((index) => {
            const flag = list.rowAt(index);
            return (
              <Fragment key={flag?.id ?? index}>
                {gapTo(index)}
                <FlagRow
                  index={index}
                  flag={flag}
                  columns={columns}
                  isSelected={flag !== undefined && selection?.flags.has(flag.id) === true}
                  onSelect={selection?.toggle}
                />
              </Fragment>
            );
          })}
          {gapTo(count)}
        </tbody>
      </table>
    </div>
  );
}

/** Rows to render: those of the window, and the one with the focus wherever it is. */
function rowsIn(
  { first, end }: Range,
  { count, focused }: { readonly count: number; readonly focused: number | undefined },
): readonly number[] {
  const last = Math.min(end, count);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n);
  if (focused === undefined || focused >= count || (focused >= first && focused < last)) return rows;
  return focused < first ? [focused, ...rows] : [...rows, focused];
}

/** The space of rows that are not in the document. */
function Gap({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus.
    <tr aria-hidden="true" className={styles.gap}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function Columns(props: { readonly columns: readonly FlagColumn[]; readonly hasSelection: boolean }) {
  return (
    <colgroup>
      {props.hasSelection && <col style={{ width: '2.5rem' }} />}
      {props.columns.map(({ id, width }) => (
        <col key={id} data-column={id} style={{ '--width': width && `${width}rem` } as never} />
      ))}
    </colgroup>
  );
}

function SelectAll({ selection, count }: { readonly selection: Selection; readonly count: number }) {
  const { size } = selection.flags;
  return (
    <input
      type="checkbox"
      aria-label={t.selectAll(count)}
      checked={size > 0 && size >= count}
      ref={(box) => {
        if (box) box.indeterminate = size > 0 && size < count;
      }}
      onChange={() => (size > 0 ? selection.clear() : selection.all())}
    />
  );
}

function HeadCell(props: {
  readonly column: FlagColumn;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}) {
  const { column, sort, onSort } = props;
  const isSorted = sort.column === column.id;
  const direction = isSorted ? (sort.isDown ? 'descending' : 'ascending') : undefined;
  return (
    <th
      scope="col"
      data-column={column.id}
      className={classes(column.isNumber && styles.number, column.isProduction && styles.production)}
      aria-sort={direction}
      title={column.label}
    >
      {column.canSort ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() =>
            onSort({ column: column.id, isDown: isSorted ? !sort.isDown : column.id !== 'name' })
          }
        >
          {column.label}
          {isSorted && <Icon name={sort.isDown ? 'down' : 'up'} isSmall />}
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}

/** One listener for the links of all rows: a link of the parts library costs too much in each of them. */
function useOpenLinks(body: RefObject<HTMLElement | null>): void {
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => {
    const preload = setTimeout(() => {
      const to = body.current?.querySelector('a')?.getAttribute('href');
      if (to != null) void router.preloadRoute({ to } as never);
    }, PRELOAD_MS);
    return () => clearTimeout(preload);
  }, [body, router]);
  useEffect(() => {
    const rows = body.current;
    const open = (event: MouseEvent) => {
      const { button, ctrlKey, metaKey, shiftKey, altKey } = event;
      const href = (event.target as Element).closest('a')?.getAttribute('href');
      if (href == null || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
      event.preventDefault();
      void navigate({ href });
    };
    rows?.addEventListener('click', open);
    return () => rows?.removeEventListener('click', open);
  }, [body, navigate]);
}
