/** The script that test pages load. */
export * from '@flagsvc/sdk-browser';
export { answersTo } from './page-answers.ts';
