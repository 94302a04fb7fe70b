import type { Scope } from '../src/control-plane/access/scopes.ts';
import type { Api } from './api.ts';
import type { Body } from './api-call.ts';
import type { TestServer } from './server.ts';

export type AccountBody = Body<'POST /service-accounts'>;

/** Creates service accounts and their tokens for a test. Their clients have staging as their environment. */
export interface Accounts {
  /** Creates an account, by default an editor. */
  create(more?: Partial<AccountBody>): ReturnType<Api['serviceAccounts']['create']>;
  /** Creates a token for an account, by default with all scopes, and a client that uses it. */
  issueToken(
    accountId: string,
    scopes?: readonly Scope[],
    more?: object,
  ): Promise<{ readonly id: string; readonly api: Api }>;
  /** Creates an account and a client with all scopes. */
  start(more?: Partial<AccountBody>): Promise<{ readonly id: string; readonly api: Api }>;
}

export function createAccounts(server: TestServer): Accounts {
  const { staging } = server.environments;
  const { serviceAccounts } = server.as('admin');
  const create: Accounts['create'] = (more = {}) =>
    serviceAccounts.create({ name: 'deploys', role: 'editor', ...more });
  const issueToken: Accounts['issueToken'] = async (accountId, scopes = ['admin'], more = {}) => {
    const { id, token } = await serviceAccounts.createToken(accountId, { name: 'ci', scopes, ...more });
    return { id, api: server.withToken(token!).in(staging) };
  };
  return {
    create,
    issueToken,
    async start(more) {
      const { id } = await create(more);
      return { id, api: (await issueToken(id)).api };
    },
  };
}
