// Lists the packages in a bundle with their licences, which most licences ask for and scanners read.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure.mjs';

/**
 * Writes `THIRD-PARTY-NOTICES.txt` into the folder of a bundle, from the `metafile-esm.json` that tsup wrote there, and
 * removes that file. Throws if a package has no licence.
 * @param {string} folder
 */
export function writeNotices(folder) {
  const metafile = join(folder, 'metafile-esm.json');
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  const paths = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [],
  );
  const names = [...new Set(paths.filter((path) => !path.includes('node_modules')))].sort();
  const notices = names.map((name) => noticeOf(join(root, 'node_modules', name)));
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
  rmSync(metafile);
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
  if (license === undefined && file === undefined) throw new Error(`${name} ${version} has no licence.`);
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '';
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
