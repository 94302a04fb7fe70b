import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRulesetSigner,
  createRulesetVerifier,
  createServingPath,
} from '@flagsvc/reference-server/data-plane';
import type { Ruleset } from '@flagsvc/sdk-core';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createJsonFile, type JsonFile } from '../platform/json-file.ts';
import { createRulesetView, type ReceivedRuleset, type RulesetView } from './ruleset-view.ts';

const ENVIRONMENT = 'env_1';
const signer = createRulesetSigner('a'.repeat(32));
const verifier = createRulesetVerifier(signer.keys);
const { prepare } = createServingPath({ fast: true });

let folder: string;
let file: JsonFile;
let view: RulesetView;
const openView = () => createRulesetView({ environmentId: ENVIRONMENT, prepare, file });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flagsvc-view-'));
  file = createJsonFile(join(folder, 'ruleset.json'), () => {});
  view = openView();
});
afterEach(() => rm(folder, { recursive: true }));

const rulesetOf = (version: number): Ruleset => ({
  ...createTestRuleset({ greeting: `hello ${version}`, farewell: 'bye' }),
  version,
  environment_id: ENVIRONMENT,
});

/** What the server would send. */
async function send(ruleset: Ruleset, epoch = 'e1', by = signer): Promise<ReceivedRuleset> {
  const published = await prepare(ruleset, epoch);
  return { data: structuredClone(ruleset), tag: published.etag, signature: await by.sign(published), epoch };
}

test('serves what the server sent, with its tag and signature, and finds it on disk again', async () => {
  const sent = await send(rulesetOf(3));
  expect(await view.accept(sent, verifier)).toBeUndefined();
  const published = view.current()!;
  expect([published.version, published.etag, view.tag()]).toEqual([3, sent.tag, sent.tag]);
  expect(view.signatureOf(published)).toBe(sent.signature);
  await file.settled();
  const restarted = openView();
  expect(await restarted.restore(verifier)).toBeUndefined();
  expect(restarted.current()!.evaluator.evaluate('greeting', {}).value).toBe('hello 3');
  expect(restarted.signatureOf(restarted.current()!)).toBe(sent.signature);
});

test('a poisoned, partial, older or wrongly signed ruleset never replaces a good one', async () => {
  const good = await send(rulesetOf(5));
  await view.accept(good, verifier);
  await file.settled();
  const onDisk = await readFile(join(folder, 'ruleset.json'), 'utf8');
  const next = await send(rulesetOf(6));
  const whole = next.data as Ruleset;
  const stranger = await send(rulesetOf(6), 'e1', createRulesetSigner('b'.repeat(32)));
  const refused: readonly (readonly [string, ReceivedRuleset])[] = [
    ['changed after it was signed', { ...next, data: { ...whole, flags: whole.flags.slice(1) } }],
    ['changed after it was signed', { ...next, data: { ...whole, flags: [], segments: [] } }],
    ['changed after it was signed', { ...next, data: { ...whole, extra: 1 } }],
    ['changed after it was signed', { ...next, signature: good.signature }],
    ['signed by an unknown key', { ...next, signature: stranger.signature }],
    ['not signed', { ...next, signature: null }],
    ['not signed', { ...next, signature: '' }],
    ['older than the one in use', await send(rulesetOf(4))],
    ['another environment', await send({ ...rulesetOf(6), environment_id: 'env_2' })],
    ['not a ruleset', { ...next, tag: null }],
    ['not a ruleset', { ...next, tag: 'W/"6-\u4e2d"' }],
    ['not a ruleset', { ...next, signature: `${next.signature}\u4e2d` }],
    ['not a ruleset', { ...next, epoch: 'e\n1' }],
    ...[null, undefined, [], '', 'x', 1, {}, { ...whole, flags: {} }, { ...whole, version: '6' }].map(
      (data) => ['not a ruleset', { ...next, data }] as const,
    ),
  ];
  for (const [reason, received] of refused) {
    expect(await view.accept(received, verifier)).toBe(reason);
    expect(view.current()!.evaluator.evaluate('greeting', {}).value).toBe('hello 5');
    expect(view.tag()).toBe(good.tag);
  }
  await file.settled();
  expect(await readFile(join(folder, 'ruleset.json'), 'utf8')).toBe(onDisk);
  expect(await view.accept(next, verifier)).toBeUndefined();
  expect(view.current()!.version).toBe(6);
});

test('follows a restored backup, whose epoch is new, to an older version', async () => {
  await view.accept(await send(rulesetOf(5), 'e1'), verifier);
  expect(await view.accept(await send(rulesetOf(2), 'e2'), verifier)).toBeUndefined();
  expect(view.current()!.version).toBe(2);
});

test('passes the tag of the server on, even if it derives tags differently', async () => {
  const sent = { ...(await send(rulesetOf(3))), tag: 'W/"3-other"' };
  await view.accept(sent, verifier);
  expect([view.tag(), view.current()!.etag]).toEqual([sent.tag, sent.tag]);
  expect(view.signatureOf(view.current()!)).toBe(sent.signature);
  await view.accept(await send(rulesetOf(4)), verifier);
  expect(view.current()!.version).toBe(4);
});

test.each([
  ['is empty', () => ''],
  ['was cut off', (text: string) => text.slice(0, -10)],
  ['has other contents', () => '[]'],
  ['was changed', (text: string) => text.replace('hello 5', 'hello 6')],
  ['has zeros', (text: string) => '\0'.repeat(text.length)],
])('starts without the file if it %s', async (_, damage) => {
  await view.accept(await send(rulesetOf(5)), verifier);
  await file.settled();
  const path = join(folder, 'ruleset.json');
  await writeFile(path, damage(await readFile(path, 'utf8')));
  const restarted = openView();
  await restarted.restore(verifier);
  expect(restarted.current()).toBeUndefined();
});
