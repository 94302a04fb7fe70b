/** Thrown by a command that this adapter does not support: the answer is `skipped`, not `error`. */
export class Skip extends Error {
  constructor(reason, issue = null) {
    super(reason);
    this.issue = issue;
  }
}

/** Runs the command of one request, given as JSON, and returns the answer without throwing. */
export const answerTo = async (text, commands) => {
  let seq = null;
  try {
    const request = JSON.parse(text);
    seq = request.seq;
    if (request.cmd === 'stop') return { seq, ok: {}, stop: true };
    if (!Object.hasOwn(commands, request.cmd)) throw new Skip(`unknown command ${request.cmd}`);
    return { seq, ok: (await commands[request.cmd](request)) ?? {} };
  } catch (error) {
    if (error instanceof Skip) return { seq, skipped: { reason: error.message, issue: error.issue } };
    return { seq, error: { kind: error?.name ?? 'Error', message: String(error?.message ?? error) } };
  }
};
