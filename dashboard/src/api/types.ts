import type { components, operations } from '@flagsvc/openapi';

type Schemas = components['schemas'];

export type Me = Schemas['Me'];
export type Instance = Schemas['Instance'];
export type Capabilities = Schemas['Capabilities'];
export type Organization = Schemas['Organization'];
export type Project = Schemas['Project'];
export type Environment = Schemas['Environment'];
export type EnvironmentType = Environment['type'];
export type Flag = Schemas['Flag'];
export type FlagListItem = Schemas['FlagListItem'];
export type Segment = Schemas['Segment'];
export type AuditEntry = Schemas['AuditEntry'];
export type FreezeWindow = Schemas['FreezeWindow'];
export type FreezeStatus = Schemas['FreezeStatus'];
export type BreakGlass = Schemas['BreakGlass'];
export type Webhook = Schemas['Webhook'];
export type Member = Schemas['Member'];
export type Warning = Schemas['Warning'];
export type Role = Me['role'];

/** Before and after of each changed field, as audit entries and dry runs have them. */
export type Changes = AuditEntry['changes'];

/** The query parameters of an operation of the API. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;
