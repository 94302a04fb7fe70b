import type { RouteEntry } from '../../src/control-plane/access/route-access.ts';
import { clientEndpoints } from '../api.ts';
import { operationsOf, tried, validCall } from '../errors/everywhere.ts';
import type { TestServer } from '../server.ts';
import { FREEZE_WAYS } from './freeze-ways.ts';
import { ENDPOINTS } from './rows.ts';
import { createTargets, type Targets } from './targets.ts';

/** Streams never end, so the client has no operation for them. */
const STREAMS = ['streamRuleset', 'streamRelay', 'streamChanges'];

type Operation = ReturnType<typeof operationsOf>[number] & {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
};

/**
 * Lists everything that the tests of all endpoints need and some operation lacks, and rows and samples that are wrong;
 * one line each.
 */
export async function findMissingRows(server: TestServer): Promise<readonly string[]> {
  const targets = await createTargets(server);
  const { tags } = server.app.swagger() as unknown as { tags: readonly { readonly name: string }[] };
  const tagNames = tags.map(({ name }) => name);
  const routes = server.app.routeTable.filter(
    ({ url, operationId }) => url.startsWith('/api/v1/') && operationId !== undefined,
  );
  const operations = operationsOf(server) as readonly Operation[];
  const needs = operations.flatMap((operation) => {
    const route = routes.find(({ operationId }) => operationId === operation.operationId);
    return [
      ...missingTexts(operation, tagNames),
      // Health checks and public keys are outside the API, so the client has no operation for them.
      ...(route === undefined ? [] : missingInTable(route, operation)),
      ...(route === undefined ? [] : missingTargets(operation, targets)),
      ...(route === undefined ? [] : missingInClient(operation)),
    ].map((line) => `operation ${operation.operationId} needs ${line}`);
  });
  const faulty = await faultySamples(server, targets, operations);
  const known = routes.map(({ operationId }) => operationId);
  const idle = Object.keys(ENDPOINTS).filter((name) => !known.includes(name));
  const idleWays = Object.keys(FREEZE_WAYS).filter((name) => ENDPOINTS[name]?.freeze !== 'blocked');
  return [
    ...needs,
    ...faulty,
    ...idle.map((name) => `rows.ts has a row for ${name}, which is not an operation`),
    ...idleWays.map(
      (name) => `freeze-ways.ts has a case for ${name}, whose row in rows.ts does not say 'blocked'`,
    ),
  ];
}

function missingInTable({ writes }: RouteEntry, operation: Operation): string[] {
  const { operationId, method, security = [], parameters = [] } = operation;
  const row = ENDPOINTS[operationId];
  if (row === undefined)
    return ['a row in test/endpoints/rows.ts: who may call it, and for a write how a freeze treats it'];
  const missing: string[] = [];
  if (method !== 'GET' && !writes && row.audit === undefined)
    missing.push(
      `"audit" in its row of test/endpoints/rows.ts: the action that it writes, or why it writes none`,
    );
  if (writes && row.audit !== undefined)
    missing.push('a row without "audit", because the write gate names the action');
  if (writes && row.freeze === undefined)
    missing.push(`"freeze" in its row of test/endpoints/rows.ts: 'blocked', or why no ruleset changes`);
  if (row.freeze === 'blocked' && FREEZE_WAYS[operationId] === undefined)
    missing.push('a case in test/endpoints/freeze-ways.ts');
  const isUserWrite = method !== 'GET' && security.some((scheme) => 'bearerAuth' in scheme);
  const hasDryRun = parameters.some(({ name }) => name === 'dry_run');
  if (isUserWrite && !hasDryRun && row.dryRun !== false)
    missing.push('dry_run (writes: true in its route), or "dryRun: false" in its row');
  if (hasDryRun && row.dryRun === false)
    missing.push('a row without "dryRun: false", because it takes dry_run');
  return missing;
}

function missingTargets({ operationId, path, requestBody }: Operation, { ids, samples }: Targets): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const needsBody = (requestBody as { required?: boolean } | undefined)?.required === true;
  return [
    ...names
      .filter((name) => ids[name] === undefined)
      .map((name) => `a value for {${name}} in test/endpoints/targets.ts`),
    ...(needsBody && samples[operationId] === undefined ? ['a valid body in test/endpoints/samples.ts'] : []),
  ];
}

/** Samples that the schema of their operation refuses. Operations without a dry run are skipped, since they would take effect. */
async function faultySamples(
  server: TestServer,
  targets: Targets,
  operations: readonly Operation[],
): Promise<string[]> {
  const faulty: string[] = [];
  for (const operation of operations) {
    const { operationId, parameters = [] } = operation;
    const isTried = parameters.some(({ name }) => name === 'dry_run');
    if (!isTried || targets.samples[operationId] === undefined) continue;
    const { body } = await server.call(tried(validCall(operation, targets, server.tokens.admin)));
    const fields = (body?.error?.details?.fields ?? []) as { field: string; message: string }[];
    const issues = fields.map(({ field, message }) => `${field} ${message}`).join(', ');
    if (body?.error?.code === 'VALIDATION_ERROR')
      faulty.push(`operation ${operationId} refuses its body in test/endpoints/samples.ts: ${issues}`);
  }
  return faulty;
}

function missingTexts(operation: Operation, tagNames: readonly string[]): string[] {
  const { summary = '', description = '', tags = [], parameters = [] } = operation;
  const unknown = tags.filter((tag) => !tagNames.includes(tag));
  const undescribed = parameters.filter((parameter) => !isSentence(parameter.description));
  return [
    ...(/^[A-Z][^`*_]+[^.]$/.test(summary) ? [] : ['a summary: plain words, no Markdown, no full stop']),
    ...(isSentence(description) ? [] : ['a description: whole sentences, with a full stop']),
    ...undescribed.map(
      ({ name }) => `a description of the parameter ${name}, in its schema or in src/openapi/texts.ts`,
    ),
    ...unknown.map((tag) => `a description of the tag ${tag} in src/openapi/texts.ts`),
  ];
}

function isSentence(text = ''): boolean {
  return /^[A-Z`*].*[.:)]$/s.test(text.trim());
}

function missingInClient({ operationId, method, path }: Operation): string[] {
  const isKnown = clientEndpoints().includes(`${method} ${path}`) || STREAMS.includes(operationId);
  return isKnown ? [] : ['an operation of the test client in test/api.ts'];
}
