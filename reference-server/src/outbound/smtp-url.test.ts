import { expect, test } from 'vitest';
import { parseMailFrom, parseSmtpUrl } from './smtp-url.ts';

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'required', credentials: null }],
  ['smtps://mail.example.com/', { port: 465, tls: 'implicit' }],
  ['smtp://a%40b:p%3Aw@mail.example.com:25', { port: 25, credentials: { user: 'a@b', password: 'p:w' } }],
  ['smtp://mail:1025?starttls=off', { tls: 'off' }],
  ['smtp://mail:1025?starttls=optional', { tls: 'optional' }],
  ['smtp://localhost', { tls: 'optional' }],
  ['smtp://me:pw@127.0.0.1', { tls: 'optional' }],
  ['smtp://[::1]:2525', { host: '::1', tls: 'optional' }],
  ['smtp://localhost?starttls=required', { tls: 'required' }],
])('reads %s', (url, expected) => {
  expect(parseSmtpUrl(url)).toMatchObject(expected);
});

test.each([
  ['mail.example.com:587', 'is not the address of a mail server'],
  ['https://mail.example.com', 'is not the address of a mail server'],
  ['smtp://', 'is not the address of a mail server'],
  ['smtp://me:hunter2@mail.example.com/inbox', 'has a path'],
  ['smtp://mail.example.com?secure=true', 'has the parameter "secure"'],
  ['smtp://mail.example.com?starttls=yes', 'has "starttls=yes"'],
  ['smtps://mail.example.com?starttls=off', 'has "starttls"'],
  ['smtp://me@mail.example.com', 'not both'],
  ['smtp://me:hunter2%@mail.example.com', 'bare %'],
  ['smtp://me:hunter2@mail.example.com?starttls=off', 'would send the password unencrypted'],
  ['smtp://me:hunter2@mail.example.com?starttls=optional', 'would send the password unencrypted'],
  ['smtp://me:hunter2@127.0.0.1.example.com?starttls=off', 'would send the password unencrypted'],
])('refuses %s without repeating the password', (url, message) => {
  const read = () => parseSmtpUrl(url);
  expect(read).toThrow(message);
  expect(read).not.toThrow('hunter2');
});

test.each([
  ['flags@example.com', { name: '', address: 'flags@example.com' }],
  ['Flags <flags@example.com>', { name: 'Flags', address: 'flags@example.com' }],
  ['"Flags, Inc." <flags@mail>', { name: 'Flags, Inc.', address: 'flags@mail' }],
  ['<flags@example.com>', { name: '', address: 'flags@example.com' }],
])('reads the sender %s', (text, expected) => {
  expect(parseMailFrom(text)).toEqual(expected);
});

test.each(['Flags', 'Flags flags@example.com', 'a@b,c@d', 'a@b\r\nBcc: c@d', 'A\r\nBcc: c@d <a@b>', '<a@b'])(
  'refuses the sender %j',
  (text) => {
    expect(() => parseMailFrom(text)).toThrow(/^is "/);
  },
);
