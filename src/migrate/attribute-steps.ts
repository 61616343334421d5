import { COMPONENT_IDS } from '../documents/entry/component-ids.js';
import { isObject } from '../values/plain-object.js';
import { convertTo } from './convert.js';
import { MigrationError } from './error.js';
import { type ShapeAttribute, type StoredShape, shapeModel, withAttribute } from './shape.js';
import type { StepRule } from './step-rule.js';
import type { MigrationStep, StoredEntry } from './types.js';

export type Of<K extends string> = Extract<MigrationStep, Readonly<Record<K, unknown>>>;

const attributeOf = (shape: StoredShape, of: string, name: string): ShapeAttribute => {
  const found = shapeModel(shape, of)?.attributes[name];
  if (found) return found;
  throw new MigrationError(`the applied schema of ${of} has no attribute ${name}`);
};

const has = (item: StoredEntry, name: string): boolean => Object.hasOwn(item, name);

const without = (item: StoredEntry, ...names: readonly string[]): StoredEntry =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

const renameAttribute: StepRule<Of<'renameAttribute'>> = {
  reshape(shape, { renameAttribute: from, of, to }) {
    const { gone: _, ...attribute } = attributeOf(shape, of, from);
    return withAttribute(withAttribute(shape, of, from, null), of, to, attribute);
  },
  item({ renameAttribute: from, of, to }, { shape }) {
    const isOld = shapeModel(shape, of)?.attributes[to]?.gone === true;
    return (item) => {
      if (!has(item, from)) return null;
      const links = item['_links'];
      const moved =
        isObject(links) && from in links
          ? {
              _links: Object.fromEntries(
                Object.entries(links).map(([name, link]) => [name === from ? to : name, link]),
              ),
            }
          : {};
      // A value that a newer server has already written there takes precedence, one of a removed attribute does not.
      const isThere = !isOld && has(item, to) && item[to] !== null;
      return { ...without(item, from), [to]: isThere ? item[to] : item[from], ...moved };
    };
  },
  inverse: ({ renameAttribute: from, of, to }) => ({ renameAttribute: to, of, to: from }),
};

const changeType: StepRule<Of<'changeType'>> = {
  reshape: (shape, { changeType: name, of, to }) =>
    withAttribute(shape, of, name, { ...attributeOf(shape, of, name), type: to }),
  once: true,
  item:
    ({ changeType: name, to, convert, otherwise }) =>
    (item) => {
      const value = item[name];
      if (value === null || value === undefined) return null;
      const given = convert ? convert(value, item) : value;
      if (given === null || given === undefined) return { ...item, [name]: null };
      const converted = convertTo(to, given);
      if ('value' in converted) return { ...item, [name]: converted.value };
      if (otherwise === 'null') return { ...item, [name]: null };
      throw new MigrationError(`${name} ${JSON.stringify(String(value)).slice(0, 60)}: ${converted.why}`);
    },
  inverse({ changeType: name, of, back }, before) {
    const type = shapeModel(before, of)?.attributes[name]?.type;
    return back && type !== undefined
      ? ({ changeType: name, of, to: type, convert: back } as MigrationStep)
      : `changeType ${name}: it has no "back"`;
  },
};

const many = (shape: StoredShape, of: string, name: string, isMany: boolean): StoredShape => {
  const { many: _, ...attribute } = attributeOf(shape, of, name);
  return withAttribute(shape, of, name, isMany ? { ...attribute, many: true } : attribute);
};

const toList: StepRule<Of<'toList'>> = {
  reshape: (shape, { toList: name, of }) => many(shape, of, name, true),
  item:
    ({ toList: name }) =>
    (item) => {
      const value = item[name];
      if (Array.isArray(value)) return null;
      return { ...item, [name]: value === null || value === undefined ? [] : [value] };
    },
  inverse: ({ toList: attribute, of }) => ({ toSingle: attribute, of, keep: 'first' }),
};

const toSingle: StepRule<Of<'toSingle'>> = {
  reshape: (shape, { toSingle: name, of }) => many(shape, of, name, false),
  item:
    ({ toSingle: name, keep }) =>
    (item) => {
      const value = item[name];
      if (!Array.isArray(value)) return null;
      if (value.length > 1 && keep === undefined)
        throw new MigrationError(`${name} has ${value.length} values; keep: 'first' keeps the first`);
      return { ...item, [name]: value[0] ?? null };
    },
  inverse: ({ toSingle: attribute, of }) => ({ toList: attribute, of }),
};

const removeAttribute: StepRule<Of<'removeAttribute'>> = {
  reshape(shape, { removeAttribute: name, of }, current) {
    if (shapeModel(current, of)?.attributes[name])
      throw new MigrationError(
        `${of} still has the attribute ${name} in its schema file, so it cannot be removed`,
      );
    return withAttribute(shape, of, name, null);
  },
  item:
    ({ removeAttribute: name }) =>
    (item) =>
      has(item, name) ? without(item, name) : null,
  inverse: ({ removeAttribute: name }) => `removeAttribute ${name}: its values were deleted`,
};

const moveIntoComponent: StepRule<Of<'moveIntoComponent'>> = {
  reshape(shape, { moveIntoComponent: names, of, into, component }, current) {
    const moved = names.reduce((at, name) => {
      const { gone: _, localized: __, ...attribute } = attributeOf(at, of, name);
      return withAttribute(withAttribute(at, of, name, null), component, name, attribute);
    }, shape);
    const holder = shapeModel(current, of)?.attributes[into] ?? { type: 'component', component };
    return withAttribute(moved, of, into, holder);
  },
  item:
    ({ moveIntoComponent: names, into }, { sequences }) =>
    async (item) => {
      const given = names.filter((name) => has(item, name));
      if (given.length === 0) return null;
      const values = Object.fromEntries(given.map((name) => [name, item[name] ?? null]));
      const rest = without(item, ...given);
      const there = isObject(item[into]) ? item[into] : null;
      if (!there && Object.values(values).every((value) => value === null)) return { ...rest, [into]: null };
      const [id] = there ? [there['id']] : await sequences.take(COMPONENT_IDS, 1);
      return { ...rest, [into]: { ...there, id, ...values } };
    },
  inverse: ({ moveIntoComponent: names, of, into }) => ({ moveOutOfComponent: names, of, from: into }),
};

const moveOutOfComponent: StepRule<Of<'moveOutOfComponent'>> = {
  reshape(shape, { moveOutOfComponent: names, of, from }, current) {
    const { component = '' } = attributeOf(shape, of, from);
    return names.reduce((at, name) => {
      const attribute = shapeModel(current, of)?.attributes[name] ?? attributeOf(at, component, name);
      return withAttribute(at, of, name, attribute);
    }, shape);
  },
  item:
    ({ moveOutOfComponent: names, from }) =>
    (item) => {
      const there = item[from];
      if (!isObject(there) || !names.some((name) => has(there, name))) return null;
      const values = Object.fromEntries(names.map((name) => [name, there[name] ?? item[name] ?? null]));
      return { ...item, ...values, [from]: without(there, ...names) };
    },
  inverse: ({ moveOutOfComponent: names, of, from }, before) => ({
    moveIntoComponent: names,
    of,
    into: from,
    component: shapeModel(before, of)?.attributes[from]?.component ?? '',
  }),
};

const accept: StepRule<Of<'accept'>> = {
  reshape: (shape, { accept: name, of }, current) =>
    withAttribute(shape, of, name, shapeModel(current, of)?.attributes[name] ?? null),
  inverse: ({ accept: name, of }) => ({ accept: name, of }),
};

export const ATTRIBUTE_STEPS = {
  renameAttribute,
  changeType,
  toList,
  toSingle,
  removeAttribute,
  moveIntoComponent,
  moveOutOfComponent,
  accept,
};
