/** The entry point for developers and testers: overrides of flags, and a panel that shows and sets them. */
export type { Activity, ActivityKind } from './devtools/activity.ts';
export type { FlagOverrides, OverrideSource } from './devtools/override-text.ts';
export { linkWithOverrides, OVERRIDES_NAME, readOverrides } from './devtools/override-text.ts';
export { type Devtools, type DevtoolsOptions, mountDevtools } from './devtools/panel/mount-devtools.ts';
export { type RequestClient, withRequestOverrides } from './devtools/request-overrides.ts';
export { type Overridable, type Overrides, withOverrides } from './devtools/with-overrides.ts';
