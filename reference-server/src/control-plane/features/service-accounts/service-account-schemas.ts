import { Type } from 'typebox';
import { Comment, Description, Name, Timestamp } from '../../../http/schemas.ts';
import { SERVICE_ACCOUNT_KINDS } from '../../access/actor.ts';
import { createdToken, machineToken, NewMachineToken } from '../auth/auth-schemas.ts';
import { EnvironmentIds, GrantedRoles, ProjectRoles, Role } from '../users/rights-schemas.ts';

const Kind = Type.Enum([...SERVICE_ACCOUNT_KINDS], {
  description:
    '`service_account` runs a fixed program. `agent` decides by itself what to do, and so cannot change critical environments.',
});

export const ServiceAccount = Type.Object({
  id: Type.String({ description: '`svc_` and an opaque string.' }),
  kind: Kind,
  name: Type.String(),
  description: Type.String(),
  role: Role,
  environment_ids: EnvironmentIds,
  project_roles: GrantedRoles,
  status: Type.Enum(['active', 'disabled']),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()]),
  revision: Type.Integer({ description: 'For `If-Match`.' }),
});

export const NewServiceAccount = Type.Object({
  kind: Type.Optional(Kind),
  name: Name,
  description: Type.Optional(Description),
  role: Role,
  environment_ids: Type.Optional(EnvironmentIds),
  project_roles: Type.Optional(ProjectRoles),
  comment: Type.Optional(Comment),
});

export const ServiceAccountPatch = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  role: Type.Optional(Role),
  environment_ids: Type.Optional(EnvironmentIds),
  project_roles: Type.Optional(ProjectRoles),
  disabled: Type.Optional(
    Type.Boolean({ description: 'True: its tokens are refused until this is set to false.' }),
  ),
  comment: Type.Optional(Comment),
});

export const ServiceAccountToken = Type.Object({
  id: Type.String({ description: '`svt_` and an opaque string; not the token.' }),
  ...machineToken,
  created_by: Type.String(),
});

export const NewServiceAccountToken = Type.Object({
  ...NewMachineToken.properties,
  comment: Type.Optional(Comment),
});

export const CreatedServiceAccountToken = Type.Object({ ...ServiceAccountToken.properties, ...createdToken });
