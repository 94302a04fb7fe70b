interface Patience {
  /** Reports after each of these times that the server does not answer yet. */
  readonly noticeMs: number;
  readonly limitMs: number;
  note(line: string): void;
}

/** A start takes about a second on a quiet machine, and more than 20 s beside several builds. */
const PATIENCE: Patience = { noticeMs: 15_000, limitMs: 180_000, note: console.log };
const PAUSE_MS = 50;
const ANSWER_MS = 5_000;

/** Waits until the server is healthy. Throws when it has exited, or when the time is up. */
export async function waitForHealth(
  origin: string,
  isRunning: () => boolean,
  { noticeMs, limitMs, note }: Patience = PATIENCE,
): Promise<void> {
  const started = Date.now();
  let nextNotice = noticeMs;
  for (let waited = 0; isRunning() && waited < limitMs; waited = Date.now() - started) {
    if (waited >= nextNotice) {
      note(`The server does not answer yet, after ${Math.round(waited / 1000)} s. Waiting …`);
      nextNotice = waited + noticeMs;
    }
    const response = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
      () => undefined,
    );
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(
    isRunning()
      ? `The server has not become healthy within ${limitMs / 1000} s. Run "npm start" again when the machine is less busy; it keeps what is installed.`
      : 'The server has ended.',
  );
}
