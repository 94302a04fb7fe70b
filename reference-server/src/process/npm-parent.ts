/**
 * The id of the parent process if npm or npx started this program; undefined otherwise. npm passes signals only to its
 * shell, which ends without passing them on, so the program has to notice the end of the shell by itself. Other parents
 * may end while the server goes on, such as a script that starts it in the background.
 */
export function npmParent(env: Readonly<Record<string, string | undefined>>): number | undefined {
  // What npm runs, by `npx flagsvc-server` or as a script of a package.json.
  const isOurs = /^["']?flagsvc-server\b[^&|;]*$/.test(env['npm_lifecycle_script'] ?? '');
  return isOurs ? process.ppid : undefined;
}
