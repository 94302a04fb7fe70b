import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
  await ada.does('flags create checkout --name Pay');
});
afterAll(() => ada.leave());

test('exports a project, compares the edited file, and imports it', async () => {
  const file = join(ada.cli.folder, 'flags.yaml');
  await ada.does(`export -o ${file}`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('name: Pay', 'name: Checkout'));
  expect((await ada.type(`diff ${file} --exit-code`)).code).toBe(1);
  expect(await ada.does(`import ${file} --dry-run`)).toContain('name: "Pay" becomes "Checkout"');
  await ada.does(`import ${file} -y`);
  expect(await ada.reads('flags get checkout')).toMatchObject({ name: 'Checkout' });
  expect((await ada.type(`diff ${file} --exit-code`)).code).toBe(0);
});

test('imports a file of another product, and says in words what is lost', async () => {
  const file = join(ada.cli.folder, 'unleash.json');
  const strategies = [{ name: 'userWithId', parameters: { userIds: 'ada' } }, { name: 'ours' }];
  writeFileSync(
    file,
    JSON.stringify({ version: 2, features: [{ name: 'shop.fast', enabled: true, strategies }] }),
  );
  const refused = await ada.type(`import ${file} --from unleash -y`);
  expect([refused.code, refused.err]).toEqual([
    expect.any(Number),
    expect.stringContaining('Say which environment it is for'),
  ]);
  expect(refused.code).not.toBe(0);
  const trial = await ada.does(`import ${file} --from unleash -e production --dry-run`);
  expect(trial).toContain('Would create flag shop-fast');
  expect(trial).toContain('features.shop.fast.strategies.1: The strategy ours runs code of its own');
  const { code, err } = await ada.type(`import ${file} -e production -y`);
  expect([code, err]).toEqual([0, expect.stringContaining('The key shop.fast becomes shop-fast')]);
  expect(await ada.does('flags get shop-fast -e production')).toContain('user_key');
  expect(await ada.does(`import ${file} --from unleash -e production -y`)).toContain('Nothing to do');
});

test('names file, line and column of a fault in a file to import', async () => {
  const file = join(ada.cli.folder, 'bad.yaml');
  writeFileSync(file, 'apiVersion: flagsvc/v1\nflags:\n  - key: [\n');
  for (const command of [`import ${file} -y`, `import ${file} --dry-run`, `diff ${file}`]) {
    const { code, err } = await ada.type(command);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/bad\.yaml:\d:\d+: this is neither YAML nor JSON: /),
    ]);
  }
});

test('stores references in code, lists them and removes those of a branch', async () => {
  const folder = join(ada.cli.folder, 'code');
  mkdirSync(folder);
  writeFileSync(join(folder, 'app.ts'), "if (client.flag('checkout', false)) buy();\n");
  const place = '--repository github.com/acme/shop --branch main';
  await ada.does(`refs scan ${folder} ${place} --revision 0123456789abcdef`);
  expect(await ada.does('refs list checkout')).toContain('app.ts:1');
  expect(await ada.does('refs snapshots')).toMatch(/\ngithub\.com\/acme\/shop +main +0123456789ab +1 +1 /);
  expect(await ada.does(`refs remove ${place}`)).toBe('Removed github.com/acme/shop@main.\n');
  expect(await ada.does('refs snapshots')).toBe('No code was scanned for project default.\n');
});

test('creates, changes, rotates and deletes a webhook', async () => {
  const made = await ada.type(
    'webhooks create https://hooks.example.com/flags --event "flag.*" -e production --header-stdin',
    { stdin: 'Authorization: Bearer s3cret-token\n' },
  );
  expect(made.code).toBe(0);
  expect(made.out).toMatch(/^whsec_\S+\n$/);
  const [id] = /whk_\w+/.exec(made.err)!;
  const shown = await ada.does(`webhooks get ${id}`);
  expect(shown).toMatch(/\nheaders +authorization\n/i);
  expect(shown + made.err).not.toContain('s3cret-token');
  await ada.does(`webhooks update ${id} --event flag.toggled --description Chat`);
  expect(await ada.does('webhooks')).toMatch(/https:\/\/hooks\.example\.com\/flags +flag\.toggled +enabled/);
  const rotated = await ada.type(`webhooks rotate-secret ${id} --grace 48 -y`);
  expect(rotated.out).toMatch(/^whsec_\S+\n$/);
  expect(rotated.out).not.toBe(made.out);
  expect(await ada.does(`webhooks deliveries ${id}`)).toBe('No attempts yet.\n');
  expect(await ada.does(`webhooks replay ${id} --since 2h --dry-run`)).toContain('dry run');
  expect(await ada.does(`webhooks delete ${id} -y`)).toBe(`Deleted ${id}.\n`);
});
