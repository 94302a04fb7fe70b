import { type ComponentType, createContext, type ReactElement, useContext } from 'react';

interface TipProps {
  readonly text: string;
  readonly children: ReactElement;
}

/** Draws tooltips. The frame of a project gives it; the pages before a session do without its 5 kB. */
export const TipContext = createContext<ComponentType<TipProps> | undefined>(undefined);

/** Shows a text on hover and focus of a button: by a tooltip where there is one, else by the browser. */
export function Tip({ text, children }: TipProps) {
  const Tooltip = useContext(TipContext);
  return Tooltip ? <Tooltip text={text}>{children}</Tooltip> : <span title={text}>{children}</span>;
}
