import { scalarOf } from '../schema/scalars/index.js';
import type { Attribute, RelationAttribute, ScalarAttribute } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import type { TypeNames } from './names.js';

/** What is returned, and what may be sent. */
const scalarType = (attribute: ScalarAttribute, sent = false): string => {
  const { enum: values, type, list } = attribute;
  const { answerType: answered, inputType = answered } = scalarOf(type);
  const one = values ? values.map((value) => JSON.stringify(value)).join(' | ') : sent ? inputType : answered;
  return list ? many(one) : one;
};

const many = (type: string): string => (/[ |&]/.test(type) ? `(${type})[]` : `${type}[]`);
const items = (type: string, attribute: { readonly many: boolean }): string =>
  attribute.many ? many(type) : `${type} | null`;

/** The TypeScript type of an attribute in an answer. */
export function answerType(attribute: Attribute, names: TypeNames): string {
  switch (attribute.kind) {
    case 'scalar': {
      const type = scalarType(attribute);
      const present = attribute.system
        ? !['locale', 'publishedAt'].includes(attribute.name)
        : attribute.required;
      return present || type === 'unknown' ? type : `${type} | null`;
    }
    case 'relation':
      return items(related(attribute, names), attribute);
    case 'media':
      return items(names.get(FILE_UID) ?? 'unknown', attribute);
    case 'component':
      return items(names.get(attribute.component) ?? 'unknown', attribute);
    case 'zone':
      return many(zoneItem(attribute.components, names, ''));
  }
}

/** The target of an attribute that must be populated, as a `LinkTypes` of src/query-types/model.ts; null for scalars. */
export function linkType(attribute: Attribute, names: TypeNames): string | null {
  const to = (uid: string, many: boolean): string => `{ ${many ? 'many' : 'one'}: ${names.get(uid)}Types }`;
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'relation':
      return attribute.target === null
        ? `{ any: '${attribute.many ? 'many' : 'one'}' }`
        : to(attribute.target, attribute.many);
    case 'media':
      return to(FILE_UID, attribute.many);
    case 'component':
      return to(attribute.component, attribute.many);
    case 'zone':
      return `{ zone: { ${attribute.components.map((uid) => `${JSON.stringify(uid)}: ${names.get(uid)}Types`).join('; ')} } }`;
  }
}

/** The TypeScript type of an attribute in the data of a create or update. */
export function inputType(attribute: Attribute, names: TypeNames): string {
  switch (attribute.kind) {
    case 'scalar': {
      const type = scalarType(attribute, true);
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

const related = (attribute: RelationAttribute, names: TypeNames): string =>
  attribute.target === null
    ? '{ __type: string; id: number; documentId: string; [attribute: string]: unknown }'
    : (names.get(attribute.target) ?? 'unknown');

const zoneItem = (components: readonly string[], names: TypeNames, suffix: string): string =>
  components.length === 0
    ? 'never'
    : components
        .map((uid) => `{ __component: ${JSON.stringify(uid)} } & ${names.get(uid) ?? 'object'}${suffix}`)
        .join(' | ');
