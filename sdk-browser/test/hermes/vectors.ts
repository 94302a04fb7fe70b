/** Answers every call in the vectors, in Hermes. */
import './globals.ts';
import { answersTo } from '../browser/page-answers.ts';

declare const print: (text: string) => void;
declare const QUESTIONS: string;
(globalThis as Record<string, unknown>)['navigator'] = {};
print(answersTo(QUESTIONS));
