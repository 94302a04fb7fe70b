import type { Badge } from '../report/badges.ts';
import { text } from '../report/html-text.ts';

const COLORS: Readonly<Record<string, string>> = {
  brightgreen: '#0d7a55',
  yellowgreen: '#5c6b00',
  orange: '#a34b00',
  red: '#b9283a',
  lightgrey: '#5f6b7d',
};
/** The average width of a character of the badge's font. */
const CHARACTER = 6.6;

/** A badge as a picture that needs no service. */
export const toBadgeSvg = ({ label, message, color }: Badge): string => {
  const [left, right] = [label, message].map((part) => Math.ceil(part.length * CHARACTER) + 14) as [
    number,
    number,
  ];
  const write = (part: string, middle: number) =>
    `<text x="${middle}" y="14" text-anchor="middle">${text(part)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${text(`${label}: ${message}`)}"><clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><path fill="#3b4556" d="M0 0h${left}v20H0z"/><path fill="${COLORS[color] ?? COLORS['lightgrey']}" d="M${left} 0h${right}v20H${left}z"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${write(label, left / 2)}${write(message, left + right / 2)}</g></svg>
`;
};
