import { type Static, Type } from 'typebox';
import { Comment, Key, Timestamp } from '../../../http/schemas.ts';

/** Maximum number of references in a snapshot. */
const REFERENCES_MAX = 20_000;
/** Maximum number of snapshots in a project. */
export const SNAPSHOTS_MAX = 500;

const text = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^[^\\s\\u0000-\\u001f\\u007f]+$', description });

export const Repository = text(200, 'Name of the repository, for example `github.com/acme/shop`.');
export const Branch = text(250, 'Name of the branch.');
const Revision = text(100, 'The scanned revision of the repository, such as a commit.');
const UrlTemplate = Type.Union(
  [
    Type.String({
      maxLength: 1_000,
      description:
        'Template of the URLs of places, for example `https://{repository}/blob/{revision}/{path}#L{line}`; `{branch}` and `{column}` are also replaced. The URLs must begin with `http://` or `https://`.',
    }),
    Type.Null(),
  ],
  { description: 'Default null: places have no URL.' },
);
const Path = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description:
    'Path relative to the root of the repository, for example `src/checkout.ts`. No source code is stored.',
});
const Line = Type.Integer({ minimum: 1, maximum: 10_000_000 });
const Column = Type.Integer({ minimum: 1, maximum: 10_000_000 });
const ContextHash = Type.String({
  pattern: '^[\\w+/=:.-]{1,128}$',
  description: 'A hash of the surrounding code, by which a scanner recognizes the place.',
});

export const NewSnapshot = Type.Object({
  repository: Repository,
  branch: Branch,
  revision: Revision,
  url_template: Type.Optional(UrlTemplate),
  references: Type.Array(
    Type.Object({
      flag_key: Key,
      path: Path,
      line: Line,
      column: Type.Optional(Column),
      context_hash: Type.Optional(ContextHash),
    }),
    { maxItems: REFERENCES_MAX, description: 'All places of the branch. A repeated place counts once.' },
  ),
  comment: Type.Optional(Comment),
});
export type NewSnapshot = Static<typeof NewSnapshot>;

/** A snapshot as the API shows it, without its references, which are listed by flag. */
export const Snapshot = Type.Object({
  id: Type.String({ description: '`ref_` and an opaque string.' }),
  project_id: Type.String(),
  repository: Repository,
  branch: Branch,
  revision: Revision,
  url_template: UrlTemplate,
  references_count: Type.Integer(),
  flags_count: Type.Integer({ description: 'Number of distinct flag keys among the references.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const PutSnapshot = Type.Object({
  ...Snapshot.properties,
  unknown_flag_keys: Type.Array(Type.String(), {
    description: 'Keys that no flag of the project has. Their references are stored as well.',
  }),
});
export type PutSnapshot = Static<typeof PutSnapshot>;

export const CodeReference = Type.Object({
  repository: Type.String(),
  branch: Type.String(),
  revision: Type.String({ description: 'The scanned revision of the repository.' }),
  path: Type.String(),
  line: Line,
  column: Type.Union([Column, Type.Null()]),
  context_hash: Type.Union([Type.String(), Type.Null()]),
  url: Type.Union([Type.String(), Type.Null()], {
    description: 'Null if the snapshot has no template or the result is not a valid URL.',
  }),
  updated_at: Type.String({ format: 'date-time', description: 'When the snapshot was sent.' }),
});
export type CodeReference = Static<typeof CodeReference>;
