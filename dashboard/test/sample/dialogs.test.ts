import { expect, test } from 'vitest';
import { findDialogs } from '../dialogs/find-dialogs.ts';
import { settingsDialogs } from '../dialogs/settings-dialogs.ts';
import { workDialogs } from '../dialogs/work-dialogs.ts';

/** Tests of their own features open these. Add no other. */
const ELSEWHERE = [
  'app/session/sign-in-again SignInAgain',
  'flag/needs/need-dialog NeedDialog',
  'flag/planned/plan-dialog PlanDialog',
  'flag/planned/run-dialog RunDialog',
  'segments/create-dialog CreateDialog',
  'segments/delete-dialog DeleteDialog',
  'segments/key-list-card AddKeysDialog',
  'segments/restore-dialog RestoreDialog',
  'segments/save-dialog SaveDialog',
  'start/path/path-page Steps',
  'webhooks/delete-dialog DeleteDialog',
  'webhooks/replay-dialog ReplayDialog',
  'webhooks/rotate-dialog RotateDialog',
  'why/recorded-dialog RecordedDialog',
];

test('every dialog of the source is visited in a browser', () => {
  const visited = [...ELSEWHERE, ...[...settingsDialogs, ...workDialogs].map(({ source }) => source)];
  expect([...new Set(visited)].toSorted(), 'Add it to dashboard/test/dialogs').toEqual(findDialogs());
});
