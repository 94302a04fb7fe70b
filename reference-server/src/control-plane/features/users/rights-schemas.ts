import { Type } from 'typebox';
import { Id } from '../../../http/schemas.ts';
import { ROLES } from '../../access/roles.ts';

/** What a rights is made of, as the routes take and show it. */

export const Role = Type.Enum([...ROLES]);

export const ProjectRoles = Type.Array(Type.Object({ project_id: Id, role: Role }), {
  maxItems: 100,
  description: 'Roles that are more than `role`, by project.',
});

export const EnvironmentIds = Type.Union([Type.Array(Id, { maxItems: 200 }), Type.Null()], {
  description: 'Environments in which changes are allowed; null: all.',
});
