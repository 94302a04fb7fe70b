import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../keys/describe-keys.ts';
import { hashOf } from '../keys/saved-keys.ts';
import { createJsonFile, type JsonFile } from '../platform/json-file.ts';
import type { View } from '../upstream/upstream.ts';

/** What the relay keeps on disk about its environments. */
export interface EnvironmentFiles {
  /** The environment of a relay key, as the server named it last. */
  readIdentity(apiKey: string): Promise<Identity | undefined>;
  saveIdentity(apiKey: string, identity: Identity): void;
  ruleset(environmentId: string, view: View): JsonFile;
  /** The views that are on disk. */
  savedViews(environmentId: string): Promise<readonly View[]>;
  /** The folder of waiting events. */
  eventFolder(environmentId: string): string;
  /** Resolves when nothing is left to write. */
  settled(): Promise<void>;
}

const VIEWS: readonly View[] = ['server', 'client'];

/** Folders are named by environment, so that a new relay key finds the rulesets and events of the one before. */
export function createEnvironmentFiles(folder: string, onFault: (error: unknown) => void): EnvironmentFiles {
  const files = new Map<string, JsonFile>();
  const fileAt = (...names: readonly string[]): JsonFile => {
    const path = join(folder, ...names);
    const file = files.get(path) ?? createJsonFile(path, onFault);
    files.set(path, file);
    return file;
  };
  const identityFile = (apiKey: string): JsonFile =>
    fileAt('relay-keys', `${hashOf(apiKey).slice(0, 32)}.json`);
  return {
    async readIdentity(apiKey) {
      const { environmentId, projectId, organizationId } = Object(await identityFile(apiKey).read());
      const isRight = [environmentId, projectId, organizationId].every((id) => typeof id === 'string');
      return isRight ? { environmentId, projectId, organizationId } : undefined;
    },
    saveIdentity: (apiKey, identity) => identityFile(apiKey).write(identity),
    ruleset: (environmentId, view) => fileAt(nameOf(environmentId), `${view}.json`),
    async savedViews(environmentId) {
      const names = await readdir(join(folder, nameOf(environmentId))).catch(() => []);
      return VIEWS.filter((view) => (names as readonly string[]).includes(`${view}.json`));
    },
    eventFolder: (environmentId) => join(folder, nameOf(environmentId), 'events'),
    async settled() {
      await Promise.all([...files.values()].map((file) => file.settled()));
    },
  };
}

/** Ids come from the server; only plain ones become names of folders. */
function nameOf(environmentId: string): string {
  return /^\w{1,64}$/.test(environmentId) ? environmentId : hashOf(environmentId).slice(0, 32);
}
