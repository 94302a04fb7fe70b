import type { ReactElement } from 'react';
import { Tooltip, TooltipTrigger } from 'react-aria-components';
import styles from './overlay.module.css';

/** Shows a text on hover and focus of a button or link. Only for what the page says elsewhere or a name repeats. */
export function Tip({ text, children }: { readonly text: string; readonly children: ReactElement }) {
  return (
    <TooltipTrigger delay={400} closeDelay={80}>
      {children}
      <Tooltip className={styles.tip} offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  );
}
