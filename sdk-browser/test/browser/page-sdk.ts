/** What the pages of the tests load. */
export * from '@flagsvc/sdk-browser';
export { answersTo } from './page-answers.ts';
