import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

/** An entry that is being dragged, and the gap where it would land: 0 is before the first. */
interface Drag {
  readonly id: string;
  readonly gap: number;
}

/**
 * Moves the entries of a list by a handle: with a mouse or finger by dragging, with the keyboard by the arrow keys. The
 * entries hold form fields, whose arrow keys must stay their own; a list that takes the arrow keys cannot be used.
 */
export function useReorder(ids: readonly string[], onMove: (id: string, place: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const gapAt = (y: number): number => {
    const items = [...(list.current?.children ?? [])].slice(0, ids.length);
    const at = items.findIndex((item) => {
      const { top, height } = item.getBoundingClientRect();
      return y < top + height / 2;
    });
    return at === -1 ? items.length : at;
  };
  const drop = () => {
    if (drag === undefined) return;
    setDrag(undefined);
    const from = ids.indexOf(drag.id);
    const place = drag.gap > from ? drag.gap - 1 : drag.gap;
    if (place !== from) onMove(drag.id, place);
  };
  const handleOf = (id: string) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ id, gap: ids.indexOf(id) });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (drag !== undefined) setDrag({ id: drag.id, gap: gapAt(event.clientY) });
    },
    onPointerUp: drop,
    onPointerCancel: () => setDrag(undefined),
    onKeyDown(event: KeyboardEvent) {
      if (event.key === 'Escape') setDrag(undefined);
      const place = placeOf(event.key, ids.indexOf(id), ids.length);
      if (place === undefined) return;
      event.preventDefault();
      if (place !== ids.indexOf(id)) onMove(id, place);
    },
  });
  /** Where a line shows the place of the drop: before or after the entry. */
  const markOf = (index: number): 'before' | 'after' | undefined => {
    if (drag === undefined) return undefined;
    if (drag.gap === index) return 'before';
    return drag.gap === ids.length && index === ids.length - 1 ? 'after' : undefined;
  };
  return { list, dragged: drag?.id, handleOf, markOf };
}

function placeOf(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, from - 1);
    case 'ArrowDown':
      return Math.min(count - 1, from + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
