#!/usr/bin/env node
/**
 * The process `flagsvc-server`, and the only file of the server that reads the environment. It imports the server only
 * after checking the version of Node.js, so that an old version prints a message instead of a stack trace.
 */

import { readFileSync } from 'node:fs';
import { npmParent } from './npm-parent.ts';
import { fail, print } from './output.ts';

/** The first version with the Node-API that better-sqlite3 needs. */
const NODE_MIN = [22, 14] as const;

const parent = npmParent(process.env);
await start();

async function start(): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
    return fail(`flagsvc needs Node.js ${NODE_MIN.join('.')} or newer; this is ${process.version}.`);
  }
  // An error message that cannot be written, for instance to a full disk, must not end the process.
  process.stderr.on('error', () => {});
  const { readCommandLine } = await import('./command-line.ts');
  const { COMMANDS } = await import('./commands.ts');
  const line = readCommandLine(process.argv.slice(2), COMMANDS);
  if ('fault' in line) return fail(line.fault);
  if (line.asks === 'help') return print(line.usage);
  if (line.asks === 'version') return print(readVersion());
  if (line.asks === 'command' && 'print' in line.command) return print(line.command.print(line.input));
  const { parseConfig } = await import('./config.ts');
  const result = parseConfig(process.env);
  if ('faults' in result) {
    const lines = result.faults.map(({ variable, message }) => `  ${variable} ${message}`);
    const count = lines.length === 1 ? '1 error' : `${lines.length} errors`;
    return fail(`flagsvc cannot start: ${count} in its configuration.\n${lines.join('\n')}`);
  }
  for (const { variable, message } of result.warnings)
    process.stderr.write(`flagsvc: ${variable} ${message}\n`);
  if (line.asks === 'command' && 'run' in line.command) return line.command.run(result.config, line.input);
  if (line.asks === 'command' && 'operates' in line.command) {
    const { operate } = await import('./operate.ts');
    const program = { version: readVersion(), env: process.env };
    return operate(line.command.operates, { config: result.config, program, input: line.input });
  }
  const { serve } = await import('./serve.ts');
  const { buildServer } = await import('../app/build-server.ts');
  const { parseOtlpConfig } = await import('../telemetry/otlp/otlp-config.ts');
  const otlp = parseOtlpConfig(process.env);
  const { findDashboardFiles } = await import('../dashboard/page-files.ts');
  const findFiles = () => findDashboardFiles(import.meta.url);
  const color = !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return serve(result.config, { version: readVersion(), build: buildServer, color, otlp, findFiles, parent });
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
