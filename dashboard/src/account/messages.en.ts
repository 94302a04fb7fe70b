export const en = {
  name: 'Your name',
  email: 'E-mail',
  password: 'Password',
  newPassword: 'New password',
  passwordHelp: '8 characters or more. A sentence is fine.',
  signIn: 'Sign in',
  backToSignIn: 'Back to sign in',

  first: {
    title: 'Set up this installation',
    intro: 'You are the first here, so you become its admin. Next: your first flag, in about five minutes.',
    project: 'First project',
    projectHelp: 'Comes with development, staging and production.',
    submit: 'Make account and project',
    foot: 'Nothing leaves this server.',
  },
  register: {
    title: 'Create your account',
    intro: 'You start as a viewer. An admin can give you more.',
    submit: 'Create account',
    have: 'Have an account?',
    closedTitle: 'Ask for an invitation',
    closed: 'Only people whom an admin has invited can join here.',
  },
  invitation: {
    title: 'Your invitation',
    titleOf: (organization: string) => `Join ${organization}`,
    intro: (inviter: string | null, email: string, role: string) =>
      inviter === null ? `${email} is invited as ${role}.` : `${inviter} invites ${email} as ${role}.`,
    roles: { admin: 'an admin', editor: 'an editor', viewer: 'a viewer' },
    hasAccount: 'You have an account here. Its password stays as it is.',
    submit: (organization: string) => `Join ${organization}`,
    joined: (organization: string) => `You have joined ${organization}. Sign in with your password.`,
  },
  forgot: {
    title: 'Forgot your password',
    intro: 'We send a link with which you choose a new one.',
    submit: 'Send the link',
    sentTitle: 'Look into your mail',
    sent: (email: string) =>
      `If ${email} has an account here, a link is on its way. It works for an hour, once.`,
    nothing:
      'Nothing came? An operator can set a password from the command line: flagsvc-server reset-password.',
  },
  reset: {
    title: 'Choose a new password',
    intro: 'You are signed out everywhere else.',
    tokens: 'End my personal tokens, too',
    tokensNote: 'Somebody with the old password may have made some.',
    submit: 'Set the password',
    done: 'The password is set. Sign in with it.',
  },
  noToken: {
    title: 'This link is incomplete',
    text: 'Open the link in the mail again. A link works only once, and only in the page that it opens.',
  },
};
