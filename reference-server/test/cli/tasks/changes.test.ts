import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
  await ada.does('flags create checkout');
});
afterAll(() => ada.leave());

const WHY = '"INC-4711: the checkout is down"';

test('schedules a change of any kind, warns about a second plan, moves it and makes it now', async () => {
  const add = 'rules add checkout --when "plan is pro" --serve on --name pro -e staging --at +2h';
  const planned = await ada.does(add);
  expect(planned).toMatch(
    /^Scheduled for checkout in staging at .*: Add a rule to checkout: plan is pro serves on\. To cancel:\n {2}flagsvc schedule cancel sch_\w+\n$/,
  );
  const [id] = /sch_\w+/.exec(planned)!;
  expect(await ada.reads('rules list checkout -e staging')).toEqual([]);
  const again = await ada.type(add);
  expect(again.err).toMatch(/^Warning: the same change is already planned at /);
  await ada.does(`schedule cancel ${/sch_\w+/.exec(again.out)![0]}`);
  expect(await ada.does('schedule list checkout')).toContain('add rule: plan is pro serves on');
  await ada.does(`schedule update ${id} --at +1d`);
  expect(await ada.does(`schedule show ${id}`)).toMatch(/\nchange +add rule: plan is pro serves on\n/);
  expect(await ada.does(`schedule execute ${id}`)).toBe(
    `${id} is executed: add rule: plan is pro serves on in staging\n`,
  );
  expect(await ada.reads('rules list checkout -e staging')).toHaveLength(1);
});

test('schedules instructions as JSON, and a change of the switch', async () => {
  const json = `'{"op":"set_enabled","enabled":true}'`;
  await ada.does(`schedule create checkout --change ${json} --at +30m -e staging`);
  await ada.does('schedule toggle checkout off --at +1d -e staging');
  const list = await ada.does('schedule list checkout -e staging');
  expect(list).toContain('turn on');
  expect(list).toContain('turn off');
  expect(await ada.does('schedule list -e staging')).toMatch(/ checkout +staging +turn on /);
  expect(await ada.does('schedule list -e production')).toBe('Project default has no scheduled changes.\n');
  const wrong = await ada.type('schedule create checkout --change "{}" --at +30m -e staging');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--change')]);
  const when = await ada.type('schedule toggle checkout on --at tomorrow -e staging');
  expect([when.code, when.err]).toEqual([2, expect.stringContaining('+30m, +2h or +3d from now')]);
});

test('freezes, breaks the glass, and has it reviewed by another admin', async () => {
  await ada.does('freeze start Peak -e production --until +2h -m "Black Friday"');
  expect(await ada.does('freeze calendar')).toContain('Peak');
  const refused = await ada.type('flags toggle checkout on -e production -y');
  expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('freeze status -e production')]);
  const trial = await ada.does('flags toggle checkout on -e production --dry-run');
  expect(trial).toContain(
    'Would change flag checkout in production:\n  turn it on\n  The server would refuse this: ',
  );
  const glass = (await ada.does(`break-glass open -e production --justification ${WHY}`)).trim();
  await ada.does(`flags toggle checkout on -e production -y --break-glass ${glass}`);
  await ada.does(`break-glass close ${glass}`);
  const env = await createSecondAdmin();
  await ada.does(`break-glass review ${glass} justified -m "The checkout was down"`, { env });
  expect(await ada.does(`break-glass show ${glass}`)).toMatch(
    /\nreview +justified by grace@example\.com: The checkout was down\n/,
  );
  const [{ id }] = await ada.reads('freeze list');
  await ada.does(`freeze update ${id} --until +3h -m "Longer"`);
  expect(await ada.does(`freeze get ${id}`)).toMatch(/\nstatus +active\n/);
  await ada.does(`freeze end ${id} -m "It is over"`);
});

test('plans a freeze that repeats, and cancels it', async () => {
  await ada.does(
    'freeze start Weekend --all --type production --repeat "FREQ=WEEKLY;BYDAY=FR" --minutes 3600 --time-zone Europe/Zurich --at +1d',
  );
  const calendar = await ada.does('freeze calendar --until +30d');
  expect(calendar.match(/Weekend/g)!.length).toBeGreaterThanOrEqual(3);
  const weekend = (await ada.reads('freeze list')).find(({ name }: { name: string }) => name === 'Weekend');
  expect(weekend.scope.environment_types).toEqual(['production']);
  await ada.does(`freeze cancel ${weekend.id} -y`);
});

test('shows the history of a flag, compares and restores revisions', async () => {
  await ada.does('flags create banner');
  await ada.does('rules add banner --serve on=10 --name all -e staging');
  await ada.does('flags rollout banner on=60 -e staging -m "More"');
  const history = await ada.reads('flags history banner -e staging');
  const [last, before] = history.revisions.map(({ revision }: { revision: number }) => revision);
  expect(await ada.does('flags history banner -e staging')).toMatch(
    new RegExp(
      `\\n +${last} .*change rule: "all" \\(always\\) serves on 10% becomes "all" \\(always\\) serves on 60% +More\\n`,
    ),
  );
  expect(await ada.does(`flags diff banner ${before} ${last} -e staging`)).toBe(
    `banner in staging, from revision ${before} to ${last}:\n  change rule: "all" (always) serves on 10% becomes "all" (always) serves on 60%\n`,
  );
  expect(await ada.does(`flags show banner ${before} -e staging`)).toContain('on 10%');
  expect(await ada.does(`flags revert banner ${before} -e staging --dry-run`)).toContain(
    'serves on 60% becomes',
  );
  expect(await ada.does(`flags revert banner ${before} -e staging`)).toContain('on 10%');
});

test('shows in the audit log who changed what, in words', async () => {
  const tail = await ada.does('audit tail --search banner -e staging -n 1');
  expect(tail).toMatch(/admin@example\.com +flag\.\w+ +banner in staging +change rule: /);
  const [entry] = await ada.reads('audit tail -n 1 --since 1h --action flag.toggled');
  expect(await ada.does(`audit show ${entry.id}`)).toMatch(
    /\nresource +flag checkout\nenvironment +production\n(.|\n)*\nturn it on\n$/,
  );
});

test('archives, restores and deletes a flag for good, and releases its key', async () => {
  await ada.does('flags archive banner -y');
  await ada.does('flags restore banner -y');
  await ada.does('flags archive banner -y');
  const asked = await ada.type('flags delete banner', { answers: ['banne'] });
  expect([asked.code, asked.prompts]).toEqual([
    1,
    'Delete flag banner in project default? This cannot be undone. Type banner to confirm: ',
  ]);
  expect((await ada.type('flags delete banner', { answers: ['banner'] })).out).toBe('Deleted banner.\n');
  expect(await ada.does('reserved-keys')).toMatch(/\nbanner /);
  await ada.does('reserved-keys release banner -y');
  await ada.does('flags create banner');
});

test('lists and settles stale flags', async () => {
  expect(await ada.does('flags mark-stale banner -m "The campaign is over"')).toBe(
    'banner is stale: manual.\n',
  );
  expect(await ada.does('flags stale')).toMatch(/\nbanner +manual +\d{4}-/);
  expect(await ada.does('attention')).toMatch(/\nstale flags +1, \d of them yours\n/);
  expect(await ada.does('flags unmark-stale banner --until +30d')).toBe('banner is active.\n');
  expect(await ada.does('flags metrics banner')).toContain('was not evaluated since');
});

/** Invites a second admin. Returns the variables with which the admin is logged in. */
async function createSecondAdmin(): Promise<Readonly<Record<string, string>>> {
  const link = (await ada.does('invitations create grace@example.com --role admin')).trim();
  await ada.does('invitations accept --password-stdin --name Grace', {
    stdin: `${link}\ncorrect horse battery\n`,
  });
  const env = { FLAGSVC_CONFIG_DIR: `${ada.cli.folder}/grace` };
  await ada.does('login --email grace@example.com --password-stdin', { env, stdin: 'correct horse battery' });
  return env;
}
