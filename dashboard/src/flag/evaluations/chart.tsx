import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatCompact } from '../../i18n/format-number.ts';
import { locale } from '../../i18n/language.ts';
import styles from './evaluations.module.css';
import type { Evaluations, Range } from './series.ts';

const HEIGHT = 208;
const FONT = '12px system-ui, sans-serif';

export interface ChartProps {
  readonly range: Range;
  readonly evaluations: Evaluations;
  /** Colours of the series: 1 to 5. */
  readonly colours: readonly number[];
  /** Times of changes in milliseconds; their numbers stand at the top. */
  readonly changes: readonly number[];
  /** The point below the mouse, and undefined when it leaves. */
  readonly onPoint: (index: number | undefined) => void;
}

/** Lines over time. The table and the list beside it say the same to screen readers. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { range, evaluations, changes, colours } = props;
  const shape = JSON.stringify([range, colours, changes, evaluations]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for all that is drawn.
  useEffect(() => {
    const host = place.current!;
    const chart = new uPlot(optionsOf(host, latest), dataOf(evaluations), host);
    const resize = new ResizeObserver(() => chart.setSize({ width: host.clientWidth, height: HEIGHT }));
    resize.observe(host);
    const stopTheme = onThemeChange(() => chart.redraw(false, true));
    return () => {
      resize.disconnect();
      stopTheme();
      chart.destroy();
    };
  }, [shape]);
  return (
    <div ref={place} className={styles.chart} aria-hidden="true">
      {colours.map((series, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a colour has no other name, and two can be the same.
        <i key={index} data-series={series} />
      ))}
      <i data-axis="" />
      <i data-grid="" />
    </div>
  );
}

function dataOf({ times, series }: Evaluations): uPlot.AlignedData {
  return [[...times], ...series.map(({ counts }) => [...counts])] as uPlot.AlignedData;
}

/** A canvas does not know custom properties: marks of the style sheet tell the colours of the theme. */
const colourOf = (host: HTMLElement, mark: string): string =>
  getComputedStyle(host.querySelector(mark)!).color;

function optionsOf(host: HTMLElement, latest: { readonly current: ChartProps }): uPlot.Options {
  const { range, evaluations } = latest.current;
  const zone = range === '24h' ? undefined : 'UTC';
  const format = new Intl.DateTimeFormat(locale, {
    ...(range === '24h' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' }),
    ...(zone !== undefined && { timeZone: zone }),
  });
  const axis = { font: FONT, stroke: () => colourOf(host, '[data-axis]'), ticks: { show: false } };
  const line = { stroke: () => colourOf(host, '[data-grid]'), width: 1 };
  return {
    width: host.clientWidth,
    height: HEIGHT,
    ms: 1,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    ...(zone !== undefined && { tzDate: (ms: number) => uPlot.tzDate(new Date(ms), zone) }),
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, splits) => splits.map((ms) => format.format(ms)),
        size: 26,
        space: 72,
      },
      { ...axis, grid: line, values: (_, splits) => splits.map(countWords), size: 48 },
    ],
    series: [
      {},
      ...evaluations.series.map((_, index) => ({
        stroke: () => colourOf(host, `i:nth-of-type(${index + 1})`),
        width: 2,
        points: { show: false },
      })),
    ],
    hooks: {
      draw: [(chart) => drawChanges(chart, host, latest.current.changes)],
      setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? undefined)],
    },
  };
}

/** Axes show whole numbers: half an evaluation does not exist. */
const countWords = (value: number): string => (Number.isInteger(value) ? formatCompact(value) : '');

/** A dashed line for each change, with its number at the top. Numbers that would overlap are left out. */
function drawChanges(chart: uPlot, host: HTMLElement, changes: readonly number[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const [first = 0] = chart.data[0];
  let freeFrom = Number.NEGATIVE_INFINITY;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf(host, '[data-axis]');
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const [index, at] of changes.entries()) {
    const x = Math.min(bbox.left + bbox.width, chart.valToPos(Math.max(at, first), 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top + 2 * ratio);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (x < freeFrom) continue;
    ctx.fillText(String(index + 1), x, bbox.top - 3 * ratio);
    freeFrom = x + 14 * ratio;
  }
  ctx.restore();
}

/** The theme is an attribute of the document, or that of the system. */
function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', listener);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', listener);
  };
}
