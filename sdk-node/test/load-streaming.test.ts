import type { LifecycleHandles } from '@flagsvc/sdk-core/client';
import type { CreateStream } from '@flagsvc/sdk-core/stream';
import { expect, test } from 'vitest';
import { loadStreaming } from '../src/client/load-streaming.ts';

/**
 * A stream whose code the test loads. `connected` lists, for each stream that the code created, the handles that it is
 * connected to.
 */
const setUp = () => {
  const connected: (LifecycleHandles | undefined)[] = [];
  const loads: { finish(): void; fail(): void }[] = [];
  const streaming: CreateStream = () => {
    const at = connected.push(undefined) - 1;
    return {
      connect(handles) {
        connected[at] = handles;
      },
      disconnect() {
        connected[at] = undefined;
      },
    };
  };
  const load = () =>
    new Promise<{ streaming: CreateStream }>((resolve, reject) => {
      loads.push({ finish: () => resolve({ streaming }), fail: () => reject(new Error('offline')) });
    });
  const stream = loadStreaming(load)({} as never);
  return { stream, connected, loads, settle: () => new Promise((resolve) => setTimeout(resolve)) };
};
const handlesOf = () => ({}) as LifecycleHandles;

test('loads the code when the stream first connects, and creates only one stream', async () => {
  const { stream, connected, loads, settle } = setUp();
  await settle();
  expect(loads).toHaveLength(0);
  const [first, second] = [handlesOf(), handlesOf()];
  stream.connect(first);
  loads[0]!.finish();
  await settle();
  expect(connected).toEqual([first]);
  stream.disconnect();
  expect(connected).toEqual([undefined]);
  stream.connect(second);
  loads[1]!.finish();
  await settle();
  expect(connected).toEqual([second]);
});

test('connects once, or not at all if it was disconnected while its code was loading', async () => {
  const { stream, connected, loads, settle } = setUp();
  const [first, second] = [handlesOf(), handlesOf()];
  stream.connect(first);
  stream.disconnect();
  loads[0]!.finish();
  await settle();
  expect(connected).toEqual([]);
  stream.connect(first);
  stream.disconnect();
  stream.connect(second);
  loads[2]!.finish();
  loads[1]!.finish();
  await settle();
  expect(connected).toHaveLength(1);
  expect(connected[0]).toBe(second);
});

test('tolerates code that cannot be loaded, and tries again the next time', async () => {
  const { stream, connected, loads, settle } = setUp();
  stream.connect(handlesOf());
  loads[0]!.fail();
  await settle();
  stream.disconnect();
  const handles = handlesOf();
  stream.connect(handles);
  loads[1]!.finish();
  await settle();
  expect(connected).toEqual([handles]);
});
