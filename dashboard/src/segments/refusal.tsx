import type { ApiProblem } from '../api/problem.ts';
import { isFreeze, type Outlook } from '../app/changes/outlook.ts';
import { BreakGlassLink, Refusal } from '../app/changes/refusal.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Stack } from '../ui/layout.tsx';
import { t } from './messages.ts';

/** Why the server refused, or would refuse, a change of a segment, with the way on. */
export function SegmentRefusal(props: {
  readonly problem: ApiProblem | undefined;
  readonly outlook?: Outlook | undefined;
  readonly kept?: string;
  readonly onRetry?: () => void;
}) {
  const { problem, outlook, kept, onRetry } = props;
  const refusal = outlook?.refusal;
  if (problem === undefined)
    return (
      refusal && (
        <Refusal refusal={refusal} glass="project">
          {[kept, isFreeze(refusal.code) && t.frozenText].filter(Boolean).join(' ')}
        </Refusal>
      )
    );
  return (
    <Stack gap="close">
      <ErrorState problem={problem} {...(kept !== undefined && { kept })} onRetry={onRetry} />
      {isFreeze(problem.code) && (
        <Line>
          <BreakGlassLink of="project" />
        </Line>
      )}
    </Stack>
  );
}
