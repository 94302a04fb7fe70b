/** The people of Northwind Market. The key says what each may do. */
export const people = {
  admin: { name: 'Mara Lindqvist', email: 'mara@northwind.example', role: 'admin' },
  secondAdmin: { name: 'Sam Okafor', email: 'sam@northwind.example', role: 'admin' },
  editor: { name: 'Jonas Weber', email: 'jonas@northwind.example', role: 'editor' },
  /** May change development and staging, and look at production. */
  keptEditor: { name: 'Aiko Tanaka', email: 'aiko@northwind.example', role: 'editor' },
  viewer: { name: 'Noor de Vries', email: 'noor@northwind.example', role: 'viewer' },
} as const;

export type PersonKey = keyof typeof people;

/** The password of all of them. */
export const PASSWORD = 'a sentence is a fine password';
