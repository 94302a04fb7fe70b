const SCRIPTS = [
  '<script>globalThis.hacked = 1</script>',
  '<img src=x onerror="globalThis.hacked=1">',
  '<svg/onload=globalThis.hacked=1>',
  '"><iframe srcdoc="<script>parent.hacked=1</script>">',
  "' onmouseover='globalThis.hacked=1",
  'javascript:globalThis.hacked=1',
  '{{constructor.constructor("globalThis.hacked=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: pages must show this text as it is
  '${globalThis.hacked=1}',
  '</textarea></title></style><b>bold</b>',
  '<a href="javascript:globalThis.hacked=1">link</a>',
  '<!--<img src="--><img src=x onerror=globalThis.hacked=1//">',
  '&lt;b&gt;&#60;script&#62;',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '%3Cscript%3E',
  '../../../etc/passwd',
];
const FOREIGN = [
  'مرحبا بالعالم',
  'שלום עולם',
  '实验性功能开关',
  'フィーチャーフラグ',
  'ฟีเจอร์ใหม่',
  '기능 플래그',
  'Ελληνικά',
  'Ünïcödé',
  '👩‍👩‍👧‍👦🏴‍☠️🇳🇱',
  'Z̵̢̛a̶l̷g̸o̵̧͠ ̶t̸e̷x̶t̵',
  '𝒻𝓁𝒶𝑔𝓈',
  'ﷺ﷽',
];
const INVISIBLE = [
  '\u202eright to left\u202c',
  '\u2066isolated\u2069',
  'zero\u200bwidth\u200djoin',
  '\ufeffbyte order mark',
  'line\u2028separator\u2029paragraph',
  'tab\tand\nnew\r\nlines',
  'bell\u0007 escape\u001b[31m',
  'delete\u007f next\u0085line',
  'private \ue000 use',
  'half \ud83d emoji',
  '\u00a0no-break\u00a0',
];
const LONG = [
  'a'.repeat(200),
  'W'.repeat(2_000),
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'https://example.com/'.padEnd(300, 'path/'),
  '👍'.repeat(300),
  'word '.repeat(400),
  '-'.repeat(150),
  'x'.repeat(65_536),
];

/** Names that people, imports and attackers give, each of which breaks a page that trusts names: more than 600. */
export function hostileTexts(): readonly string[] {
  const single = [...SCRIPTS, ...FOREIGN, ...INVISIBLE, ...LONG];
  const pairs = [...FOREIGN, ...INVISIBLE].flatMap((one) =>
    [...SCRIPTS, ...INVISIBLE.slice(0, 6)].map((other) => `${one} ${other}`),
  );
  return [...single, ...pairs];
}
