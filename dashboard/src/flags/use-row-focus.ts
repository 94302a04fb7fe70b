import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Rows that Page Up and Page Down skip. */
const PAGE = 15;

/** The arrow keys, Home, End and the page keys move the focus from row to row, also to rows that are not there yet. */
export function useRowFocus(
  body: RefObject<HTMLElement | null>,
  { count, rowHeight }: { readonly count: number; readonly rowHeight: number },
) {
  /** The row with the focus, which stays when it leaves the screen. */
  const [focused, setFocused] = useState<number>();
  const wanted = useRef<{ readonly row: number; readonly cell: number }>(undefined);
  // After each render, since the row may have arrived only now.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const { row, cell } = wanted.current;
    const found = body.current?.querySelector(`tr[aria-rowindex="${row + 2}"]`);
    const target = [found?.children[cell], found].map((part) => part?.querySelector<HTMLElement>('a, input'));
    const next = target.find((one) => one);
    if (!next) return;
    wanted.current = undefined;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const cell = (event.target as Element).closest('td');
    const row = indexOf(cell);
    if (row === undefined || cell === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const goal = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + PAGE,
      PageUp: row - PAGE,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (goal === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, goal));
    wanted.current = { row: next, cell: cell.cellIndex };
    const top = scrollY + (body.current?.getBoundingClientRect().top ?? 0) + next * rowHeight;
    if (top < scrollY + innerHeight / 4 || top > scrollY + innerHeight * 0.75)
      scrollTo({ top: top - innerHeight / 2 });
    setFocused(next);
  };
  return {
    focused,
    onKeyDown,
    onFocus: (event: { readonly target: EventTarget }) => setFocused(indexOf(event.target as Element)),
    onBlur: () => wanted.current === undefined && setFocused(undefined),
  };
}

function indexOf(element: Element | null): number | undefined {
  const row = element?.closest('tr')?.getAttribute('aria-rowindex');
  return row == null ? undefined : Number(row) - 2;
}
