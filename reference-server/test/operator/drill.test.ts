import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { check } from '../../src/operator/check/check.ts';
import { startServer } from '../server-process.ts';
import { evaluateThousand, expectSameService, startDrill } from './drill.ts';
import { environmentOf, type FilledInstallation, newInstallation } from './installation.ts';

/** Each test starts several processes one after the other. */
const TIMEOUT_MS = 180_000;

let installation: FilledInstallation;
beforeEach(async () => {
  installation = await newInstallation();
});
afterEach(() => installation.remove());

/** Runs a command as an operator does. */
async function run(...command: readonly string[]) {
  const { child, exit, output } = startServer(environmentOf(installation.context.databaseUrl), { command });
  const code = await exit;
  child.kill();
  return { code, ...output };
}

test('a fresh process on restored files serves the same 1,000 evaluations and accepts a toggle', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { facts, folder, context } = installation;
  const target = join(folder, 'backups');
  const first = await startDrill(context.databaseUrl, facts);
  const before = await evaluateThousand(first.sdk);
  const { id } = facts.flags.find(({ key }) => key === 'flag-2')!;

  // Changes keep coming in while the backup is made, and none of them fails.
  let isWriting = true;
  const [flag3] = facts.flags.filter(({ key }) => key === 'flag-3');
  const writes: number[] = [];
  const writing = (async () => {
    while (isWriting) {
      const { status } = await first.admin.flags.update(flag3!.id, { description: `Edit ${writes.length}` })
        .answer;
      writes.push(status);
    }
  })();
  const made = await run('backup', target);
  isWriting = false;
  await writing;
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(new Set(writes)).toEqual(new Set([200]));
  expect(writes.length).toBeGreaterThan(3);

  // What happens after the backup is undone by the restore.
  await first.admin.flags.toggle(id, false);
  const later = await first.sdk.dataPlane.ruleset().answer;
  expect(await run('restore', target, '--replace')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is open in another process'),
  });
  await first.stop();
  expect(await run('restore', target, '--replace')).toMatchObject({ code: 0 });

  const second = await startDrill(context.databaseUrl, facts);
  // A client that has the later ruleset gets the restored one, although its version went back.
  const back = await second.sdk.dataPlane.ruleset({ ifNoneMatch: String(later.headers.etag) }).answer;
  expect(back.status).toBe(200);
  expect(back.body.data.version).toBeLessThan(later.body.data.version);
  await expectSameService(second, { facts, before });
  await second.stop();
  expect((await check(context, 'integrity_check')).hasFaults).toBe(false);
});

test('check, backup and restore print sentences, or JSON, and set the exit status', {
  timeout: TIMEOUT_MS,
}, async () => {
  const sound = await run('check', '--json', '--quick');
  expect(sound.code).toBe(0);
  expect(JSON.parse(sound.out)).toMatchObject({ sound: true });
  const file = join(installation.folder, 'one.db');
  const made = await run('backup', file, '--json');
  expect(JSON.parse(made.out)).toMatchObject({ backup: file, deleted: [] });
  expect(await run('backup', file)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('exists'),
  });
  expect(await run('backup', file, '--keep', '0')).toMatchObject({
    code: 1,
    err: '--keep is "0"; use a number of backups, at least 1.\n',
  });
  expect(await run('restore', file)).toMatchObject({ code: 1, err: expect.stringContaining('--replace') });
  const wrong = startServer(
    { ...environmentOf(installation.context.databaseUrl), FLAGSVC_API_SECRET_KEY: 'x'.repeat(40) },
    { command: ['check'] },
  );
  expect(await wrong.exit).toBe(2);
  expect(wrong.output.out).toContain('has faults: secrets.');
});
