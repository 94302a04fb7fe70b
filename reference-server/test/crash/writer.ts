import type { Api } from '../api.ts';
import { NoAnswer } from '../installation.ts';
import type { RuleBody } from '../server.ts';

/** The state of a flag in production: the number in its rule, and whether it is enabled. */
export interface FlagState {
  readonly number: number;
  readonly enabled: boolean;
}

/** A writer with a flag of its own. `state` is the last known stored state. */
export interface Writer {
  readonly flagId: string;
  state: FlagState;
  /** The state that the write in flight would store. */
  pending: FlagState | undefined;
  acknowledged: number;
  /** Writes found in the database, acknowledged or not. Each must have an audit entry. */
  applied: number;
  number: number;
}

export function createWriter(flagId: string): Writer {
  const state = { number: 0, enabled: false };
  return { flagId, state, pending: undefined, acknowledged: 0, applied: 0, number: 0 };
}

/** Toggles the flag and writes its rules, one after the other, until the server is killed. */
export async function keepWriting({ flags }: Api, writer: Writer, faults: string[]): Promise<void> {
  try {
    for (;;) {
      const number = ++writer.number;
      const { state, flagId } = writer;
      const isToggle = number % 3 === 0;
      writer.pending = isToggle ? { ...state, enabled: !state.enabled } : { ...state, number };
      const write = isToggle
        ? flags.toggle(flagId, writer.pending.enabled)
        : flags.update(flagId, { targeting_rules: [ruleWith(number)] });
      const { status } = await write.answer;
      if (status === 200) {
        writer.state = writer.pending;
        writer.acknowledged += 1;
        writer.applied += 1;
      } else if (status !== 429 && status !== 503) {
        // 429 and 503 are expected; `inspect` checks that nothing of such a write is stored.
        faults.push(`a write was answered with ${status}`);
      }
      writer.pending = undefined;
      if (status !== 200) return;
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
}

function ruleWith(number: number): RuleBody {
  return {
    priority: 1,
    name: `Rule ${number}`,
    conditions: [{ attribute: 'number', operator: 'gt', value: number }],
    variation: 'on',
  };
}
