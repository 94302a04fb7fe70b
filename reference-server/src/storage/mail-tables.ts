/** An email that waits to be sent. */
export interface MailQueueTable {
  id: string;
  /** The email as JSON, encrypted. */
  sealed_mail: string;
  /** Attempts begun so far. */
  attempts: number;
  next_attempt_at: string;
  /** The email is not worth sending after this time. */
  expires_at: string;
  created_at: string;
}
