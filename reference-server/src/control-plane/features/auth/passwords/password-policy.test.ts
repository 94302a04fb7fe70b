import { expect, test } from 'vitest';
import { createPasswordPolicy } from './password-policy.ts';

const policy = createPasswordPolicy({ isOn: true });
const owner = { email: 'Ada.Lovelace@analytical-engines.example', fullName: 'Ada King, Countess' };
const reasonOf = (password: string): Promise<string> =>
  policy.require(password, owner, 'new_password').then(
    () => 'fine',
    (error) => {
      expect(error).toMatchObject({ code: 'PASSWORD_TOO_COMMON', status: 422 });
      expect(error.details.field).toBe('new_password');
      return error.details.reason;
    },
  );

test.each([
  '12345678',
  'password',
  'PASSWORD',
  'ｐａｓｓｗｏｒｄ',
  'p@ssw0rd',
  'P4$$w0rd',
  'Password123!',
  '!!password!!',
  'letmein1',
  'qwertyuiop',
  'iloveyou',
  'trustno1',
  'Welcome2026!',
])('refuses %s as common', async (password) => {
  expect(await reasonOf(password)).toBe('common');
});

test.each(['bcdefghijk', '9876543210', 'zyxwvutsr', '########', 'x9x9x9x9', 'q7wzq7wzq7wz', '𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞'])(
  '%s is refused as a sequence',
  async (password) => {
    expect(['sequence', 'common']).toContain(await reasonOf(password));
  },
);

test.each(['lovelace', 'Lovelace1815', 'adaLOVELACE!', 'analytical', 'engines-7', 'countess4ever'])(
  '%s is refused for a user of that name',
  async (password) => {
    expect(['personal', 'common']).toContain(await reasonOf(password));
  },
);

test.each([
  'correct horse',
  'tr0mbone-quartz',
  'lovelace plays the tuba',
  'adakept8ducks',
  '48151623421',
  'ключ под ковриком',
  'xxxxxxxkq2',
  'password manager of choice',
])('accepts %s', async (password) => {
  expect(await reasonOf(password)).toBe('fine');
});

test('the list of common passwords has more than 10,000 that are long enough', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const long = dictionary['passwords-common'].map(String).filter((one) => one.length >= 8);
  expect(long.length).toBeGreaterThan(10_000);
  for (const one of long.slice(0, 1_000)) expect([one, await reasonOf(one)]).toEqual([one, 'common']);
});

test('every password is accepted when the policy is off', async () => {
  await createPasswordPolicy({ isOn: false }).require('12345678', owner);
});

test('checks the longest password quickly', async () => {
  const before = process.cpuUsage();
  for (const text of ['a', '1', '@', '!a', 'lovelace']) {
    await policy.require(text.repeat(1_024 / text.length), owner).catch(() => {});
  }
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
