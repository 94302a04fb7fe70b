import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, test } from 'vitest';
import { debianTool } from '../debian-tools.ts';
import { root } from '../sources.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes, and the assertions check them.
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
}

const kubectl = await debianTool('kubectl');
const because = kubectl.missing === undefined ? '' : ` (skipped: ${kubectl.missing})`;
describe.skipIf(kubectl.missing !== undefined)(`the Kustomize base, rendered by kubectl${because}`, () => {
  const NAME = { 'app.kubernetes.io/name': 'flagsvc' };
  let manifests: readonly Manifest[] = [];

  const render = async (name: string) => {
    const folder = join(root, 'deploy', 'kubernetes', name);
    const { stdout } = await promisify(execFile)(kubectl.path!, ['kustomize', folder]);
    return loadAll(stdout) as Manifest[];
  };
  const find = (kind: string): Manifest => manifests.find((each) => each.kind === kind)!;
  const container = () => find('Deployment').spec.template.spec.containers[0];

  beforeAll(async () => {
    manifests = await render('base');
  });

  test('has all objects and no secret', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
    ]);
  });

  test('takes safe settings from the config map and secrets by reference', () => {
    const { data, metadata } = find('ConfigMap');
    expect(data).toMatchObject({ FLAGSVC_REGISTRATION: 'invite', FLAGSVC_PASSWORD_BLOCKLIST: 'on' });
    expect(container().envFrom).toEqual([
      { configMapRef: { name: metadata.name } },
      { secretRef: { name: 'flagsvc' } },
    ]);
  });

  test('runs the published version without rights, on a read-only root', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'reference-server', 'package.json'), 'utf8'));
    expect(container().image).toBe(`flagsvc-server:${version}`);
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(find('Deployment').spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: find('ServiceAccount').metadata.name,
      securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
    });
  });

  test('all objects select the pods, and all ports exist', () => {
    const ports = container().ports.map(({ name }: { name: string }) => name);
    expect(find('Deployment').spec.selector.matchLabels).toEqual(NAME);
    expect(find('Deployment').spec.template.metadata.labels).toMatchObject(NAME);
    expect(find('Service').spec.selector).toEqual(NAME);
    expect(find('PodDisruptionBudget').spec).toEqual({ minAvailable: 1, selector: { matchLabels: NAME } });
    expect(find('NetworkPolicy').spec.podSelector.matchLabels).toEqual(NAME);
    const targets = find('Service').spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort);
    const open = find('NetworkPolicy').spec.ingress.flatMap((rule: { ports: { port: string }[] }) =>
      rule.ports.map(({ port }) => port),
    );
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];
    for (const port of [...targets, ...open, ...probes.map((name) => container()[name].httpGet.port)])
      expect(ports).toContain(port);
  });

  test('keeps every node in service while the database is away', () => {
    expect(container().readinessProbe.httpGet.path).toBe('/health/live');
    expect(container().livenessProbe.httpGet.path).toBe('/health/live');
    expect(container().startupProbe.httpGet.path).toBe('/health/ready');
  });

  test('the monitored variant adds a ServiceMonitor for the port of the metrics', async () => {
    const monitored = await render('monitored');
    const added = monitored.filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitored).toHaveLength(manifests.length + 1);
    expect(added[0]!.spec).toEqual({
      selector: { matchLabels: NAME },
      endpoints: [{ port: 'metrics', path: '/metrics' }],
    });
  });
});
