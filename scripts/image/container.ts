/**
 * Runs an image without a container engine: its layers are unpacked, its root is mounted read-only in a mount namespace,
 * and its entry point is started with its user, its environment and its data folder. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { blobPath, type Image, readLayout } from './layout.ts';

export interface Container {
  /** The data folder on this machine. */
  readonly data: string;
  /** Starts the entry point with arguments, or another program of the image. */
  start(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    program?: readonly string[],
  ): ChildProcess;
}

/** Unpacks the image below `folder`. */
export function createContainer({ layout }: Pick<Image, 'layout'>, folder: string): Container {
  const { manifest, config } = readLayout(layout);
  const { Entrypoint: entryPoint = [], Env: environment = [], User: user = '0:0' } = config.config;
  const [root, data] = [join(folder, 'root'), join(folder, 'data')];
  for (const path of [root, data]) mkdirSync(path, { recursive: true });
  for (const layer of manifest.layers)
    execFileSync('tar', ['-xzf', blobPath(layout, layer), '-C', root, '--same-owner', '--same-permissions']);
  for (const mountPoint of ['proc', 'dev']) mkdirSync(join(root, mountPoint), { recursive: true });
  const [uid, gid] = user.split(':').map(Number);
  chownSync(data, uid!, gid!);
  const steps = [
    'mount --bind "$0" "$0"',
    'mount --rbind /proc "$0/proc"',
    'mount --rbind /dev "$0/dev"',
    'mount -o remount,bind,ro "$0"',
    'mount --bind "$1" "$0/data"',
    // The shell, chroot and the program share one process id, so signals reach the program.
    `root=$0; shift; exec chroot --userspec=${user} "$root" "$@"`,
  ];
  return {
    data,
    start: (args, env, program = entryPoint) =>
      spawn('unshare', ['--mount', 'sh', '-ec', steps.join('\n'), root, data, ...program, ...args], {
        env: { ...Object.fromEntries(environment.map((pair) => pair.split(/=(.*)/s, 2))), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  };
}
