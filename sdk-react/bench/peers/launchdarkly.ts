import { createClient, createLDReactProviderWithClient, useBoolVariation } from '@launchdarkly/react-sdk';
import type { CreateSubject, Values } from '../subject.ts';

/** A stream whose events the benchmark sends. */
class Stream {
  static open: Stream | undefined;
  readonly listeners = new Map<string, (event: unknown) => void>();
  onopen?: () => void;
  constructor() {
    Stream.open = this;
    setTimeout(() => this.onopen?.(), 0);
  }
  addEventListener(name: string, listener: (event: unknown) => void) {
    this.listeners.set(name, listener);
  }
  close() {}
  say(name: string, data: unknown) {
    this.listeners.get(name)?.({ type: name, data: JSON.stringify(data) });
  }
}
let version = 1;
let last = '';
/** The version of a flag: that of the environment at the flag's last change. */
const payloadOf = (values: Values) => {
  const text = JSON.stringify(values);
  if (text !== last) version++;
  last = text;
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      { version, flagVersion: version, value, variation: value ? 0 : 1, trackEvents: false },
    ]),
  );
};

export const create: CreateSubject = async (values) => {
  let current = values;
  Object.assign(globalThis, {
    EventSource: Stream,
    fetch: async () =>
      new Response(JSON.stringify(payloadOf(current)), { headers: { 'content-type': 'application/json' } }),
  });
  const put = () => Stream.open?.say('put', payloadOf(current));
  const client = createClient('bench', { kind: 'user', key: 'u1' }, {
    sendEvents: false,
    streaming: true,
    diagnosticOptOut: true,
  } as never);
  const answering = setInterval(put, 10);
  await client.start();
  clearInterval(answering);
  const Provider = createLDReactProviderWithClient(client);
  return {
    Provider: Provider as never,
    useFlag: (flagKey) => useBoolVariation(flagKey, false),
    publish(next) {
      current = next;
      put();
    },
    async setContext() {
      const again = setInterval(put, 10);
      await client.identify({ kind: 'user', key: 'u1', plan: 'pro' });
      clearInterval(again);
    },
  };
};
