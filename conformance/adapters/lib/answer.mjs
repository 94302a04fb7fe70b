/** What cannot be done here; not a failure. */
export class Skip extends Error {
  constructor(reason, issue = null) {
    super(reason);
    this.issue = issue;
  }
}

/** One answer to one request, whatever carries them. */
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
