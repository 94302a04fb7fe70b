import { memo } from 'react';
import { classes } from '../ui/classes.ts';
import type { FlagColumn } from './flag-columns.tsx';
import styles from './flag-table.module.css';
import { t } from './messages.ts';
import type { ProjectFlag } from './use-flag-list.ts';
import type { Selection } from './use-selection.ts';

/** A flag, or the place of one that is still loading. All rows have the same height. */
export const FlagRow = memo(function FlagRow(props: {
  readonly index: number;
  readonly flag: ProjectFlag | undefined;
  readonly columns: readonly FlagColumn[];
  readonly isSelected: boolean;
  readonly onSelect: Selection['toggle'] | undefined;
}) {
  const { index, flag, columns, isSelected, onSelect } = props;
  return (
    <tr aria-rowindex={index + 2} className={classes(isSelected && styles.selected)}>
      {onSelect && (
        <td className={styles.select}>
          {flag && (
            <input
              type="checkbox"
              aria-label={t.select(flag.name)}
              checked={isSelected}
              onChange={() => onSelect(flag)}
            />
          )}
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          data-column={column.id}
          data-label={column.isEnvironment ? column.label : undefined}
          className={classes(
            column.isNumber && styles.number,
            column.isProduction && styles.production,
            column.isMain && styles.main,
            column.isEnvironment && styles.environment,
            column.id === 'status' && flag?.status !== 'active' && styles.status,
          )}
        >
          {flag ? column.cell(flag) : column.isMain && <span className={styles.loading}>{t.loadingRow}</span>}
        </td>
      ))}
    </tr>
  );
});
