// Compiles the snippets of the READMEs and the guide, and runs them against a server. A test of sdk-react does the same
// for its README.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClient, createTestRuleset } from '@flagsvc/sdk-core/testing';
import ts from 'typescript';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { json, type LoopbackServer, startLoopbackServer } from '../sdk-node/test/loopback-server.ts';
import { freePort } from './free-port.ts';
import { root } from './sources.ts';

/** A snippet as a module. If it uses `client` without creating it, the page's first snippet is put before it. */
interface Snippet {
  readonly file: string;
  readonly text: string;
}

/** The server addresses that the snippets use. */
const ADDRESS = /https?:\/\/(flags\.example\.com|127\.0\.0\.1:8000)\/api\/v1/g;
const folder = join(root, 'scripts', 'generated');
const pages = [
  ...['README.md', 'sdk-core/README.md', 'sdk-node/README.md', 'sdk-browser/README.md'],
  'reference-server/README.md',
  ...readdirSync(join(root, 'docs', 'guide')).map((name) => `docs/guide/${name}`),
];
const snippets: Snippet[] = pages.flatMap((page) => {
  // A block whose first line names its file belongs to a quick start, which has a test of its own.
  const found = [
    ...readFileSync(join(root, page), 'utf8').matchAll(/```(ts|tsx|js)\n(?!\/\/ [\w.-]+\n)([\s\S]*?)```/g),
  ];
  return found.map(([, kind, text = ''], at) => ({
    file: `${page.replace(/\W/g, '-')}-${at}.${kind === 'tsx' ? 'tsx' : 'ts'}`,
    text:
      /\bclient\b|\bapiKey,/.test(text) && !/const client\b/.test(text) ? `${found[0]![2]}\n${text}` : text,
  }));
});
/** A module that runs a snippet with a simulated `document`, and then simulates that the page is hidden. */
const asPage = (file: string): string => {
  const started = join(folder, `page-of-${file}`);
  const text = `
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    globalThis.document = page as never;
    await import('./${file}');
    page.visibilityState = 'hidden';
    page.dispatchEvent(new Event('visibilitychange'));
    // A client in a visible page would keep the process alive.
    setTimeout(() => process.exit(), 500).unref();`;
  writeFileSync(started, text);
  return started;
};
const isServer = ({ file }: Snippet) => file.startsWith('reference-server');
const isDeclaration = ({ text }: Snippet) => text.includes('declare module');
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-readme-'));
let server: LoopbackServer;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ 'new-checkout': true }) }));
  const result = createTestClient({ 'new-checkout': true }).evaluateAll({});
  server.on('/evaluate', json({ data: { evaluations: result } }));
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
  for (const { file, text } of snippets)
    writeFileSync(join(folder, file), `${text.replaceAll(ADDRESS, server.baseUrl)}\nexport {};\n`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  rmSync(scratch, { recursive: true });
  await server.close();
});

// A declaration of flags applies to a whole program, so snippets that contain one are compiled separately.
test.each([
  ['without', false],
  ['with', true],
])('the snippets %s declared flags compile', { timeout: 120_000 }, (_, wanted) => {
  const files = snippets
    .filter((snippet) => isDeclaration(snippet) === wanted)
    .map(({ file }) => join(folder, file));
  expect(files.length).toBeGreaterThan(0);
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts', 'lib.es2024.arraybuffer.d.ts'],
    types: ['node'],
    allowImportingTsExtensions: true,
    customConditions: ['@flagsvc/source'],
  });
  // Errors in imported files are left out, because the projects of those files report them.
  const errors = files.flatMap((file) => [...ts.getPreEmitDiagnostics(program, program.getSourceFile(file))]);
  expect(
    errors.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    ),
  ).toEqual([]);
});

test.each(
  snippets.filter((snippet) => snippet.file.endsWith('.ts') && !isDeclaration(snippet) && !isServer(snippet)),
)('$file runs', async ({ file, text }) => {
  const started = text.includes('@flagsvc/sdk-browser') ? asPage(file) : join(folder, file);
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', started], {
    env: {
      ...process.env,
      TMPDIR: scratch,
      FLAGSVC_URL: server.baseUrl,
      FLAGSVC_API_KEY: 'sdk-dev-readme',
    },
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([complaints, code]).toEqual(['', 0]);
});

test('the embedded server of reference-server/README.md serves, sends mail and stops', async () => {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--conditions=@flagsvc/source', join(folder, snippets.find(isServer)!.file)],
    {
      cwd: scratch,
      env: {
        ...process.env,
        FLAGSVC_PORT: `${port}`,
        FLAGSVC_JWT_SECRET_KEY: 'a secret of a manual, 32 characters 1',
        FLAGSVC_API_SECRET_KEY: 'a secret of a manual, 32 characters 2',
      },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const until = async (isTrue: () => unknown) => {
    while (!(await isTrue()) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await until(() => fetch(`http://127.0.0.1:${port}/health`).catch(() => false));
  const email = 'you@example.com';
  expect((await post('register', { email, password: 'correct horse' })).status).toBe(201);
  await post('password/forgot', { email });
  await until(() => text.includes(`To ${email}: `));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 30_000);
