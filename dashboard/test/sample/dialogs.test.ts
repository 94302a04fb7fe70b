import { expect, test } from 'vitest';
import { findDialogs } from '../dialogs/find-dialogs.ts';
import { settingsDialogs } from '../dialogs/settings-dialogs.ts';
import { workDialogs } from '../dialogs/work-dialogs.ts';

/** Tests of their own features open these. Add no other. */
const ELSEWHERE = [
  'flag/planned/run-dialog RunDialog',
  'webhooks/delete-dialog DeleteDialog',
  'webhooks/replay-dialog ReplayDialog',
  'webhooks/rotate-dialog RotateDialog',
];

test('every dialog of the source is visited in a browser', () => {
  const visited = [...ELSEWHERE, ...[...settingsDialogs, ...workDialogs].map(({ source }) => source)];
  expect([...new Set(visited)].toSorted(), 'Add it to dashboard/test/dialogs').toEqual(findDialogs());
});
