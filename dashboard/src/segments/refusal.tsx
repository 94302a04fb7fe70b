import type { ApiProblem } from '../api/problem.ts';
import type { Outlook } from '../app/changes/outlook.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { t } from './messages.ts';

const FROZEN = 'FREEZE_WINDOW_ACTIVE';

/** Why the server refused, or would refuse, a change, with the way on: a freeze leads to break-glass. */
export function Refusal(props: {
  readonly problem: ApiProblem | undefined;
  readonly outlook?: Outlook | undefined;
  readonly kept?: string;
  readonly onRetry?: () => void;
}) {
  const { problem, outlook, kept, onRetry } = props;
  const planned = outlook?.refusal;
  if (problem === undefined && planned === undefined) return null;
  const isFrozen = (problem?.code ?? planned?.code) === FROZEN;
  return (
    <Stack gap="close">
      {problem ? (
        <ErrorState problem={problem} {...(kept !== undefined && { kept })} onRetry={onRetry} />
      ) : (
        <Notice
          tone="warn"
          icon={isFrozen ? 'snow' : 'warn'}
          title={planned!.message}
          isUrgent
          {...(isFrozen && { actions: <BreakGlass /> })}
        >
          {[kept, isFrozen && t.frozenText].filter(Boolean).join(' ')}
        </Notice>
      )}
      {isFrozen && problem && (
        <Line>
          <BreakGlass />
        </Line>
      )}
    </Stack>
  );
}

function BreakGlass() {
  const { hrefTo } = useScope();
  return (
    <ButtonLink icon="break-glass" href={hrefTo('freezes', { 'break-glass': 'project' })} isSmall>
      {t.frozen}
    </ButtonLink>
  );
}
