import { expect, test } from 'vitest';
import { attemptHeaders } from './use-change.ts';

test('a comment is sent in ASCII, whatever was pasted into it', () => {
  expect(attemptHeaders({ comment: 'Ünïted 🚀' })).toEqual({
    'x-change-comment': '%C3%9Cn%C3%AFted%20%F0%9F%9A%80',
  });
  // Half of an emoji has no encoding.
  expect(attemptHeaders({ comment: 'cut \ud83d' })).toEqual({ 'x-change-comment': 'cut%20%EF%BF%BD' });
  expect(attemptHeaders({ comment: '' })).toEqual({});
});
