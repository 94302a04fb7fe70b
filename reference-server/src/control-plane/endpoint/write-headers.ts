import { Type } from 'typebox';

/** The headers that `changeOptions` reads. */
export const WriteHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      description:
        'Entity tag of the revision that the change is based on. The answer is 412 if the resource has another revision.',
    }),
  ),
  'if-none-match': Type.Optional(
    Type.String({ description: '`*`: answers 412 if the resource already exists.' }),
  ),
  'idempotency-key': Type.Optional(
    Type.String({
      description: 'On POST: repeating the same request within 24 hours returns the same answer.',
    }),
  ),
  'x-change-comment': Type.Optional(
    Type.String({
      description: 'Why the change is made, for calls without a body; other calls send `comment`.',
    }),
  ),
  'x-break-glass': Type.Optional(
    Type.String({
      description: 'Id of an open break-glass session, which permits the change during a freeze window.',
    }),
  ),
  'x-break-glass-justification': Type.Optional(
    Type.String({ description: 'Opens a break-glass session for this call alone. At least 20 characters.' }),
  ),
});
