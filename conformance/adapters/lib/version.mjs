import { createRequire } from 'node:module';

/** The version of an installed package. */
export const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;
