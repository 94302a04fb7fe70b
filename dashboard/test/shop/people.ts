const firefoxOnWindows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
const chromeOnMac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const safariOnPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1';

/** The people of Northwind Market. The key says what each may do; `browser` is the user agent of their sessions. */
export const people = {
  admin: {
    name: 'Mara Lindqvist',
    email: 'mara@northwind.example',
    role: 'admin',
    browser: chromeOnMac,
  },
  secondAdmin: {
    name: 'Sam Okafor',
    email: 'sam@northwind.example',
    role: 'admin',
    browser: safariOnPhone,
  },
  editor: {
    name: 'Jonas Weber',
    email: 'jonas@northwind.example',
    role: 'editor',
    browser: firefoxOnWindows,
  },
  /** May change development and staging, and look at production. */
  keptEditor: {
    name: 'Aiko Tanaka',
    email: 'aiko@northwind.example',
    role: 'editor',
    browser: chromeOnMac,
  },
  viewer: {
    name: 'Noor de Vries',
    email: 'noor@northwind.example',
    role: 'viewer',
    browser: firefoxOnWindows,
  },
} as const;

export type PersonKey = keyof typeof people;

/** The password of all of them. */
export const PASSWORD = 'a sentence is a fine password';
