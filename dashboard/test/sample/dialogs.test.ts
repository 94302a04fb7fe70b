import { expect, test } from 'vitest';
import { findDialogs } from '../dialogs/find-dialogs.ts';
import { settingsDialogs } from '../dialogs/settings-dialogs.ts';
import { workDialogs } from '../dialogs/work-dialogs.ts';

test('every dialog of the source is visited in a browser', () => {
  const visited = [...settingsDialogs, ...workDialogs].map(({ source }) => source);
  expect([...new Set(visited)].toSorted(), 'Add it to dashboard/test/dialogs').toEqual(findDialogs());
});
