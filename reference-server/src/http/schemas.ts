import { Type } from 'typebox';

/** Pieces that several features' schemas share. Maximum lengths are the limits in docs/performance.md. */

/** Matches a text with at least one visible character. */
export const VISIBLE =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]';

export const Key = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 100,
  description: 'Lower-case letters and digits, with single hyphens between them. Cannot be changed later.',
});

export const Name = Type.String({
  pattern: VISIBLE,
  minLength: 1,
  maxLength: 200,
  description: 'Display name, with at least one visible character.',
});

export const Description = Type.String({ maxLength: 2_000, description: 'What it is for, as plain text.' });

export const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 20,
  description: 'Free labels for filters, freeze windows and webhooks.',
});

export const Timestamp = Type.String({ format: 'date-time', description: 'ISO 8601 UTC.' });

export const Comment = Type.String({
  maxLength: 2_000,
  description: 'Why the change is made; kept in its audit entry.',
});

export const Id = Type.String({ minLength: 1, maxLength: 64 });
