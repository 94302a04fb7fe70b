import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TypegenError } from './read-ruleset.ts';
import { typeOfSchema } from './schema-type.ts';

const ENDING = '.schema.json';

/**
 * The types of JSON flags, by key, from the files `<flag key>.schema.json` of a folder. Throws a TypegenError that names
 * the file and the place if one cannot be used. Without a folder there are none.
 */
export const readSchemas = async (folder: string | undefined): Promise<ReadonlyMap<string, string>> => {
  const types = new Map<string, string>();
  if (folder === undefined) return types;
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new TypegenError(`${folder} cannot be read (${error.code})`);
  });
  for (const name of names.filter((file) => file.endsWith(ENDING))) {
    const path = join(folder, name);
    try {
      types.set(name.slice(0, -ENDING.length), typeOfSchema(JSON.parse(await readFile(path, 'utf8'))));
    } catch (error) {
      throw new TypegenError(`${path}: ${(error as Error).message}`);
    }
  }
  return types;
};
