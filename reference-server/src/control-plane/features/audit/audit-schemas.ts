import { Type } from 'typebox';

const NullableText = Type.Union([Type.String(), Type.Null()]);

/** Who did it, as entries and revisions show it. */
export const auditActorFields = {
  id: NullableText,
  email: Type.Union([Type.String(), Type.Null()], { description: 'Of a user.' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'Of a service account, as it was then.' }),
  kind: Type.Enum(['user', 'service_account', 'api_key', 'scim', 'system', 'agent']),
};
