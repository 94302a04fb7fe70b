import { expect, test } from 'vitest';
import { composeMail, toOneLine } from './mail.ts';

const HOSTILE = 'Ada\r\nBcc: eve@example.com <script>alert("1")</script> \u202egpj.exe\u0000\ud800&amp;\'';

test('escapes names in HTML, and keeps them on their line', () => {
  const { subject, text, html } = composeMail({
    to: 'ada@example.com',
    subject: `Hello ${HOSTILE}`,
    paragraphs: [`Hi ${toOneLine(HOSTILE)}!`],
    link: { url: 'https://flags.example.com/?a="><b>', label: HOSTILE, after: 1 },
  });
  for (const part of [subject, text, html]) expect(part).not.toMatch(/[\u202e\0\r\ud800]/);
  expect(subject).not.toContain('\n');
  expect(html).not.toMatch(/<script|<b>|"1"/);
  expect(html).toContain('&lt;script&gt;');
  expect(html).toContain('&amp;amp;&#39;');
  expect(text.split('\n\n')).toHaveLength(2);
});

test('cuts long names and texts between characters', () => {
  expect(toOneLine('😀'.repeat(200))).toBe(`${'😀'.repeat(99)}…`);
  expect(composeMail({ to: 'a@b.c', subject: 'x'.repeat(1_000), paragraphs: [] }).subject).toHaveLength(200);
  const { text } = composeMail({ to: 'a@b.c', subject: '', paragraphs: [`a${'😀'.repeat(5_000)}`] });
  expect(text.length).toBeLessThan(4_010);
  expect(text).not.toMatch(/\p{Cs}/u);
});
