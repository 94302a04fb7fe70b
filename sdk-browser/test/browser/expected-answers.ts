import { readdirSync, readFileSync } from 'node:fs';
import { createEvaluator, type Ruleset } from '@flagsvc/sdk-core';
import { loadRuleset } from '@flagsvc/sdk-core/client';
import { callsOf } from './page-answers.ts';

/** All vectors as JSON, and Node's answers to them. */
export const expectedAnswers = (): { readonly questions: string; readonly lines: readonly string[] } => {
  const folder = new URL('../../../conformance/vectors/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'index.json');
  const files = names.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const questions = JSON.stringify({ files });
  const lines = [...callsOf(questions)].flatMap(({ id, ruleset, asked }) => {
    // A client refuses an invalid ruleset, in a page as in Node.
    const { evaluate } = loadRuleset(ruleset, () => {}) ?? createEvaluator({} as Ruleset);
    return asked.map(({ call, flag, context }) => JSON.stringify([id, call, evaluate(flag, context)]));
  });
  return { questions, lines };
};
