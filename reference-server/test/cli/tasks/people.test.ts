import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
});
afterAll(() => ada.leave());

const PASSWORD = 'correct horse battery';

test('invites a person, who accepts with a password of their own', async () => {
  const made = await ada.type('invitations create grace@example.com --role editor');
  expect(made.err).toMatch(/^Invited grace@example\.com until .*\. The link, which is not shown again:\n$/);
  expect(await ada.does('invitations')).toMatch(/grace@example\.com +editor +pending/);
  const resent = (await ada.does('invitations resend grace@example.com')).trim();
  const old = await ada.type('invitations accept --password-stdin', {
    stdin: `${made.out.trim()}\n${PASSWORD}`,
  });
  expect(old.code).not.toBe(0);
  const accepted = await ada.type('invitations accept --name "Grace Hopper"', {
    answers: [resent, PASSWORD],
  });
  expect([accepted.out, accepted.prompts]).toEqual([
    expect.stringMatching(
      /^Welcome, grace@example\.com, editor\. To log in:\n {2}flagsvc login --email grace@example\.com\n$/,
    ),
    'Link or token of the invitation: Password: ',
  ]);
  expect(accepted.out + accepted.err + accepted.prompts).not.toContain(PASSWORD);
  await ada.does('invitations create linus@example.com');
  expect(await ada.does('invitations revoke linus@example.com -y')).toBe(
    'Revoked the invitation of linus@example.com.\n',
  );
});

test('changes the role of a member, in the organization and in a project', async () => {
  expect(await ada.does('members update grace@example.com --role viewer -y')).toBe(
    'grace@example.com is now viewer.\n',
  );
  await ada.does('projects create shop --name "Web shop"');
  expect(await ada.does('members update grace@example.com --role admin -p shop -y')).toBe(
    'grace@example.com is now admin of project shop.\n',
  );
  expect(await ada.does('members')).toMatch(/grace@example\.com +Grace Hopper +viewer +shop: admin/);
  expect(await ada.does('members remove-project-role grace@example.com -p shop')).toContain('no own role');
  await ada.does('members update grace@example.com --role editor -e staging -e development -p shop -y');
  expect(await ada.does('members')).toMatch(
    /shop\/staging, shop\/development|shop\/development, shop\/staging/,
  );
  const unknown = await ada.type('members update grac@example.com --role admin -y');
  expect([unknown.code, unknown.err]).toEqual([
    4,
    expect.stringContaining('Did you mean grace@example.com?'),
  ]);
});

test('creates a project and environments, protects, orders, archives, restores and deletes them', async () => {
  await ada.does('environments create qa --type staging --require-comment -p shop');
  await ada.does('environments clone staging load -p shop');
  expect(await ada.does('environments get qa -p shop')).toMatch(/\ncomment required +yes\n/);
  await ada.does('environments update qa --no-require-comment --name Quality -p shop');
  await ada.does('environments order qa load development staging production -p shop');
  const keys = async () => (await ada.reads('environments -p shop')).map(({ key }: { key: string }) => key);
  expect(await keys()).toEqual(['qa', 'load', 'development', 'staging', 'production']);
  await ada.does('environments archive load -y -p shop');
  expect(await ada.does('environments list --archived -p shop')).toMatch(/\nload /);
  await ada.does('environments restore load -p shop');
  const asked = await ada.type('environments delete load -p shop', { answers: ['no'] });
  expect([asked.code, asked.prompts]).toEqual([
    1,
    expect.stringContaining('This cannot be undone. Type load to confirm: '),
  ]);
  expect(await ada.does('environments delete load -p shop --dry-run')).toBe(
    'Would delete environment load.\nNothing was changed: this is a dry run.\n',
  );
  await ada.does('environments delete load -p shop', { answers: ['load'] });
  expect(await keys()).toEqual(['qa', 'development', 'staging', 'production']);
});

test('changes, archives and restores a project', async () => {
  expect(await ada.does('projects update shop --key-pattern "^[a-z-]+$" --default-environment qa')).toMatch(
    /\nkey pattern +\^\[a-z-\]\+\$\n/,
  );
  const archived = await ada.does('projects archive shop -y');
  expect(archived).toBe('Archived project shop. To restore it:\n  flagsvc projects restore shop\n');
  expect(await ada.does('projects --archived')).toMatch(/\nshop /);
  await ada.does('projects restore shop');
  expect(await ada.does('projects get shop')).toMatch(/^project +shop\n/);
});

test('creates, rotates and revokes SDK keys', async () => {
  const made = await ada.type(
    'keys create web -e staging -p shop --kind client --allow-origin https://shop.example.com',
  );
  expect([made.out, made.err]).toEqual([
    expect.stringMatching(/^\S+\n$/),
    expect.stringContaining('it is not shown again'),
  ]);
  const [{ id }] = await ada.reads('keys list -e staging -p shop');
  const rotated = await ada.does(`keys rotate ${id}`);
  expect(rotated).not.toBe(made.out);
  expect(await ada.does(`keys revoke ${id} --dry-run`)).toMatch(/^Would revoke /);
  expect(await ada.does(`keys revoke ${id} -y`)).toBe(`Revoked ${id} of staging.\n`);
});

test('creates a service account, rotates its token, disables it', async () => {
  await ada.does('service-accounts create deploys --role editor');
  const token = (await ada.does('service-accounts token deploys --scope flags:write')).trim();
  const [{ id }] = await ada.reads('service-accounts tokens deploys');
  const fresh = (await ada.does(`service-accounts rotate deploys ${id} --grace 0 -y`)).trim();
  const whoami = async (secret: string) =>
    (await ada.type('whoami', { env: { FLAGSVC_TOKEN: secret } })).code;
  expect([await whoami(token), await whoami(fresh)]).toEqual([3, 0]);
  expect(await ada.does('service-accounts update deploys --disabled -y')).toBe(
    'deploys is editor and disabled.\n',
  );
  expect(await whoami(fresh)).toBe(3);
  expect(await ada.does('service-accounts get deploys')).toMatch(/\nstatus +disabled\n/);
});

test('manages the own account, sessions and tokens', async () => {
  expect(await ada.does('account update --name "Ada King"')).toBe('You are now Ada King.\n');
  expect(await ada.does('account reauthenticate --password-stdin', { stdin: 'correct horse' })).toMatch(
    /^Confirmed until /,
  );
  expect(await ada.does('sessions')).toMatch(/\nyes /);
  expect(await ada.does('sessions revoke --others -y')).toBe('Ended all other sessions.\n');
  const token = (await ada.does('tokens create laptop --expires-at +30d')).trim();
  expect(token).toMatch(/^pat_/);
  const [{ id }] = await ada.reads('tokens');
  await ada.does(`tokens revoke ${id} -y`);
  const changed = await ada.type('account password', { answers: ['correct horse', PASSWORD] });
  expect([changed.code, changed.prompts]).toEqual([0, 'Current password: New password: ']);
});

test('shows and changes the organization and the instance', async () => {
  await ada.does('organization update --allow-domain example.com --session-hours 72 -y');
  expect(await ada.does('organization')).toMatch(/\nsession hours +72\ne-mail domains +example\.com\n/);
  expect(await ada.does('instance')).toMatch(/\nmode +oss\n/);
  expect(await ada.does('instance status')).toMatch(/^database +\S+ \d/);
  const mail = await ada.type('instance test-mail ada@example.com');
  expect(mail.code).toBeGreaterThan(0);
  expect(await ada.does('version')).toMatch(/^flagsvc +0\.0\.0-test\nserver +0\.0\.0-test at http/);
});

test('removes a member after the name is typed', async () => {
  const asked = await ada.type('members remove grace@example.com', { answers: ['y'] });
  expect([asked.code, asked.prompts]).toEqual([
    1,
    expect.stringContaining('Type grace@example.com to confirm: '),
  ]);
  await ada.does('account reauthenticate --password-stdin', { stdin: PASSWORD });
  expect(await ada.does('members remove grace@example.com -y')).toBe('Removed grace@example.com.\n');
});
