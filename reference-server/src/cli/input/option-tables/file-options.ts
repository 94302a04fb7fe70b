import type { Option } from '../option.ts';

/** Options about files and code. */
export const FILE_OPTIONS = {
  format: {
    type: 'string',
    value: 'format',
    summary: 'File format.',
    values: ['yaml', 'json', 'flagd'],
  },
  mode: {
    type: 'string',
    value: 'mode',
    summary: 'Import mode. Default merge. `replace` also archives everything that the file does not contain.',
    values: ['merge', 'replace', 'create_only'],
  },
  repository: {
    type: 'string',
    value: 'name',
    summary: 'Repository name, such as github.com/acme/shop. Default: the git remote "origin".',
  },
  branch: {
    type: 'string',
    value: 'name',
    summary: 'Branch name. Default: from git, then from the CI environment.',
  },
  revision: { type: 'string', value: 'commit', summary: 'Commit. Default: from git.' },
  'url-template': {
    type: 'string',
    value: 'url',
    summary:
      'Link to a line of code, such as https://{repository}/blob/{revision}/{path}#L{line}. Built in for GitHub, GitLab and Bitbucket.',
  },
  'exit-code': { type: 'boolean', summary: 'Exit with 1 if there are differences.' },
} as const satisfies Record<string, Option>;
