import type { EventTx } from '../../../../storage/database.ts';
import type { StoredKeys } from '../stored-keys.ts';
import type { EventRow } from './event-keys.ts';
import { insertCounters, insertExposures, insertReceipts, insertTracks } from './insert-rows.ts';

/** A table of the main database whose rows move to the event store. */
export interface MovedTable {
  readonly name: string;
  readonly key: readonly string[];
  /** The columns that `insert` expects, in its order. */
  readonly columns: readonly string[];
  readonly insert: (tx: EventTx, rows: readonly EventRow[]) => Promise<void>;
  /** The row as it is stored; default: unchanged. */
  readonly prepare?: (row: EventRow, keys: StoredKeys) => EventRow;
  /** The position of the time of single events, which need a partition of their day. */
  readonly timeAt?: number;
}

const EXPOSURE_COLUMNS = [
  ...[
    'organization_id',
    'environment_id',
    'timestamp',
    'id',
    'flag_key',
    'variation_key',
    'reason',
    'rule_id',
  ],
  ...['user_key', 'user_key_hashed', 'experiment_key', 'ruleset_version', 'unit_by', 'unit_key'],
];
const TRACK_COLUMNS = [
  ...['organization_id', 'environment_id', 'timestamp', 'id', 'event_name', 'user_key', 'user_key_hashed'],
  ...['value', 'properties_json', 'units_json'],
];

const exposures = { columns: EXPOSURE_COLUMNS, insert: insertExposures, timeAt: 2 } as const;
const tracks = { columns: TRACK_COLUMNS, insert: insertTracks, timeAt: 2 } as const;
const SINGLE_KEY = ['organization_id', 'environment_id', 'id'];
const DAY_KEY = ['organization_id', 'environment_id', 'timestamp', 'id'];

/** Tables of single events in the form of earlier versions, whose nodes still write them during an upgrade. */
export const EARLIER_TABLES: readonly MovedTable[] = [
  { ...exposures, name: 'exposures', key: SINGLE_KEY, prepare: prepareExposure },
  { ...tracks, name: 'track_events', key: SINGLE_KEY, prepare: prepareTrack },
];

/** Tables that a database of events has in the same form. */
export const SAME_TABLES: readonly MovedTable[] = [
  {
    name: 'event_batches',
    key: ['organization_id', 'environment_id', 'batch_id'],
    columns: ['organization_id', 'environment_id', 'batch_id', 'receipt_json', 'received_at'],
    insert: insertReceipts,
  },
  {
    name: 'counters_hourly',
    key: ['organization_id', 'environment_id', 'hour', 'flag_key', 'variation_key', 'reason', 'rule_id'],
    columns: [
      ...['organization_id', 'environment_id', 'hour', 'flag_key', 'variation_key', 'reason', 'rule_id'],
      'count',
    ],
    insert: insertCounters,
  },
];

/** Tables by day, which PostgreSQL's main database has until events get a database of their own. */
export const DAY_TABLES_OF_MAIN: readonly MovedTable[] = [
  { ...exposures, name: 'exposures_by_day', key: DAY_KEY },
  { ...tracks, name: 'track_events_by_day', key: DAY_KEY },
];

function prepareExposure(row: EventRow, keys: StoredKeys): EventRow {
  const record = toRecord(EXPOSURE_COLUMNS, row);
  const { environment_id: environment, user_key: user, unit_by: by, unit_key: unit } = record;
  return toRow(EXPOSURE_COLUMNS, {
    ...record,
    user_key: keys.user(String(environment), String(user), record['user_key_hashed'] === 1),
    unit_key: unit === null ? null : keys.unit(String(environment), String(by), String(unit)),
  });
}

function prepareTrack(row: EventRow, keys: StoredKeys): EventRow {
  const record = toRecord(TRACK_COLUMNS, row);
  const { environment_id: environment, user_key: user, units_json: units } = record;
  const list = units === null ? [] : Object.entries(JSON.parse(String(units)) as Record<string, string>);
  const stored = list.map(([by, key]) => [by, keys.unit(String(environment), by, key)]);
  return toRow(TRACK_COLUMNS, {
    ...record,
    user_key: keys.user(String(environment), String(user), record['user_key_hashed'] === 1),
    units_json: units === null ? null : JSON.stringify(Object.fromEntries(stored)),
  });
}

type Cells = Record<string, string | number | null>;

const toRecord = (columns: readonly string[], row: EventRow): Cells =>
  Object.fromEntries(columns.map((column, index) => [column, row[index]!]));

const toRow = (columns: readonly string[], cells: Cells): EventRow => columns.map((column) => cells[column]!);
