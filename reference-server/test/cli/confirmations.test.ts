import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from './command-line.ts';

let cli: CommandLine;

beforeAll(async () => {
  cli = await startCommandLine();
  await cli.login('admin@example.com');
  await cli.run(['flags', 'create', 'checkout']);
});
afterAll(() => cli.close());

/** The command that the hint says to repeat. */
function repeatOf({ code, out, err }: Awaited<ReturnType<CommandLine['run']>>): string {
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(
    /^flagsvc: Confirmation required: .*\.\nTo confirm, repeat the command with --yes:\n {2}flagsvc /,
  );
  return /^ {2}(flagsvc .*)$/m.exec(err)![1]!;
}

const createKey = async (environment: string, ...more: string[]) =>
  (await cli.run(['keys', 'create', `of ${environment}`, '-e', environment, '--json', ...more])).json;

test.each<[string, readonly string[]]>([
  ['turning a flag on', ['flags', 'toggle', 'checkout', 'on']],
  ['turning a flag off', ['flags', 'toggle', 'checkout', 'off']],
  ['a rollout', ['flags', 'rollout', 'checkout', 'on=5']],
  ['a scheduled change', ['schedule', 'toggle', 'checkout', 'on', '--at', '2099-01-01T00:00Z']],
])('requires confirmation of %s only in production', async (_name, words) => {
  expect(repeatOf(await cli.run([...words, '-e', 'production']))).toBe(
    `flagsvc ${words.join(' ')} -e production --yes`,
  );
  const other = await cli.run([...words, '-e', 'development']);
  expect(other.err).not.toContain('Confirmation');
  // A dry run changes nothing, so it requires no confirmation.
  expect((await cli.run([...words, '-e', 'production', '--dry-run'])).err).not.toContain('Confirmation');
});

test('names the environment in the command to repeat, even if only a variable selected it', async () => {
  const env = { FLAGSVC_ENVIRONMENT: 'production' };
  const words = ['flags', 'toggle', 'checkout', 'on', '-m', "It's ready; really"];
  expect(repeatOf(await cli.run(words, { env }))).toBe(
    `flagsvc flags toggle checkout on -m 'It'\\''s ready; really' -e production --yes`,
  );
});

test('requires confirmation of a promotion only if its target is production', async () => {
  const promote = (from: string, to: string) =>
    cli.run(['flags', 'promote', 'checkout', '--from', from, '--to', to]);
  repeatOf(await promote('staging', 'production'));
  expect((await promote('production', 'staging')).code).toBe(0);
});

test('requires confirmation of a change in every environment, and names the environments that require it', async () => {
  const refused = await cli.run(['flags', 'archive', 'checkout']);
  expect(refused.err).toMatch(
    /^flagsvc: Confirmation required: Archive checkout in every environment, including production\./,
  );
  expect(repeatOf(refused)).toBe('flagsvc flags archive checkout --yes');
});

test('requires confirmation to revoke a production key, but not a development key', async () => {
  const development = await createKey('development');
  const revoked = await cli.run(['keys', 'revoke', development.id]);
  expect(revoked).toMatchObject({ code: 0, out: `Revoked ${development.id} of development.\n` });
  const production = await createKey('production');
  const refused = await cli.run(['keys', 'revoke', production.id]);
  expect(repeatOf(refused)).toBe(`flagsvc keys revoke ${production.id} --yes`);
  expect(refused.err).toContain(' in production.');
  expect((await cli.run(['keys', 'revoke', production.id, '--yes'])).code).toBe(0);
  expect((await cli.run(['keys', 'revoke', 'key_none'])).code).toBe(4);
});

test('rotates a key with a day of grace and prints when the old key stops working', async () => {
  const { id, key } = await createKey('development');
  const works = async (secret: string) =>
    (await cli.run(['evaluate', '--user', 'ada'], { env: { FLAGSVC_API_KEY: secret } })).code === 0;
  const rotated = await cli.run(['keys', 'rotate', id]);
  expect(rotated.code).toBe(0);
  expect(rotated.out).toMatch(/^sdk-dev-\w+\n$/);
  expect(rotated.err).toMatch(
    new RegExp(
      `^Rotated ${id} of development\\. The old key works until \\S+ \\S+Z( \\(local time \\S+ \\S+\\))?\\. Store the new one now; it is not shown again:\\n$`,
    ),
  );
  const fresh = rotated.out.trim();
  expect([await works(key), await works(fresh)]).toEqual([true, true]);
  cli.advance(24 * 3_600_000 - 60_000);
  expect([await works(key), await works(fresh)]).toEqual([true, true]);
  cli.advance(120_000);
  expect([await works(key), await works(fresh)]).toEqual([false, true]);
});

test('stops the old key immediately with --grace 0, after confirmation in production', async () => {
  const { id, key } = await createKey('production');
  expect(repeatOf(await cli.run(['keys', 'rotate', id, '--grace', '0']))).toBe(
    `flagsvc keys rotate ${id} --grace 0 --yes`,
  );
  const rotated = await cli.run(['keys', 'rotate', id, '--grace', '0', '--yes']);
  expect(rotated.err).toMatch(/^Rotated key_\w+ of production\. The old key no longer works\. /);
  const env = { FLAGSVC_API_KEY: key };
  expect((await cli.run(['evaluate', '--user', 'ada'], { env })).code).toBe(3);
  const wrong = await cli.run(['keys', 'rotate', id, '--grace', 'soon', '--yes']);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--grace') });
});
