import { Type } from 'typebox';

const NullableText = Type.Union([Type.String(), Type.Null()]);

/** The author of a change, as audit entries and revisions show it. */
export const auditActorFields = {
  id: NullableText,
  email: Type.Union([Type.String(), Type.Null()], {
    description: 'Email of the user; null for other actors.',
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'Name that a service account had at the time of the change.',
  }),
  kind: Type.Enum(['user', 'service_account', 'api_key', 'scim', 'system', 'agent']),
};
