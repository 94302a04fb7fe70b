import { limitExceeded } from '../../../http/errors.ts';
import { HOUR_MS } from '../../../lib/durations.ts';
import type { Sealer } from '../../../lib/sealed-text.ts';
import type { Outbound } from '../../../outbound/outbound.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { WebhookTable } from '../../../storage/webhook-tables.ts';
import type { Actor } from '../../access/actor.ts';
import { systemActor } from '../../access/actor.ts';
import type { AuditAction } from '../../write-gate/audit-actions.ts';
import type { Change, ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { RequireProject } from '../projects/require-project.ts';
import { requireEvents, requireHeaders, requireUrl } from './check-webhook.ts';
import type { DisableReason } from './delivery/disable-reason.ts';
import { cancelPending } from './delivery/message-store.ts';
import { generateSigningKey, type Signing, type SigningKey } from './delivery/sign-message.ts';
import { requireWebhook } from './require-webhook.ts';
import { fieldsOf, newRow, resourceOf, toRecord } from './webhook-record.ts';
import type { NewWebhook, WebhookPatch, WebhookRecord, WebhookWithSecret } from './webhook-schemas.ts';
import { countWebhooks, deleteWebhook, findWebhook, insertWebhook, updateWebhook } from './webhook-store.ts';

export interface WebhookServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly outbound: Outbound;
  readonly sealer: Sealer;
  readonly requireProject: RequireProject;
  readonly requireEnvironment: RequireEnvironment;
  /** Notifies the admins that a webhook was disabled automatically. */
  readonly notifyDisabled: (webhook: WebhookTable, reason: DisableReason) => void;
}

/** Changes of webhooks. All calls except `create` and `disable` throw WEBHOOK_NOT_FOUND. */
export interface WebhookService {
  /** Throws URL_NOT_ALLOWED and LIMIT_EXCEEDED. */
  create(actor: Actor, input: NewWebhook, options: ChangeOptions): Promise<WebhookWithSecret>;
  /** Throws URL_NOT_ALLOWED. */
  update(
    actor: Actor,
    input: { readonly id: string; readonly patch: WebhookPatch },
    options: ChangeOptions,
  ): Promise<WebhookRecord>;
  remove(actor: Actor, id: string, options: ChangeOptions): Promise<void>;
  /** Creates a new secret; for `overlapHours` the old one signs as well. */
  rotate(
    actor: Actor,
    input: { readonly id: string; readonly overlapHours: number },
    options: ChangeOptions,
  ): Promise<WebhookWithSecret>;
  enable(actor: Actor, id: string, options: ChangeOptions): Promise<WebhookRecord>;
  /** Disables a webhook in the name of the system; does nothing when it is already disabled or deleted. */
  disable(organizationId: string, id: string, reason: DisableReason): Promise<void>;
}

/** Maximum number of webhooks of each project, and of the organization's own webhooks. */
const WEBHOOKS_MAX = 50;

export function createWebhookService(deps: WebhookServiceDeps): WebhookService {
  const { db, gate, newId, outbound, sealer, now } = deps;

  const requireEnvironments = async (tx: Tx, actor: Actor, ids: readonly string[]): Promise<void> => {
    for (const id of ids) await deps.requireEnvironment(tx, actor.organizationId, id);
  };

  const change = createChangeOf(sealer);
  const show = (row: WebhookTable): WebhookRecord => toRecord(row, sealer);

  return {
    create: (actor, input, options) =>
      gate.applyChange(
        actor,
        {
          action: 'webhook.created',
          permission: 'webhook.write',
          async plan(tx, at) {
            const { project_id = null, headers = {}, environment_ids = [], signing = 'hmac' } = input;
            if (project_id !== null) await deps.requireProject(tx, actor.organizationId, project_id);
            await requireEnvironments(tx, actor, environment_ids);
            requireUrl(outbound, input.url);
            requireHeaders(headers);
            requireEvents(input.events);
            await requireQuota(tx, actor.organizationId, project_id);
            const key = generateSigningKey(signing);
            const row = newRow(
              { ...input, environment_ids, headers, signing },
              { key, sealer },
              {
                organization_id: actor.organizationId,
                id: newId('whk'),
                project_id,
                created_by: actor.id,
                created_at: at,
              },
            );
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row, sealer),
              async write() {
                await insertWebhook(tx, row);
                return withSecret(show(row), signing, key.secret);
              },
              replayable: withoutSecret,
            };
          },
        },
        options,
      ),

    update: (actor, { id, patch }, options) =>
      gate.applyChange(
        actor,
        change(actor, id, {
          action: 'webhook.updated',
          async patch(row, tx) {
            if (patch.url !== undefined) requireUrl(outbound, patch.url);
            if (patch.headers !== undefined) requireHeaders(patch.headers);
            if (patch.events !== undefined) requireEvents(patch.events);
            if (patch.environment_ids !== undefined)
              await requireEnvironments(tx, actor, patch.environment_ids);
            return columnsOf(patch, row, sealer);
          },
          answer: show,
        }),
        options,
      ),

    remove: (actor, id, options) =>
      gate.applyChange<void>(
        actor,
        {
          action: 'webhook.deleted',
          permission: 'webhook.write',
          async plan(tx) {
            const row = await requireWebhook(tx, actor.organizationId, id);
            return {
              resource: resourceOf(row),
              before: fieldsOf(row, sealer),
              after: null,
              revision: row.revision,
              write: () => deleteWebhook(tx, id),
            };
          },
        },
        options,
      ),

    rotate(actor, { id, overlapHours }, options) {
      let secret = '';
      const rotation = change(actor, id, {
        action: 'webhook.secret_rotated',
        async patch(row) {
          const key = generateSigningKey(row.signing as Signing);
          secret = key.secret;
          return rotatedColumns(row, { key, overlapHours, now: now(), sealer });
        },
        answer: (row) => withSecret(show(row), row.signing, secret),
      });
      const plan: typeof rotation.plan = async (tx, at) => ({
        ...(await rotation.plan(tx, at)),
        replayable: withoutSecret,
      });
      return gate.applyChange(actor, { ...rotation, plan }, options);
    },

    enable: (actor, id, options) =>
      gate.applyChange(
        actor,
        change(actor, id, {
          action: 'webhook.enabled',
          patch: async () => ({ enabled: 1, disabled_reason: null, failing_since: null }),
          answer: show,
        }),
        options,
      ),

    async disable(organizationId, id, reason) {
      const row = await findWebhook(db, organizationId, id);
      if (row === undefined || row.enabled === 0) return;
      const actor = systemActor(organizationId);
      await gate.applyChange(
        actor,
        change(actor, id, {
          action: 'webhook.disabled',
          patch: async () => ({ enabled: 0, disabled_reason: reason }),
          answer: () => undefined,
          also: (tx) => cancelPending(tx, id),
        }),
      );
      deps.notifyDisabled(row, reason);
    },
  };
}

/** A change of an existing webhook. */
interface WebhookChange<Result> {
  readonly action: AuditAction;
  /** Checks the change and returns the columns to change. */
  readonly patch: (row: WebhookTable, tx: Tx) => Promise<Partial<WebhookTable>>;
  readonly answer: (row: WebhookTable) => Result;
  /** Further writes in the transaction of the change. */
  readonly also?: (tx: Tx) => Promise<void>;
}

const createChangeOf =
  (sealer: Sealer) =>
  <Result>(
    actor: Actor,
    id: string,
    { action, patch, answer, also }: WebhookChange<Result>,
  ): Change<Result> => ({
    action,
    permission: 'webhook.write',
    async plan(tx, at) {
      const before = await requireWebhook(tx, actor.organizationId, id);
      const patched = { ...before, ...(await patch(before, tx)) };
      const changed = JSON.stringify(patched) !== JSON.stringify(before);
      const after = changed ? { ...patched, revision: before.revision + 1, updated_at: at } : before;
      return {
        resource: resourceOf(before),
        before: fieldsOf(before, sealer),
        after: fieldsOf(after, sealer),
        revision: before.revision,
        isNoOp: !changed,
        async write() {
          if (changed) await updateWebhook(tx, after);
          await also?.(tx);
          return answer(after);
        },
      };
    },
  });

/** The columns after a rotation: a new key, and the old one for the overlap. */
function rotatedColumns(
  row: WebhookTable,
  of: {
    readonly key: SigningKey;
    readonly overlapHours: number;
    readonly now: number;
    readonly sealer: Sealer;
  },
): Partial<WebhookTable> {
  const { key, overlapHours, now, sealer } = of;
  const overlaps = overlapHours > 0;
  return {
    secret_sealed: sealer.seal(key.secret),
    public_key: key.publicKey,
    previous_secret_sealed: overlaps ? row.secret_sealed : null,
    previous_expires_at: overlaps ? new Date(now + overlapHours * HOUR_MS).toISOString() : null,
  };
}

async function requireQuota(tx: Tx, organizationId: string, projectId: string | null): Promise<void> {
  if ((await countWebhooks(tx, organizationId, projectId)) < WEBHOOKS_MAX) return;
  throw limitExceeded({ limit: 'webhooks', maximum: WEBHOOKS_MAX });
}

function columnsOf(patch: WebhookPatch, row: WebhookTable, sealer: Sealer): Partial<WebhookTable> {
  const { url, description, payload, events, environment_ids, tags, headers } = patch;
  // Sealing equal headers again gives another text, which would look like a change.
  const isSame = headers !== undefined && isSealed(row.headers_sealed, JSON.stringify(headers), sealer);
  return {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(payload !== undefined && { payload }),
    ...(events !== undefined && { events_json: JSON.stringify(events) }),
    ...(environment_ids !== undefined && { environment_ids_json: JSON.stringify(environment_ids) }),
    ...(tags !== undefined && { tags_json: JSON.stringify(tags) }),
    ...(headers !== undefined && !isSame && { headers_sealed: sealer.seal(JSON.stringify(headers)) }),
  };
}

function isSealed(sealed: string, text: string, sealer: Sealer): boolean {
  try {
    return sealer.open(sealed) === text;
  } catch {
    return false;
  }
}

/** Adds the secret only for hmac, whose receivers need it; the private key of ed25519 never leaves the server. */
function withSecret(record: WebhookRecord, signing: string, secret: string): WebhookWithSecret {
  return signing === 'hmac' ? { ...record, secret } : record;
}

function withoutSecret({ secret: _, ...record }: WebhookWithSecret): WebhookWithSecret {
  return record;
}
