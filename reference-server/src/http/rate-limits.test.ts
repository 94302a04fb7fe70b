import { expect, test } from 'vitest';
import { parseRateLimits, RATE_LIMITS } from './rate-limits.ts';

test('reads the limits that are named and leaves out the others', () => {
  expect(parseRateLimits('ruleset=1000, events = 5000 ,stream=600')).toEqual({
    ruleset: 1_000,
    events: 5_000,
    stream: 600,
  });
  const all = Object.keys(RATE_LIMITS).map((name) => `${name}=7`);
  expect(Object.keys(parseRateLimits(all.join(',')))).toEqual(Object.keys(RATE_LIMITS));
});

test.each([
  ['rulesets=1000', 'contains "rulesets", which is not the name of a limit; use auth,'],
  ['Ruleset=1000', 'contains "Ruleset", which is not the name of a limit'],
  ['constructor=5', 'contains "constructor", which is not the name of a limit'],
  ['__proto__=5', 'contains "__proto__", which is not the name of a limit'],
  ['=5', 'contains "", which is not the name of a limit'],
  ['ruleset=5,events=6,ruleset=7', 'contains "ruleset" twice'],
  ['ruleset', 'contains "ruleset", which is not a limit; write'],
  ['ruleset=1000,', 'contains "", which is not a limit; write'],
  ['ruleset:1000', 'contains "ruleset:1000", which is not a limit; write'],
  ...['0', '', '-1', '1.5', '1e3', '0x10', '1_000', '1000/min', '10000001', '99999999999999999999', '٣'].map(
    (count) => [`ruleset=${count}`, `contains "ruleset=${count}"; use a whole number of requests`],
  ),
])('refuses %s', (text, message) => {
  expect(() => parseRateLimits(text!)).toThrow(message);
});
