export const en = {
  title: 'Settings',
  groups: { personal: 'You', installation: 'Installation' },
};
