import { Type } from 'typebox';

/** Whom something is tried for: as the body of `POST /evaluate` has it. */
export const ContextBody = Type.Object({
  user_key: Type.Optional(Type.String({ maxLength: 1_024 })),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
