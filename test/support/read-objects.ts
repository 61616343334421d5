import { withoutListed } from '../../src/documents/read/listed-locales.js';
import type { JsonOf, Reader, ReadRequest } from '../../src/documents/read/reader.js';
import { shapeOf } from '../../src/pipeline/populate/shape.js';
import type { Doc } from '../../src/pipeline/types.js';
import { ambiguous } from '../../src/store/adopted/keys.js';
import type { Store } from '../../src/store/client.js';
import { runRead } from '../../src/store/reads/read.js';
import { renderObjects } from './render-objects.js';

/** The entries that a read shows, by the model: its rows are decoded to objects, and these rendered. */
export async function readObjects(
  { reader, store }: { readonly reader: Reader; readonly store: Store },
  request: ReadRequest,
  of: JsonOf,
): Promise<readonly Doc[]> {
  const documentId = 'documentId' in of ? of.documentId : null;
  const target = 'documentId' in of ? 'one' : of.target;
  const { plan, compiled } = reader.prepare({ ...request, target }).read;
  const shape = shapeOf(plan.selection, plan.type) ?? ((row: Doc) => row);
  const render = renderObjects(plan, { componentIds: true, v4: request.v4 ?? false });
  const { rows } = await runRead({ store }, compiled, { documentId });
  if (rows.length > 1 && documentId !== null) throw ambiguous(plan.type, documentId);
  return withoutListed(rows.map(shape), plan).map(render);
}
