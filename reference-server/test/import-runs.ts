import { expect } from 'vitest';
import type { Api } from './api.ts';
import { ApiRefusal } from './api-call.ts';
import { documentFlag, documentOf, type ImportBody } from './imports.ts';
import type { ConditionBody, TestServer } from './server.ts';

/** One import, to be compared with its dry run. */
export interface Attempt {
  readonly projectId: string;
  readonly body: ImportBody;
  /** Default admin. */
  readonly by?: Api | undefined;
  /** The comment of the plan and of its application. */
  readonly comment?: string | undefined;
}

/** The outcome of an import: its changes, or the code of its refusal with the faults of the document. */
export interface Verdict {
  readonly code: string | null;
  readonly errors?: unknown;
  /** In the order in which they are made. */
  readonly changes?: readonly unknown[];
  readonly warnings?: unknown;
}

interface Change {
  readonly action: string;
  readonly resource: { readonly key: string | null } | null;
  readonly changes: object;
}

const summaryOf = ({ action, resource, changes }: Change) => [
  action,
  resource?.key,
  Object.keys(changes).sort(),
];

/** A warning without ids: new rules have different ids in a dry run. */
const withoutIds = ({ code, field, message }: { code: string; field: string | null; message: string }) => [
  code,
  field,
  message,
];

/** Runs imports on a server, each as a dry run and for real. */
export type ImportRuns = ReturnType<typeof createImportRuns>;

export function createImportRuns(server: TestServer) {
  const admin = server.as('admin');
  let projects = 0;

  const dryRun = async ({ projectId, body, comment, by = admin }: Attempt): Promise<Verdict> => {
    const { plan } = await by.dryRun.imports.create(projectId, { ...body, comment });
    const blocked = plan.find(({ gate }) => !gate.allowed);
    if (blocked !== undefined) return { code: blocked.gate.code };
    return {
      code: null,
      changes: plan.map(summaryOf),
      warnings: plan[0]!.warnings.map(withoutIds),
    };
  };

  const realRun = async ({ projectId, body, comment, by = admin }: Attempt): Promise<Verdict> => {
    const [newest] = await admin.audit.list({ per_page: 1 });
    const { id, plan } = await by.imports.create(projectId, { ...body, comment });
    const { status, error } = await by.imports.apply(id, { comment }, { headers: { prefer: 'wait=20' } });
    if (status !== 'applied')
      return { code: error!.code, errors: (error!.details as { errors?: unknown }).errors };
    const entries = await admin.audit.list({ per_page: 200 });
    const end = entries.findIndex((entry) => entry.id === newest?.id);
    return {
      code: null,
      changes: entries.slice(0, end).reverse().map(summaryOf),
      warnings: plan.warnings.map(withoutIds),
    };
  };

  return {
    realRun,
    /** Runs an import as a dry run, then for real. Expects equal verdicts, and that the dry run changes no table. */
    async runBoth(attempt: Attempt): Promise<Verdict> {
      const tables = [
        'flags',
        'flag_environments',
        'segments',
        'environments',
        'imports',
        'audit_entries',
        'outbox',
      ] as const;
      const read = () =>
        Promise.all(tables.map((table) => server.db.selectFrom(table).selectAll().execute()));
      const before = await read();
      const tried = await verdictOf(dryRun(attempt));
      // A refusal for lack of permissions is audited, even in a dry run.
      if (tried.code !== 'INSUFFICIENT_PERMISSIONS') expect(await read()).toEqual(before);
      const done = await verdictOf(realRun(attempt));
      expect(tried).toEqual(done);
      return done;
    },
    /** Creates a project with a flag `base`, on in production, and a segment `staff`. */
    async newProject(): Promise<ImportProject> {
      const key = `p-${projects++}`;
      const { id } = await admin.projects.create({ key, name: key });
      const listed = await admin.environments.listOf(id);
      const environments = Object.fromEntries(listed.map((environment) => [environment.key, environment.id]));
      const staff = {
        key: 'staff',
        conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
      };
      const body = importBody([documentFlag('base', rules({}))], { segments: [staff] });
      expect((await realRun({ projectId: id, body })).code).toBe(null);
      return { id, environments };
    },
    /** Freezes an environment until the end of the month. */
    freeze: (environmentId: string) =>
      admin.freezeWindows.create({
        name: 'Frozen',
        scope: { environment_ids: [environmentId] },
        ends_at: '2026-11-30T23:59:00Z',
      }),
  };
}

/** The id of a project, and the ids of its environments by key. */
export interface ImportProject {
  readonly id: string;
  readonly environments: Readonly<Record<string, string>>;
}

/** The verdict of a run, even if the API refuses it. */
const verdictOf = (run: Promise<Verdict>): Promise<Verdict> =>
  run.catch((error) => {
    if (!(error instanceof ApiRefusal)) throw error;
    return { code: error.code, errors: error.details.errors };
  });

/** The body of an import. */
export const importBody = (flags: readonly object[], more: object = {}): ImportBody => ({
  document: documentOf(flags, more),
});

/** The `environments` of a flag in a document, with this configuration for production. */
export const inProduction = (config: object) => ({ environments: { production: config } });
/** A rule that serves `on` to everyone. */
export const rule = (more: object) => ({ priority: 1, conditions: [], variation: 'on', ...more });
/** The `environments` of a flag in a document; the flag is on in production, with these rules. */
export const rules = (...all: object[]) => inProduction({ enabled: true, targeting_rules: all.map(rule) });

export const condition = (operator: ConditionBody['operator'], value: unknown, attribute = 'a') => ({
  attribute,
  operator,
  value,
});
