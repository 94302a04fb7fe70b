/** Emails that wait to be sent. */
export const mailQueue: readonly string[] = [
  `create table mail_queue (
    id text primary key, sealed_mail text not null, attempts integer not null, next_attempt_at text not null,
    expires_at text not null, created_at text not null
  ) strict, without rowid`,
  'create index mail_queue_due on mail_queue (next_attempt_at)',
];
