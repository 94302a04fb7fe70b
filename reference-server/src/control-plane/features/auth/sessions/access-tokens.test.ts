import { expect, test } from 'vitest';
import { createAccessTokens } from './access-tokens.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const tokens = createAccessTokens('test-jwt-secret-key-of-32-characters', () => NOW);

async function issue(sessionId: string): Promise<string> {
  const of = { userId: 'usr_a', sessionId, organizationId: 'org_a' };
  return (await tokens.issue(of, '2026-12-20T10:00:00.000Z')).token;
}

/** Whether the token is cached: cached claims are the same object, not parsed again. */
async function isRemembered(token: string, claims: object): Promise<boolean> {
  return (await tokens.verify(token)) === claims;
}

test('caches the thousand most recently used tokens', async () => {
  const [kept, idle] = [await issue('ses_kept'), await issue('ses_idle')];
  const [ofKept, ofIdle] = [await tokens.verify(kept), await tokens.verify(idle)];
  expect(await isRemembered(kept, ofKept)).toBe(true);
  for (let index = 0; index < 999; index++) {
    await tokens.verify(await issue(`ses_${index}`));
    expect(await isRemembered(kept, ofKept)).toBe(true);
  }
  expect(await isRemembered(idle, ofIdle)).toBe(false);
  expect(await tokens.verify(idle)).toEqual(ofIdle);
});
