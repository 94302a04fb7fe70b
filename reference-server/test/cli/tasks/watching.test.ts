import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { createPerson, type Person } from './person.ts';

let ada: Person;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  ada = await createPerson({ webhookPorts: [receiver.port] });
  await ada.does('flags create banner');
});
afterAll(async () => {
  await ada.leave();
  await receiver.close();
});

test('tests a webhook, watches its deliveries and sends messages again', async () => {
  const made = await ada.type(`webhooks create ${receiver.url} --event "flag.*"`);
  expect([made.code, made.err]).toEqual([0, expect.stringContaining('flagsvc webhooks test')]);
  const [id] = /whk_\w+/.exec(made.err)!;
  expect(await ada.does(`webhooks test ${id}`)).toMatch(
    /^The test succeeded after \d+ ms: status 2\d\d\.\n$/,
  );
  await ada.does('flags toggle banner on -e staging');
  await ada.cli.runBackground();
  await ada.cli.runBackground();
  const deliveries = await ada.reads(`webhooks deliveries ${receiver.url}`);
  const message = deliveries.find(({ type }: { type: string }) => type === 'flag.toggled').message_id;
  expect(await ada.does(`webhooks deliveries ${id} --status succeeded`)).toMatch(
    /flag\.toggled +1 +succeeded +2\d\d/,
  );
  expect(await ada.does(`webhooks message ${message}`)).toMatch(
    /\nevent +flag\.toggled\nstatus +succeeded\n/,
  );
  expect(await ada.does(`webhooks redeliver ${message}`)).toBe(`${message} will be sent again.\n`);
  expect(await ada.does(`webhooks replay ${id} --since 1h`)).toMatch(
    /^\d+ messages? will be sent again\.\n$/,
  );
  expect((await ada.type('webhooks get whk_none')).code).toBe(4);
});

test('watches the traffic of an environment', async () => {
  const key = (await ada.does('keys create shop -e staging')).trim();
  await ada.does('evaluate banner --user ada', { env: { FLAGSVC_API_KEY: key } });
  expect(await ada.does('environments ruleset -e staging')).toContain('"banner"');
  expect(await ada.does('environments sdks -e production')).toBe('No SDK has used production lately.\n');
  expect(await ada.does('environments unknown-flags -e production')).toBe(
    'Every flag key that SDKs asked for in production in the last 30 days exists.\n',
  );
  expect(await ada.does('events erasures')).toBe('No erasure was ordered.\n');
  expect(await ada.does('events erase user-4711 --dry-run')).toContain('erasure');
  expect(await ada.does('events erase user-4711 --yes')).toMatch(/^Ordered erasure ers_\w+\./);
  expect(await ada.does('events erasures')).toMatch(/ers_\w+ +pending/);
  expect(await ada.does('environments contexts -e staging')).toBe(
    'staging records no users. To start:\n  flagsvc environments update staging --record-contexts\n',
  );
});

test('asks for the name of a critical environment before it changes', async () => {
  const asked = await ada.type('flags toggle banner on -e production', { answers: ['y'] });
  expect([asked.code, asked.prompts]).toEqual([
    1,
    'Turn banner on in production? Type production to confirm: ',
  ]);
  const done = await ada.type('flags toggle banner on -e production', { answers: ['production'] });
  expect(done.out).toBe('banner is on in production.\n');
  await ada.does('environments update production --no-critical -y');
  const plain = await ada.type('flags toggle banner off -e production', { answers: ['y'] });
  expect([plain.code, plain.prompts]).toEqual([0, 'Turn banner off in production? [y/N] ']);
});

test('registers a person, and sends a link to a new password', async () => {
  const made = await ada.type('register --email bob@example.com --name Bob', {
    answers: ['correct horse battery'],
  });
  expect([made.code, made.prompts]).toEqual([0, 'Password: ']);
  expect(made.out).toMatch(
    /^Registered bob@example\.com as viewer\. To log in:\n {2}flagsvc login --email bob@example\.com\n/,
  );
  expect(await ada.does('account forgot-password --email nobody@example.com')).toContain(
    'flagsvc account reset-password',
  );
  const wrong = await ada.type('account reset-password --password-stdin', { stdin: 'token\n' });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"New password"')]);
  const bad = await ada.type('account reset-password', { answers: ['prt_none', 'correct horse battery'] });
  expect(bad.code).not.toBe(0);
});
