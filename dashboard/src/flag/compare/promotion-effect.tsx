import { Diff } from '../../ui/diff.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Card } from '../../ui/surface.tsx';
import { t as page } from '../messages.ts';
import { configOf } from '../rules/config.ts';
import { differenceLine } from '../rules/difference-lines.tsx';
import { differencesOf } from '../rules/differences.ts';
import { type Instruction, instructionsOf } from '../rules/instructions.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { usePreview } from '../use-preview.ts';
import { t } from './messages.ts';
import { type Promotion, promotedConfig } from './promotion.ts';
import type { Pair } from './use-promotion.ts';

/** What changes in the target, and for how many of its recorded users. */
export function PromotionEffect(props: {
  readonly pair: Pair;
  readonly names: Names;
  readonly promotion: Promotion;
}) {
  const { pair, names, promotion } = props;
  const { source, target } = pair;
  const after = promotedConfig(source.flag, target.flag, promotion);
  const before = configOf(target.flag);
  const isSwitched = promotion.include.includes('enabled') && source.flag.enabled !== target.flag.enabled;
  const [off, on] = [page.off, page.on];
  const turn = source.flag.enabled ? { from: off, to: on } : { from: on, to: off };
  const lines = [
    ...(isSwitched ? [{ id: 'enabled', what: t.parts.enabled, ...turn }] : []),
    ...differencesOf(before, after).map((difference) => differenceLine(difference, names)),
  ];
  const instructions: readonly Instruction[] = [
    ...(isSwitched ? [{ op: 'set_enabled' as const, enabled: source.flag.enabled }] : []),
    ...instructionsOf(before, after),
  ];
  return (
    <Stack gap="close">
      <Note isStrong>{t.effect(target.environment.name)}</Note>
      {lines.length === 0 ? (
        <Note tone="muted">{t.nothing}</Note>
      ) : (
        <Card isFlush>
          <Diff lines={lines} />
        </Card>
      )}
      <Users target={target} instructions={instructions} />
    </Stack>
  );
}

/** "64 of 300 recorded users would get another variation." */
function Users(props: { readonly target: Place; readonly instructions: readonly Instruction[] }) {
  const { target, instructions } = props;
  const { data } = usePreview(target, instructions);
  if (data === undefined || data.contexts === 0 || instructions.length === 0) return null;
  return <Note tone="muted">{t.users(data.changed, data.contexts)}</Note>;
}
