import { useScope } from '../../app/scope/use-scope.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Notice } from '../../ui/surface.tsx';
import type { Outlook } from '../plan.ts';
import { t } from './messages.ts';

/** Says before the click that the server would refuse, and leads to break-glass where that helps. */
export function Refusal({ refusal }: { readonly refusal: NonNullable<Outlook['refusal']> }) {
  const { hrefTo } = useScope();
  const isFrozen = refusal.code === 'FREEZE_WINDOW_ACTIVE';
  return (
    <Notice
      tone="warn"
      icon={isFrozen ? 'snow' : 'warn'}
      title={t.refused}
      actions={
        isFrozen && (
          <ButtonLink isSmall icon="break-glass" href={hrefTo('freezes', { 'break-glass': 'new' })}>
            {t.breakGlass}
          </ButtonLink>
        )
      }
    >
      {refusal.message}
    </Notice>
  );
}
