import { test } from 'vitest';
import { visitShop } from '../harness/visit-shop.ts';
import { visitDialog } from './visit-dialog.ts';
import { workDialogs } from './work-dialogs.ts';

const at = visitShop({ env: { FLAGSVC_RATE_LIMITS: 'auth=1000' } });

test.each(workDialogs)('$source takes the focus, keeps it, gives it back, and axe finds nothing', (visit) =>
  visitDialog(at, visit),
);
