/** The shared libraries of Node and of the add-ons, copied from the Debian that assembles the image. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Copies every library that a program of the folder needs, with the licence and the record of its package. */
export function copyLibraries(folder: string): void {
  const programs = [join(folder, 'usr', 'bin', 'node'), ...addonsIn(join(folder, 'app'))];
  const libraries = [...new Set(programs.flatMap(librariesOf))];
  for (const path of libraries) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(realpathSync(path), target);
  }
  for (const name of new Set(libraries.flatMap(packageOf))) recordPackage(name, folder);
}

function addonsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.node'))
    .map((path) => join(folder, path));
}

/** Absolute paths, the loader among them. Add-ons for other C libraries need nothing that is here. */
function librariesOf(program: string): string[] {
  const text = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...text.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path!);
}

/** The Debian package of a file; none on other systems. */
function packageOf(path: string): string[] {
  try {
    const found = execFileSync('dpkg-query', ['-S', path, realpathSync(path)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [found.split(':')[0]!];
  } catch (error) {
    // dpkg-query fails when it knows only one of the two names.
    const { stdout } = error as { stdout?: string };
    return stdout ? [stdout.split(':')[0]!] : [];
  }
}

/** Writes the package's record where scanners for vulnerabilities look in images without a package manager. */
function recordPackage(name: string, folder: string): void {
  const record = execFileSync('dpkg-query', ['-s', name], { encoding: 'utf8' });
  const records = join(folder, 'var', 'lib', 'dpkg', 'status.d');
  mkdirSync(records, { recursive: true });
  writeFileSync(join(records, name), record);
  const licence = `/usr/share/doc/${name}/copyright`;
  if (!existsSync(licence)) return;
  mkdirSync(join(folder, dirname(licence)), { recursive: true });
  copyFileSync(realpathSync(licence), join(folder, licence));
}
