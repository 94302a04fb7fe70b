export const en = {
  password: 'Your password',
  wrongPassword: 'The password is wrong.',
  code: 'Code from your app, or a recovery code',
  codeHelp: 'Each code works once.',
  wrongCode: 'The code is wrong, too old, or already used. Wait for the next one.',
  cancel: 'Cancel',
};
