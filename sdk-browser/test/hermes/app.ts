/** An app in Hermes: prints one line of JSON per check. */
import './globals.ts';
import { createAppClient, localMode, openStorage } from '@flagsvc/sdk-browser/react-native';
import { createFakeAppState, createFakeAsyncStorage } from './fake-app.ts';

declare const print: (text: string) => void;
declare const RULESET: string;
const say = (name: string, value: unknown) => print(JSON.stringify([name, value]));

const result = (value: string) => ({ value, reason: 'DEFAULT', rule_id: null, variation_key: 'v' });
const requests: string[] = [];
let answer = 'one';
const fetchLike = async (url: string, init: { body?: string }) => {
  requests.push(`${url.replace('http://test', '')} ${init.body?.length ? 'body' : ''}`);
  const data = { evaluations: { greeting: result(answer) }, track_exposures: ['greeting'] };
  // As React Native answers: no stream of the body.
  return {
    status: 200,
    headers: { get: () => null },
    text: async () => JSON.stringify({ success: true, data }),
  };
};
(globalThis as Record<string, unknown>)['fetch'] = fetchLike;

const options = { apiKey: 'sdk-1', baseUrl: 'http://test', context: { user_key: 'u1' } };
/** Lets requests be sent and answered, on the virtual clock. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

const run = async () => {
  const appState = createFakeAppState('active');
  const disk = createFakeAsyncStorage();
  const client = createAppClient(options, { appState, storage: await openStorage(disk) });
  const changes: string[] = [];
  client.on('change', (keys) => void changes.push(...keys));
  say('first read', client.flag('greeting', 'default'));
  await client.ready();
  say('after the answer', [client.flag('greeting', 'default'), client.status(), changes]);
  await settle();
  say('kept', disk.names().length);
  client.track('purchase', { value: 5 });
  requests.length = 0;
  appState.become('background');
  await settle();
  say('sent in the background', requests);
  answer = 'two';
  const next = createAppClient(options, { appState, storage: await openStorage(disk) });
  say('started in the background', [next.flag('greeting', 'default'), next.status()]);
  appState.become('active');
  await settle();
  say('active again', [next.flag('greeting', 'default'), next.status()]);
  await next.close({ timeoutMs: 0 });
  await client.close({ timeoutMs: 0 });
  say('listeners left', appState.listeners());
  const local = createAppClient(
    { ...options, mode: localMode(), bootstrap: JSON.parse(RULESET), logger: false },
    { appState },
  );
  say('evaluated in the app', local.flag('pro-only', false));
  await local.setContext({ user_key: 'u1', attributes: { plan: 'pro', version: '2.10.0', email: 'a@b.de' } });
  say('evaluated for another user', local.flag('pro-only', false));
  await local.close({ timeoutMs: 0 });
};
run().catch((error) => say('failed', `${error} ${error.stack}`));
