import type { Attribute, RelationAttribute, ScalarAttribute, ScalarType } from '../schema/types.js';

type Names = ReadonlyMap<string, string>;

/** rules C.3: how each type is answered. */
const ANSWERED: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  text: 'string',
  richtext: 'string',
  email: 'string',
  uid: 'string',
  password: 'string',
  enumeration: 'string',
  blocks: 'Block[]',
  json: 'unknown',
  integer: 'number',
  float: 'number',
  decimal: 'number',
  biginteger: 'string',
  date: 'string',
  time: 'string',
  datetime: 'string',
  timestamp: 'string',
  boolean: 'boolean',
};

/** What may be sent where it is more than what is answered (rules E.4). */
const SENT: Partial<Readonly<Record<ScalarType, string>>> = {
  biginteger: 'string | number | bigint',
  date: 'string | Date',
  datetime: 'string | number | Date',
  timestamp: 'string | number | Date',
};

const scalarType = (
  attribute: ScalarAttribute,
  types: Partial<Readonly<Record<ScalarType, string>>>,
): string =>
  attribute.enum
    ? attribute.enum.map((value) => JSON.stringify(value)).join(' | ')
    : (types[attribute.type] ?? ANSWERED[attribute.type]);

const many = (type: string): string => (/[ |&]/.test(type) ? `(${type})[]` : `${type}[]`);
const items = (type: string, attribute: { readonly many: boolean }): string =>
  attribute.many ? many(type) : `${type} | null`;

/** The type of an attribute in an answer. */
export function answerType(attribute: Attribute, names: Names): string {
  switch (attribute.kind) {
    case 'scalar': {
      const type = scalarType(attribute, ANSWERED);
      const present = attribute.system
        ? !['locale', 'publishedAt'].includes(attribute.name)
        : attribute.required;
      return present || type === 'unknown' ? type : `${type} | null`;
    }
    case 'relation':
      return items(related(attribute, names), attribute);
    case 'media':
      return items(names.get('plugin::upload.file') ?? 'unknown', attribute);
    case 'component':
      return items(names.get(attribute.component) ?? 'unknown', attribute);
    case 'zone':
      return many(zoneItem(attribute.components, names, ''));
  }
}

/** The type of an attribute in the data of a create or update. */
export function inputType(attribute: Attribute, names: Names): string {
  switch (attribute.kind) {
    case 'scalar': {
      const type = scalarType(attribute, SENT);
      return type === 'unknown' ? type : `${type} | null`;
    }
    case 'relation':
      return attribute.target === null ? 'unknown' : 'RelationInput';
    case 'media':
      return 'RelationInput';
    case 'component':
      return items(`${names.get(attribute.component) ?? 'unknown'}Input`, attribute);
    case 'zone':
      return many(zoneItem(attribute.components, names, 'Input'));
  }
}

const related = (attribute: RelationAttribute, names: Names): string =>
  attribute.target === null
    ? '{ __type: string; id: number; documentId: string; [attribute: string]: unknown }'
    : (names.get(attribute.target) ?? 'unknown');

const zoneItem = (components: readonly string[], names: Names, suffix: string): string =>
  components.length === 0
    ? 'never'
    : components
        .map((uid) => `{ __component: ${JSON.stringify(uid)} } & ${names.get(uid) ?? 'object'}${suffix}`)
        .join(' | ');
