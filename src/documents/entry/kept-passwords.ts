import type { Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { mapObjects } from '../../values/plain-object.js';
import { componentOf, holdsItems, walkAllItems } from '../plan/items.js';

const keyOf = ({ uid }: Model, { id }: Entry): string => `${uid} ${id}`;

/** An earlier version of an entry with the passwords of now, also in the component items that both have. */
export function withPasswordsOf(stored: Entry, version: Entry, type: Model, schema: Schema): Entry {
  const items = new Map(
    [...walkAllItems(schema, type, stored)].map(({ item, model }) => [keyOf(model, item), item]),
  );
  const within = (model: Model, entry: Entry, now: Entry | undefined): Entry => {
    const changed = { ...entry };
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      if (holdsItems(attribute))
        changed[name] = mapObjects(entry[name], (item) => {
          const inner = componentOf(schema, attribute, item);
          return inner ? within(inner, item, items.get(keyOf(inner, item))) : item;
        });
      else if (now && attribute.kind === 'scalar' && attribute.type === 'password')
        changed[name] = now[name] ?? null;
    }
    return changed;
  };
  return within(type, version, stored);
}
