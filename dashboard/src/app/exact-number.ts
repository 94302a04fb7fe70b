/**
 * Whether a number keeps what was typed. JavaScript, and with it JSON in every SDK, would turn the whole number
 * 9007199254740993 into its neighbour, and `1e400` into no number at all.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  return !/^[+-]?\d+$/.test(text) || BigInt(number) === BigInt(text.replace('+', ''));
}
