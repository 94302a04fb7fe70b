import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from 'typebox';
import { Data, data } from '../../../http/envelope.ts';
import { invalid } from '../../../http/errors.ts';
import { Comment, Id, Key, Timestamp } from '../../../http/schemas.ts';
import { Warning } from '../../../http/warnings.ts';
import { actorOf } from '../../access/request-actor.ts';
import { changeOptions } from '../../endpoint/change-options.ts';
import { route } from '../../endpoint/route.ts';
import { EXPORT_PARTS, type ExportPart, ProjectDocument } from './document.ts';
import type { ExportService } from './export-service.ts';
import type { ImportService } from './import-service.ts';
import { IMPORT_MODES } from './import-steps.ts';
import { IMPORT_FORMATS } from './read-document.ts';
import { toYaml } from './write-document.ts';

const IMPORT_LIMIT_BYTES = 10 * 1024 * 1024;
const WAIT_MAX_SECONDS = 60;
const tag = 'Imports and exports';

const ProjectParams = Type.Object({ project_id: Id });
const Params = Type.Object({ import_id: Id });
const Keys = Type.Object({
  environments: Type.Array(Key),
  segments: Type.Array(Key),
  flags: Type.Array(Key),
});

const ImportError = Type.Object({
  path: Type.String(),
  key: Type.Optional(Type.String()),
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Unknown()),
});

const Import = Type.Object({
  id: Type.String({ description: '`imp_` and an opaque string.' }),
  project_id: Type.String(),
  format: Type.Enum([...IMPORT_FORMATS]),
  mode: Type.Enum([...IMPORT_MODES]),
  status: Type.Enum(['planned', 'applying', 'applied', 'failed']),
  plan: Type.Object({
    create: Keys,
    update: Keys,
    archive: Keys,
    unchanged: Type.Integer({ description: 'Items that are already as declared.' }),
    errors: Type.Array(ImportError, { description: 'An import with errors cannot be applied.' }),
    warnings: Type.Array(Warning),
  }),
  error: Type.Union([
    Type.Object({ code: Type.String(), message: Type.String(), details: Type.Unknown() }),
    Type.Null(),
  ]),
  created_by: Type.Union([Type.String(), Type.Null()]),
  created_at: Timestamp,
  finished_at: Type.Union([Timestamp, Type.Null()]),
});

/** The answer of an export. It has no envelope, so that it can be saved as a file. */
const ExportAnswer = {
  description: 'The document.',
  content: {
    'application/json': {
      schema: Type.Union([
        ProjectDocument,
        Type.Object({ $schema: Type.String(), flags: Type.Record(Type.String(), Type.Unknown()) }),
      ]),
    },
    'application/yaml': { schema: Type.String() },
  },
} as unknown as TSchema;

const list = (of: readonly string[]) =>
  Type.String({ maxLength: 4_000, description: `Separated by commas: ${of.join(', ')}.` });

const exportProject = route({
  rateCategory: 'bulk',
  access: 'flag.read',
  operationId: 'exportProject',
  tag,
  summary: 'Export a project',
  description:
    'Returns the project as one file, without ids and in a fixed order, so that two exports can ' +
    'be compared. The audit log records the export.',
  params: ProjectParams,
  query: Type.Object({
    format: Type.Optional(
      Type.Enum(['json', 'yaml', 'flagd'], {
        description:
          'Default `json`. `flagd` exports one environment such that flagd never serves a rule to more users than this ' +
          'server. The header X-FlagSvc-Warnings lists what is lost, percent-encoded: rule-left-out, rule-cut (after a ' +
          'rule that may match everyone), rule-narrowed, rollouts-reach-other-users, prerequisites-left-out, ' +
          'flag-left-out, segment-left-out, segment-narrowed.',
      }),
    ),
    environment_keys: Type.Optional(list(['environment keys; default all'])),
    include: Type.Optional(list(['environments', 'segments', 'flags; default all'])),
  }),
  answer: [200, ExportAnswer],
  errors: ['PROJECT_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
});

const createImport = route({
  rateCategory: 'bulk',
  access: 'flag.write',
  operationId: 'createImport',
  tag,
  summary: 'Plan an import',
  description:
    'Reads a document and returns a plan: what the import would create, update and archive, with errors and warnings. ' +
    'Changes nothing until the plan is applied. A dry run also reports why applying the plan would be refused.',
  params: ProjectParams,
  body: Type.Object({
    format: Type.Optional(
      Type.Enum([...IMPORT_FORMATS], {
        description:
          'Default: detected from the document. Formats other than `flagsvc` are files of other products. What cannot be carried over is left out such ' +
          'that no rule reaches more users than before, and named in `plan.warnings` with what to do about it.',
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...IMPORT_MODES], {
        description:
          'Default `merge`: items that the document does not contain are kept. `replace` archives flags that it does not ' +
          'contain. `create_only` changes nothing that exists.',
      }),
    ),
    document: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
      description:
        'A JSON object, or JSON or YAML text, that conforms to the schema /schemas/flagsvc-v1.json. At most 10 MiB.',
    }),
    environment_keys: Type.Optional(
      Type.Array(Key, {
        maxItems: 25,
        description:
          'With the format of another product: the environments to import into. Default: all, or those with the names of ' +
          'the environments in the document. Required for a document of LaunchDarkly, Unleash or GrowthBook that holds ' +
          'one environment without its name.',
      }),
    ),
    comment: Type.Optional(Comment),
  }),
  answer: [201, Data(Import)],
  errors: ['PROJECT_NOT_FOUND', 'IMPORT_INVALID'],
  writes: true,
});

const getImport = route({
  access: 'flag.read',
  operationId: 'getImport',
  tag,
  summary: 'Read an import',
  description: 'Returns the plan and the status of an import, with the error when it failed.',
  params: Params,
  answer: [200, Data(Import)],
  errors: ['IMPORT_NOT_FOUND'],
});

const applyImport = route({
  rateCategory: 'bulk',
  access: 'flag.write',
  operationId: 'applyImport',
  tag,
  summary: 'Apply an import',
  description:
    'Starts to apply a planned import, either as a whole or not at all, and returns while it runs. With the header ' +
    '`Prefer: wait=10`, the answer waits up to 10 seconds for the import to end. Refused when the project has changed ' +
    'since the plan was made.',
  params: Params,
  body: Type.Object({ comment: Type.Optional(Comment) }),
  answer: [202, Data(Import)],
  errors: ['IMPORT_NOT_FOUND', 'IMPORT_INVALID', 'IMPORT_STATE_CONFLICT', 'PLAN_STALE', 'FLAG_NOT_FOUND'],
  writes: true,
});

export const importRoutes: FastifyPluginAsyncTypebox<{
  imports: ImportService;
  exports: ExportService;
}> = async (app, { imports, exports }) => {
  app.addHook('onClose', () => imports.close());

  app.get('/projects/:project_id/export', exportProject, async (request, reply) => {
    const { format = 'json', environment_keys, include } = request.query;
    const actor = actorOf(request);
    const { project_id } = request.params;
    const query = { environmentKeys: environment_keys?.split(','), include: readParts(include) };
    if (format === 'flagd') {
      const { document, warnings } = await exports.flagd(actor, project_id, query);
      if (warnings.length > 0) reply.header('x-flagsvc-warnings', headerOf(warnings));
      return reply.send(document);
    }
    const document = await exports.document(actor, project_id, { ...query, format });
    if (format === 'json') return reply.send(document);
    return reply
      .type('application/yaml; charset=utf-8')
      .serializer((text: unknown) => String(text))
      .send(await toYaml(document));
  });

  app.post(
    '/projects/:project_id/imports',
    { ...createImport, bodyLimit: IMPORT_LIMIT_BYTES },
    async (request, reply) => {
      const { format, mode = 'merge', document, environment_keys } = request.body;
      const { project_id: projectId } = request.params;
      const wanted = { projectId, format, mode, document, environment_keys };
      const planned = await imports.plan(actorOf(request), wanted, changeOptions(request));
      return reply.code(201).send(data(planned));
    },
  );

  app.get('/imports/:import_id', getImport, async (request) =>
    data(await imports.get(actorOf(request), request.params.import_id)),
  );

  app.post('/imports/:import_id/apply', applyImport, async (request, reply) => {
    const { import_id } = request.params;
    const actor = actorOf(request);
    const begun = await imports.apply(actor, import_id, changeOptions(request));
    const waitMs = waitOf(request.headers['prefer']);
    if (waitMs === 0) return reply.code(202).send(data(begun));
    await imports.settled(import_id, waitMs);
    return reply.code(202).send(data(await imports.get(actor, import_id)));
  });
};

function readParts(text: string | undefined): readonly ExportPart[] | undefined {
  return text?.split(',').map((name) => {
    const part = EXPORT_PARTS.find((one) => one === name);
    if (part !== undefined) return part;
    throw invalid({
      field: 'include',
      location: 'query',
      code: 'enum',
      message: `must be a comma-separated list of these: ${EXPORT_PARTS.join(', ')}`,
    });
  });
}

/** The `wait` preference of RFC 7240, in milliseconds. */
function waitOf(prefer: string | string[] | undefined): number {
  const match = /(?:^|[\s,;])wait\s*=\s*"?(\d{1,4})\b/i.exec(String(prefer ?? ''));
  return match === null ? 0 : Math.min(Number(match[1]), WAIT_MAX_SECONDS) * 1_000;
}

/** Characters that clients accept in one header. */
const HEADER_MAX = 6_000;

/** The warnings, percent-encoded and separated by commas; the last item is the number of warnings that did not fit. */
function headerOf(warnings: readonly string[]): string {
  const named: string[] = [];
  let length = 0;
  for (const warning of warnings) {
    const text = encodeURIComponent(warning.replace(/\p{Cs}/gu, '\ufffd'))
      .replaceAll('%3D', '=')
      .replaceAll('%2F', '/');
    length += text.length + 2;
    if (length > HEADER_MAX) return [...named, `and-${warnings.length - named.length}-more`].join(', ');
    named.push(text);
  }
  return named.join(', ');
}
