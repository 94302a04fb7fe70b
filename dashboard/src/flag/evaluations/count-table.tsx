import { formatNumber } from '../../i18n/format-number.ts';
import styles from './evaluations.module.css';
import { t } from './messages.ts';
import type { Evaluations, Range } from './series.ts';

/** The numbers of the chart for screen readers. */
export function CountTable(props: {
  readonly range: Range;
  readonly evaluations: Evaluations;
  readonly called: (key: string | undefined) => string;
  readonly timeWords: (range: Range, ms: number) => string;
}) {
  const { range, evaluations, called, timeWords } = props;
  const { times, series } = evaluations;
  return (
    <div className={styles.quiet}>
      <table>
        <caption>{t.caption[range]}</caption>
        <thead>
          <tr>
            <th scope="col">{t.time}</th>
            {series.map(({ key }) => (
              <th key={key ?? ''} scope="col">
                {called(key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((ms, index) => (
            <tr key={ms}>
              <th scope="row">{timeWords(range, ms)}</th>
              {series.map(({ key, counts }) => (
                <td key={key ?? ''}>{formatNumber(counts[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
