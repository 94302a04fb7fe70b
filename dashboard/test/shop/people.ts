/** The people of Northwind Market, by role. */
export const people = {
  admin: { name: 'Mara Lindqvist', email: 'mara@northwind.example', role: 'admin' },
  editor: { name: 'Jonas Weber', email: 'jonas@northwind.example', role: 'editor' },
  secondEditor: { name: 'Aiko Tanaka', email: 'aiko@northwind.example', role: 'editor' },
  viewer: { name: 'Sam Okafor', email: 'sam@northwind.example', role: 'viewer' },
} as const;

export type PersonKey = keyof typeof people;

export const PASSWORD = 'a sentence is a fine password';
