import type { Warning } from '../../api/types.ts';
import { Notice } from '../../ui/surface.tsx';
import { t as page } from '../messages.ts';
import { configOf } from '../rules/config.ts';
import { useFlagNames } from '../use-flag-names.ts';
import { t } from './messages.ts';
import type { Pair } from './use-promotion.ts';

/** A warning of the dry run with names in the place of keys. A code that the page does not know keeps the server's words. */
export function WarningNotice({ pair, warning }: { readonly pair: Pair; readonly warning: Warning }) {
  const { source, target } = pair;
  const { code, message, remedy, details } = warning;
  const needed = code === 'prerequisite-off' ? String(details['prerequisite']) : undefined;
  const nameOf = useFlagNames(needed === undefined ? [] : [needed]);
  const { name } = target.environment;
  if (needed !== undefined)
    return (
      <Notice tone="warn" title={t.needsOff(nameOf(needed), name)}>
        {t.needsOffRemedy(nameOf(needed))}
      </Notice>
    );
  const { rules } = configOf(source.flag);
  const place = rules.findIndex(({ id }) => id === details['rule_id']);
  if (code === 'rollout-shrinks' && place !== -1)
    return (
      <Notice tone="warn" title={t.shrinks(page.rules.named(place + 1, rules[place]!.name), name)}>
        {t.shrinksRemedy}
      </Notice>
    );
  return (
    <Notice tone="warn" title={message}>
      {remedy}
    </Notice>
  );
}
