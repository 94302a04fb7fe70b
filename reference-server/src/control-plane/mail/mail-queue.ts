import type { Sealer } from '../../lib/sealed-text.ts';
import type { Database, Queryable } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import type { MailQueueTable } from '../../storage/mail-tables.ts';
import type { Mail } from './mail.ts';

/** A stored email that is due. */
export interface QueuedMail extends Omit<MailQueueTable, 'sealed_mail' | 'created_at'> {
  /** Undefined when it was sealed with another `FLAGSVC_API_SECRET_KEY`. */
  readonly mail: Mail | undefined;
}

/** Emails that wait to be sent, in the database. Sealed, because they contain names, addresses and secret links. */
export interface MailQueue {
  put(db: Queryable, mails: readonly Mail[]): Promise<void>;
  /** The due emails, the longest due first. */
  listDue(limit: number): Promise<readonly QueuedMail[]>;
  /**
   * Counts an attempt and sets the time of the next one. False when another process did so first, and thus sends the
   * email itself.
   */
  claim(mail: QueuedMail, nextAttemptAt: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

export function createMailQueue(deps: {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly newId: NewId;
  readonly now: () => number;
}): MailQueue {
  const { db, sealer, newId, now } = deps;
  const open = (sealed: string): Mail | undefined => {
    try {
      return JSON.parse(sealer.open(sealed)) as Mail;
    } catch {
      return undefined;
    }
  };
  return {
    async put(target, mails) {
      const at = new Date(now()).toISOString();
      for (const mail of mails) {
        const row: MailQueueTable = {
          id: newId('eml'),
          sealed_mail: sealer.seal(JSON.stringify(mail)),
          attempts: 0,
          next_attempt_at: at,
          expires_at: new Date(now() + mail.lifetimeMs).toISOString(),
          created_at: at,
        };
        await target.insertInto('mail_queue').values(row).execute();
      }
    },

    async listDue(limit) {
      const rows = await db
        .selectFrom('mail_queue')
        .selectAll()
        .where('next_attempt_at', '<=', new Date(now()).toISOString())
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ sealed_mail, created_at: _, ...row }) => ({ ...row, mail: open(sealed_mail) }));
    },

    async claim({ id, attempts }, next_attempt_at) {
      const { numUpdatedRows } = await db
        .updateTable('mail_queue')
        .set({ attempts: attempts + 1, next_attempt_at })
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remove(id) {
      await db.deleteFrom('mail_queue').where('id', '=', id).execute();
    },
  };
}
