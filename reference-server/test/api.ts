import type { DryRun, Endpoint } from '../src/cli/client/document.ts';
import {
  type Call,
  type Defaults,
  type InEnvironment,
  type Operation,
  operation,
  type RawAnswer,
  type Reply,
  type Transport,
  type WithBody,
} from './api-call.ts';

/** The operations of the API by noun, for one caller: `api.flags.toggle(id, true)`. */
export type Operations = ReturnType<typeof operations>;

/** The same operations as dry runs. */
export type DryRuns = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: Operations[Noun][Verb] extends (...args: infer Args) => unknown
      ? (...args: Args) => Reply<DryRun, { readonly data: DryRun }>
      : never;
  };
};

/** The same operations with arguments of any shape. */
export type Unchecked = {
  readonly [Noun in keyof Operations]: {
    readonly [Verb in keyof Operations[Noun]]: (
      ...args: unknown[]
    ) => Operations[Noun][Verb] extends (...args: never[]) => infer R ? R : never;
  };
};

/** A client of the API for tests, typed by the API's document. */
export interface Api extends Operations {
  /** A client with the same credentials and this default for `environment_id`. */
  in(environmentId: string): Api;
  /** Operations that are sent as dry runs: `api.dryRun.flags.toggle(id, true)`. */
  readonly dryRun: DryRuns;
  /** Operations that accept malformed requests: `api.unchecked.flags.toggle(id, 'yes')`. */
  readonly unchecked: Unchecked;
  /** Sends a request that the typed operations cannot express, with the credentials of this client. */
  raw(call: Omit<Call, 'token'>): Promise<RawAnswer>;
}

export interface ApiOptions {
  readonly transport: Transport;
  readonly token?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly environmentId?: string | undefined;
}

/** Creates a client; without `token` and `apiKey`, it sends no credentials. */
export function createApi({ transport, token, apiKey, environmentId }: ApiOptions): Api {
  const credentials = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
  return bind({ transport, credentials, environmentId, dryRun: false });
}

function bind(defaults: Defaults): Api {
  const own = operations(defaults);
  return {
    ...own,
    unchecked: own as unknown as Unchecked,
    in: (environmentId) => bind({ ...defaults, environmentId }),
    get dryRun() {
      return operations({ ...defaults, dryRun: true }) as unknown as DryRuns;
    },
    raw: ({ headers, ...call }) =>
      defaults.transport({ ...call, headers: { ...defaults.credentials, ...headers } }),
  };
}

function operations(defaults: Defaults) {
  const call = <E extends Exclude<Endpoint, WithBody | InEnvironment>>(endpoint: E) =>
    operation(defaults, endpoint, { withBody: false, inEnvironment: false });
  const send = <E extends Exclude<WithBody, InEnvironment>>(endpoint: E) =>
    operation(defaults, endpoint, { withBody: true, inEnvironment: false });
  const callHere = <E extends Exclude<InEnvironment, WithBody>>(endpoint: E) =>
    operation(defaults, endpoint, { withBody: false, inEnvironment: true });
  const sendHere = <E extends InEnvironment & WithBody>(endpoint: E) =>
    operation(defaults, endpoint, { withBody: true, inEnvironment: true });
  return {
    instance: {
      get: call('GET /instance'),
      capabilities: call('GET /instance/capabilities'),
      status: call('GET /instance/status'),
      testMail: send('POST /instance/test-mail'),
    },
    auth: {
      register: send('POST /auth/register'),
      login: send('POST /auth/login'),
      me: call('GET /auth/me'),
      updateMe: send('PATCH /auth/me'),
      refresh: send('POST /auth/refresh'),
      logout: call('POST /auth/logout'),
      reauthenticate: send('POST /auth/reauthenticate'),
      forgotPassword: send('POST /auth/password/forgot'),
      resetPassword: send('POST /auth/password/reset'),
      changePassword: send('POST /auth/password/change'),
      inspectInvitation: send('POST /auth/invitations/inspect'),
      acceptInvitation: send('POST /auth/invitations/accept'),
    },
    mfa: {
      get: call('GET /auth/mfa'),
      start: call('POST /auth/mfa/totp'),
      confirm: send('POST /auth/mfa/totp/confirm'),
      remove: call('DELETE /auth/mfa/totp'),
      renewRecoveryCodes: call('POST /auth/mfa/recovery-codes'),
      verify: send('POST /auth/mfa/verify'),
    },
    preferences: {
      get: call('GET /me/preferences'),
      put: send('PUT /me/preferences'),
    },
    sessions: {
      list: call('GET /auth/sessions'),
      revoke: call('DELETE /auth/sessions/{session_id}'),
      revokeOthers: call('DELETE /auth/sessions'),
    },
    personalTokens: {
      list: call('GET /auth/tokens'),
      create: send('POST /auth/tokens'),
      revoke: call('DELETE /auth/tokens/{token_id}'),
    },
    serviceAccounts: {
      list: call('GET /service-accounts'),
      create: send('POST /service-accounts'),
      get: call('GET /service-accounts/{service_account_id}'),
      update: send('PATCH /service-accounts/{service_account_id}'),
      delete: call('DELETE /service-accounts/{service_account_id}'),
      listTokens: call('GET /service-accounts/{service_account_id}/tokens'),
      createToken: send('POST /service-accounts/{service_account_id}/tokens'),
      rotateToken: send('POST /service-accounts/{service_account_id}/tokens/{service_token_id}/rotate'),
      revokeToken: call('DELETE /service-accounts/{service_account_id}/tokens/{service_token_id}'),
    },
    organizations: {
      list: call('GET /organizations'),
      create: call('POST /organizations'),
      get: call('GET /organizations/{organization_id}'),
      update: send('PATCH /organizations/{organization_id}'),
    },
    members: {
      list: call('GET /organizations/{organization_id}/members'),
      update: send('PATCH /organizations/{organization_id}/members/{user_id}'),
      remove: call('DELETE /organizations/{organization_id}/members/{user_id}'),
      resetMfa: send('POST /organizations/{organization_id}/members/{user_id}/reset-mfa'),
      setProjectRole: send('PUT /projects/{project_id}/members/{user_id}'),
      removeProjectRole: call('DELETE /projects/{project_id}/members/{user_id}'),
    },
    invitations: {
      list: call('GET /organizations/{organization_id}/invitations'),
      create: send('POST /organizations/{organization_id}/invitations'),
      resend: call('POST /organizations/{organization_id}/invitations/{invitation_id}/resend'),
      revoke: call('DELETE /organizations/{organization_id}/invitations/{invitation_id}'),
    },
    apiKeys: {
      list: call('GET /environments/{environment_id}/api-keys'),
      create: send('POST /environments/{environment_id}/api-keys'),
      update: send('PATCH /api-keys/{key_id}'),
      revoke: call('DELETE /api-keys/{key_id}'),
      rotate: send('POST /api-keys/{key_id}/rotate'),
    },
    audit: { list: call('GET /audit-log'), get: call('GET /audit-log/{audit_entry_id}') },
    erasures: { list: call('GET /erasures'), create: send('POST /erasures') },
    freezeWindows: {
      list: call('GET /freeze-windows'),
      create: send('POST /freeze-windows'),
      status: callHere('GET /freeze-windows/status'),
      calendar: call('GET /freeze-windows/calendar'),
      get: call('GET /freeze-windows/{freeze_window_id}'),
      update: send('PATCH /freeze-windows/{freeze_window_id}'),
      cancel: call('DELETE /freeze-windows/{freeze_window_id}'),
      end: send('POST /freeze-windows/{freeze_window_id}/end'),
    },
    breakGlass: {
      list: call('GET /break-glass'),
      open: send('POST /break-glass'),
      get: call('GET /break-glass/{break_glass_id}'),
      close: call('POST /break-glass/{break_glass_id}/close'),
      review: send('POST /break-glass/{break_glass_id}/review'),
    },
    scheduledChanges: {
      list: call('GET /flags/{flag_id}/scheduled-changes'),
      listOfProject: call('GET /projects/{project_id}/scheduled-changes'),
      create: send('POST /flags/{flag_id}/scheduled-changes'),
      get: call('GET /scheduled-changes/{scheduled_change_id}'),
      update: send('PATCH /scheduled-changes/{scheduled_change_id}'),
      cancel: call('DELETE /scheduled-changes/{scheduled_change_id}'),
      execute: send('POST /scheduled-changes/{scheduled_change_id}/execute'),
    },
    projects: {
      list: call('GET /projects'),
      create: send('POST /projects'),
      get: call('GET /projects/{project_id}'),
      update: send('PATCH /projects/{project_id}'),
      archive: call('DELETE /projects/{project_id}'),
      restore: call('POST /projects/{project_id}/restore'),
      listTags: call('GET /projects/{project_id}/tags'),
      renameTag: send('PATCH /projects/{project_id}/tags/{tag}'),
      deleteTag: call('DELETE /projects/{project_id}/tags/{tag}'),
      listReservedKeys: call('GET /projects/{project_id}/reserved-keys'),
      releaseKey: call('POST /projects/{project_id}/reserved-keys/{key}/release'),
      listFlags: call('GET /projects/{project_id}/flags'),
      flagViews: call('GET /projects/{project_id}/flag-views'),
      attention: call('GET /projects/{project_id}/attention'),
      flagHealth: call('GET /projects/{project_id}/flag-health'),
    },
    environments: {
      list: call('GET /environments'),
      listOf: call('GET /projects/{project_id}/environments'),
      create: send('POST /projects/{project_id}/environments'),
      get: call('GET /environments/{environment_id}'),
      update: send('PATCH /environments/{environment_id}'),
      delete: call('DELETE /environments/{environment_id}'),
      order: send('PUT /projects/{project_id}/environments/order'),
      archive: send('POST /environments/{environment_id}/archive'),
      restore: send('POST /environments/{environment_id}/restore'),
      clone: send('POST /environments/{environment_id}/clone'),
      promote: send('POST /environments/{environment_id}/promote'),
      compare: call('GET /environments/compare'),
      ruleset: call('GET /environments/{environment_id}/ruleset'),
      sdks: call('GET /environments/{environment_id}/sdks'),
      unknownFlags: call('GET /environments/{environment_id}/unknown-flags'),
      recordedContexts: call('GET /environments/{environment_id}/recorded-contexts'),
    },
    flags: {
      list: callHere('GET /flags'),
      create: sendHere('POST /flags'),
      get: callHere('GET /flags/{flag_id}'),
      getByKey: callHere('GET /flags/by-key/{key}'),
      /** Replaces the fields that are given. */
      update: sendHere('PUT /flags/{flag_id}'),
      patch: sendHere('PATCH /flags/{flag_id}'),
      upsert: sendHere('PUT /projects/{project_id}/flags/by-key/{key}'),
      toggle: toggle(sendHere('POST /flags/{flag_id}/toggle')),
      archive: callHere('DELETE /flags/{flag_id}'),
      restore: sendHere('POST /flags/{flag_id}/restore'),
      delete: call('DELETE /flags/{flag_id}/permanent'),
      clone: sendHere('POST /flags/{flag_id}/clone'),
      activate: sendHere('POST /flags/{flag_id}/activate'),
      markStale: sendHere('POST /flags/{flag_id}/mark-stale'),
      unmarkStale: sendHere('POST /flags/{flag_id}/unmark-stale'),
      promote: send('POST /flags/{flag_id}/promote'),
      bulk: send('POST /flags/bulk'),
      preview: sendHere('POST /flags/{flag_id}/preview'),
      explain: send('POST /evaluate/explain'),
      history: callHere('GET /flags/{flag_id}/history'),
      metrics: callHere('GET /flags/{flag_id}/metrics'),
      environments: call('GET /flags/{flag_id}/environments'),
      dependents: call('GET /flags/{flag_id}/dependents'),
      codeReferences: call('GET /flags/{flag_id}/code-references'),
      listRevisions: callHere('GET /flags/{flag_id}/revisions'),
      getRevision: callHere('GET /flags/{flag_id}/revisions/{revision}'),
      diffRevisions: callHere('GET /flags/{flag_id}/revisions/{revision}/diff/{other}'),
      restoreRevision: sendHere('POST /flags/{flag_id}/revisions/{revision}/restore'),
    },
    segments: {
      list: call('GET /projects/{project_id}/segments'),
      create: send('POST /projects/{project_id}/segments'),
      get: call('GET /segments/{segment_id}'),
      update: send('PUT /segments/{segment_id}'),
      restoreRevision: send('POST /segments/{segment_id}/revisions/{revision}/restore'),
      delete: call('DELETE /segments/{segment_id}'),
      usage: call('GET /segments/{segment_id}/usage'),
      test: send('POST /segments/{segment_id}/test'),
    },
    codeReferences: {
      put: send('PUT /projects/{project_id}/code-references'),
      list: call('GET /projects/{project_id}/code-references'),
      remove: call('DELETE /projects/{project_id}/code-references'),
    },
    search: { find: call('GET /search') },
    imports: {
      export: call('GET /projects/{project_id}/export'),
      create: send('POST /projects/{project_id}/imports'),
      get: call('GET /imports/{import_id}'),
      apply: send('POST /imports/{import_id}/apply'),
    },
    webhooks: {
      list: call('GET /webhooks'),
      create: send('POST /webhooks'),
      get: call('GET /webhooks/{webhook_id}'),
      update: send('PATCH /webhooks/{webhook_id}'),
      delete: call('DELETE /webhooks/{webhook_id}'),
      rotateSecret: send('POST /webhooks/{webhook_id}/rotate-secret'),
      enable: call('POST /webhooks/{webhook_id}/enable'),
      publicKey: call('GET /webhooks/{webhook_id}/public-key'),
      test: call('POST /webhooks/{webhook_id}/test'),
      deliveries: call('GET /webhooks/{webhook_id}/deliveries'),
      replay: send('POST /webhooks/{webhook_id}/replay'),
      getMessage: call('GET /webhook-messages/{message_id}'),
      redeliver: call('POST /webhook-messages/{message_id}/redeliver'),
    },
    dataPlane: {
      evaluate: send('POST /evaluate'),
      ruleset: call('GET /sdk/ruleset'),
      sendEvents: send('POST /sdk/events'),
      describeRelayKeys: send('POST /relay/keys'),
    },
  };
}

/** Allows `toggle(id, true)` instead of `toggle(id, { enabled: true })`. */
function toggle(send: Operation<'POST /flags/{flag_id}/toggle'> & { readonly endpoint: string }) {
  const call = (id: string, enabled: boolean, options?: Parameters<typeof send>[2]) =>
    send(id, { enabled }, options);
  return Object.assign(call, { endpoint: send.endpoint });
}

/** The endpoints that the client has an operation for. */
export function clientEndpoints(): readonly string[] {
  const unused: Defaults = {
    transport: () => Promise.reject(new Error('not called')),
    credentials: {},
    environmentId: undefined,
    dryRun: false,
  };
  return Object.values(operations(unused)).flatMap((noun) =>
    Object.values<{ readonly endpoint: string }>(noun).map(({ endpoint }) => endpoint),
  );
}
