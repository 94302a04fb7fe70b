import { expect, test } from 'vitest';
import { matchTotp, newTotpSecret, toBase32, totpCode, totpStep, totpUrl } from './totp.ts';

const SECRET = toBase32(Buffer.from('12345678901234567890'));

/** Test vectors for SHA-1 from RFC 6238, appendix B: the last six of their eight digits. */
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at %d s matches RFC 6238', (seconds, code) => {
  expect(totpCode(SECRET, totpStep(seconds * 1000))).toBe(code);
});

test('base32 is encoded as in RFC 4648', () => {
  expect(
    ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => toBase32(Buffer.from(text))),
  ).toEqual(['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']);
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
});

test('codes of the previous and the next step are valid, except codes of the last used step and earlier steps', () => {
  const time = 1_111_111_109_000;
  const now = totpStep(time);
  const found = [-2, -1, 0, 1, 2].map((drift) =>
    matchTotp(SECRET, totpCode(SECRET, now + drift), { time, lastStep: Number.NEGATIVE_INFINITY }),
  );
  expect(found).toEqual([undefined, now - 1, now, now + 1, undefined]);
  expect(matchTotp(SECRET, totpCode(SECRET, now), { time, lastStep: now })).toBeUndefined();
  expect(matchTotp(SECRET, totpCode(SECRET, now + 1), { time, lastStep: now })).toBe(now + 1);
  for (const wrong of ['', '12345', '1234567', 'abcdef', 'äöüäöü']) {
    expect(matchTotp(SECRET, wrong, { time, lastStep: 0 })).toBeUndefined();
  }
});

test('the URL names the account', () => {
  expect(totpUrl('ABC', 'ann+x@example.com')).toBe(
    'otpauth://totp/flagsvc%3Aann%2Bx%40example.com?secret=ABC&issuer=flagsvc&algorithm=SHA1&digits=6&period=30',
  );
});
