import { createContext, useContext, useEffect } from 'react';

/** A step of the way to the page, shown at the top. */
export interface Crumb {
  readonly label: string;
  readonly href?: string | undefined;
}

interface Frame {
  setTitle(title: string, crumbs: readonly Crumb[]): void;
}

/** Given by the shell. Pages outside of it set only the document's title. */
export const FrameContext = createContext<Frame | undefined>(undefined);

/**
 * Names the page in the document's title and in the way at the top; the last step is the page itself. Give crumbs for
 * pages below a page of the navigation: `usePage(flag.name, [{ label: 'Flags', href }])`.
 */
export function usePage(title: string, crumbs: readonly Crumb[] = []): void {
  const frame = useContext(FrameContext);
  const way = JSON.stringify(crumbs);
  useEffect(() => {
    document.title = title === '' ? 'flagsvc' : `${title} · flagsvc`;
    frame?.setTitle(title, JSON.parse(way) as readonly Crumb[]);
  }, [frame, title, way]);
}
