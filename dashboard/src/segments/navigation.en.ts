export const en = { segments: 'Segments' };
