export const en = {
  copyNow: 'Copy it now. We keep only a fingerprint and cannot show it again.',
  copy: 'Copy',
  done: 'Done, hide it',
  leaveTitle: 'Go on without copying it?',
  leave: 'You have not copied it, and it cannot be shown again.',
  leaveAction: 'Go on without it',
};
