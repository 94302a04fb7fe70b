import { call, type Installation, NoAnswer } from './client.ts';

/** What a flag holds in the environment that is written to: the number in its rule, and its switch. */
export interface FlagState {
  readonly number: number;
  readonly enabled: boolean;
}

/** One writer and its flag: what it knows to be stored, and what is on its way. */
export interface Writer {
  readonly flagId: string;
  state: FlagState;
  /** What the write in flight leads to. */
  pending: FlagState | undefined;
  acknowledged: number;
  /** Writes that were found applied, acknowledged or not: as many audit entries there must be. */
  applied: number;
  number: number;
}

export function createWriter(flagId: string): Writer {
  const state = { number: 0, enabled: false };
  return { flagId, state, pending: undefined, acknowledged: 0, applied: 0, number: 0 };
}

/** Toggles the flag and writes its rules, one after the other, until the server is gone. */
export async function keepWriting(
  url: string,
  { accessToken, environmentId }: Installation,
  writer: Writer,
  faults: string[],
): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const query = `environment_id=${environmentId}`;
  try {
    for (;;) {
      const number = ++writer.number;
      const { state, flagId } = writer;
      const isToggle = number % 3 === 0;
      writer.pending = isToggle ? { ...state, enabled: !state.enabled } : { ...state, number };
      const { status } = isToggle
        ? await call(url, 'POST', `/flags/${flagId}/toggle?${query}`, headers, {
            enabled: writer.pending.enabled,
          })
        : await call(url, 'PUT', `/flags/${flagId}?${query}`, headers, {
            targeting_rules: [ruleWith(number)],
          });
      if (status === 200) {
        writer.state = writer.pending;
        writer.acknowledged += 1;
        writer.applied += 1;
      } else if (status !== 429 && status !== 503) {
        // Refused whole by the limit or for want of time, which inspecting shows.
        faults.push(`a write was answered with ${status}`);
      }
      writer.pending = undefined;
      if (status !== 200) return;
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
}

function ruleWith(number: number): object {
  return {
    priority: 1,
    name: `Rule ${number}`,
    conditions: [{ attribute: 'number', operator: 'gt', value: number }],
    variation: 'on',
  };
}
