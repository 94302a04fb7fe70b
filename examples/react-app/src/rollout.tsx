import type { FlagKey } from '@flagsvc/sdk-core';
import { memo, useSyncExternalStore } from 'react';
import type { Others } from './client.ts';
import { Share } from './controls.tsx';
import { MY_NUMBER, visitors } from './visitors.ts';

const Visitor = memo(({ number, variation }: { readonly number: number; readonly variation: string }) => (
  <li
    className={`visitor ${variation} ${number === MY_NUMBER ? 'me' : ''}`}
    title={`Visitor ${number}: ${variation}`}
  >
    {number}
  </li>
));
Visitor.displayName = 'Visitor';

/** A grid of a hundred visitors, coloured by the variation that they are served, and a slider for the rollout. */
export const Rollout = ({
  others,
  flagKey,
  onShare,
}: {
  readonly others: Others;
  readonly flagKey: FlagKey;
  readonly onShare: ((percentage: number) => void) | undefined;
}) => {
  const evaluator = useSyncExternalStore(others.subscribe, others.evaluator);
  const variations = visitors.map((context) => evaluator?.evaluate(flagKey, context).variation_key ?? 'none');
  const on = variations.filter((variation) => variation === 'on').length;
  const flag = evaluator?.ruleset.flags.find(({ key }) => key === flagKey);
  const share = flag?.targeting_rules.at(-1)?.percentage_rollout?.find(({ variation }) => variation === 'on');
  return (
    <>
      {onShare && <Share actual={share?.percentage ?? 0} onChange={onShare} />}
      <ol className="grid" aria-label="Visitors by variation">
        {visitors.map(({ user_key }, at) => (
          <Visitor key={user_key} number={at + 1} variation={variations[at]!} />
        ))}
      </ol>
      <p className="legend">
        <b id="on-count">{on}</b> of {visitors.length} get the new checkout. A visitor who has it keeps it
        while the share grows. You are number {MY_NUMBER}.
      </p>
    </>
  );
};
