/** Why a webhook was disabled automatically: a 410 answer, or five days without a success. */
export type DisableReason = 'gone' | 'failing';
