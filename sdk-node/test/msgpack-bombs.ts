/** Decodes answers that a broken or hostile server could send, in a process with a small heap. */
import { createMsgpackDecoder } from '../src/platform/msgpack-decoder.ts';

const LENGTH = 2 ** 25;
const bytes = (hex: string, count = 1): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.from(hex, 'hex')));
const filled = (byte: number): Buffer => Buffer.concat([bytes('dd01fffffb'), Buffer.alloc(LENGTH - 5, byte)]);

const bombs = [
  bytes('dd02000000', 40),
  bytes('dcffff', 20_000),
  bytes('dbffffffff61'),
  filled(0x80),
  filled(0x90),
];
let refused = 0;
let accept: string | undefined;
for (const bomb of bombs) {
  const decoder = createMsgpackDecoder();
  const reply = new Response(bomb, { headers: { 'content-type': 'application/msgpack' } });
  await decoder.decode(reply, LENGTH).catch((error: Error) => {
    if (error instanceof SyntaxError) refused++;
  });
  accept = decoder.accept();
}
process.stdout.write(JSON.stringify({ refused, accept }));
