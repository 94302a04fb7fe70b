import type { EventSink } from '../../../data-plane/ports.ts';
import type { EventIntake } from './event-intake.ts';
import type { SdkRecorder } from './sdk-recorder.ts';
import type { StoredKeys } from './stored-keys.ts';

export interface EventSinkDeps {
  readonly intake: EventIntake;
  readonly keys: StoredKeys;
  readonly sdks: SdkRecorder;
}

/**
 * Receives the batches of the data plane: counters by hour, exposures and track events once, and the receipt, all stored
 * before the client gets its answer. A batch that is sent again gets the same receipt and is not counted twice.
 */
export function createEventSink({ intake, keys, sdks }: EventSinkDeps): EventSink {
  return {
    async accept({ organizationId, environmentId, ...grant }, batch, rejected) {
      const receipt = await intake.accept({
        organizationId,
        environmentId,
        batchId: batch.batch_id,
        events: batch.events.map((event) => keys.prepare(environmentId, event)),
        rejected,
      });
      const { name, version } = (batch.sdk ?? {}) as { name?: string; version?: string };
      if (name) {
        await sdks.record({ organizationId, environmentId, ...grant }, { name, version: version ?? '' });
      }
      return receipt;
    },
  };
}
