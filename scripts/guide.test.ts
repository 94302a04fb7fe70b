/** Runs the commands of docs/guide in order, each page against its own server, and compares their output with the page. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildServer } from '@flagsvc/reference-server';
import { createRateLimiter } from '@flagsvc/reference-server/data-plane';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../reference-server/src/http/errors.ts';
import { createOutbound } from '../reference-server/src/outbound/outbound.ts';
import { openTestDatabase } from '../reference-server/test/database.ts';
import { startReceiver } from '../reference-server/test/receiver.ts';
import { SECRETS } from '../reference-server/test/server.ts';
import { root } from './sources.ts';

/**
 * A fenced block with the words after its language: `setup` for commands that every page needs, `refused CODE` for
 * commands of which the last must fail, `no-run: reason`, and `answer` for a part of the previous block's output.
 */
interface Block {
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
}

interface Page {
  readonly name: string;
  readonly blocks: readonly Block[];
}

/** The address that the pages use. */
const ADDRESS = 'http://127.0.0.1:8000';
const COMMAND_LINE = join(root, 'reference-server', 'src', 'cli', 'main.ts');
const folder = join(root, 'docs', 'guide');
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-guide-'));
/** The command line bundled into one file, which starts three times as fast. */
const commandLine = join(scratch, 'flagsvc.mjs');
const pages: readonly Page[] = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, blocks: blocksOf(readFileSync(join(folder, name), 'utf8')) }));
const introduction = pages.find(({ name }) => name === 'README.md')!;

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language, words, text]) => ({
    language: language!,
    words: words!.trim().split(/\s+/).filter(Boolean),
    text: text!,
  }));
}

const isSetup = ({ words }: Block): boolean => words[0] === 'setup';
const isCommand = ({ language, words }: Block): boolean => language === 'sh' && words[0] !== 'no-run:';

/** Defines the commands of a reader's shell. `curl` fails if the server refuses; a simple `jq` replaces a missing one. */
const PRELUDE = `
set -eu -o pipefail
flagsvc() { "$NODE" "$CLI" "$@"; }
curl() { command curl --show-error --fail-with-body "$@"; }
command -v jq > "$OUT/jq" || jq() { "$NODE" -e '
  const path = process.argv.at(-1).match(/[^.[\\]]+/g);
  const found = path.reduce((value, name) => value[name], JSON.parse(require("node:fs").readFileSync(0, "utf8")));
  console.log(typeof found === "string" ? found : JSON.stringify(found));
' -- "$@"; }
`;

/** A script that writes the output of block n to the file n and stops at the first block that fails. */
function scriptOf(blocks: readonly Block[]): string {
  const steps = blocks.map(({ text, words }, number) => {
    const step = `{ ${text}} > "$OUT/${number}" 2>&1`;
    return words[0] === 'refused' ? `set +e\n${step}\nstatus=$?\nset -e\ntest $status -ne 0\n` : `${step}\n`;
  });
  return `${PRELUDE}\n${steps.join('\n')}`;
}

/** Runs the blocks in one shell. Resolves with their outputs, up to the first block that failed. */
async function run(blocks: readonly Block[], url: string, webhookUrl: string) {
  const out = mkdtempSync(join(scratch, 'page-'));
  const env = {
    PATH: process.env['PATH'],
    NODE: process.execPath,
    CLI: commandLine,
    NODE_COMPILE_CACHE: join(scratch, 'compiled'),
    OUT: out,
    FLAGSVC_CONFIG_DIR: join(out, 'config'),
  };
  const script = scriptOf(blocks)
    .replaceAll(ADDRESS, url)
    .replaceAll('https://hooks.example.com', webhookUrl);
  const failed = await new Promise<boolean>((resolve) => {
    execFile('bash', ['-c', script], { cwd: out, env }, (error) => resolve(error !== null));
  });
  const outputs = blocks
    .map((_, number) => join(out, `${number}`))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
  return { failed, outputs };
}

beforeAll(() =>
  build({
    entryPoints: [COMMAND_LINE],
    outfile: commandLine,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@flagsvc/source'],
    // The command line reads its version from `package.json`, which it finds relative to its source file.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(COMMAND_LINE).href) },
  }),
);
afterAll(() => rmSync(scratch, { recursive: true }));

test.each(pages.filter((page) => page.blocks.some(isCommand)))('the commands of $name work', async (page) => {
  const receiver = await startReceiver();
  const db = await openTestDatabase();
  const app = await buildServer({
    db,
    ...SECRETS,
    limiter: createRateLimiter(),
    version: '1.0.0',
    backgroundIntervalMs: 100,
    outbound: createOutbound({ ranges: ['127.0.0.1'], ports: [receiver.port], allowHttp: true }),
  });
  onTestFinished(async () => {
    await app.close();
    await db.destroy();
    await receiver.close();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const before = page === introduction ? [] : introduction.blocks.filter(isSetup);
  const commands = [...before, ...page.blocks.filter(isCommand)];

  const { failed, outputs } = await run(commands, url, new URL(receiver.url).origin);

  const last = `${commands[outputs.length - 1]?.text}\n${outputs.at(-1)}`;
  expect([failed, failed ? last : '']).toEqual([false, '']);
  for (const [number, { words }] of commands.entries())
    if (words[0] === 'refused') expect(outputs[number]).toContain(words[1]);
  const outputOf = new Map(commands.map((block, number) => [block, outputs[number]!]));
  for (const [number, shown] of page.blocks.entries()) {
    if (shown.words[0] !== 'answer') continue;
    const output = outputOf.get(page.blocks[number - 1]!)!;
    if (shown.language === 'json') expect(JSON.parse(output)).toMatchObject(JSON.parse(shown.text));
    else for (const line of shown.text.trimEnd().split('\n')) expect(output).toContain(line);
  }
});

test.each(pages)('$name has valid JSON, and a reason for each command that is not run', ({ blocks }) => {
  for (const { language, text } of blocks) if (language === 'json') JSON.parse(text);
  const unexplained = blocks.filter(({ words }) => words[0] === 'no-run:' && words.length < 3);
  expect(unexplained).toEqual([]);
});

test.each(pages)('$name gives each error code its right status', ({ name }) => {
  const text = readFileSync(join(folder, name), 'utf8');
  const named = [...text.matchAll(/\b([45]\d\d) `([A-Z_]+)`/g)].map(([, status, code]) => [
    code,
    Number(status),
  ]);
  expect(named).toEqual(named.map(([code]) => [code, ERROR_CODES[code as ErrorCode]?.[0]]));
});
