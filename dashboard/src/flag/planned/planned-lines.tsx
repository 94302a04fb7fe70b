import type { DiffLine } from '../../ui/diff.tsx';
import { t as page } from '../messages.ts';
import { configOf } from '../rules/config.ts';
import { differenceLine } from '../rules/difference-lines.tsx';
import { differencesOf } from '../rules/differences.ts';
import type { Instruction } from '../rules/instructions.ts';
import type { Names } from '../rules/rule-sentence.tsx';
import type { Place } from '../use-flag.ts';
import { followInstructions } from './follow-instructions.ts';
import { t } from './messages.ts';

/** What instructions change in the flag as it is now, in the words of the page. */
export function plannedLines(
  { flag }: Pick<Place, 'flag'>,
  instructions: readonly Instruction[],
  names: Names,
): readonly DiffLine[] {
  const saved = configOf(flag);
  const after = followInstructions({ config: saved, enabled: flag.enabled }, instructions);
  return [
    ...(after.enabled === flag.enabled ? [] : [switchLine(after.enabled)]),
    ...differencesOf(saved, after.config).map((one) => differenceLine(one, names)),
    ...after.others.map(otherLine),
  ];
}

function switchLine(isOn: boolean): DiffLine {
  const [from, to] = isOn ? [page.off, page.on] : [page.on, page.off];
  return { id: 'switch', what: t.words.switch, from, to };
}

function otherLine(step: Instruction, index: number): DiffLine {
  const id = `${step.op} ${index}`;
  switch (step.op) {
    case 'add_tag':
    case 'remove_tag':
      return { id, what: t.words.tag(step.tag!), ...side(step.op === 'add_tag', step.tag!) };
    default:
      return {
        id,
        what: t.words.other(step.op),
        to: String(step.name ?? step.description ?? step.variation ?? ''),
      };
  }
}

const side = (isAdded: boolean, text: string) => (isAdded ? { to: text } : { from: text });
