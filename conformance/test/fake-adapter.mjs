import { readFileSync } from 'node:fs';
import { createFakeClients } from './fake-client.mjs';

// An adapter with a toy evaluator for the kit's own tests. Its first argument names a defect, or with "@" a file that
// contains the name; the others are capabilities.
const [given = 'good', ...rest] = process.argv.slice(2);
const mode = given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given;
if (mode === 'does-not-start') {
  console.error('there is no module toy-sdk');
  process.exit(3);
}

let ruleset = { flags: [] };
let evaluated = 0;
const decode = (value) => {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$number === 'string' && mode !== 'ignores-tags') return Number(value.$number);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => mode === 'ignores-tags' || item?.$absent !== true)
      .map(([name, item]) => [name, decode(item)]),
  );
};
const holds = ({ attribute, operator, value }, attributes) => {
  const has = Object.hasOwn(attributes, attribute);
  const given = has ? attributes[attribute] : undefined;
  if (operator === 'is_not') return has && given !== value;
  if (operator === 'gt') return Number.isFinite(given) && given > value;
  return operator === 'is' && has && given === value;
};
const evaluate = ({ flag: key, context }) => {
  evaluated++;
  if (mode === 'dies' && evaluated === 2) process.exit(1);
  const flags = Array.isArray(ruleset?.flags) ? ruleset.flags : [];
  const flag = flags.find((one) => one?.key === key);
  if (!Array.isArray(flag?.variations))
    return { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };
  const attributes = mode === 'loses-context' ? {} : (decode(context)?.attributes ?? {});
  const rule = flag.targeting_rules.find(({ conditions }) =>
    conditions.every((one) => holds(one, attributes)),
  );
  const served = rule?.variation ?? flag.default_variation;
  const result = {
    value: flag.variations.find((variation) => variation.key === served).value,
    reason: rule ? 'TARGETING_RULE' : 'DEFAULT',
    rule_id: rule?.id ?? null,
    variation_key: served,
  };
  if (mode !== 'wrong-answer') return result;
  const { value, ...rest } = result;
  return { ...rest, value: !value };
};
const commands = {
  hello: () => ({
    name: 'fake',
    version: '1.0.0',
    language: 'none',
    runtime: 'test',
    bucketing: mode === 'no-bucketing' ? [] : [1],
    capabilities: mode === 'only-skips' ? [] : ['evaluate', ...rest],
  }),
  load: (request) => {
    const before = mode === 'keeps-old-flags' ? (ruleset?.flags ?? []) : [];
    ruleset = decode(request.ruleset);
    if (mode === 'refuses-segments' && !Array.isArray(ruleset.segments)) {
      ruleset = { flags: [] };
      return { refused: true };
    }
    if (before.length && Array.isArray(ruleset?.flags)) ruleset.flags.push(...before);
    return {};
  },
  evaluate(request) {
    if (!request.calls) return evaluate(request);
    const results = request.calls.map(evaluate);
    return { results: mode === 'reverses-batches' ? results.reverse() : results };
  },
  ...(rest.includes('polling') && createFakeClients(mode)),
};

let held;
const send = ({ seq, ...answer }) => {
  const quoted = mode === 'quotes-seq' && answer.ok && !answer.ok.name;
  process.stdout.write(`${JSON.stringify({ seq: quoted ? String(seq) : seq, ...answer })}\n`);
};
const answer = async (line) => {
  const request = JSON.parse(line);
  const { seq, cmd } = request;
  if (cmd === 'stop') process.exit(0);
  if (mode === 'hangs' && cmd === 'evaluate') return;
  if (mode === 'talks' && cmd === 'load') process.stdout.write('loading the ruleset\n');
  if (!Object.hasOwn(commands, cmd)) {
    send(
      mode === 'refuses-unknown'
        ? { seq, error: { kind: 'Error', message: 'what?' } }
        : { seq, skipped: { reason: `unknown command ${cmd}`, issue: null } },
    );
    return;
  }
  const ok = { seq: mode === 'wrong-seq' ? 0 : seq, ok: await commands[cmd](request) };
  if (mode === 'two-kinds' && cmd === 'load') ok.error = { kind: 'Error', message: 'and ok' };
  if (mode === 'mixes-up' && cmd === 'evaluate' && !request.calls) {
    // Waits for a second request and swaps the results of the two.
    if (held === undefined) {
      held = ok;
      setTimeout(() => {
        if (held) send(held);
        held = undefined;
      }, 30);
      return;
    }
    [held.ok, ok.ok] = [ok.ok, held.ok];
    send(held);
    held = undefined;
  }
  send(ok);
};
let text = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (text + chunk).split(mode === 'splits-lines' ? /\n|\\u2028/ : '\n');
  text = lines.pop();
  for (const line of lines) answer(line);
});
