/** The script that test pages load. */
export * from '@flagsvc/sdk-browser';
export { mountDevtools, withOverrides } from '@flagsvc/sdk-browser/devtools';
export { answersTo } from './page-answers.ts';
