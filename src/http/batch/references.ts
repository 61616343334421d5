/**
 * References to earlier operations of a batch: the text `$0.documentId` stands for the documentId of the first
 * operation. With one more `$` in front it is that text itself. Pure.
 */
import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { isPlainObject, mapLeaves } from '../../values/plain-object.js';

const REFERENCE = /^\$(\$*)(0|[1-9]\d{0,8})\.documentId$/;

/** The number of the operation that a value refers to; null if it is no reference. */
function operationIn(value: unknown): number | null {
  const [, more, number] = (typeof value === 'string' ? REFERENCE.exec(value) : null) ?? [];
  return more === '' ? Number(number) : null;
}

/**
 * Throws a 400 for a reference to an operation that is not earlier than `at`.
 * @param path of the operation, for the error
 */
export function checkOperationReferences(value: unknown, path: string, at: number): void {
  const number = operationIn(value);
  if (number !== null && number >= at)
    throw errors.validation(
      'batch-reference-invalid',
      `${shorten(path)} must refer to an earlier operation`,
      {
        path: shorten(path),
        source: 'body',
      },
    );
  if (Array.isArray(value))
    for (const [index, member] of value.entries()) checkOperationReferences(member, `${path}.${index}`, at);
  else if (isPlainObject(value))
    for (const [key, member] of Object.entries(value)) checkOperationReferences(member, `${path}.${key}`, at);
}

/** A copy with the documentIds in place of references. */
export const withDocumentIds = (value: unknown, documentIdOf: (operation: number) => string): unknown =>
  mapLeaves(value, (leaf) => {
    const number = operationIn(leaf);
    if (number !== null) return documentIdOf(number);
    return typeof leaf === 'string' && REFERENCE.test(leaf) ? leaf.slice(1) : leaf;
  });
