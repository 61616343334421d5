import type { Document } from 'bson';
import { shapeOf } from '../../pipeline/populate/shape.js';
import type { SelectedFields } from '../../query/read-plan.js';
import type { Attribute, Model, Schema } from '../../schema/types.js';
import type { AdoptedDraft } from '../../store/adopted/in-place.js';
import type { Entry } from '../../store/entries/changes.js';
import { keyText } from '../../values/json-form.js';
import { valueAt } from '../../values/path.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { preparePublication } from '../prepare-write.js';

/**
 * Validates what publishing a draft would write: the whole document if it was created here, otherwise only
 * the attributes that it changes, since other programs may store what the schema does not allow.
 */
export async function checkDraft(
  write: BuildContext,
  { id, document, changed }: AdoptedDraft,
): Promise<void> {
  const { schema, type } = write;
  const own = [...type.attributes.values()].filter(({ system }) => !system);
  const checked = changed === null ? own : own.filter(({ stored }) => changed.some(touches(stored)));
  if (checked.length === 0) return;
  const shaped = shapeOf(wholeOf(type, schema), type)?.(document) ?? {};
  const inherited: Entry = Object.fromEntries(
    checked.map((attribute) => [attribute.name, inputOf(attribute, shaped, document)]),
  );
  const published: DocumentRef = { type, documentId: keyText(id), locale: null };
  await preparePublication(write, published, inherited, { action: changed === null ? 'create' : 'update' });
}

const touches =
  (stored: string) =>
  (path: string): boolean =>
    path === stored || path.startsWith(`${stored}.`) || stored.startsWith(`${path}.`);

function inputOf(attribute: Attribute, shaped: Document, document: Document): unknown {
  if (attribute.kind === 'scalar' || attribute.kind === 'component') return shaped[attribute.name];
  const value = valueAt(document, attribute.stored) ?? null;
  if (Array.isArray(value)) return value.map(keyText);
  return value === null ? null : keyText(value);
}

/** All scalars, also inside components. */
function wholeOf(model: Model, schema: Schema): SelectedFields {
  const attributes = [...model.attributes.values()];
  return {
    model,
    scalars: attributes.filter((attribute) => attribute.kind === 'scalar'),
    components: attributes.flatMap((attribute) => {
      const component = attribute.kind === 'component' && schema.components.get(attribute.component);
      return component && attribute.kind === 'component'
        ? [{ attribute, selection: wholeOf(component, schema) }]
        : [];
    }),
    zones: [],
    relations: [],
  };
}
