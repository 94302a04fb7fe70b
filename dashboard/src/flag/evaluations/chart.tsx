import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { formatCompact } from '../../i18n/format-number.ts';
import { locale } from '../../i18n/language.ts';
import styles from './evaluations.module.css';
import { scaleOf } from './scale.ts';
import type { Evaluations, Range } from './series.ts';

const HEIGHT = 208;
const EDGE = { left: 44, right: 8, top: 18, bottom: 22 };
const BOTTOM = HEIGHT - EDGE.bottom;
/** Labels of time need this much room. */
const LABEL_PX = 64;

export interface ChartProps {
  readonly range: Range;
  readonly evaluations: Evaluations;
  /** Colours of the series: 1 to 5. */
  readonly colours: readonly number[];
  /** Times of changes in milliseconds; their numbers stand at the top. */
  readonly changes: readonly number[];
  readonly point: number | undefined;
  /** The point below the mouse or finger, and undefined when it leaves. */
  readonly onPoint: (index: number | undefined) => void;
}

/** Lines over time. The table and the list beside it say the same to screen readers. */
export function Chart(props: ChartProps) {
  const { evaluations, colours, point, onPoint } = props;
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { times, series } = evaluations;
  const scale = scaleOf(series.flatMap(({ counts }) => counts));
  const step = Math.max(1, width - EDGE.left - EDGE.right) / Math.max(1, times.length - 1);
  const x = (index: number) => EDGE.left + index * step;
  const y = (count: number) => BOTTOM - (count / scale.top) * (BOTTOM - EDGE.top);
  const follow = ({ clientX, currentTarget }: PointerEvent) => {
    const at = (clientX - currentTarget.getBoundingClientRect().left - EDGE.left) / step;
    onPoint(Math.max(0, Math.min(times.length - 1, Math.round(at))));
  };
  return (
    <div ref={place} className={styles.chart}>
      <svg
        width={width}
        height={HEIGHT}
        aria-hidden="true"
        onPointerMove={follow}
        onPointerLeave={() => onPoint(undefined)}
      >
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={EDGE.left} x2={width - EDGE.right} y1={y(tick)} y2={y(tick)} />
            <text className={styles.count} x={EDGE.left - 8} y={y(tick)} dy="0.32em">
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        <TimeLabels {...props} step={step} x={x} />
        <ChangeMarks {...props} step={step} right={width - EDGE.right} />
        {point !== undefined && (
          <line className={styles.grid} x1={x(point)} x2={x(point)} y1={EDGE.top} y2={BOTTOM} />
        )}
        {series.map(({ key, counts }, index) => (
          <g key={key ?? ''} data-series={colours[index]}>
            <path
              d={`M${counts
                .slice(0, -1)
                .map((count, at) => `${x(at)} ${y(count)}`)
                .join('L')}`}
            />
            <PresentPeriod counts={counts} x={x} y={y} />
            {point !== undefined && <circle cx={x(point)} cy={y(counts[point] ?? 0)} r="3.5" />}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The last period is not over: its dashed line says that the count still grows. */
function PresentPeriod(props: {
  readonly counts: readonly number[];
  readonly x: (index: number) => number;
  readonly y: (count: number) => number;
}) {
  const { counts, x, y } = props;
  const last = counts.length - 1;
  return (
    <line
      className={styles.present}
      x1={x(last - 1)}
      x2={x(last)}
      y1={y(counts[last - 1] ?? 0)}
      y2={y(counts[last] ?? 0)}
    />
  );
}

/** Days of UTC, or hours as the reader's clock shows them; as many as there is room for, the last one always. */
function TimeLabels(props: ChartProps & { readonly step: number; readonly x: (index: number) => number }) {
  const { range, evaluations, step, x } = props;
  const format = new Intl.DateTimeFormat(
    locale,
    range === '24h'
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  );
  const every = Math.max(1, Math.ceil(LABEL_PX / step));
  const { times } = evaluations;
  return times.map((ms, index) =>
    (times.length - 1 - index) % every === 0 ? (
      <text
        key={ms}
        className={styles.time}
        x={x(index)}
        y={HEIGHT - 4}
        textAnchor={index === times.length - 1 ? 'end' : 'middle'}
      >
        {format.format(ms)}
      </text>
    ) : null,
  );
}

/** A dashed line for each change, with its number at the top. Numbers that would overlap are left out. */
function ChangeMarks(props: ChartProps & { readonly step: number; readonly right: number }) {
  const { evaluations, changes, step, right } = props;
  const [first = 0, second = first + 1] = evaluations.times;
  const places = changes.map((at) => Math.min(right, EDGE.left + ((at - first) / (second - first)) * step));
  const isFree = (index: number) => index === 0 || places[index]! - places[index - 1]! > 14;
  return places.map((x, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: changes are known by their number.
    <g key={index}>
      <line className={styles.mark} x1={x} x2={x} y1={EDGE.top} y2={BOTTOM} />
      {isFree(index) && (
        <text className={styles.time} x={x} y={EDGE.top - 5} textAnchor="middle">
          {index + 1}
        </text>
      )}
    </g>
  ));
}

function useWidth(place: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const host = place.current!;
    const observer = new ResizeObserver(() => setWidth(host.clientWidth));
    observer.observe(host);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
