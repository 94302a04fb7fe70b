/** Units besides the user: what an exposure's rule assigned, and for what a track event counts. */
export const eventUnits: readonly string[] = [
  'alter table exposures add column unit_by text',
  'alter table exposures add column unit_key text',
  'alter table track_events add column units_json text',
];
