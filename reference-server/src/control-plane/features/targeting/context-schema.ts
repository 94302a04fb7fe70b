import { Type } from 'typebox';

/** An evaluation context, as in the body of `POST /evaluate`. */
export const ContextBody = Type.Object({
  user_key: Type.Optional(Type.String({ maxLength: 1_024 })),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
