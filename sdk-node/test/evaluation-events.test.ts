/** Runs the snippets of the guide that send evaluations to OpenTelemetry, with OpenTelemetry's own SDK. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient, type NodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';
import { OpenFeature } from '@openfeature/server-sdk';
import { logs } from '@opentelemetry/api';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { json, type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'guide', 'monitoring.md'), 'utf8');
const snippets = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text!);
const [creation, hook, wrapper] = ['createNodeClient(', 'OpenFeature.addHooks', 'readFlag'].map(
  (part) => snippets.find((text) => text.includes(part))!,
);

const exporter = new InMemoryLogRecordExporter();
let folder: string;
let server: LoopbackServer;

beforeAll(async () => {
  logs.setGlobalLoggerProvider(
    new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] }),
  );
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'evaluation-events-'));
  server = await startLoopbackServer();
  const rule = { id: 'rule_1', priority: 1, conditions: [], variation: 'on' };
  const flags = [createTestFlag('new-checkout', true, { targeting_rules: [rule] })];
  server.on('/sdk/ruleset', json({ data: { ...createTestRuleset(flags, 7), environment_id: 'env_1' } }));
});
beforeEach(() => exporter.reset());
afterAll(async () => {
  logs.disable();
  rmSync(folder, { recursive: true });
  await server.close();
});

/** Runs a snippet as a module beside the test's own copy of OpenTelemetry and OpenFeature. */
async function run(contents: string): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@flagsvc/source'],
    external: ['@opentelemetry/*', '@openfeature/*'],
  });
  const file = join(folder, `${Math.random()}.mjs`);
  writeFileSync(file, outputFiles[0]!.text);
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
}

const records = () =>
  exporter.getFinishedLogRecords().map(({ eventName, attributes }) => ({ eventName, attributes }));

const SERVED = {
  'feature_flag.key': 'new-checkout',
  'feature_flag.provider.name': 'flagsvc-node',
  'feature_flag.result.variant': 'on',
  'feature_flag.result.reason': 'targeting_match',
  'feature_flag.context.id': 'ada',
  'feature_flag.set.id': 'env_1',
};

test('the OpenFeature hook of the guide sends the event of the conventions for each evaluation', async () => {
  await run(hook!);
  const client = createNodeClient({ apiKey: 'sdk-1', baseUrl: server.baseUrl, logger: false, events: false });
  await OpenFeature.setProviderAndWait(createOpenFeatureProvider(client));
  const flags = OpenFeature.getClient();
  await flags.getBooleanValue('new-checkout', false, { targetingKey: 'ada' });
  await flags.getBooleanValue('unknown', false, { targetingKey: 'ada' });
  await OpenFeature.close();
  OpenFeature.clearHooks();
  expect(records()).toMatchObject([
    { eventName: 'feature_flag.evaluation', attributes: { ...SERVED, 'feature_flag.version': 7 } },
    {
      eventName: 'feature_flag.evaluation',
      attributes: {
        'feature_flag.key': 'unknown',
        'feature_flag.result.reason': 'error',
        'error.type': 'flag_not_found',
      },
    },
  ]);
});

test('the wrapper of the guide sends the same event without OpenFeature', async () => {
  Object.assign(process.env, { FLAGSVC_API_KEY: 'sdk-1', FLAGSVC_URL: server.baseUrl });
  const { client, readFlag } = (await run(`${creation}\n${wrapper}\nexport { client };`)) as unknown as {
    readonly client: NodeClient;
    readFlag(flagKey: string, context: object, defaultValue: boolean): boolean;
  };
  await client.ready();
  expect(readFlag('new-checkout', { user_key: 'ada' }, false)).toBe(true);
  expect(readFlag('unknown', {}, false)).toBe(false);
  await client.close({ timeoutMs: 0 });
  expect(records()).toEqual([
    { eventName: 'feature_flag.evaluation', attributes: { ...SERVED, 'feature_flag.version': '7' } },
    {
      eventName: 'feature_flag.evaluation',
      attributes: {
        'feature_flag.key': 'unknown',
        'feature_flag.provider.name': 'flagsvc-node',
        'feature_flag.result.reason': 'error',
        'feature_flag.set.id': 'env_1',
        'feature_flag.version': '7',
      },
    },
  ]);
});
