import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPerson, type Person } from './person.ts';

let ada: Person;

beforeAll(async () => {
  ada = await createPerson();
});
afterAll(() => ada.leave());

test('creates a flag with three variations', async () => {
  await ada.does(
    'flags create cta --type string --variation a="Buy now" --variation b=Order --variation c="In den Korb" --default a',
  );
  expect(await ada.does('variations list cta')).toMatch(
    /^VARIATION +NAME +VALUE +DEFAULT\na +a +"Buy now" +yes\nb +b +"Order" +no\nc +c +"In den Korb" +no\n$/,
  );
});

test('changes variations: adds, updates, removes, and chooses another default', async () => {
  await ada.does('variations add cta d="Kaufen" --name German -y');
  await ada.does('variations update cta b --value "Order now" -y');
  expect(await ada.does('variations remove cta c -y')).not.toContain('Korb');
  expect(await ada.does('variations default cta b -e staging')).toBe('cta serves b by default in staging.\n');
  expect(await ada.reads('variations list cta')).toMatchObject([
    { key: 'a', value: 'Buy now' },
    { key: 'b', value: 'Order now' },
    { key: 'd', name: 'German', value: 'Kaufen' },
  ]);
  const { code, err } = await ada.type('variations remove cta x -y');
  expect([code, err]).toEqual([2, 'flagsvc: Flag cta has no variation "x".\nDid you mean a, b or d?\n']);
  const asked = await ada.type('variations update cta b --value Weiter');
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining('in every environment, including production'),
  ]);
});

test('creates a segment, targets it, and shows who is in it', async () => {
  await ada.does('segments create beta-testers --when "group is beta" --include grace --exclude linus');
  await ada.does('rules add cta --segment beta-testers --serve b --name beta -e staging');
  await ada.does('flags toggle cta on -e staging');
  expect(await ada.does('segments test beta-testers --user grace')).toBe(
    'grace is in beta-testers: the user is included by name.\n\nCONDITION      HOLDS\ngroup is beta  no\n',
  );
  expect(await ada.does('segments test beta-testers --user linus -a group=beta')).toContain(
    'linus is not in beta-testers: the user is excluded by name.',
  );
  expect(await ada.does('explain cta --user grace -e staging')).toContain(
    '"Order now" (variation b), because rule 1 matches (TARGETING_RULE)',
  );
  expect(await ada.does('explain cta --user ken -e staging')).toContain('because no rule decides (DEFAULT)');
  expect(await ada.does('segments get beta-testers')).toMatch(
    /\nUSED BY FLAG +ENVIRONMENT +RULES\ncta +staging +1\n$/,
  );
  await ada.does('segments update beta-testers --include ken --forget linus -y');
  expect(await ada.reads('segments get beta-testers')).toMatchObject({
    included: ['grace', 'ken'],
    excluded: [],
  });
  const used = await ada.type('segments delete beta-testers -y');
  expect([used.code, used.err]).toEqual([
    5,
    expect.stringContaining('Remove it from the rules of cta first.'),
  ]);
});

test('restores a segment as it was', async () => {
  const { revision } = await ada.reads('segments get beta-testers');
  await ada.does('segments update beta-testers --when "group one_of beta,staff" -y');
  const out = await ada.does(`segments revert beta-testers ${revision} --dry-run`);
  expect(out).toContain('conditions become: group is beta');
  await ada.does(`segments revert beta-testers ${revision} -y`);
  expect((await ada.reads('segments get beta-testers')).conditions).toEqual([
    { attribute: 'group', operator: 'is', value: 'beta' },
  ]);
});

test('adds, changes, reorders and removes rules', async () => {
  await ada.does('flags create new-cart');
  const rules = async () =>
    (await ada.reads('rules list new-cart -e staging')).map((rule: { name: string }) => rule.name);
  await ada.does(
    'rules add new-cart --when "country one_of CH,AT" --when "age gt 17" --serve on --name alps -e staging',
  );
  await ada.does('rules add new-cart --serve on=10 --name rest -e staging');
  await ada.does(`rules add new-cart --when 'plan is "42"' --serve off --name plan -e staging`);
  // A rule with conditions goes before the one that matches everyone.
  expect(await rules()).toEqual(['alps', 'plan', 'rest']);
  await ada.does('rules move new-cart plan --first -e staging');
  await ada.does('rules move new-cart rest --before 2 -e staging');
  expect(await rules()).toEqual(['plan', 'rest', 'alps']);
  await ada.does('rules move new-cart rest --last -e staging');
  await ada.does(
    'rules update new-cart plan --when "plan not in free,trial" --serve on=25 --serve off=75 -e staging',
  );
  await ada.does('rules remove new-cart 3 -e staging');
  expect(await ada.reads('rules list new-cart -e staging')).toMatchObject([
    {
      name: 'plan',
      conditions: [{ attribute: 'plan', operator: 'not_one_of', value: ['free', 'trial'] }],
      percentage_rollout: [
        { variation: 'on', percentage: 25 },
        { variation: 'off', percentage: 75 },
      ],
    },
    {
      conditions: [
        { attribute: 'country', operator: 'one_of', value: ['CH', 'AT'] },
        { attribute: 'age', operator: 'gt', value: 17 },
      ],
      variation: 'on',
    },
  ]);
  const unknown = await ada.type('rules remove new-cart plann -e staging');
  expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('Did you mean plan?')]);
  const operator = await ada.type('rules add new-cart --when "age biger 3" --serve on -e staging');
  expect([operator.code, operator.err]).toEqual([2, expect.stringContaining('"biger" is no operator')]);
});

test('describes in sentences what a rule would change, and whom it would reach', async () => {
  await ada.does('environments update staging --record-contexts');
  await ada.cli.runBackground();
  const key = (await ada.does('keys create preview -e staging')).trim();
  await ada.does('flags toggle new-cart on -e staging');
  for (const user of ['u1', 'u2', 'u3']) {
    await ada.does(`evaluate new-cart --user ${user} -a plan=free`, { env: { FLAGSVC_API_KEY: key } });
  }
  await ada.cli.runBackground();
  const out = await ada.does(
    'rules add new-cart --when "plan is free" --serve on --name free --first -e staging --dry-run',
  );
  expect(out).toContain(
    'Would change flag new-cart in staging:\n  add rule 1: "free" (plan is free) serves on\nNothing was changed: this is a dry run.\n',
  );
  expect(out).toContain(
    'Of 3 recorded users of staging, 3 would get another variation:\n  3 from off to on\n',
  );
  expect(await ada.reads('rules list new-cart -e staging')).toHaveLength(2);
});

test('makes a flag depend on another one', async () => {
  await ada.does('prerequisites add new-cart cta=a -e staging');
  expect(await ada.does('prerequisites list cta -e staging')).toMatch(/is needed by +new-cart +a\n$/);
  const wrong = await ada.type('prerequisites add new-cart cta=x -e staging');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean a, b or d?')]);
  expect(await ada.does('prerequisites remove new-cart cta -e staging')).toBe(
    'new-cart has no prerequisites in staging.\n',
  );
});

test('rolls out, and says what the target is', async () => {
  expect(await ada.does('flags rollout new-cart on=50 -e staging')).toMatch(/\nenvironment +staging\n/);
  expect(await ada.does('flags get new-cart --all')).toMatch(/^new-cart \(new-cart\) in project default:\n/);
  const all = await ada.does('flags list --all');
  expect(all).toMatch(
    /^Flags of project default, by environment:\n\nFLAG +STATUS +TYPE +DEVELOPMENT +STAGING +PRODUCTION/,
  );
  expect(all).toMatch(/new-cart +active +boolean +off +3 rules +off/);
  expect(await ada.does('flags list -e staging')).toMatch(/^Flags of staging in project default:\n/);
});

test('explains what a disabled flag would serve', async () => {
  await ada.does('flags create later');
  await ada.does('rules add later --when "plan is pro" --serve on -e staging');
  const out = await ada.does('explain later --user ada -a plan=pro -e staging');
  expect(out).toContain('because the flag is off (DISABLED)');
  expect(out).toContain(
    'If it were on, ada would get variation on, because a rule matches (TARGETING_RULE).',
  );
  const unknown = await ada.type('explain latr --user ada -e staging');
  expect([unknown.code, unknown.err]).toEqual([4, expect.stringContaining('Did you mean later?')]);
});

test('promotes one flag, and many', async () => {
  await ada.does('flags promote later --from staging --to production -y');
  expect(await ada.reads('rules list later -e production')).toHaveLength(1);
  const same = await ada.type('environments promote --from staging --to staging');
  expect([same.code, same.err]).toEqual([2, expect.stringContaining('Source and target are both staging.')]);
  const dry = await ada.does('environments promote --from staging --to production --flag new-cart --dry-run');
  expect(dry).toContain('Would change flag new-cart in production:');
  expect(await ada.does('environments promote --from staging --to production -y')).toMatch(
    /^Promoted to production: .*new-cart/,
  );
});

test('changes settings of a flag', async () => {
  await ada.does(
    'flags update later --add-tag checkout --owner admin@example.com --expected-end +30d --client-side -y',
  );
  const flag = await ada.reads('flags get later');
  expect(flag).toMatchObject({ tags: ['checkout'], client_side: true, owner_id: expect.any(String) });
  await ada.does(
    'flags update later --no-client-side --owner none --expected-end none --remove-tag checkout -y',
  );
  expect(await ada.reads('flags get later')).toMatchObject({ tags: [], client_side: false, owner_id: null });
  expect((await ada.type('flags update later -y')).err).toContain('Nothing to change.');
});

test('changes many flags at once', async () => {
  expect(await ada.does('flags bulk add-tags later new-cart --add-tag q3 -e staging')).toBe(
    'Changed 2 flags in staging.\n',
  );
  expect(await ada.does('flags bulk off --filter --tag q3 -e staging')).toMatch(
    /^Changed \d flags in staging/,
  );
  expect(await ada.reads('flags list --tag q3 -e staging')).toMatchObject([
    { enabled: false },
    { enabled: false },
  ]);
  expect((await ada.type('flags bulk off --filter --tag none -e staging')).code).toBe(4);
});

test('renames and deletes tags, and finds flags by text', async () => {
  await ada.does('tags rename q3 quarter-3');
  expect(await ada.does('tags')).toMatch(/quarter-3 +2 +0\n/);
  await ada.does('tags delete quarter-3 -y');
  expect(await ada.does('search cart')).toMatch(/flag +new-cart +new-cart +default\n/);
});

test('copies a flag, and writes one from a file', async () => {
  expect(await ada.does('flags clone new-cart newer-cart')).toBe('Copied new-cart to newer-cart.\n');
  const flag = await ada.type('flags get later -e staging --json');
  await ada.does('flags put later - -e staging', {
    stdin: flag.out.replace('"name": "later"', '"name": "Sooner"'),
  });
  expect(await ada.reads('flags get later -e staging')).toMatchObject({ name: 'Sooner' });
  const broken = await ada.type('flags put later - -e staging', { stdin: 'name: x\n\tkey: y\n' });
  expect([broken.code, broken.err]).toEqual([
    2,
    expect.stringMatching(/^flagsvc: -:2:1: this is neither YAML nor JSON: /),
  ]);
});
