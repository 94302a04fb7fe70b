import { requireKnownSecrets } from '../app/secrets.ts';
import {
  type OperatorResetResult,
  ResetRefused,
  resetAsOperator,
} from '../control-plane/features/auth/passwords/operator-reset.ts';
import * as users from '../control-plane/features/users/user-store.ts';
import { createDashboardLinks } from '../control-plane/mail/dashboard-links.ts';
import { createWriteGate } from '../control-plane/write-gate/gate.ts';
import { createIds } from '../storage/ids.ts';
import type { CommandInput } from './command.ts';
import type { Config } from './config-variables.ts';
import { openExisting } from './open-database.ts';
import { fail, print } from './output.ts';

/** `flagsvc-server reset-password <email>`: works on the database, whether or not the server runs. */
export async function resetPassword(config: Config, { positionals, options }: CommandInput): Promise<void> {
  const [email = ''] = positionals;
  const wantsToken = options['link'] === true;
  if (wantsToken && (options['keep-tokens'] === true || options['remove-mfa'] === true)) {
    return fail('--link changes only the password, later: leave out --keep-tokens and --remove-mfa.');
  }
  const db = await openExisting(config);
  if (db === undefined) return;
  try {
    await requireKnownSecrets(db, config, () => {});
    const now = Date.now;
    // Without guards and listeners, because the change affects no ruleset.
    const gate = createWriteGate({ db, now, newId: createIds(now), guards: [], afterCommit: () => {} });
    const result = await resetAsOperator(
      { db, gate, users, now, apiSecretKey: config.apiSecretKey },
      {
        email,
        wantsToken,
        keepsTokens: options['keep-tokens'] === true,
        removesMfa: options['remove-mfa'] === true,
      },
    );
    print(describe(result, config));
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (error instanceof ResetRefused) return fail(message);
    if (code === 'SECRET_CHANGED') return fail(`flagsvc cannot reset the password: ${message}`);
    if (code === 'DATABASE_UNAVAILABLE') {
      return fail(
        `flagsvc cannot reset the password: the database is locked or unavailable (${message}). Try again.`,
      );
    }
    throw error;
  } finally {
    await db.destroy();
  }
}

function describe(result: OperatorResetResult, { dashboardUrl }: Config): string {
  const { email, secret, revokedTokens, removedMfa, needsMfa } = result;
  if (secret.kind === 'token') {
    const link = createDashboardLinks(dashboardUrl).resetPassword(secret.token);
    return [
      `${email} can set a new password within an hour, with this link:`,
      '',
      `  ${link}`,
      '',
      'Without the dashboard, send the token (the part after "#token=") to POST /api/v1/auth/password/reset.',
    ].join('\n');
  }
  const tokens =
    revokedTokens === 1 ? '1 personal token was revoked' : `${revokedTokens} personal tokens were revoked`;
  const mfa = removedMfa
    ? ' The second factor was removed.'
    : needsMfa
      ? ' Logging in still takes the second factor; if it is lost too, repeat this with --remove-mfa.'
      : '';
  return [
    `The new password of ${email} is:`,
    '',
    `  ${secret.password}`,
    '',
    `It is not stored anywhere, so note it now. All sessions have ended; ${tokens}.${mfa}`,
    'The user should change the password after the first login.',
  ].join('\n');
}
