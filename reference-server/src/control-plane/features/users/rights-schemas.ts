import { Type } from 'typebox';
import { Id } from '../../../http/schemas.ts';
import { ROLES } from '../../access/roles.ts';

/** The rights of a member or a service account, as routes accept and return them. */

export const Role = Type.Enum([...ROLES]);

/** The roles of a person or account in single projects, in answers. */
export const GrantedRoles = Type.Array(Type.Object({ project_id: Type.String(), role: Role }), {
  description: 'Roles in single projects, in addition to `role`.',
});

export const ProjectRoles = Type.Array(Type.Object({ project_id: Id, role: Role }), {
  maxItems: 100,
  description: 'Roles in single projects, in addition to `role`.',
});

export const EnvironmentIds = Type.Union([Type.Array(Id, { maxItems: 200 }), Type.Null()], {
  description: 'Environments in which changes are allowed; null: all.',
});
