import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { widthOf } from '../../../src/cli/output/plain-text.ts';
import { CTRL_C, createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
  await ada.does('flags create search-settings --name "Einstellungen 検索 🔍" --tag checkout');
  await ada.does('segments create beta-testers --name "Beta 👩‍🔬" --when "email contains @example.com"');
  await ada.does(`rules add search-settings --segment beta-testers --serve on --name "Beta 測試" -e staging`);
  await ada.does(
    'rules add search-settings --when "plan one_of pro,team,enterprise" --when "age gt 17" --serve on=25 --serve off=75 -e staging',
  );
  await ada.does('rules remove search-settings 2 --at +2h -e staging');
  await ada.does('keys create "checkout service" -e staging');
  await ada.does(
    'freeze start "Black Friday" -e production --until +2h -m "No changes while the shop is busiest"',
  );
  await ada.does('break-glass open -e production --justification "INC-4711: the payment provider is down"');
  await ada.does('webhooks create https://hooks.example.com/services/a/long/path --event "flag.*"');
  await ada.does('service-accounts create deploys --role editor');
  await ada.does('tokens create laptop --expires-at +30d');
});
afterAll(() => ada.leave());

const LISTS = [
  'flags list',
  'flags list --all',
  'flags get search-settings -e staging',
  'flags get search-settings --all',
  'flags history search-settings -e staging',
  'rules list search-settings -e staging',
  'segments list',
  'schedule list search-settings',
  'freeze list',
  'freeze status',
  'break-glass list',
  'audit tail',
  'attention',
  'environments',
  'projects',
  'keys -e staging',
  'webhooks',
  'members',
  'service-accounts',
  'service-accounts get deploys',
  'sessions',
  'tokens',
  'instance status',
  'explain search-settings --user ada -e staging',
  'rules move search-settings 2 --first -e staging --dry-run',
  '--help',
];

test.each(LISTS)('%s fits a terminal of 80 columns, and keeps ids whole', async (line) => {
  const text = stripVTControlCharacters(await ada.does(line, { columns: 80 }));
  // Commands stay whole, because people copy them.
  const lines = text.split('\n').filter((one) => !/^ *flagsvc /.test(one));
  expect(lines.filter((one) => widthOf(one) > 80)).toEqual([]);
  for (const [id] of text.matchAll(/\b(?:frz|bgl|sch|key|evt|whk|svc|pat)_\w+/g)) expect(id.length).toBe(30);
});

test('shows times to the minute, and folds errors at blanks', async () => {
  expect(await ada.does('freeze list')).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\dZ /);
  const { err } = await ada.type('flags toggle search-settings on -e production -y', {
    answers: [],
    columns: 80,
  });
  const lines = stripVTControlCharacters(err).split('\n');
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((one) => one.length > 80)).toEqual([]);
  expect(err).toMatch(/until\s\d{4}-\d\d-\d\d\s\d\d:\d\dZ\./);
});

test('numbers the rules of a dry run as the commands do', async () => {
  const says = async (line: string) => (await ada.does(`${line} -e staging --dry-run`)).split('\n')[1];
  expect(await says('rules remove search-settings 2')).toMatch(
    /^ {2}remove rule 2: \(plan one_of pro,team,enterprise/,
  );
  expect(await says('rules update search-settings 2 --serve on')).toMatch(/^ {2}change rule 2: /);
  expect(await says('rules add search-settings --when "country is CH" --serve on')).toBe(
    '  add rule 3: (country is CH) serves on',
  );
  expect(await says('rules add search-settings --when "country is CH" --serve on --first')).toBe(
    '  add rule 1: (country is CH) serves on',
  );
});

test('says that a change of variations or names reaches every environment', async () => {
  for (const change of [
    'variations update search-settings on --name An',
    'flags update search-settings --name New',
  ]) {
    expect(await ada.does(`${change} --dry-run`)).toMatch(
      /^Would change flag search-settings in every environment:\n/,
    );
  }
  expect(await ada.does('flags toggle search-settings on -e staging --dry-run')).toMatch(
    /^Would change flag search-settings in staging:\n {2}turn it on\n/,
  );
});

test('asks for the name of the critical environment that a change of all environments reaches', async () => {
  const asked = await ada.type('flags archive search-settings', { answers: ['y'] });
  expect([asked.code, asked.prompts]).toEqual([
    1,
    'Archive search-settings in every environment, including production? Type production to confirm: ',
  ]);
});

test('shows the freezes of all environments, or of one', async () => {
  const all = await ada.does('freeze status');
  expect(all).toMatch(/^development is not frozen\.\nstaging is not frozen\.\nproduction is frozen\./);
  expect((await ada.type('freeze status --exit-code')).code).toBe(1);
  expect((await ada.type('freeze status -e staging --exit-code')).code).toBe(0);
  expect(await ada.reads('freeze status')).toHaveLength(3);
  expect(await ada.reads('freeze -e production')).toMatchObject({ environment: 'production', frozen: true });
});

test('schedules the switch of a flag, and names the rule that a plan removes', async () => {
  expect(await ada.does('flags toggle search-settings on --at +1d -e staging')).toMatch(
    /^Scheduled for search-settings in staging at \d{4}-\d\d-\d\d \d\d:\d\dZ.*: Turn search-settings on\./,
  );
  const list = await ada.does('schedule list search-settings');
  expect(list).toMatch(/ turn on /);
  expect(list).toMatch(/ remove rule 2 /);
});

test('suggests segments, and says what an operator compares with', async () => {
  const wrong = await ada.type('rules add search-settings --segment beta-tester --serve on -e staging');
  expect([wrong.code, wrong.err]).toEqual([
    4,
    'flagsvc: There is no segment "beta-tester".\nDid you mean beta-testers?\n',
  ]);
  const value = await ada.type('rules add search-settings --when "age gt x" --serve on -e staging');
  expect(value.err).toMatch(/does not fit its operator\. .*\ngt compares with a number\.\n$/s);
});

test('asks for the password in the middle of an emergency, and goes on', async () => {
  const open = 'break-glass open -e staging --justification "INC-4712: the queue is full"';
  ada.cli.advance(6 * 60_000);
  const scripted = await ada.type(open);
  expect([scripted.code, scripted.err]).toEqual([3, expect.stringContaining('account reauthenticate')]);
  const wrong = await ada.type(open, { answers: ['wrong password'] });
  expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('The password is wrong.')]);
  const opened = await ada.type(open, { answers: ['correct horse'] });
  expect([opened.code, opened.prompts, opened.out]).toEqual([
    0,
    'Password: ',
    expect.stringMatching(/^bgl_\w+\n$/),
  ]);
});

test('stops at Ctrl-C in a confirmation, and changes nothing', async () => {
  const stopped = await ada.type('flags archive search-settings', { answers: [CTRL_C] });
  expect([stopped.code, stopped.err]).toEqual([130, 'flagsvc: Interrupted.\n']);
  expect(await ada.reads('flags get search-settings')).toMatchObject({ status: 'active' });
});
