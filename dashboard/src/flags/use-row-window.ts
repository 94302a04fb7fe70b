import { type RefObject, startTransition, useLayoutEffect, useState } from 'react';

/** Rows above and below the screen, so that a quick scroll and the Tab key meet rows that are there. */
const BEYOND = 8;
/** The window moves by this many rows, so that most scroll events render nothing. */
const STEP = 5;
/** Without a measurement yet: the height of a row, or of a card on a phone. */
const ROW_PX = 45;
const CARD_PX = 117;

let measured: number | undefined;

/** The rows that are rendered: `first` up to but without `end`. */
export interface Range {
  readonly first: number;
  readonly end: number;
}
export const FIRST_RANGE: Range = { first: 0, end: 30 };

/** Keeps `range` around the rows on the screen, while the page scrolls. Returns the height of a row; all are equal. */
export function useRowWindow(
  body: RefObject<HTMLElement | null>,
  { count, onChange }: { readonly count: number; readonly onChange: (range: Range) => void },
): number {
  const guess = globalThis.innerWidth < 768 ? CARD_PX : ROW_PX;
  const [height, setHeight] = useState(measured ?? guess);
  useLayoutEffect(() => {
    let last = '';
    const follow = () => {
      const found = body.current;
      if (found === null) return;
      const row = found.querySelector('tr[aria-rowindex]')?.getBoundingClientRect().height;
      if (row !== undefined && row > 0 && Math.abs(row - height) > 0.01) {
        measured = row;
        setHeight(row);
      }
      const above = -found.getBoundingClientRect().top / height;
      const first = stepped(above - BEYOND, count);
      const end = Math.min(count, stepped(above + innerHeight / height + BEYOND + STEP, count));
      const next = `${first} ${end}`;
      if (next === last) return;
      last = next;
      // In slices, so that no scroll waits for rows.
      startTransition(() => onChange({ first, end }));
    };
    follow();
    addEventListener('scroll', follow, { passive: true });
    addEventListener('resize', follow);
    return () => {
      removeEventListener('scroll', follow);
      removeEventListener('resize', follow);
    };
  }, [body, count, height, onChange]);
  return height;
}

const stepped = (row: number, count: number): number =>
  Math.max(0, Math.min(count, Math.floor(row / STEP) * STEP));
