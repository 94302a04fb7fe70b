type Flag01 = 0 | 1;

/** An endpoint that receives events. Columns named `*_sealed` are encrypted. */
export interface WebhookTable {
  organization_id: string;
  id: string;
  /** Null: the whole organization. */
  project_id: string | null;
  url: string;
  description: string;
  events_json: string;
  environment_ids_json: string;
  tags_json: string;
  /** Names and values as encrypted JSON. */
  headers_sealed: string;
  payload: string;
  signing: string;
  secret_sealed: string;
  public_key: string | null;
  previous_secret_sealed: string | null;
  previous_expires_at: string | null;
  enabled: Flag01;
  disabled_reason: string | null;
  /** When the webhook first failed after its last success. */
  failing_since: string | null;
  last_success_at: string | null;
  created_by: string | null;
  revision: number;
  created_at: string;
  updated_at: string;
}

/** One event to deliver to one webhook. Indexed by webhook, because deleting a webhook deletes its messages. */
export interface WebhookMessageTable {
  organization_id: string;
  webhook_id: string;
  id: string;
  type: string;
  /** The exact text that is sent. */
  body: string;
  status: string;
  attempts: number;
  /** When the next attempt is due; null: none is planned. */
  next_attempt_at: string | null;
  /** 1: a user requested this attempt, so it is not retried. */
  once: Flag01;
  created_at: string;
}

/** One attempt to send a message. Indexed by webhook and message, because deleting a webhook deletes its attempts. */
export interface WebhookAttemptTable {
  organization_id: string;
  webhook_id: string;
  message_id: string;
  id: string;
  type: string;
  attempt: number;
  succeeded: Flag01;
  status_code: number | null;
  fault: string | null;
  /** The beginning of the response body. */
  response_excerpt: string | null;
  duration_ms: number;
  created_at: string;
}

export interface WebhookTables {
  webhooks: WebhookTable;
  webhook_messages: WebhookMessageTable;
  webhook_attempts: WebhookAttemptTable;
}
