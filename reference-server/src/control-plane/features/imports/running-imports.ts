/** The imports that this process is applying, by id. */
export interface RunningImports {
  has(id: string): boolean;
  /**
   * Starts to apply an import. `run` calls `onBegun` after its first change. Resolves after that call, or rejects if
   * `run` fails before it. A later error goes to `onFailed`.
   */
  start(
    id: string,
    run: (onBegun: () => void) => Promise<void>,
    onFailed: (error: unknown) => Promise<void>,
  ): Promise<void>;
  /** Resolves when the import is no longer being applied, or after `waitMs`. */
  settled(id: string, waitMs: number): Promise<void>;
  /** Resolves when no import is being applied. */
  close(): Promise<void>;
}

export function createRunningImports(onError: (error: unknown) => void): RunningImports {
  const running = new Map<string, Promise<void>>();
  return {
    has: (id) => running.has(id),

    async start(id, run, onFailed) {
      let resolveBegun = (): void => {};
      const begun = new Promise<void>((resolve) => {
        resolveBegun = resolve;
      });
      let hasBegun = false;
      const result = run(() => {
        hasBegun = true;
        resolveBegun();
      });
      running.set(
        id,
        result
          .catch((error: unknown) => (hasBegun ? onFailed(error) : undefined))
          // When even the failure cannot be stored, the import stays planned and can be applied again.
          .catch(onError)
          .finally(() => running.delete(id)),
      );
      await Promise.race([begun, result]);
    },

    async settled(id, waitMs) {
      const job = running.get(id);
      if (job === undefined || waitMs <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, waitMs);
      });
      await Promise.race([job, timeout]);
      clearTimeout(timer);
    },

    close: async () => void (await Promise.all(running.values())),
  };
}
