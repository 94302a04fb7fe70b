/** The kit's files and messages match their schemas. For vectors see vectors.test.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { type Dial, dialCommand } from '../src/adapter/carriers.ts';
import { checkAdapter } from '../src/adapter/check-adapter.ts';
import { createSession } from '../src/adapter/session.ts';
import { loadScenarios } from '../src/scenarios/load.ts';
import { runScenario } from '../src/scenarios/run-scenario.ts';
import { suiteDirectory } from '../src/suite/suite.ts';
import { fakeAdapter, nodeCommand, pathOf, runCli } from './helpers.ts';

const read = (name: string): Record<string, unknown> => JSON.parse(readFileSync(pathOf(name), 'utf8'));
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false });
for (const name of readdirSync(pathOf('schema'))) ajv.addSchema(read(`schema/${name}`));
const faults = (schema: string, value: unknown): string[] => {
  const check = ajv.getSchema(schema)!;
  return check(value) ? [] : check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
};
const filesOf = (folder: string) => readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`);

test.each([
  ['index.json', 'index.schema.json'],
  ['requirements.json', 'requirements.schema.json'],
  ['profiles.json', 'profiles.schema.json'],
  ...filesOf('scenarios/sdk').map((file) => [file, 'scenarios.schema.json']),
  ...filesOf('scenarios/relay').map((file) => [file, 'relay-scenarios.schema.json']),
  ...filesOf('scenarios/ofrep').map((file) => [file, 'ofrep-scenarios.schema.json']),
  ...filesOf('scenarios/server').map((file) => [file, 'server-scenarios.schema.json']),
])('%s matches %s', (file, schema) => {
  const value = read(file!);
  expect(faults(schema!, value)).toEqual([]);
  // Editors use the schema that the file names.
  if (value['$schema']) expect(String(value['$schema'])).toMatch(new RegExp(`/${schema}$`));
});

test.each([
  ['scenarios.schema.json', { group: 'X', title: 'x', scenarios: [{}] }],
  ['adapter-message.schema.json#/$defs/answer', { seq: 1, ok: {}, error: { kind: 'x', message: '' } }],
  ['adapter-message.schema.json#/$defs/request', { seq: 1, cmd: 'evaluate' }],
  ['index.schema.json', { version: '1', files: [] }],
  ['expected-failures.schema.json', { expected_failures: [{ id: 'x-0001', reason: 'later' }] }],
])('%s refuses an invalid value', (schema, wrong) => {
  expect(faults(schema, wrong)).not.toEqual([]);
});

test('a report matches report.schema.json, whatever the outcomes of its cases', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-schema-'));
  const file = join(folder, 'report.json');
  try {
    for (const mode of ['wrong-answer', 'dies', 'only-skips', 'good']) {
      await runCli([
        'run',
        '--adapter',
        fakeAdapter(mode),
        '--only',
        'operators-000,LIFE-07',
        '--report',
        file,
      ]);
      expect(faults('report.schema.json', JSON.parse(readFileSync(file, 'utf8')))).toEqual([]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('messages in both directions match adapter-message.schema.json', {
  timeout: 60_000,
}, async () => {
  const sent = new Map<number, { cmd: string }>();
  const wrong: string[] = [];
  const check = (what: string, schema: string, value: unknown) => {
    for (const fault of faults(`adapter-message.schema.json#/$defs/${schema}`, value)) {
      wrong.push(`${what}: ${fault} ${JSON.stringify(value).slice(0, 200)}`);
    }
  };
  const results: Readonly<Record<string, string>> = {
    hello: 'hello',
    'client.evaluate': 'result',
    'clock.advance': 'advanced',
    notifications: 'notified',
  };
  const dial = dialCommand(nodeCommand('adapters/sdk-node.mjs'));
  const listening: Dial = async (events) => {
    const carrier = await dial({
      ...events,
      message(text) {
        const answer = JSON.parse(text) as { seq: number; ok?: unknown };
        const { cmd } = sent.get(answer.seq)!;
        check(cmd, 'answer', answer);
        if (answer.ok && results[cmd]) check(cmd, results[cmd], answer.ok);
        events.message(text);
      },
    });
    return {
      ...carrier,
      send(text) {
        const request = JSON.parse(text) as { seq: number; cmd: string };
        sent.set(request.seq, request);
        if (request.cmd !== 'make.coffee') check(request.cmd, 'request', request);
        carrier.send(text);
      },
    };
  };
  const session = createSession(listening);
  const hello = await session.hello();
  await checkAdapter(session, hello, () => {});
  const chosen = [
    'INIT-07',
    'POLL-17',
    'AUTH-02.1',
    'EVENT-20',
    'EVENT-22',
    'SSE-01',
    'LIFE-05',
    'LIFE-06.1',
    'LIFE-15',
  ];
  for (const scenario of loadScenarios(suiteDirectory()).scenarios.filter(({ id }) => chosen.includes(id))) {
    const { outcome, problems } = await runScenario({ session, hello }, scenario, { scale: 0.02 });
    expect({ id: scenario.id, outcome, problems }).toMatchObject({ outcome: 'pass' });
  }
  await session.close();
  expect(wrong).toEqual([]);
  expect(new Set([...sent.values()].map(({ cmd }) => cmd)).size).toBeGreaterThan(15);
});
