import type { ReactNode } from 'react';
import { ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/surface.tsx';
import { useScope } from '../scope/use-scope.ts';
import { t } from './messages.ts';
import { isFreeze, type Refused } from './outlook.ts';

/** What a break-glass session is opened for: `new` asks, `project` covers everything in it. */
type GlassTarget = 'new' | 'project';

/** Says before the click that the server would refuse, and leads to break-glass where that helps. */
export function Refusal(props: {
  readonly refusal: Refused;
  readonly glass?: GlassTarget;
  /** What was kept. */
  readonly children?: ReactNode;
}) {
  const { refusal, glass, children } = props;
  const isFrozen = isFreeze(refusal.code);
  return (
    <Notice
      tone="warn"
      icon={isFrozen ? 'snow' : 'warn'}
      title={refusal.message}
      isUrgent
      actions={isFrozen && <BreakGlassLink of={glass} />}
    >
      {children}
    </Notice>
  );
}

/** Leads from a refusal by a freeze to break-glass. */
export function BreakGlassLink({ of = 'new' }: { readonly of?: GlassTarget | undefined }) {
  const { hrefTo } = useScope();
  return (
    <ButtonLink isSmall icon="break-glass" href={hrefTo('freezes', { 'break-glass': of })}>
      {t.breakGlass}
    </ButtonLink>
  );
}
