/** Starts the server with a demo, runs the quickstart against it, and serves until Ctrl-C. One file per step. */
import { readSettings, type Settings } from './settings.ts';
import { type Demo, findOrCreateDemo, refuseForeignData, renewAccessToken } from './steps/demo.ts';
import { findDemoDatabase, readOrCreateSecrets, resetDemo, writeVariables } from './steps/demo-database.ts';
import { serveExamplePage } from './steps/example-page.ts';
import { buildPage } from './steps/pages.ts';
import { runQuickstart } from './steps/quickstart.ts';
import { startServer } from './steps/server.ts';
import { showWhatToTry } from './steps/what-to-try.ts';

try {
  await start(await readSettings(process.env));
} catch (error) {
  fail(error as Error);
}

async function start(settings: Settings): Promise<void> {
  if (process.argv.includes('--reset')) console.log(resetDemo());
  const secrets = readOrCreateSecrets();
  const database = findDemoDatabase();
  await refuseForeignData(database);
  console.log(`Starting the server on ${settings.origin} …`);
  const server = startServer(settings, database, secrets);
  let demo: Demo | undefined;
  try {
    await server.untilHealthy();
    demo = await findOrCreateDemo(settings, database);
    writeVariables(settings.baseUrl, demo);
    console.log(
      demo.password === undefined
        ? `flagsvc is listening on ${settings.origin}, with the data of the last start (${database.name}; ${database.remedy}).`
        : `flagsvc is listening on ${settings.origin}. It filled the empty database ${database.name} with a demo.`,
    );
    const accessToken = demo.accessToken ?? (await renewAccessToken(settings, demo));
    // The quickstart mostly waits, so the pages are built beside it. A failed build is reported where they are awaited.
    const pages = Promise.all([buildPage('example'), buildPage('dashboard')]);
    pages.catch(() => {});
    await runQuickstart(settings, demo, accessToken);
    const [folder] = await pages;
    const page = await serveExamplePage(settings, demo, { remedy: database.remedy, folder });
    showWhatToTry(settings, demo, page);
  } catch (error) {
    fail(error as Error);
    // Nothing else knows the password, and the next start cannot show it.
    if (demo?.password) console.error(`The demo's admin is ${demo.email}, password ${demo.password}.`);
    server.stop();
  }
}

function fail({ message }: Error): void {
  console.error(message);
  process.exitCode = 1;
}
