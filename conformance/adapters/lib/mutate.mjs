/**
 * Preloaded with `--import`: patches the client's sources with the defect in FLAGSVC_MUTANT while Node loads them, to
 * test whether the suite detects it.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('../../../', import.meta.url);
const patches = JSON.parse(process.env.FLAGSVC_MUTANT).patches.map((patch) => ({
  ...patch,
  url: new URL(patch.file, root).href,
}));
for (const { url, file, find } of patches) {
  const count = readFileSync(new URL(url), 'utf8').split(find).length - 1;
  if (count !== 1) throw new Error(`the mutant's text is in ${file} ${count} times, not once`);
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const mine = patches.filter((patch) => patch.url === url);
    if (mine.length === 0) return loaded;
    process.stderr.write('mutated\n');
    return {
      ...loaded,
      source: mine.reduce((text, { find, replace }) => text.split(find).join(replace), String(loaded.source)),
    };
  },
});
