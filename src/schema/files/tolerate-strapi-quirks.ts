import type { AppEvent } from '../../events/events.js';
import { isObject, type PlainObject } from '../../values/plain-object.js';
import { builtInSources } from './builtin.js';
import { attributesIn } from './raw.js';
import type { SchemaFile } from './read.js';
import { CUSTOM_FIELDS, type CustomFields } from './source.js';

/** The files in a form that can be used, and what was left out or changed. */
interface Tolerated {
  readonly files: readonly SchemaFile[];
  readonly warnings: readonly AppEvent[];
}

const BUILT_IN = new Map(builtInSources.map((source) => [source.uid, source.raw.attributes as PlainObject]));

/**
 * Repairs schema files that Strapi accepts, and reports each repair: relations to types of plugins that do not exist
 * here, custom fields that only a plugin knows, a `mappedBy` without its other side, relations with two
 * owners, extensions of other plugins' types.
 */
export function tolerateStrapiQuirks(
  files: readonly SchemaFile[],
  customFields: CustomFields = {},
): Tolerated {
  const warnings: AppEvent[] = [];
  const models = modelsOf(files);
  const kept = files.flatMap((file) => {
    if (extendsNothing(file)) {
      warnings.push({ name: 'type-left-out', file: file.file, uid: file.uid });
      return [];
    }
    const attributes = attributesIn(file.content);
    if (!isObject(file.content) || Object.keys(attributes).length === 0) return [file];
    const entries = Object.entries(attributes).flatMap(([name, raw]) => {
      if (!isObject(raw)) return [[name, raw] as const];
      const place = { file: file.file, uid: file.uid, name, raw, models, customFields };
      const rule = RULES.find(({ applies }) => applies(place));
      if (!rule) return [[name, raw] as const];
      warnings.push(rule.says(place));
      const changed = rule.change(place);
      return changed === null ? [] : [[name, changed] as const];
    });
    return [{ ...file, content: { ...file.content, attributes: Object.fromEntries(entries) } }];
  });
  return { files: kept, warnings };
}

/** An extension of a type that only a plugin has. */
const extendsNothing = ({ kind, uid }: SchemaFile): boolean => kind === 'extension' && !BUILT_IN.has(uid);

/** The attributes of every type by uid, including extensions. */
function modelsOf(files: readonly SchemaFile[]): ReadonlyMap<string, PlainObject> {
  const models = new Map(BUILT_IN);
  for (const file of files) {
    if (extendsNothing(file)) continue;
    models.set(file.uid, { ...models.get(file.uid), ...attributesIn(file.content) });
  }
  return models;
}

/** An attribute and its context. */
interface Declared {
  readonly file: string;
  readonly uid: string;
  readonly name: string;
  readonly raw: PlainObject;
  readonly models: ReadonlyMap<string, PlainObject>;
  readonly customFields: CustomFields;
}

interface QuirkRule {
  readonly applies: (place: Declared) => boolean;
  readonly says: (place: Declared) => AppEvent;
  /** The attribute as it is used; null if it is left out. */
  readonly change: (place: Declared) => PlainObject | null;
}

/** The attribute of the target that this one names as its other side. */
const otherSide = ({ raw, models }: Declared, key: 'mappedBy' | 'inversedBy'): unknown =>
  models.get(String(raw['target']))?.[String(raw[key])];

const isRelation = ({ raw }: Declared): boolean => raw['type'] === 'relation';

/** The place of the attribute, and the uid that it refers to. */
const detailsOf = ({ file, name, raw }: Declared, key: 'customField' | 'target') => ({
  file,
  attribute: name,
  uid: String(raw[key]),
});

const RULES: readonly QuirkRule[] = [
  {
    applies: ({ raw, customFields }) =>
      raw['type'] === 'customField' &&
      typeof raw['customField'] === 'string' &&
      !Object.hasOwn({ ...CUSTOM_FIELDS, ...customFields }, raw['customField']),
    says: (place) => ({ name: 'custom-field-unknown', ...detailsOf(place, 'customField') }),
    change: ({ raw }) => ({ ...raw, type: 'json' }),
  },
  {
    applies: (place) =>
      isRelation(place) &&
      /^(plugin|admin)::[^.\s]+(\.[^.\s]+)?$/.test(String(place.raw['target'])) &&
      !place.models.has(String(place.raw['target'])),
    says: (place) => ({ name: 'attribute-left-out', ...detailsOf(place, 'target') }),
    change: () => null,
  },
  {
    applies: (place) =>
      isRelation(place) &&
      typeof place.raw['mappedBy'] === 'string' &&
      place.models.has(String(place.raw['target'])) &&
      otherSide(place, 'mappedBy') === undefined,
    says: (place) => ({
      name: 'relation-one-way',
      ...detailsOf(place, 'target'),
      otherSide: String(place.raw['mappedBy']),
    }),
    change: ({ raw: { mappedBy: _, ...rest } }) => rest,
  },
  {
    applies: (place) => {
      const other = otherSide(place, 'inversedBy');
      return (
        isRelation(place) &&
        isObject(other) &&
        other['target'] === place.uid &&
        other['inversedBy'] === place.name
      );
    },
    says: (place) => ({
      name: 'relation-two-owners',
      ...detailsOf(place, 'target'),
      otherSide: String(place.raw['inversedBy']),
    }),
    change: ({ raw: { inversedBy: _, ...rest } }) => rest,
  },
];
