import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Note, Stack } from '../../ui/layout.tsx';
import { Facts } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import { ServingWords } from '../serving.tsx';
import { t } from './messages.ts';
import type { PlainStep } from './use-step.ts';

/** What users get after a step, in each environment that it reaches. */
export function StepEffect(props: {
  readonly step: PlainStep;
  readonly flags: readonly Flag[];
  readonly reached: readonly string[];
}) {
  const { step, flags, reached } = props;
  const { environments } = useScope();
  if (step !== 'archive' && step !== 'activate') return null;
  const shown = environments.filter(({ id }) => reached.includes(id));
  if (shown.length === 0) return null;
  const facts = shown.flatMap((environment) => {
    const flag = flags.find((one) => one.environment_id === environment.id);
    if (flag === undefined) return [];
    const after = step === 'archive' ? { ...flag, enabled: false } : flag;
    const at = flag.last_evaluated_at;
    const words = (
      <span key="words">
        <ServingWords place={{ environment, flag: after }} />{' '}
        <Note tone="faint" isSmall>
          (
          {at === null ? (
            t.never
          ) : (
            <>
              {t.evaluations} <Time at={at} />
            </>
          )}
          )
        </Note>
      </span>
    );
    return [[environment.name, words] as const];
  });
  return (
    <Stack gap="close">
      <Note isStrong>{t.serves}</Note>
      <Facts facts={facts} />
    </Stack>
  );
}
