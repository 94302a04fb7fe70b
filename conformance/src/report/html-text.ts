const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as HTML, in an element or in an attribute in double quotes. */
export const text = (raw: string): string => raw.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);

/** A sentence as HTML. Words in backquotes are printed bold. */
export const prose = (sentence: string): string => text(sentence).replace(/`([^`]+)`/g, '<b>$1</b>');
