import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/run/commands.ts';

const DASHBOARD = 'only the dashboard shows or stores this';
const SDKS = 'SDKs and relays use this with an SDK key';
const PROBES = 'load balancers call this; the command `version` shows whether the server answers';

/** The operations that no command calls, with the reason. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'GET /health': PROBES,
  'GET /health/live': PROBES,
  'GET /health/ready': PROBES,
  'GET /me/preferences': DASHBOARD,
  'PUT /me/preferences': DASHBOARD,
  'GET /projects/{project_id}/flag-views': DASHBOARD,
  'POST /auth/invitations/inspect': 'only the page of an invitation shows this',
  'GET /changes/stream':
    'the dashboard keeps its pages fresh with it; `audit tail --follow` shows changes as they happen',
  'POST /organizations': 'a server in oss mode has one organization',
  'PUT /flags/{flag_id}':
    'commands send instructions, which do not overwrite the changes of others; `flags put` replaces a flag',
  'GET /sdk/ruleset': SDKS,
  'GET /sdk/stream': SDKS,
  'GET /relay/stream': SDKS,
  'POST /relay/keys': SDKS,
  'POST /sdk/events': SDKS,
  'GET /.well-known/flagsvc-webhook-keys.json':
    'receivers fetch this; `webhooks get` shows the key of one webhook',
  'GET /.well-known/flagsvc-ruleset-keys.json': SDKS,
};

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function operations(): readonly string[] {
  const text = readFileSync(folder('../../generated/openapi.json'), 'utf8');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { operationId?: string }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method]) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
  );
}

/** The operations that the sources of the command line name. Their names are checked by the compiler. */
function called(): ReadonlySet<string> {
  const sources = readdirSync(folder('../../src/cli'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test-d.ts'))
    .map((file) => readFileSync(join(folder('../../src/cli'), file), 'utf8'));
  // Types name operations too: `Data<'GET …'>`, `type Flag = …`.
  const calls = sources.map((text) => text.replace(/(?:Data|Item|Request)<'[^']*'>/g, ''));
  const names = calls.flatMap((text) => [...text.matchAll(/'((?:GET|PUT|POST|PATCH|DELETE) \/[^']*)'/g)]);
  return new Set(names.map(([, name]) => name!));
}

test('each operation of the API has a command, or a reason why it has none', () => {
  const all = operations();
  const known = called();
  expect(all.length).toBeGreaterThan(150);
  expect(all.filter((name) => !known.has(name) && WITHOUT_COMMAND[name] === undefined)).toEqual([]);
});

test('no reason is left for an operation that has a command or no longer exists', () => {
  const all = operations();
  const known = called();
  expect(Object.keys(WITHOUT_COMMAND).filter((name) => known.has(name) || !all.includes(name))).toEqual([]);
});

test('each command has a name of its own, and an example that begins with it', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(130);
  for (const { name, examples } of COMMANDS)
    expect(
      examples.some((one) => one.startsWith(name)),
      name,
    ).toBe(true);
});

test('each command that changes something has a dry run', () => {
  const changing =
    /(create|update|delete|remove|archive|restore|revoke|rotate|add|move|promote|bulk|put|clone|toggle|revert)$/;
  const personal = /^(account|mfa) /;
  const without = COMMANDS.filter(
    ({ name, options = [] }) => changing.test(name) && !personal.test(name) && !options.includes('dry-run'),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});
