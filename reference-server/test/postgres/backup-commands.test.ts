import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateDatabase } from '../../src/operator/migrate-database/migrate-database.ts';
import { POSTGRES_BACKUP, POSTGRES_RESTORE } from '../../src/operator/postgres-advice.ts';
import { ask, databaseUrl, ROLE } from '../database.ts';
import { environmentOf, type FilledInstallation, newInstallation } from '../operator/installation.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { findLostRows, readRows } from '../upgrades/rows.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../src/process/main.ts', import.meta.url));

/** The folder of an installed PostgreSQL with all of its programs: pg_dump cannot dump from a newer server. */
function findInstalled(): string | undefined {
  const { stdout, status } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];
  const bin = stdout?.trim() ?? '';
  return status === 0 && programs.every((name) => existsSync(join(bin, name))) ? dirname(bin) : undefined;
}
const installed = findInstalled();

let postgres: Postgres;
let installation: FilledInstallation;
beforeAll(async () => {
  if (installed === undefined) return;
  postgres = await startPostgres(installed);
  installation = await newInstallation();
});
afterAll(async () => {
  if (installed === undefined) return;
  installation.remove();
  await postgres.remove();
});

/** The commands of a text, which are indented. */
const commandsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim());

test.skipIf(installed === undefined)(
  'the commands for PostgreSQL bring back every row, with new epochs (skipped without pg_dump)',
  { timeout: 180_000 },
  async () => {
    await ask(postgres.url, `create role ${ROLE} login`);
    const urls = ['first', 'second'].map((name) => databaseUrl(postgres.url, name, ROLE));
    for (const name of ['first', 'second']) await ask(postgres.url, `create database ${name} owner ${ROLE}`);
    const [first, second] = urls as [string, string];
    await migrateDatabase(installation.context, { from: installation.context.databaseUrl, to: first });
    const shell = async (commands: readonly string[], url: string) => {
      const script = `set -eu; flagsvc-server() { "$NODE" --conditions=@flagsvc/source "$MAIN" "$@"; }\n${commands.join('\n')}`;
      const env = {
        PATH: `${join(installed!, 'bin')}:${process.env['PATH']}`,
        NODE: process.execPath,
        MAIN,
        ...environmentOf(url),
      };
      return (await run('bash', ['-c', script], { cwd: installation.folder, env })).stdout;
    };
    await shell(commandsOf(POSTGRES_BACKUP), first);
    const output = await shell(commandsOf(POSTGRES_RESTORE), second);
    expect(output).toContain('Renewed the ruleset epochs of');
    expect(output).toContain('is sound.');
    const { rulesets, ...lost } = findLostRows(await readRows(first), await readRows(second));
    expect(lost).toEqual({});
    expect(rulesets!.length).toBeGreaterThan(0);
  },
);
