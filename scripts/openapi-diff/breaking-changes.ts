import { type CompareSchemas, createCompareSchemas, type Way } from './compare-schemas.ts';
import { followIn, type Message, type OpenApiDocument, type Operation, operationsIn } from './operations.ts';

/** One operation in both documents. */
interface Pair {
  readonly name: string;
  readonly old: Operation;
  readonly now: Operation;
  readonly compare: CompareSchemas;
}

/**
 * What of a document no longer holds in a later one, a line each, in plain words: what clients give must still be
 * taken, and what they are answered must be what they know. What is new breaks nobody, unless it is needed.
 */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  const compare = createCompareSchemas(followIn(before), followIn(after));
  const lines = (['paths', 'webhooks'] as const).flatMap((section) => {
    const later = operationsIn(after, section);
    return [...operationsIn(before, section)].flatMap(([name, old]) => {
      const now = later.get(name);
      if (now === undefined) return [`${name}: is gone`];
      const pair = { name, old, now, compare };
      return section === 'paths' ? compareOperations(pair) : compareWebhooks(pair);
    });
  });
  return [...new Set([...lines, ...compareSchemes(before, after)])];
}

function compareOperations(pair: Pair): readonly string[] {
  const { name, old, now } = pair;
  return [
    ...(old.id === now.id ? [] : [`${name}: is called ${now.id}, was ${old.id}`]),
    ...compareSecurity(pair),
    ...compareParameters(pair),
    ...compareBodies(pair),
    ...compareSuccesses(pair),
    ...compareErrors(pair),
  ];
}

/** Whatever opened an operation has to open it still, with nothing added to it. */
function compareSecurity({ name, old, now }: Pair): readonly string[] {
  return old.security
    .filter((key) => !now.security.some((door) => Object.keys(door).every((scheme) => scheme in key)))
    .map((key) => `${name}: is no longer open to ${Object.keys(key).join(' with ') || 'everybody'}`);
}

function compareParameters({ name, old, now, compare }: Pair): readonly string[] {
  const gone = [...old.parameters.keys()].filter((id) => !now.parameters.has(id));
  return [
    ...gone.map((id) => `${name}, ${id}: is gone`),
    ...[...now.parameters].flatMap(([id, { required, schema = {} }]) => {
      const known = old.parameters.get(id);
      const where = `${name}, ${id}`;
      if (required === true && known?.required !== true) return [`${where}: is needed now`];
      return known ? compare({ way: 'given', where, before: known.schema ?? {}, after: schema }) : [];
    }),
  ];
}

function compareBodies({ name, old, now, compare }: Pair): readonly string[] {
  const where = `${name}, body`;
  const isNeeded = now.body.required === true && old.body.required !== true;
  return [
    ...(isNeeded ? [`${where}: is needed now`] : []),
    ...compareContents({ way: 'given', where, compare }, old.body, now.body),
  ];
}

/** What a webhook sends is answered to its receiver, unasked. */
function compareWebhooks({ name, old, now, compare }: Pair): readonly string[] {
  return compareContents({ way: 'answered', where: name, compare }, old.body, now.body);
}

function compareSuccesses({ name, old, now, compare }: Pair): readonly string[] {
  const added = Object.keys(now.answers).filter((status) => /^2/.test(status) && !(status in old.answers));
  const known = Object.entries(old.answers).filter(([status]) => Number(status) < 400);
  return [
    ...added.map((status) => `${name}: may answer ${status}`),
    ...known.flatMap(([status, before]) => {
      const after = now.answers[status];
      const where = `${name}, ${status}`;
      if (after === undefined) return [`${where}: is gone`];
      const headers = Object.keys(before.headers ?? {}).filter(
        (header) => !(header in (after.headers ?? {})),
      );
      return [
        ...headers.map((header) => `${where}, header ${header}: is gone`),
        ...compareContents({ way: 'answered', where, compare }, before, after),
      ];
    }),
  ];
}

/** Clients know errors by their codes. There may be more of them, since no client knows all. */
function compareErrors({ name, old, now }: Pair): readonly string[] {
  return Object.entries(old.answers)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { codes }]) =>
      codes
        .filter((code) => now.answers[status]?.codes.includes(code) !== true)
        .map((code) => `${name}, ${status} ${code}: is gone`),
    );
}

/** Each format that there was. */
function compareContents(
  { way, where, compare }: { way: Way; where: string; compare: CompareSchemas },
  before: Message,
  after: Message,
): readonly string[] {
  return Object.entries(before.content ?? {}).flatMap(([type, { schema = {} }]) => {
    const other = after.content?.[type];
    const at = type === 'application/json' ? where : `${where} ${type}`;
    if (other === undefined) return [`${where}, ${type}: is gone`];
    return compare({ way, where: at, before: schema, after: other.schema ?? {} });
  });
}

/** The schemes themselves, by what a client has to send. */
function compareSchemes(before: OpenApiDocument, after: OpenApiDocument): readonly string[] {
  const schemes = Object.entries(before.components?.securitySchemes ?? {});
  return schemes.flatMap(([name, scheme]) => {
    const other = after.components?.securitySchemes?.[name];
    if (other === undefined) return [`security scheme ${name}: is gone`];
    return essenceOf(scheme) === essenceOf(other) ? [] : [`security scheme ${name}: is another`];
  });
}

function essenceOf(scheme: object): string {
  const { type, scheme: kind, in: where, name, flows, openIdConnectUrl } = scheme as Record<string, unknown>;
  return JSON.stringify([type, kind, where, name, flows, openIdConnectUrl]);
}
