import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants as os, setPriority } from 'node:os';

const AUTOGROUP = '/proc/self/autogroup';
const SERVER_CORE = '0';
const GENERATOR_CORE = '1';

/** Keeps this process on one core. Returns the command that starts a server on another; empty if the machine cannot. */
export function pinGenerator(): readonly string[] {
  const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).error === undefined;
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', GENERATOR_CORE, String(process.pid)]);
  else process.stdout.write('taskset or a second core is missing: the figures are not comparable.\n');
  return canPin ? ['taskset', '-c', SERVER_CORE] : [];
}

/** Raises the priority of this process and of the servers that it starts, if the machine allows it. */
export function raisePriority(): void {
  try {
    setPriority(os.priority.PRIORITY_HIGH);
    // With autogroups, Linux shares the cores between sessions, and a priority counts only within its session.
    if (!existsSync(AUTOGROUP)) return;
    writeFileSync(AUTOGROUP, String(os.priority.PRIORITY_HIGH));
    process.on('exit', () => writeFileSync(AUTOGROUP, '0'));
  } catch {
    process.stdout.write('Not allowed to raise the priority: on a busy machine, the ratios are lower.\n');
  }
}
