import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOnPostgres } from '../database.ts';
import { createTargets } from '../endpoints/targets.ts';
import { startServer, type TestServer } from '../server.ts';
import { drive } from './drive.ts';
import { HOSTILE } from './hostile-values.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/**
 * Operations that refuse even the valid request, because it would need an email, another user, or a resource in a
 * certain state.
 */
const NEEDS_MORE = [
  'acceptInvitation',
  'activateFlag',
  'applyImport',
  'cancelFreezeWindow',
  'changePassword',
  'cloneEnvironment',
  'confirmTotp',
  'createOrganization',
  'deleteFlag',
  'deleteTag',
  'executeScheduledChange',
  'getWebhookMessage',
  'inspectInvitation',
  // The wrong passwords sent to `changePassword` lock the account.
  'reauthenticate',
  'redeliverWebhookMessage',
  'refresh',
  'releaseReservedKey',
  'renewRecoveryCodes',
  'resetMemberMfa',
  'resetPassword',
  'restoreFlag',
  'restoreProject',
  'reviewBreakGlass',
  // A rotation without a grace period has ended the token.
  'revokeServiceAccountToken',
  'revokeSession',
  'verifyMfa',
];

test(
  'no operation responds to hostile values with 500 or in an undocumented way',
  async () => {
    const outcome = await drive(server, await createTargets(server), {
      values: HOSTILE,
      headersOf: (operationId) => ['toggleFlag', 'createSegment', 'getRuleset'].includes(operationId),
    });
    expect(outcome.failures).toEqual([]);
    expect(outcome.neverServed.filter((id) => !NEEDS_MORE.includes(id))).toEqual([]);
    expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
    expect(outcome.calls).toBeGreaterThan(20_000);
  },
  isOnPostgres ? 1_200_000 : 480_000,
);
