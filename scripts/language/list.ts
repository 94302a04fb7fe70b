/** `npm run language -- <part of a path>`: lists the banned patterns in these files; without one, in all of them. */
import { BANNED } from './banned.ts';
import { collectTexts } from './texts.ts';

let count = 0;
for (const { path, line, text } of collectTexts(process.argv[2])) {
  for (const { name, pattern } of BANNED) {
    if (!pattern.test(text)) continue;
    count++;
    console.log(`${path}:${line}  ${name}\n    ${text.slice(0, 200)}`);
  }
}
console.log(`${count} to rewrite`);
