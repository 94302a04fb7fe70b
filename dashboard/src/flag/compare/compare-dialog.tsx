import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import type { Outlook } from '../../app/changes/outlook.ts';
import { Refusal } from '../../app/changes/refusal.tsx';
import { useComment } from '../../app/changes/use-comment.tsx';
import { useRights } from '../../app/scope/use-rights.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import { showToast } from '../../ui/toast.tsx';
import { t as page } from '../messages.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import { useEdit } from '../rules/use-edit.ts';
import { type Place, tagOf } from '../use-flag.ts';
import { useFlagGlass } from '../use-freeze.ts';
import { useRestore } from '../use-restore.ts';
import { t } from './messages.ts';
import { PairFields } from './pair-fields.tsx';
import { PartTable } from './part-table.tsx';
import { differingParts, type Promotion } from './promotion.ts';
import { PromotionEffect } from './promotion-effect.tsx';
import { type Pair, usePromote, usePromotionOutlook } from './use-promotion.ts';
import { WarningNotice } from './warning-notice.tsx';

/** Two environments side by side, and the parts of one that should be in the other as well. */
export function CompareDialog(props: {
  readonly places: readonly Place[];
  readonly pair: Pair;
  readonly names: Names;
  readonly onPair: (pair: Pair) => void;
  readonly onClose: () => void;
}) {
  const { places, pair, names, onPair, onClose } = props;
  const { source, target } = pair;
  const [from, to] = [source.environment.name, target.environment.name];
  const { differing, promotion, setPromotion } = usePromotionChoice(pair);
  const reason = useComment({ isRequired: target.environment.require_comment && differing.length > 0 });
  const glass = useFlagGlass(target.environment, target.flag);
  const outlook = usePromotionOutlook(pair, promotion, glass?.id);
  const promote = usePromote(pair);
  const restore = useRestore(target);
  const { count } = useEdit(source);
  const attempt = { comment: reason.comment, breakGlass: glass?.id };
  const whyNot = useWhyNot(pair, promotion, outlook) ?? reason.whyNot;
  const run = async () => {
    if ((await promote.save(promotion, { ...attempt, tag: tagOf(target.flag) })) === undefined) return;
    onClose();
    const before = target.flag.revision;
    showToast(t.promoted(from, to), () => void restore.run(before, attempt));
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isWide
      title={t.title(from, to)}
      intro={differing.length === 0 ? undefined : t.intro(from, to)}
      foot={
        <>
          {differing.length > 0 && (
            <Button
              kind="main"
              onPress={() => void run()}
              isPending={promote.state === 'saving'}
              whyNot={whyNot}
            >
              {t.promote(to)}
            </Button>
          )}
          <Button onPress={onClose}>{t.close}</Button>
        </>
      }
    >
      <Stack>
        <PairFields places={places} pair={pair} onChange={onPair} />
        {count > 0 && <Note tone="warn">{t.unsaved(from)}</Note>}
        {differing.length === 0 && <Notice tone="good" title={t.identical(from, to)} />}
        <PartTable
          pair={pair}
          names={names}
          differing={differing}
          promotion={promotion}
          onChange={setPromotion}
        />
        {differing.length > 0 && <PromotionEffect pair={pair} names={names} promotion={promotion} />}
        <Outcome pair={pair} outlook={outlook.data} />
        {outlook.error && (
          <ErrorState problem={toProblem(outlook.error)} onRetry={() => void outlook.refetch()} />
        )}
        {reason.field}
        {promote.problem && <ErrorState problem={promote.problem} kept={t.kept(to)} />}
      </Stack>
    </Dialog>
  );
}

/** All that differs is chosen, except the switch: a promotion switches nothing on by itself. */
function usePromotionChoice({ source, target }: Pair) {
  const differing = differingParts(source.flag, target.flag);
  const of = `${source.environment.id} ${target.environment.id}`;
  const include = differing.filter((part) => part !== 'enabled');
  const start: Promotion & { readonly of: string } = { of, include, keepsRules: false };
  const [chosen, setChosen] = useState(start);
  const current = chosen.of === of ? chosen : start;
  const promotion: Promotion = {
    include: current.include.filter((part) => differing.includes(part)),
    keepsRules: current.keepsRules,
  };
  const setPromotion = (next: Promotion) => setChosen({ of, ...next });
  return { differing, promotion, setPromotion };
}

/** Why the parts cannot be promoted: a role, a freeze, nothing chosen. */
function useWhyNot(
  { target: { environment, flag } }: Pair,
  { include }: Promotion,
  outlook: Pick<UseQueryResult<Outlook>, 'data' | 'isPending'>,
): string | undefined {
  const { whyNot } = useRights();
  if (flag.status === 'archived') return page.card.archived;
  const missing = whyNot(environment);
  if (missing !== undefined) return missing;
  if (include.length === 0) return t.chooseFirst;
  if (outlook.isPending) return t.checking;
  return outlook.data?.refusal?.message;
}

/** What the server says before anything is sent: a freeze, a split that shrinks, a flag that is off there. */
function Outcome({ pair, outlook }: { readonly pair: Pair; readonly outlook: Outlook | undefined }) {
  return (
    <>
      {outlook?.warnings.map((warning) => (
        <WarningNotice key={warning.code + warning.message} pair={pair} warning={warning} />
      ))}
      {outlook?.refusal && <Refusal refusal={outlook.refusal} />}
    </>
  );
}
