import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp } from '../../src/operator/backup/backup.ts';
import { checkIntegrity } from '../../src/operator/check/check-schema.ts';
import { restore } from '../../src/operator/restore/restore.ts';
import { canTrace } from '../faults/power-loss.ts';
import { startServer } from '../server-process.ts';
import { environmentOf, type FilledInstallation, newInstallation } from './installation.ts';

let installation: FilledInstallation;
let target: string;
beforeEach(async () => {
  installation = await newInstallation();
  target = join(installation.folder, 'backups');
  mkdirSync(target);
});
afterEach(() => installation.remove());

const options = { skip: !canTrace(), timeout: 180_000 };

/** Runs a command, and injects a fault into its n-th system call of this kind. */
async function runWith(fault: string, calls: string, command: readonly string[]) {
  const log = join(installation.folder, 'strace.log');
  const under = ['strace', '-f', '-o', log, '-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
  const { exit, output } = startServer(environmentOf(installation.context.databaseUrl), { under, command });
  return { code: await exit, ...output };
}

const namesOf = (file: string): unknown[] => {
  const connection = new Sqlite(file, { readonly: true });
  try {
    expect(checkIntegrity(connection, 'integrity_check').status).toBe('ok');
    return connection.prepare('select name from organizations').pluck().all();
  } finally {
    connection.close();
  }
};
function rename(name: string): void {
  const connection = new Sqlite(installation.file);
  connection.prepare('update organizations set name = ?').run(name);
  connection.close();
}
const complete = (): string[] => readdirSync(target).filter((name) => name.endsWith('.manifest.json'));

test.each([
  ['while it copies', 'pwrite64', 40],
  ['before the copy is on disk', 'fsync', 1],
  ['before the copy gets its name', 'link,linkat', 1],
  ['between the copy and its manifest', 'link,linkat', 2],
])(
  'a backup that is killed %s is incomplete, and the next one says so (skipped without strace)',
  options,
  async (_, calls, nth) => {
    const killed = await runWith(`signal=KILL:when=${nth}`, calls, ['backup', target]);
    expect(killed.code).toBeNull();
    expect(complete()).toEqual([]);
    await expect(
      restore(installation.context, { source: target, replace: true, withoutManifest: false }),
    ).rejects.toThrow(/no complete backup/);
    await backUp(installation.context, { target });
    expect(installation.notes.join('\n')).toMatch(/An earlier command was interrupted/);
    expect(complete()).toHaveLength(1);
    expect(readdirSync(target).filter((name) => name.endsWith('.partial'))).toEqual([]);
  },
);

test.each([
  ['while it copies', 'fsync', 1],
  ['before it keeps the old file', 'link,linkat', 1],
  ['before the swap', 'rename,renameat,renameat2', 1],
  ['between the events and the rest', 'rename,renameat,renameat2', 2],
])(
  'a restore that is killed %s leaves the database as it was, and can be repeated (skipped without strace)',
  options,
  async (_, calls, nth) => {
    rename('in the backup');
    await backUp(installation.context, { target });
    rename('later');
    const command = ['restore', target, '--replace'];
    const killed = await runWith(`signal=KILL:when=${nth}`, calls, command);
    expect(killed.code).toBeNull();
    expect(namesOf(installation.file)).toEqual(['later']);
    await restore(installation.context, { source: target, replace: true, withoutManifest: false });
    expect(namesOf(installation.file)).toEqual(['in the backup']);
    if (calls === 'rename,renameat,renameat2') {
      expect(installation.notes.join('\n')).toContain('An earlier restore was interrupted before it changed');
    }
    const left = readdirSync(join(installation.folder, 'data'));
    expect(left.filter((file) => file.endsWith('.partial'))).toEqual([]);
    // The later database is among the files that were kept.
    const kept = left.filter((file) => /^flags\.db\.before-restore-[\dTZ.]+$/.test(file));
    expect(kept.flatMap((file) => namesOf(join(installation.folder, 'data', file)))).toContain('later');
  },
);

test(
  'a full disk is reported, and leaves the backups and the database as they were (skipped without strace)',
  options,
  async () => {
    await backUp(installation.context, { target });
    rename('later');
    const before = readdirSync(target);
    const made = await runWith('error=ENOSPC:when=20+', 'pwrite64', ['backup', target]);
    expect(made).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/the disk is full. Free some space/),
    });
    expect(readdirSync(target)).toEqual(before);
    const restored = await runWith('error=ENOSPC:when=1+', 'pwrite64', ['restore', target, '--replace']);
    expect(restored).toMatchObject({ code: 1, out: '', err: expect.stringContaining('the disk is full') });
    expect(namesOf(installation.file)).toEqual(['later']);
    expect(
      readdirSync(join(installation.folder, 'data')).filter((name) => /partial|before/.test(name)),
    ).toEqual([]);
  },
);
